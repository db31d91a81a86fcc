# SPDX-License-Identifier: Apache-2.0
"""What bytecode can't hold is refused, all of it at once; what a firmware offers; the lines for a mote."""

from __future__ import annotations

import binascii
import re
from pathlib import Path

import pytest
from random_policies import LIBRARY

from orchestrator.cli.app import main
from orchestrator.errors import FaultyInput, NoSuchThing
from orchestrator.features.policies.application import sound
from orchestrator.features.policies.bytecode import instructions
from orchestrator.features.policies.bytecode.compiler import Limits, compiled
from orchestrator.features.policies.bytecode.firmware import firmware
from orchestrator.features.policies.bytecode.lines import lines, parts
from orchestrator.features.policies.extensions import load
from orchestrator.resources import contiki_apps

FIGURE_3 = contiki_apps() / "policies" / "figure-03.escape"
FIRMWARE = """Present
  on C-B notify Heat(t)
    0-0: t > drawLong() -> advertise Alarm; accept;
"""
SMALL = "New\n  on C-B notify Heat(t)\n    0-0: t > 50 -> discard;\n    0-0: t <= 50 -> accept;\n"


@pytest.fixture
def compile_(tmp_path):
    (tmp_path / "policy-extension.yaml").write_text(LIBRARY)
    library = load([tmp_path / "policy-extension.yaml"])
    (tmp_path / "present.escape").write_text(FIRMWARE)

    def make(text: str, *offered: str, **limits: int) -> bytes:
        (tmp_path / "new.escape").write_text(text)
        application, _ = sound([tmp_path / "new.escape"], library)
        present, _ = sound([tmp_path / "present.escape"], library)
        of = firmware(present, library, offered)
        return compiled(application.policies[0], of, library, Limits(**limits))

    return make


def refused(compile_, text: str, **limits: int) -> list[str]:
    with pytest.raises(FaultyInput) as error:
        compile_(text, **limits)
    return [fault.what.removeprefix("bytecode: ") for fault in error.value.faults]


def rule(action: str, variables: str = "", parameters: str = "t") -> str:
    return (
        f"New\n  {variables}\n  on C-B notify Heat({parameters})\n    0-0: true ->\n      {action} accept;\n"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (rule("f = 1;", "float f;"), ["f holds a float", "it computes with a float"]),
        (rule("y = 1;", "record r { int a; float b[2]; } x[2]; int y;"), ["x holds a float"]),
        (rule("s = seal(t);", "sealed s;"), ["s holds a sealed", "it computes with a sealed"]),
        (rule("n = f > 1;", "int n;", "float f"), ["f holds a float", "it computes with a float"]),
        (rule("level = t;", "global int level;"), ["level is global"]),
        (rule("notify Smoke(t);"), ["the firmware has no topic Smoke"]),
        (rule("").replace("Heat", "Smoke"), ["the firmware has no topic Smoke"]),
        (rule("t = draw();"), ["the firmware doesn't offer draw to bytecode"]),
        (rule("t = unseal(seal(t));"), ["it computes with a sealed"]),
        (rule("a = b;", "record pair { int x; int y; } a, b;"), ["a whole record is copied"]),
        (rule("p[t].x = 1;", "record pair { int x; int y; } p[2];"),
         ["only a run knows which element of a vector of vectors or records it is"]),
        (rule("big[0] = t;", "int big[16];"), ["New keeps 17 numbers"]),
        (SMALL + "  on timeout(9)\n  0-0: true -> discard;\n  on timeout(500)\n  0-0: true -> discard;\n",
         ["timeout(500) is the second of its kind"]),
    ],
)  # fmt: skip
def test_what_bytecode_can_not_hold_is_refused(compile_, text, said):
    assert refused(compile_, text) == said


def test_all_of_it_is_said_at_once_with_its_place(compile_, tmp_path):
    text = "New\n  float f;\n  on C-B notify Heat(t)\n    0-0: true ->\n      f = t; accept;\n"
    text += "  on B-C notify Smoke(t)\n    0-0: true -> t = draw(); accept;\n"
    with pytest.raises(FaultyInput) as error:
        compile_(text)
    assert [re.sub(r".*new\.escape:", "", fault.file) for fault in error.value.faults] == [
        "1:1",
        "4:5",
        "6:3",
    ]
    assert all(fault.remedy for fault in error.value.faults)


def test_programs_and_jumps_that_are_too_long(compile_):
    long = "".join(f"a = t + {1000 + n};" for n in range(40))
    assert refused(compile_, rule(long, "int a;").replace("true", "t > 1")) == [
        "a jump in the rules for C-B notify Heat spans 362 bytes"
    ]
    assert refused(compile_, rule(long, "int a;")) == ["New takes 375 bytes"]
    assert len(compile_(rule(long, "int a;"), size=500)) == 375
    loop = rule(f"while (t > 0) {{ {long} }}", "int a;")
    assert "spans" in refused(compile_, loop)[0]


def test_a_firmware_offers_what_its_policies_call_and_more_by_name(compile_):
    assert compile_(rule("t = drawLong();"))
    assert compile_(rule("t = draw();"), "draw")
    with pytest.raises(NoSuchThing, match="no extension declares drow; did you mean draw"):
        compile_(SMALL, "drow")
    assert compile_(SMALL)[1:3] != compile_(SMALL, "draw")[1:3]


def test_lines_are_parts_with_length_and_crc():
    program = bytes(range(60))
    assert [part[6:] for part in parts(program, 9)] == [program[:26], program[26:52], program[52:]]
    crc = binascii.crc_hqx(program, 0).to_bytes(2, "little").hex()
    assert lines(program, 9)[2] == f"policy code 09023c00{crc}{program[52:].hex()}"


def test_the_instructions_are_those_of_the_mote():
    folder = contiki_apps() / "middleware" / "policy-bytecode"
    text = (folder / "policy-bytecode-instructions.h").read_text()
    assert [name.lower() for name in re.findall(r" X\((\w+), ", text)] == instructions.NAMES
    types = re.findall(r"POLICY_BYTECODE_OF_(\w+)", text)
    assert [name.lower() for name in types] == list(instructions.TYPES)
    limits = (folder / "policy-bytecode.h").read_text()
    assert re.findall(r"#define POLICY_BYTECODE_(?:SIZE|CELLS|STACK) (\d+)", limits) == [
        str(one) for one in (instructions.SIZE, instructions.CELLS, instructions.STACK)
    ]


def test_the_command_writes_a_program_of_at_most_a_few_hundred_bytes(tmp_path, capsys):
    new = tmp_path / "new.escape"
    text = FIGURE_3.read_text().replace("humidityVariationPolicy", "humidity")
    new.write_text(text)
    call = ["policy", "compile", str(new), "--bytecode", "--for", str(FIGURE_3), "--out", str(tmp_path)]
    assert main([*call, "--version", "3"]) == 0
    program = (tmp_path / "humidity.bytecode").read_bytes()
    assert len(program) < 120
    assert (tmp_path / "humidity.lines").read_text().splitlines() == lines(program, 3)
    assert f"humidity: {len(program)} bytes for the firmware" in capsys.readouterr().out


@pytest.mark.parametrize("options", [["--bytecode"], ["--for", str(FIGURE_3)], ["--version", "256"]])
def test_the_command_says_what_belongs_together(options, capsys):
    assert main(["policy", "compile", str(FIGURE_3), *options]) == 2
    assert "--bytecode and --for" in (said := capsys.readouterr().err) or "--version is 1 to 255" in said


def test_a_firmware_with_a_place_has_it_as_its_last_policy(tmp_path):
    assert main(["policy", "compile", str(FIGURE_3), "--bytecode-place", "--out", str(tmp_path)]) == 0
    text = Path(tmp_path / "policies-generated.c").read_text()
    assert "{ policy_bytecode_start, 0, 0 }" in text and "const uint8_t policy_count = 2;" in text
    assert "POLICY_IN_BYTECODE = 1" in (tmp_path / "policies-generated.h").read_text()
