# SPDX-License-Identifier: Apache-2.0
"""What `csc check` says of each thing that is odd, word by word: what it is, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from orchestrator.csc.document import Document
from orchestrator.csc.loading.check import judge
from orchestrator.csc.write import write

CASES = yaml.safe_load(Path(__file__).with_name("check_words.yaml").read_text(encoding="utf-8"))


def said(text: str, folder) -> list[list[str]]:
    findings = judge(Document.of(text.encode(), "a.csc", folder), "5.0").findings
    return [["fault" if one.fatal else "note", one.what, one.remedy] for one in findings]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["new"][:30])
def test_each_finding_in_words(small, tmp_path, case):
    (tmp_path / "node.c").touch()
    (tmp_path / "Makefile").touch()
    text = write(small).decode()
    assert case["old"] in text, "the case changes nothing"
    before = said(text, tmp_path)
    after = said(text.replace(case["old"], case["new"], 1), tmp_path)
    assert [one for one in after if one not in before] == case["said"]
