# SPDX-License-Identifier: Apache-2.0
"""The same events for the reference interpreter and for the compiled C."""

from __future__ import annotations

import os
import random
import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from orchestrator.features.policies import arithmetic
from orchestrator.features.policies.application import together
from orchestrator.features.policies.c_code.names import Names
from orchestrator.features.policies.c_code.table import code, entries, timeouts
from orchestrator.features.policies.extensions import Function, Library
from orchestrator.features.policies.findings import ERROR
from orchestrator.features.policies.interpreter import Event, Node, Outcome, Running, first_value
from orchestrator.features.policies.meaning import Application
from orchestrator.features.policies.model import OPERATIONS
from orchestrator.features.policies.parse import parse
from orchestrator.features.policies.types import LONG
from orchestrator.resources import contiki_apps
from tests.waiting import HANG_S

MIDDLEWARE = contiki_apps() / "middleware" / "policies"
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
CLOCK = "typedef unsigned long clock_time_t;\n#define CLOCK_SECOND 1000\n"  # all that they need of contiki.h
STRICT = ("-std=gnu11", "-Wall", "-Wextra", "-Wconversion", "-Werror")
# Policies by chance compare what is always so; a compiler says that of the source, not of how it is compiled.
SILLY = (
    "-Wno-type-limits",
    "-Wno-bool-compare",
    "-Wno-int-in-bool-context",
    "-Wno-tautological-compare",
    "-Wno-sign-conversion",  # gcc 12 sees one from unsigned int to uint32_t, if | is in a side of a choice
)
NODE = 40000
DRAWN = """#include "policy.h"
int16_t drawn_int(void);
int32_t drawn_long(void);
uint32_t drawn_unsigned(uint32_t given);
float drawn_float(float given);
bool drawn_bool(int8_t one, uint16_t other);
struct policy_sealed drawn_sealed(int16_t value);
int16_t drawn_unsealed(struct policy_sealed sealed);
"""
OUTCOMES = [Outcome.NO_RULE, Outcome.ACCEPT, Outcome.DISCARD]
FAULTS = (
    arithmetic.DIVISION,
    arithmetic.INDEX,
    arithmetic.TURNS,
    arithmetic.ARGUMENT,
    arithmetic.RANGE,
    arithmetic.QUEUE,
)


def application(text: str, library: Library) -> Application:
    """Policies of which nothing is an error."""
    source, faults = parse(text, "random.escape")
    bound, found = together([source], faults, library)
    assert not [str(one) for one in found if one.severity == ERROR]
    return bound


def executable(bound: Application, library: Library, folder: Path, switched: bool = False) -> Path:
    """The policies in C, with the driver, under sanitizers and without a warning."""
    compiler = os.environ.get("CC") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler")
    for name, text in code(bound, library, switched).items():
        (folder / name).write_text(text)
    (folder / "drawn.h").write_text(DRAWN)
    (folder / "contiki.h").write_text(CLOCK)
    sources = [folder / "policies-generated.c", *sorted(MIDDLEWARE.glob("policy-[av]*.c"))]
    driver = Path(__file__).with_name("compiled.c")
    includes = [f"-I{folder}", f"-I{MIDDLEWARE}"]
    made = folder / "policies"
    # Under sanitizers gcc warns of conversions that its own checks bring in.
    for command in (
        [*STRICT, *SILLY, *includes, "-fsyntax-only", *sources],
        ["-std=gnu11", "-O1", *SANITIZE, *includes, *sources, driver, "-o", made],
    ):
        done = subprocess.run([compiler, *map(str, command)], capture_output=True, text=True, timeout=HANG_S)
        assert done.returncode == 0, done.stderr
    return made


def events(bound: Application, seed: int, count: int) -> list[tuple[int, list]]:
    """Events by chance: the number of a function of the tables, and arguments."""
    chance = random.Random(seed)
    functions = len(entries(bound)) + len(timeouts(bound))
    return [
        (chance.randrange(functions), [_argument(chance) for _ in range(chance.choice([4, 4, 3, 2, 0]))])
        for _ in range(count)
    ]


def _argument(chance: random.Random) -> int | float | bytes:
    kind = chance.randrange(10)
    if kind == 0:
        return chance.randbytes(arithmetic.SEALED_SIZE)
    if kind == 1:
        return arithmetic.single(chance.choice([0.0, -0.5, 2.75, 1e9, -3e9, 5e9, chance.uniform(-100, 100)]))
    if kind == 2:
        return chance.choice([-(1 << 31), (1 << 31) - 1, 65535, 32768, -32769, 128, -129])
    return chance.randint(-200, 300)


def shown(value: float | bytes) -> str:
    """A value as compiled.c reads and prints it."""
    if isinstance(value, bytes):
        return "s" + value.hex()
    if isinstance(value, float):
        return "nan" if value != value else "r" + struct.pack(">f", value).hex()  # noqa: PLR0124
    return f"n{arithmetic.wrapped(LONG, value)}"


class Drawn:
    """The functions of compiled.c."""

    def __init__(self) -> None:
        self.state = 1

    def _draw(self) -> int:
        self.state = (self.state * 1103515245 + 12345) & 0xFFFFFFFF
        return self.state

    def __call__(self, function: Function, given: Sequence) -> int | float | bytes:
        match function.name:
            case "draw":
                value = self._draw() >> 8 & 0xFFFF
                return value - 0x10000 if value >> 15 else value
            case "drawLong":
                return arithmetic.wrapped(LONG, self._draw())
            case "drawUnsigned":
                return self._draw() ^ given[0]
            case "drawFloat":
                return arithmetic.single((self._draw() >> 9) / 16) if given[0] > 0 else -2.5
            case "drawBool":
                return ((self._draw() >> 16) ^ given[0] ^ given[1]) % 2
            case "seal":
                return struct.pack("<h", given[0]) + bytes([3, 4, 5, 6, 7, 8]).ljust(
                    arithmetic.SEALED_SIZE - 2, b"\0"
                )
            case "unseal":
                return struct.unpack("<h", given[0][:2])[0]
        raise AssertionError(function)


def interpreted(bound: Application, library: Library, given: list[tuple[int, list]]) -> list[str]:
    """What the reference makes of the events, as compiled.c prints it."""
    node = Node(number=NODE, call=Drawn())
    node.shared = {slot.name: first_value(slot) for slot in bound.shared}
    running = [Running(policy, node) for policy in bound.policies]
    names = Names(bound, library)
    states = [names.states(policy) for policy in bound.policies]
    table = [*entries(bound), *timeouts(bound)]
    lines = []
    for entry, arguments in given:
        number, trigger = table[entry]
        event = Event(trigger, list(arguments))
        node.faults.clear()
        node.operations.clear()
        outcome = running[number].on(event)
        operations = "".join(
            f"[{OPERATIONS.index(one.operation)} {bound.topic(one.topic)} {_bits(library, one.extensions)}"
            + "".join(f" {shown(value)}" for value in one.arguments)
            + "] "
            for one in node.operations
        )
        name = states[number][running[number].state]
        state = name if name.isdigit() else running[number].state
        values = "".join(f" {shown(value)}" for value in event.arguments)
        faults = "".join(f" {node.faults[name]}" for name in FAULTS)
        with_ = _bits(library, event.extensions)
        lines.append(f"{operations}{OUTCOMES.index(outcome)} {state} {with_}{values}{faults}")
    return lines


def _bits(library: Library, names: Sequence[str]) -> int:
    return sum({library.with_bits[name] for name in names})


def executed(program: Path, given: list[tuple[int, list]]) -> list[str]:
    """What the compiled policies make of the events."""
    text = "".join(f"{entry} {' '.join(map(shown, arguments))}\n" for entry, arguments in given)
    done = subprocess.run([program], input=text, capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 0, done.stderr[:2000]
    return done.stdout.splitlines()
