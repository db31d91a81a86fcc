# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/byte-identity.md: rows of one part and rule set are renewed, everything else stays."""

from __future__ import annotations

import pytest

from orchestrator.errors import MissingTool, WrongUsage
from tests.compare import firmware, golden
from tests.compare.coojas import Cooja, cooja
from tests.compare.table import DIFFERENT, DOCUMENT, EQUAL, EQUAL_TO_VERDICT, NONE, Row, replace


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
    assert before.startswith("# Title\nWords.\n\n## One\n\nWhat it is.\n\n| case | firmware |")
    assert [line.split("|")[1].strip() for line in before.splitlines() if line.startswith("|")] == ["case", "---", "b", "a"]
    assert "| b | probes | 5.0 | OK | OK | equal | 1.23 | 0.006 |" in before


def test_the_other_rule_set_s_rows_stay_beside_their_case(document):
    replace("One", [row("a", "5.0"), row("gone", "5.0")], document)
    replace("One", [row("b", "2026.07"), row("a", "2026.07")], document)
    replace("One", [row("a", "5.0", DIFFERENT), row("b", "5.0")], document)
    lines = [line for line in document.read_text().splitlines() if line.startswith("| a") or line.startswith("| b")]
    assert [tuple(line.split(" | ")[index] for index in (0, 2, 5)) for line in lines] == [
        ("| a", "2026.07", "equal"), ("| a", "5.0", "DIFFERENT"), ("| b", "2026.07", "equal"), ("| b", "5.0", "equal")]
    assert "gone" not in document.read_text()


def test_the_same_rows_give_the_same_bytes(document):
    for _ in range(2):
        replace("Two", [row("a", "5.0")], document)
        once = document.read_bytes()
        replace("Two", [row("a", "5.0")], document)
        assert document.read_bytes() == once


def test_a_part_that_is_not_there_yet_is_added(document):
    replace("Three", [row("a", "5.0")], document)
    assert document.read_text().endswith("| a | probes | 5.0 | OK | OK | equal | 1.23 | 0.006 |\n")


@pytest.mark.parametrize(("same", "verdict", "holds"), [
    (EQUAL, "OK", True), (EQUAL_TO_VERDICT, "OK", True), (DIFFERENT, "OK", False), (NONE, "OK", False), (EQUAL, "FAILED", False)])
def test_only_equal_bytes_and_verdicts_are_the_same(same, verdict, holds):
    assert row("a", "5.0", same, verdict).same is holds


def test_the_committed_tables_hold_every_golden_case_under_both_rule_sets_and_nothing_differs():
    text = DOCUMENT.read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    rows = [cells for cells in rows if cells[2] in ("5.0", "2026.07")]
    assert {(cells[0].removeprefix("| "), cells[2]) for cells in rows if cells[1] == "probes"} == {
        (case, rules) for case in golden.CASES + golden.OPERATED for rules in ("5.0", "2026.07")}
    assert {cells[1] for cells in rows} >= {"probes", firmware.EMBEDDED_CONTIKI, firmware.CONTIKI_NG, firmware.UNMODIFIED}
    assert {cells[5] for cells in rows if cells[1] == "probes"} == {EQUAL}
    assert not [cells for cells in rows if cells[5] == DIFFERENT]


def test_a_program_needs_its_rule_set_said(tmp_path):
    program = tmp_path / "cooja"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert cooja(f"2026.07={program}") == Cooja(str(program), "2026.07")
    with pytest.raises(WrongUsage, match=f"5.0={program} or 2026.07={program}"):
        cooja(str(program))
    with pytest.raises(MissingTool):
        cooja(f"5.0={tmp_path / 'none'}")
