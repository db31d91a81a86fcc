# SPDX-License-Identifier: Apache-2.0
"""Cooja's textual replacements, lines included, and the file of the Mobility plugin."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.csc import javascript, macros, mobility
from orchestrator.csc.faults import Faults
from orchestrator.csc.model import Move
from orchestrator.errors import FaultyInput


def test_comments_go_and_lines_are_known():
    text = "a; // b\n/* one\n two */ c;\nd; /* e */ f;"
    expanded = macros.expand(text)
    found = {
        line.strip(): expanded.lines[number]
        for number, line in enumerate(expanded.code.split("\n"))
        if line.strip()
    }
    assert found == {"a;": 1, "c;": 3, "d;": 4, "f;": 4}


def test_a_url_in_a_string_is_a_comment_to_cooja():
    assert macros.expand('log.log("http://x");\nb();').code == '\nlog.log("http:\nb();\n'


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("WAIT_UNTIL(id == 1);", "while (!(id == 1)) {  YIELD(); };"),
        ("YIELD_THEN_WAIT_UNTIL(a(b));", "YIELD(); while (!(a(b))) {  YIELD(); };"),
        ("WAIT_UNTIL(a) || (b);", "while (!(a) || (b)) {  YIELD(); };"),  # to the last bracket of the line
        (
            r'WAIT_UNTIL(msg == "a\n");',
            'while (!(msg == "an")) {  YIELD(); };',
        ),  # Java takes the backslash away
        ("log.testOK(); log.testFailed();", "throw new TestOK(); throw new TestFailed();"),
        ("log.generateMessage(5, 'x');", "log.generateMsg(mote, 5, 'x');"),
    ],
)
def test_macros(text, code):
    assert macros.expand(text).code == f"\n{code}\n"


def test_the_time_out_and_its_code():
    expanded = macros.expand("a();\nTIMEOUT(2000,\n log.testOK());\nb();")
    assert (expanded.timeout_ms, expanded.timeout_code, expanded.code) == (
        2000,
        "throw new TestOK()",
        "\na();\n;;\nb();\n",
    )
    assert expanded.lines == (0, 1, 2, 4, 5, 2)
    assert macros.expand("a();").timeout_ms == 1_200_000


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("TIMEOUT(1);\nTIMEOUT(2);", 2),
        ("TIMEOUT(1);\n\nTIMEOUT(2, a());", 3),
        ("\nWAIT_UNTIL(a == '$x');", 2),
        ("TIMEOUT(99999999999999999999);", 1),
    ],
)
def test_what_cooja_refuses(text, line):
    with pytest.raises(macros.Misread) as raised:
        macros.expand(text)
    assert raised.value.line == line


@given(
    st.lists(
        st.sampled_from(
            ["/*", "*/", "//", "\n", "a", "TIMEOUT(", "5", ")", "WAIT_UNTIL(", ",", " ", "$", "\\"]
        ),
        max_size=40,
    )
)
def test_every_line_of_the_code_has_a_line_of_the_text(pieces):
    text = "".join(pieces)
    try:
        expanded = macros.expand(text)
    except macros.Misread as misread:
        assert 0 <= misread.line <= text.count("\n") + 2
        return
    assert len(expanded.lines) == expanded.code.count("\n") + 2
    assert list(expanded.lines[:-1]) == sorted(expanded.lines[:-1])


@pytest.mark.parametrize(
    "text",
    [
        "s = {}; s.mine = function() {}; s.mine();",
        "function F() {}\nF.prototype.go = function() {};\nnew F().go();",
        "var o = {run: function() {}}; o.run();",
        "r = new java.util.Random(1); r.nextFloat();",
        '"sim.stopSimulation()";',
        "// gui.x()",
    ],
)
def test_a_script_s_own_functions_are_its_own(text):
    assert javascript.read([javascript.Part(text, "s.js", 1)])[1] == []


def test_positions():
    faults = Faults("a.csc")
    assert mobility.read("# head\n\n0 0.5 1 -2.5\r\n3 1e1 0 0 more\n", faults, 7) == (
        Move(0, 500_000, 1.0, -2.5),
        Move(3, 10_000_000, 0.0, 0.0),
    )
    faults.raise_any()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0 1 2\n", "line 1"),
        ("0 0 0 0\nx 1 2 3\n", "line 2"),
        ("-1 1 2 3", "line 1"),
        ("0 nan 2 3", "line 1"),
        ("# nothing\n", "no moves"),
        ("0 0 1 1\n1 0 2 2\n", "all moves are at the time 0"),
        ("0 1e300 1 1", "1e300 s"),
    ],
)
def test_positions_with_faults(text, said):
    faults = Faults("a.csc")
    mobility.read(text, faults, 7)
    with pytest.raises(FaultyInput, match="a.csc:7: positions") as raised:
        faults.raise_any()
    assert said in str(raised.value)
