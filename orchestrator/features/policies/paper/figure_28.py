# SPDX-License-Identifier: Apache-2.0
"""Figure 28: which layer's code motes spend their instructions in, from 5 to 118 sensors."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from orchestrator.console import say
from orchestrator.engines.embedded import profiled
from orchestrator.errors import MissingTool
from orchestrator.features.policies.paper.simulated import job
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.papers.data import Data
from orchestrator.papers.result import Found
from orchestrator.report.model import Entry, Section, Table
from orchestrator.report.statistics import number
from orchestrator.scenario.load import loads
from orchestrator.scenario.model import Cell

FILE = "figure-28.yaml"
APPLICATION, POLICIES, MANAGER = "Components", "Policies as C", "Policy manager"
BROKER, DIFFUSION, SYSTEM = "Broker", "Diffusion and delivery", "Contiki"
LAYERS = (APPLICATION, POLICIES, MANAGER, BROKER, DIFFUSION, SYSTEM)
NARROW = (POLICIES, MANAGER)
WIDE = (*NARROW, BROKER, DIFFUSION)
# The first that fits says a file's layer. None: what simulates the hardware, prints, or records the run.
_FILES = (
    ("app/policies-", POLICIES),
    ("app/", APPLICATION),
    ("middleware/policies/", MANAGER),
    ("middleware/policy-update/", MANAGER),
    ("middleware/pubsub/", BROKER),
    ("middleware/policy-log/", None),
    ("middleware/run-log/", None),
    ("middleware/identity/", None),
    ("middleware/", DIFFUSION),
    ("os/platform/main.c", SYSTEM),
    ("os/platform/clock.c", SYSTEM),
    ("os/platform/node-id.c", SYSTEM),
    ("os/platform/rtimer.c", SYSTEM),
    ("os/platform/", None),
    ("os/lib/format.c", None),
    ("os/", SYSTEM),
    (profiled.LIBC, SYSTEM),
)
_SHARES = {"0%": "nothing hot", "1%": "1 % of readings hot"}
_HALF = 50  # percent
_NOTHING_US = 1000  # a run that boots, and prints its counters
_NOTE = (
    "Measured: instructions that all motes executed in a simulation, by the file that each was compiled "
    "from, without those of their boot and of printing. Shown: thousands of them for a mote and second, and "
    "shares of all. They are instructions of this machine's processor, for which a simulation's motes are "
    "compiled: nothing here is a time of a microcontroller, whose instructions Figure 26 counts. The "
    "figure's numbers are lost in our copy. Its text measures simulations and names no node. It gives "
    "ESCAPE the policy manager, the core services and a part of diffusion, and TinyOS the rest; which part, "
    "it doesn't say. The last two columns are the share of policies and manager, and with all of broker, "
    "diffusion and delivery. The C library's copying of memory and the radio's driver count to Contiki; "
    "what stands for hardware isn't counted. Readings are random, and hot ones are sent to all; what the "
    "last of them still causes, up to five seconds after the readings, counts to the seconds of readings, so "
    "that shares are more certain than sums, most of all with many sensors, whose runs are short."
)


@dataclass(frozen=True)
class Profile:
    """Instructions by layer, of all motes together."""

    layers: Mapping[str, int]
    motes: int
    seconds: float

    def each(self, layer: str) -> float:
        """Return instructions of a mote in a second."""
        return self.layers.get(layer, 0) / self.motes / self.seconds

    def share(self, layers: tuple[str, ...]) -> float:
        """In percent of all layers'."""
        return 100 * sum(self.layers.get(layer, 0) for layer in layers) / sum(self.layers.values())


def layer_of(file: str) -> str | None:
    """Return the layer of a firmware's source file; None if it is part of none. Raises LookupError."""
    for start, layer in _FILES:
        if file.startswith(start):
            return layer
    raise LookupError(file)


@cache
def measured() -> Mapping[tuple[str, int], Profile]:
    """Run every cell; return its profile by the share that is hot, and how many sensors there are.

    Empty, and says why, where a tool is missing.
    """
    try:
        return {
            (hot, int(sensors)): profile(cell)
            for cell in loads(Data(__file__).text(FILE), FILE).cells
            for hot, _, sensors in [cell.name.partition("-")]
        }
    except MissingTool as missing:
        say(str(missing))
        return {}


def profile(cell: Cell) -> Profile:
    """Return the instructions that a cell's motes execute. Raises MissingTool, BuildFailed, RunFailed."""
    short = replace(cell, duration_us=_NOTHING_US)
    counted = _instructions(cell)
    counted.subtract(_instructions(short))
    layers: Counter[str] = Counter()
    for file, count in counted.items():
        layer = layer_of(file)
        if layer is not None:
            layers[layer] += count
    motes = cell.topology.parameters["sensors"] + cell.topology.parameters["sprinklers"]
    return Profile(layers, motes, (cell.duration_us - _NOTHING_US) / 1e6)


def _instructions(cell: Cell) -> Counter[str]:
    with tempfile.TemporaryDirectory(prefix="orchestrate-layers-") as folder:
        return profiled.instructions(job(cell, Path(folder), cflags="-fno-lto"))


def tables(results: Found) -> list[Table]:
    """Return the table, if valgrind is here."""
    rows = []
    for (hot, sensors), value in measured().items():
        thousands = [number(value.each(layer) / 1000, 2) for layer in LAYERS]
        shares = [f"{number(value.share(layers), 0)} %" for layers in (NARROW, WIDE)]
        texts = [str(sensors), *thousands, *shares]
        rows.append((Entry(hot.replace("%", " %")), *(Entry(text, number=True) for text in texts)))
    columns = ("Hot", "Sensors", *LAYERS, "ESCAPE, narrow", "ESCAPE, wide")
    title = "Figure 28: thousands of instructions by layer, a mote and second"
    return [Table(title, columns, tuple(rows), _NOTE, cards=False)] if rows else []


def checks(results: Found) -> list[Check]:
    """Test whether ESCAPE is a small part, in both readings; the paper has no number, we take a half."""
    tested = []
    for hot, words in _SHARES.items():
        for reading, layers in (("narrow", NARROW), ("wide", WIDE)):
            claim = f"ESCAPE executes less than the rest at every size, {words} ({reading} reading)"
            shares = [value.share(layers) for (mine, _), value in measured().items() if mine == hot]
            verdict = MISSING if not shares else HOLDS if max(shares) < _HALF else FAILS
            evidence = "no valgrind here"
            if shares:
                evidence = f"{number(min(shares), 0)} to {number(max(shares), 0)} % of all instructions"
            tested.append(Check(f"layers-{hot[:-1]}-{reading}", claim, "6.2.5", verdict, evidence))
    return tested


def sections(results: Found) -> list[Section]:
    """Return the figure's part of the page."""
    tested = checks_table(checks(results), "Time of layers")
    return [Section("figure-28", "Figure 28: CPU time by layer", (*tables(results), tested), "Figure 28")]
