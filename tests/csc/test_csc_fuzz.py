# SPDX-License-Identifier: Apache-2.0
"""Damaged files and arbitrary scripts: an answer of ours, never another exception."""

from dataclasses import replace

from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator.csc import interfaces, script
from orchestrator.csc.model import EndScript, JavaScript, Mote, MoteType, Simulation, Udgm
from orchestrator.csc.read import read_bytes
from orchestrator.csc.write import write
from orchestrator.errors import OrchestrateError
from tests.tier import examples

WHOLE = write(
    Simulation(
        "T",
        1,
        1000,
        Udgm(),
        (MoteType("m", "", "a.c", "make", interfaces.STANDARD_INTERFACES),),
        (Mote("m", 1, 0, 0, eeprom=b"abc"), Mote("m", 2, 1, 1)),
        EndScript(1000, "x"),
    )
)
PIECES = [
    b"<",
    b">",
    b"/",
    b"&",
    b"&#0;",
    b"<![CDATA[",
    b"]]>",
    b"<!--",
    b"-->",
    b"\x00",
    b"\xff\xfe",
    b"<mote>",
    b"</mote>",
    b"<id>",
    b"9" * 30,
    b"-1",
    b"nan",
    b"1e9999",
    b"<pos/>",
    b"<simulation/>",
    b"<a xmlns='b'/>",
    b"&amp;",
    b"\xf0\x9f",
]


@settings(max_examples=examples(400), deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, len(WHOLE)), st.integers(0, 60), st.sampled_from(PIECES) | st.binary(max_size=4)
        ),
        min_size=1,
        max_size=4,
    )
)
@example([(191, 2, b">"), (3810, 60, b">")])  # a line end less before the script
def test_a_damaged_file_has_an_answer(changes):
    data = WHOLE
    for place, length, piece in changes:
        data = data[:place] + piece + data[place + length :]
    try:
        simulation = read_bytes(data)
    except OrchestrateError as error:
        assert str(error)
    else:
        assert _anywhere(read_bytes(write(simulation))) == _anywhere(simulation)


def _anywhere(simulation):
    """Without the lines of the file at which its script stands: whoever writes it lays it out anew."""
    if isinstance(simulation.script, JavaScript):
        return replace(simulation, script=replace(simulation.script, lines=()))
    return simulation


@settings(max_examples=examples(300), deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_have_an_answer(data):
    try:
        read_bytes(data)
    except OrchestrateError as error:
        assert str(error)


FORMS = [
    script.write(end)
    for end in (
        EndScript(5000),
        EndScript(5000, verdict_at_timeout=False),
        EndScript(5000, "a"),
        EndScript(5000, None, "b"),
        EndScript(5000, "a", "b"),
        EndScript(5000, "a", ends_at_verdict=True),
        EndScript(5000, "a", "b", False, True),
    )
]
FRAGMENTS = [
    ";",
    "{",
    "}",
    '"',
    "'",
    "\\",
    "//",
    "/*",
    "*/",
    "\n",
    " ",
    "TIMEOUT(",
    ")",
    "log.testOK()",
    "YIELD()",
    "1",
    "\t",
]


@settings(max_examples=examples(400), deadline=None)
@given(
    st.sampled_from(FORMS),
    st.integers(0, 400),
    st.integers(0, 5),
    st.sampled_from(FRAGMENTS) | st.text(max_size=3),
)
def test_a_changed_script_is_recognised_as_what_it_says_or_refused(form, place, length, piece):
    try:
        end = script.read(form[:place] + piece + form[place + length :])
    except script.UnknownScript as unknown:
        assert unknown.line >= 1
    else:
        assert script.read(script.write(end)) == end
