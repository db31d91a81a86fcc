# SPDX-License-Identifier: Apache-2.0
"""What the documents point at is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
DOCUMENTS = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_to_a_file(document):
    targets = [found for found in LINK.findall(document.read_text(encoding="utf-8")) if "://" not in found]
    assert [target for target in targets if not (document.parent / target).exists()] == []


def test_links_are_found():
    assert LINK.findall("![a](b/c.png) [d](e.md#f) [g](https://h)") == ["b/c.png", "e.md", "https://h"]
