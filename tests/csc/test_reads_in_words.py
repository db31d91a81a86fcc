# SPDX-License-Identifier: Apache-2.0
"""Single things that the embedded engine reads of a .csc, with the line and the words of what is wrong."""

from __future__ import annotations

import pytest

from orchestrator.csc import javascript, mobility, values
from orchestrator.csc.document import Document
from orchestrator.csc.faults import Faults
from orchestrator.csc.fixing import fix_bytes
from orchestrator.csc.loading.check import judge
from orchestrator.csc.read import read_bytes
from orchestrator.csc.survey import survey
from orchestrator.csc.write import write
from orchestrator.errors import FaultyInput, Unsupported

LONG_ZERO, LONG_NINE = "0" * 5000 + "1", "9" * 5000  # int() of so many digits is an error of Python's


def faults(data: bytes) -> list[tuple[str, str]]:
    with pytest.raises(FaultyInput) as raised:
        read_bytes(data, "a.csc")
    return [(fault.what, fault.remedy) for fault in raised.value.faults]


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
