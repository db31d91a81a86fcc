# SPDX-License-Identifier: Apache-2.0
"""Measures the bytes that our three storages take.

Each is compiled for every setting, and its variables are read from the object files. Results are cached by
sources and compiler.
"""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.build import cache, sizes, sources
from orchestrator.build.machines import MACHINES, Machine
from orchestrator.console import say
from orchestrator.errors import MissingTool

HOST = Machine("host", f"{platform.machine()}, here", "", (), "build-essential")
EVERY = (MACHINES["avr"], MACHINES["cortex-m3"], HOST)
# Our name of a concept -> its C file and the value of BLACKBOARD_CONF_CONCEPT.
BUILT = {"static": "STATIC", "dynamic": "DYNAMIC", "mixed": "COMBINED"}
SUBSCRIBERS = (1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 16, 17, 18, 24, 30)
VALUES = (1, 2, 4)
EIGHT = 8  # events of the compared storages: their flags are a whole byte
# Events of which an event's bytes are the difference to half as many. Flags of eight events are whole bytes;
# 16 events' positions would not fit into ten bits.
MANY = {"static": 16, "dynamic": 16, "mixed": 8}
# Variables of a storage that no definition has: deadlines; marks of whom to notify and who may poll; where
# bad positions lead.
CONSTANT = ", constant"  # in ROM; an AVR reads it from RAM unless it is declared for program memory
APART = ("blackboard_deadlines", "marks", "nowhere")
FILTER_WORDS = 3  # type, limit, handler (Table 1); the dynamic concept keeps the deadline behind them
PROBE = "blackboard_probe"
ARRAY = "blackboard_array"


@dataclass(frozen=True, order=True)
class Setting:
    """A setting of a storage: its events, and the subscribers and kept values of each."""

    concept: str
    events: int
    subscribers: int
    values: int = 1

    @property
    def name(self) -> str:
        return f"{self.concept}-{self.events}-{self.subscribers}-{self.values}"

    @property
    def lines(self) -> str:
        declared = " ".join(
            f"X({number}, UNSIGNED, {self.values}, {self.subscribers})" for number in range(self.events)
        )
        return (
            f"#define BLACKBOARD_CONF_CONCEPT BLACKBOARD_{BUILT[self.concept]}\n#define "
            f"BLACKBOARD_CONF_EVENTS(X) {declared}"
        )


@dataclass(frozen=True)
class Bytes:
    """The bytes of a storage's variables by name: `stored` are those that the definitions count."""

    stored: dict[str, int]
    apart: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.stored.values())


def settings() -> list[Setting]:
    """Return every setting that is compiled."""
    all_settings = []
    for concept in BUILT:
        shapes = [(n, 1) for n in SUBSCRIBERS] + [(6, v) for v in VALUES[1:]]
        all_settings += [
            Setting(concept, events, n, v)
            for n, v in shapes
            for events in (MANY[concept] // 2, MANY[concept])
        ]
    return all_settings


def measured(machine: Machine) -> dict[Setting, Bytes]:
    """Measure every setting on a machine. Raises MissingTool without its compiler, and BuildFailed."""
    identity = machine.compiler().identity()
    key = cache.key(
        {
            "what": "blackboard storage",
            "machine": machine.name,
            "flags": [*machine.flags, *sizes.FLAGS],
            "compiler": identity,
            "settings": [setting.name for setting in settings()],
            "apart": list(APART),
            "sources": sources.collect(sources.application_folder("blackboard-paper")).digest(),
        }
    )

    def write(folder: Path) -> Path:
        say(f"compiling the three storages with {len(settings())} settings for {machine.title}")
        file = folder / "bytes.json"
        file.write_text(
            json.dumps(
                {
                    setting.name: [size.stored, size.apart]
                    for setting, size in _compile(machine, settings()).items()
                }
            )
        )
        return file

    content = json.loads(cache.get("sizes", key, write).path.read_text())
    return {setting: Bytes(*content[setting.name]) for setting in settings()}


def available() -> tuple[dict[str, dict[Setting, Bytes]], list[str]]:
    """Return the bytes by machine, for machines with a compiler here, and why others are missing."""
    sizes, missing = {}, []
    for machine in EVERY:
        try:
            sizes[machine.name] = measured(machine)
        except MissingTool as error:
            missing.append(str(error).splitlines()[0])
    return sizes, missing


def _compile(machine: Machine, wanted: Iterable[Setting]) -> dict[Setting, Bytes]:
    by_setting: dict[Setting, Bytes] = {}
    for concept, built in BUILT.items():
        of = {setting.name: setting for setting in wanted if setting.concept == concept}
        if not of:
            continue
        parts = sizes.variants(
            machine,
            "blackboard",
            {name: setting.lines for name, setting in of.items()},
            (f"blackboard-{built.lower()}.c",),
            ("threads",),
            f"const char {PROBE}[BLACKBOARD_STORAGE_WORDS_OF_A_PLACE];",
        )
        for name, part in parts.items():
            by_setting[of[name]] = _bytes(of[name], part)
    return by_setting


def _bytes(setting: Setting, part: sizes.Part) -> Bytes:
    sizes_of = {symbol.split(".")[0]: (size, letter) for size, letter, symbol in part.symbols}
    words, _ = sizes_of.pop(PROBE)
    variables = {symbol: size for symbol, (size, letter) in sizes_of.items() if letter in "bBdDC"}
    apart = {symbol: size for symbol, size in variables.items() if symbol in APART}
    stored = {symbol: size for symbol, size in variables.items() if symbol not in APART}
    if words > FILTER_WORDS:
        deadlines = 4 * (words - FILTER_WORDS) * setting.events * setting.subscribers
        stored[ARRAY] -= deadlines
        apart[f"{ARRAY}, deadlines in it"] = deadlines
    return Bytes(
        stored,
        apart
        | {f"{symbol}{CONSTANT}": size for symbol, (size, letter) in sizes_of.items() if letter in "rR"},
    )


def an_event(bytes_of: dict[Setting, Bytes], concept: str, subscribers: int, values: int = 1) -> float:
    """Return the bytes that one more event takes."""
    events = MANY[concept]
    many, few = (
        bytes_of[Setting(concept, count, subscribers, values)].total for count in (events, events // 2)
    )
    return (many - few) / (events - events // 2)


def once(bytes_of: dict[Setting, Bytes], concept: str, subscribers: int, values: int = 1) -> float:
    """Return the bytes that do not depend on the number of events."""
    return bytes_of[Setting(concept, EIGHT, subscribers, values)].total - EIGHT * an_event(
        bytes_of, concept, subscribers, values
    )


def pointer_size(machine: Machine) -> int:
    """Ask a machine's compiler for the size of a pointer in bytes. Raises MissingTool."""
    asked = subprocess.run(
        [*machine.compiler().command, "-E", "-P", "-x", "c", "-"],
        input="__SIZEOF_POINTER__",
        text=True,
        capture_output=True,
        check=True,
    )
    return int(asked.stdout)
