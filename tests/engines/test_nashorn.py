# SPDX-License-Identifier: Apache-2.0
"""Scripts do here what they do in Nashorn, Cooja's interpreter: its own recorded logs, one by one.

A script whose behaviour can't be imitated is named (UNLIKE), never run with another result. Which those are
is counted, so that none becomes one unnoticed.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

os.environ.setdefault("TZ", "UTC")
from tests.engines.nashorn_play import play  # noqa: E402

EXPRESSION = """try {{ var r = ({}); log.log(r + " :: " + typeof r + "\\n"); }} catch(e) {{ log.log("caught " + e + "\\n"); }}
log.testOK();
"""  # noqa: E501
# Read here as what they are in Nashorn only.
NASHORN_ONLY = re.compile(r"^function \(\)|catch\(e\) \{ let e")
UNLIKE = 209  # of the cases: refused by name, exit code 4


def cases() -> list[tuple[str, str]]:
    text = (Path(__file__).with_name("nashorn_cases.txt")).read_text(encoding="utf-8")
    found = []
    for block in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        code, _, log = block.partition("\n--- ")
        found.append((EXPRESSION.format(code[2:]) if code.startswith("E ") else code + "\n", log.strip("\n")))
    return found


@pytest.fixture(scope="module")
def played():
    return [(code, log, play(code).strip("\n")) for code, log in cases()]


def test_the_log_is_nashorns(played):
    different = [
        (code, log, ours)
        for code, log, ours in played
        if ours != log and "UNLIKE" not in ours and not ours.startswith("REFUSED")
    ]
    assert not different, different[:3]
    assert len(played) > 900


def test_what_nashorn_refuses_is_refused_and_nothing_else(played):
    wrong = [
        (code, log, ours)
        for code, log, ours in played
        if ours.startswith("REFUSED") != (log == "REFUSED")
        and not NASHORN_ONLY.search(code)
        and "UNLIKE" not in ours
    ]
    assert not wrong, wrong[:3]


def test_what_cannot_be_imitated_is_named(played):
    unlike = [ours.split("UNLIKE ")[1] for _, _, ours in played if "UNLIKE" in ours]
    assert all(unlike)
    assert len(unlike) <= UNLIKE
