# SPDX-License-Identifier: Apache-2.0
"""The variables that firmware must have for a mote type's interfaces: how large, where, and what is said of
all that are missing.
"""

from __future__ import annotations

import re

import pytest
from engine_firmware import HEAD, simulation

from orchestrator.build.kernel import KERNEL
from orchestrator.runs.model import Outcome

BODY = 'void cooja_tick(void) { if(first()) SAY("up\\n"); }'
PLACES = [(0, 0)]


def needed(*interfaces: str) -> list[str]:
    """What the kernel's list has for them, as it names it."""
    listed = re.findall(r"V\((\w+), \w+, (\w+)\)", (KERNEL / "motes" / "abi.h").read_text())
    return [f"{name} ({interface})" for interface, name in listed if interface in interfaces]


@pytest.mark.parametrize(
    "interfaces",
    [
        ("ContikiMoteID", "ContikiClock"),
        (
            "ContikiClock",
            "ContikiRadio",
            "ContikiMoteID",
            "ContikiRS232",
            "ContikiBeeper",
            "ContikiLED",
            "ContikiEEPROM",
            "ContikiCFS",
        ),
    ],
)
@pytest.mark.parametrize("has", ["cooja_init", "cooja_tick", ""])
def test_all_that_is_missing_is_named(interfaces, has, firmware, run):
    body = f"void {has}(void) {{}}\n" if has else "int nothing = 1;\n"
    result = run(simulation(PLACES, interfaces=interfaces), firmware(body, head="")).result
    assert result.outcome is Outcome.SETUP_ERROR
    missing = [f"{name} (every mote)" for name in ("cooja_init", "cooja_tick") if name != has]
    missing += needed(*interfaces)
    assert len(missing) > 8
    assert (
        f" lacks what the mote type's interfaces need: {', '.join(missing)}; define them, or"
        in result.evidence[0]
    )


def placed(name: str, size: int, place: int) -> str:
    """C that declares a variable of a size at a place in an array."""
    return (
        "char around[64] __attribute__((aligned(8))) = {1};\n"
        f'__asm__(".globl {name}\\n.type {name}, %object");\n'
        f'__asm__(".set {name}, around + {place}\\n.size {name}, {size}");\n'
    )


@pytest.mark.parametrize(
    ("declared", "name", "good", "bad"),
    [
        ("simSignalStrength, ", "simSignalStrength", (4, 8), (3, 9)),
        ("int64_t simLastPacketTimestamp;", "simLastPacketTimestamp", (8, 16), (7, 12)),
        ("simReceiving, ", "simReceiving", (1, 5), (0, 5)),
    ],
)
def test_a_variable_has_its_size_and_alignment(declared, name, good, bad, firmware, run):
    """A good size and place; a size too small; a place that isn't aligned."""
    head = HEAD.replace(declared, "")
    assert head != HEAD
    size, place = good
    for offered, at, fits in ((size, place, True), (bad[0], place, False), (size, bad[1], size == 1)):
        extern = f"extern {'int64_t' if size == 8 else 'int' if size == 4 else 'char'} {name};\n"
        ended = run(simulation(PLACES), firmware(extern + BODY, head=placed(name, offered, at) + head))
        if fits:
            assert ended.result.outcome is Outcome.OK, ended.result.evidence
            assert [text for _, _, text in ended.lines] == ["up"]
        elif offered:
            assert ended.result.outcome is Outcome.SETUP_ERROR
            said = f"the variable {name} must have {size} bytes and their alignment, it has {offered}"
            assert said in ended.result.evidence[0]
        else:
            assert ended.result.outcome is Outcome.SETUP_ERROR


def test_a_variable_may_end_with_its_section(firmware, run):
    last = 'int simLQI __attribute__((section(".bss.last,\\"aw\\",@nobits#")));\n'
    head = HEAD.replace("simLQI, ", "") + last
    ended = run(simulation(PLACES), firmware(BODY, head=head))
    assert ended.result.outcome is Outcome.OK, ended.result.evidence
    assert [text for _, _, text in ended.lines] == ["up"]
