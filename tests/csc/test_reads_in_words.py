# SPDX-License-Identifier: Apache-2.0
"""Single things that the embedded engine reads of a .csc, with the line and the words of what is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.csc import classes, javascript, links, mobility, values
from orchestrator.csc.document import Document
from orchestrator.csc.faults import MOST, Faults
from orchestrator.csc.fixing import fix_bytes
from orchestrator.csc.loading.check import judge
from orchestrator.csc.model import DirectedGraph, Edge, EndScript, JavaScript, LogisticLoss, Mote, Udgm
from orchestrator.csc.read import read_bytes
from orchestrator.csc.survey import survey
from orchestrator.csc.write import write
from orchestrator.errors import FaultyInput, Unsupported

LONG_ZERO, LONG_NINE = "0" * 5000 + "1", "9" * 5000  # int() of so many digits is an error of Python's


def faults(data: bytes) -> list[tuple[str, str]]:
    with pytest.raises(FaultyInput) as raised:
        read_bytes(data, "a.csc")
    return [(fault.what, fault.remedy) for fault in raised.value.faults]


@pytest.mark.parametrize(
    ("old", "new", "what", "remedy"),
    [
        ("<motedelay_us>1000000</motedelay_us>", "", "no <motedelay_us> element in <simulation>",
         "add <motedelay_us>1000000</motedelay_us>"),
        ("<motedelay_us>1000000</motedelay_us>", "<motedelay>2147484</motedelay>",
         "motedelay: 2147484 is outside -2147483648 to 2147483", "choose a number in that range"),
        ("<id>2</id>", "", "a mote without an id", "add an <interface_config> ContikiMoteID with <id>"),
        ("<id>2</id>", "<id>2147483648</id>", "mote id: 2147483648 is outside 0 to 2147483647",
         "choose a number in that range"),
    ],
)  # fmt: skip
def test_each_fault_in_words(small, old, new, what, remedy):
    text = write(small).decode()
    assert old in text
    assert (what, remedy) in faults(text.replace(old, new, 1).encode())


def test_the_largest_numbers_are_read_and_an_older_form_too(small):
    text = write(small).decode()
    again = read_bytes(
        text.replace("<motedelay_us>1000000</motedelay_us>", "<motedelay>2147483</motedelay>")
        .replace("<id>2</id>", "<id>2147483647</id>")
        .encode()
    )
    assert again.motedelay_us == 2147483000 and again.motes[1].id == 2147483647


def test_a_mote_s_own_bit_rate_is_read(small):
    radio = "org.contikios.cooja.contikimote.interfaces.ContikiRadio"
    config = f"<mote><interface_config>{radio}<bitrate>125.5</bitrate></interface_config>"
    first, second = read_bytes(write(small).replace(b"<mote>", config.encode(), 1)).motes
    assert (first.bit_rate, second.bit_rate) == (125.5, 250.0)


def test_a_script_that_cooja_refuses_is_told_in_its_line(small):
    text = write(small).decode()
    at = text.index("<script>")
    broken = (
        text[:at]
        + "<script>\nvar x = 1;\nTIMEOUT(1);\nTIMEOUT(2);\nx++;\n</script>"
        + text[text.index("</script>") + 9 :]
    )
    with pytest.raises(FaultyInput) as raised:
        read_bytes(broken.encode(), "a.csc")
    (fault,) = raised.value.faults
    assert fault.line == text[:at].count("\n") + 1 + 3
    assert fault.what.startswith("script: ") and fault.remedy == "Cooja itself would refuse it; correct it"


def test_what_nobody_gives_has_cooja_s_values():
    assert EndScript(1) == EndScript(1, None, None, True, False)
    script = JavaScript("a", "a", 1, "", ("a:1",))
    assert (script.adds_motes, script.calls) == (False, ())
    mote = Mote("a", 1, 2.0, 3.0)
    assert (mote.z, mote.eeprom, mote.bit_rate) == (0.0, None, 250.0)


def test_ranges_of_each_medium(small, tmp_path):
    def known(medium):
        (tmp_path / "a.csc").write_bytes(write(replace(small, medium=medium)))
        return links.ranges(survey(tmp_path / "a.csc"))

    assert known(Udgm(40, 60, 0.9, 0.8)) == links.Ranges(40.0, 60.0, 0.9, 0.8, False)
    (tmp_path / "a.csc").write_bytes(
        write(replace(small, medium=DirectedGraph((Edge(1, 2), Edge(2, 1))))).replace(
            b"<source>2</source>", b"<source>9</source>"
        )
    )
    assert links.links(survey(tmp_path / "a.csc")) == {(0, 1): 1.0}  # nobody is 9
    assert known(LogisticLoss(30)) == links.Ranges(30.0, None, 1.0, 1.0, False)


@pytest.mark.parametrize(
    ("text", "what", "remedy"),
    [
        (f"{'1' * 70} 0 0\n", f"positions: line 1, '{'1' * 60}', is not `mote-index seconds x y`",
         "separate four numbers by one space each"),
        ("\n0 1 2\n", "positions: line 2, '0 1 2', is not `mote-index seconds x y`",
         "separate four numbers by one space each"),
        ("2147483648 1 2 3\n", "positions: line 1, '2147483648 1 2 3', is not `mote-index seconds x y`",
         "separate four numbers by one space each"),
        ("0 1e30 2 3\n", "positions: line 1, 1e30 s", f"choose a time below {(2**63 - 1) >> 10} us"),
        ("# none\n", "positions: the file has no moves", "add lines of `mote-index seconds x y`"),
        ("0 0 2 3\n", "positions: all moves are at the time 0, and the file begins again at its end",
         "give the last one a later time"),
    ],
)  # fmt: skip
def test_each_fault_of_a_file_of_positions(text, what, remedy):
    noted = Faults("a.csc")
    mobility.read(text, noted, 7)
    assert (7, True, what, remedy) in noted.findings()


def test_findings_of_a_kind_are_counted_and_at_most_so_many():
    noted = Faults("a.csc")
    for line in range(MOST + 2):
        noted.note(line, f"note {line}")
        noted.faulty(5, "the same", "mend it")
    found = noted.findings()
    assert found[0] == (5, True, f"the same ({MOST + 2} times, first here)", "mend it")
    assert found[1] == (0, False, "note 0", "") and len(found) == MOST + 2
    assert found[-1] == (0, False, "and 2 more", "correct those above first")
    listed = noted.listed()
    assert len(listed) == 51 and listed[-1].what == f"and {MOST + 2 - 50} more"


def test_what_is_only_not_supported_is_told_as_that():
    noted = Faults("a.csc")
    noted.raise_any()
    noted.unsupported(3, "a thing", "leave it out", "other.js")
    with pytest.raises(Unsupported, match="other.js:3: not supported: a thing\n    leave it out"):
        noted.raise_any()
    noted.faulty(2, "wrong", "correct it")
    with pytest.raises(FaultyInput):
        noted.raise_any()


@pytest.mark.parametrize(
    ("text", "bounds", "fault"),
    [
        ("2147483647", values.INT, None),
        ("-2147483648", values.INT, None),
        ("+2147483648", values.INT, "+2147483648 is outside -2147483648 to 2147483647"),
        ("-2147483649", values.INT, "-2147483649 is outside -2147483648 to 2147483647"),
        ("9223372036854775807", values.LONG, None),
        (LONG_ZERO, values.INT, None),
        (LONG_NINE, values.INT, f"{'9' * 40} is outside -2147483648 to 2147483647"),
        (" 7", values.INT, "7 with white space around it"),
        ("", values.INT, "'' is not a whole number"),
        ("x" * 50, values.INT, f"{'x' * 40!r} is not a whole number"),
    ],
)  # fmt: skip
def test_whole_numbers_as_java_reads_them(text, bounds, fault):
    assert values.integer_fault(text, bounds) == fault


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("-007", -7), ("+12", 12), (LONG_ZERO, 1)])
def test_a_whole_number_of_java_s_has_its_value(text, number):
    assert values.java_integer(text) == number


@pytest.mark.parametrize(
    ("text", "reads"),
    [("1", True), (" 1.5e3f ", True), ("NaN", True), ("0x1.8p3", True), (".5", True), ("1.", True),
     ("1,5", False), ("0x1", False), ("", False), ("e3", False)],
)  # fmt: skip
def test_decimal_numbers_as_java_reads_them(text, reads):
    assert (values.decimal_fault(text) is None) is reads


@pytest.mark.parametrize(
    ("text", "number", "whole"),
    [(" 1.5 ", 1.5, "1.5"), ("7", 7.0, 7), ("-7", -7.0, -7), ("1_0", "1_0", "1_0"), ("inf", "inf", "inf"),
     (None, "", ""), ("9" * 20, 1e20, "9" * 20), ("9" * 19, 1e19, int("9" * 19))],
)  # fmt: skip
def test_text_stays_text_where_it_is_no_number(text, number, whole):
    assert values.number(text) == number
    assert values.whole(text) == whole


def test_versions_are_compared_as_numbers():
    assert classes.is_older("2022112801") and classes.is_older("7")
    assert not any(map(classes.is_older, ("2023090101", "2023090102", "20220101x", "", LONG_NINE)))


@pytest.mark.parametrize("digits", [LONG_ZERO, LONG_NINE], ids=["zeros", "nines"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('version="2023090101"', 'version="{}"'),
        ("<randomseed>7<", "<randomseed>{}<"),
        ("<motedelay_us>1000000</motedelay_us>", "<motedelay>{}</motedelay>"),
        ("<id>2<", "<id>{}<"),
        ("</simconf>", "<plugin>org.contikios.cooja.serialsocket.SerialSocketServer<mote_arg>{0}</mote_arg>"
         "<plugin_config><port>{0}</port></plugin_config></plugin></simconf>"),
    ],
)  # fmt: skip
def test_thousands_of_digits_are_judged_surveyed_and_fixed(small, tmp_path, old, new, digits):
    text = write(small).decode()
    assert old in text
    data = text.replace(old, new.format(digits), 1).encode()
    (tmp_path / "a.csc").write_bytes(data)
    assert judge(Document.of(data, "a.csc", tmp_path), "5.0").findings
    assert survey(tmp_path / "a.csc").motes
    assert fix_bytes(fix_bytes(data)[0])[0] == fix_bytes(data)[0]


@pytest.mark.parametrize(
    ("code", "missing"),
    [
        ("exit(1);", ["the call exit()"]),
        ("function exit(x) { return x; } exit(1);", []),
        ("gui.beep;", ["gui.beep"]),
        ("sim.nothing();", ["the call nothing()"]),
        ("a.mine = function(x) { return x; }; a.mine(1);", []),
        ("'exit(1)';", []),
    ],
)
def test_what_a_script_calls_and_nobody_has(code, missing):
    _, found = javascript.read([javascript.Part(f"TIMEOUT(1000);\n{code}\nlog.testOK();", "a.js", 5)])
    assert [one.what for one in found] == missing
    assert all((one.file, one.line) == ("a.js", 6) for one in found)
