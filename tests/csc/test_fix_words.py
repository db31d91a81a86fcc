# SPDX-License-Identifier: Apache-2.0
"""What `csc fix` does with each thing that is old or odd, and the words that it says of it."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
import yaml

from orchestrator.csc.fixing import fix_bytes
from orchestrator.csc.write import write

CASES = yaml.safe_load(Path(__file__).with_name("fix_words.yaml").read_text(encoding="utf-8"))


def changed(before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), n=0, lineterm="")
    return [f"{line[0]} {line[1:].strip()}" for line in lines if not line.startswith(("---", "+++", "@@"))]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["new"][:30])
def test_each_change_in_words(small, case):
    text = write(small).decode()
    assert case["old"] in text or not case["old"], "the case changes nothing"
    before = text.replace(case["old"], case["new"], 1)
    after, changes = fix_bytes(before.encode())
    assert [[one.line, "done" if one.done else "left", one.what] for one in changes] == case["said"]
    assert changed(before, after.decode()) == case["diff"]
