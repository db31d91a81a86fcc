# SPDX-License-Identifier: Apache-2.0
"""A collector of faults: all at once, each once, in the order of lines."""

import pytest

from orchestrator.errors import FaultyInput, WrongUsage
from orchestrator.vocabulary.document import LineOf
from orchestrator.vocabulary.faults import MOST, Faults


def said(faults: Faults) -> list[str]:
    with pytest.raises(FaultyInput) as raised:
        faults.raise_any()
    return [f"{fault.file}:{fault.line} {fault.what}" for fault in raised.value.faults]


def test_its_own_file_comes_first_and_lines_in_order_each_fault_once():
    faults = Faults("x.yaml")
    for line, file in ((9, None), (2, "a.csv"), (3, None), (9, None), (1, "a.csv")):
        faults.add(line, "wrong", "correct it", file)
    assert len(faults) == 4
    assert said(faults) == ["x.yaml:3 wrong", "x.yaml:9 wrong", "a.csv:1 wrong", "a.csv:2 wrong"]


def test_faults_of_another_reader_keep_their_files():
    other = Faults("b.yaml")
    other.add(4, "odd", "correct it")
    with pytest.raises(FaultyInput) as raised:
        other.raise_any()
    faults = Faults("a.yaml")
    faults.extend(raised.value.faults)
    assert said(faults) == ["b.yaml:4 odd"]


def test_what_is_beyond_the_most_is_counted():
    faults = Faults("x.yaml")
    for line in range(1, MOST + 4):
        faults.add(line, "wrong", "correct it")
    found = said(faults)
    assert len(found) == MOST + 1
    assert found[-2:] == [f"x.yaml:{MOST} wrong", "x.yaml:0 and 3 more faults"]
    with pytest.raises(FaultyInput) as raised:
        faults.raise_any()
    assert raised.value.faults[-1].remedy == "correct the first ones and check again"
    again = Faults("x.yaml")
    for line in (*range(1, MOST + 1), 1):  # what was noted before isn't beyond
        again.add(line, "wrong", "correct it")
    assert len(said(again)) == MOST


def test_a_line_may_know_its_own_file():
    faults = Faults("x.yaml")
    faults.add(LineOf(5, "other.yaml"), "odd", "correct it")
    faults.add(LineOf(6, "other.yaml"), "odd", "correct it", "third.yaml")
    assert said(faults) == ["other.yaml:5 odd", "third.yaml:6 odd"]
    with pytest.raises(FaultyInput) as raised:
        faults.raise_any()
    assert [type(fault.line) for fault in raised.value.faults] == [int, int]


def test_none_raise_nothing_and_those_of_a_command_line_are_wrong_usage():
    faults = Faults("")
    faults.raise_any()
    faults.raise_usage()
    assert len(faults) == 0
    faults.add(0, "--spacing: 5 is no length", "write 5 m")
    faults.add(0, "--shape: x is unknown", "write chain")
    with pytest.raises(WrongUsage) as raised:
        faults.raise_usage()
    assert str(raised.value) == (
        "--spacing: 5 is no length\n    write 5 m\n--shape: x is unknown\n    write chain"
    )
