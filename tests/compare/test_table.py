# SPDX-License-Identifier: Apache-2.0
"""In docs/evidence/byte-identity.md the rows of one part and rule set are renewed; everything else stays."""

from __future__ import annotations

import pytest

from orchestrator.errors import MissingTool, WrongUsage
from tools.compare import contiki_ng_tests, firmware, golden
from tools.compare.coojas import Cooja, cooja
from tools.compare.table import (
    BUT_ADDRESSES,
    DIFFERENT,
    DOCUMENT,
    EQUAL,
    EQUAL_TO_VERDICT,
    NONE,
    NOT_RUN,
    Row,
    replace,
)


def row(case: str, rules: str, same: str = EQUAL, verdict: str = "OK") -> Row:
    return Row(case, "probes", rules, verdict, "OK", same, 1.234, 0.0056)


@pytest.fixture
def document(tmp_path):
    file = tmp_path / "table.md"
    file.write_text("# Title\nWords.\n\n## One\nWhat it is.\n\n## Two\nMore words.\n")
    return file


def test_a_table_stands_below_the_words_of_its_part(document):
    replace("One", [row("b", "5.0"), row("a", "5.0")], document)
    before, after = document.read_text().split("## Two")
    assert after == "\nMore words.\n"
    assert before.startswith("# Title\nWords.\n\n## One\n\nWhat it is.\n\nTogether: ")
    assert [line.split("|")[1].strip() for line in before.splitlines() if line.startswith("|")] == [
        "case",
        "---",
        "b",
        "a",
    ]
    assert "| b | probes | 5.0 | OK | OK | equal | 1.23 | 0.006 |" in before
    assert (
        before.count(
            "Together: 2 of 2 end alike with the same bytes; 2 s in Cooja, 0.0 s in the embedded engine."
        )
        == 1
    )


@pytest.mark.parametrize(
    ("same", "verdict", "holds"),
    [
        (EQUAL, "OK", True),
        (EQUAL_TO_VERDICT, "OK", True),
        (BUT_ADDRESSES, "OK", True),
        (DIFFERENT, "OK", False),
        (NONE, "OK", False),
        (EQUAL, "FAILED", False),
    ],
)
def test_only_equal_bytes_and_verdicts_are_the_same(same, verdict, holds):
    assert row("a", "5.0", same, verdict).same is holds


def test_the_committed_tables_hold_every_golden_case_under_both_rule_sets_and_nothing_differs():
    text = DOCUMENT.read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    rows = [cells for cells in rows if cells[2] in ("5.0", "2026.07")]
    assert {(cells[0].removeprefix("| "), cells[2]) for cells in rows if cells[1] == "probes"} == {
        (case, rules) for case in golden.ALL for rules in ("5.0", "2026.07")
    }
    assert {cells[1] for cells in rows} >= {
        "probes",
        firmware.EMBEDDED_CONTIKI,
        firmware.CONTIKI_NG,
        firmware.UNMODIFIED,
    }
    assert {cells[5] for cells in rows if cells[1] == "probes"} == {EQUAL}
    # The words above the table say why that one has no true answer.
    assert [cells[0] for cells in rows if not cells[5].startswith((EQUAL, NONE))] == [
        "| 07-simulation-base/21-cooja-rpl-tsch-security"
    ]
    assert not [cells for cells in rows if cells[3] != cells[4] and cells[4] != NOT_RUN]


def test_the_committed_table_holds_all_tests_of_contiki_ng_in_the_same_form():
    part = (
        DOCUMENT.read_text(encoding="utf-8")
        .partition(f"## {contiki_ng_tests.PART}\n")[2]
        .partition("\n## ")[0]
    )
    rows = [line.split(" | ") for line in part.splitlines() if line.startswith("| ")][2:]
    assert (
        len(rows) == 82
        and {len(cells) for cells in rows} == {8}
        and {cells[1] for cells in rows} == {firmware.UNMODIFIED}
    )
    assert len([cells for cells in rows if cells[4] == NOT_RUN]) == 6 and all(
        "SerialSocketServer" in cells[5] for cells in rows if cells[4] == NOT_RUN
    )
    assert "Together: 75 of 76 end alike" in part


def test_a_program_needs_its_rule_set_said(tmp_path):
    program = tmp_path / "cooja"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert cooja(f"2026.07={program}") == Cooja(str(program), "2026.07")
    with pytest.raises(WrongUsage, match=f"5.0={program} or 2026.07={program}"):
        cooja(str(program))
    with pytest.raises(MissingTool):
        cooja(f"5.0={tmp_path / 'none'}")
