# SPDX-License-Identifier: Apache-2.0
"""Figure 28: which layer's code motes spend their instructions in, from 5 to 118 sensors."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from orchestrator.applications import platform
from orchestrator.console import say
from orchestrator.engines.embedded import profiled
from orchestrator.engines.embedded.executed import HZ, PROCESSOR
from orchestrator.errors import MissingTool
from orchestrator.features.policies.paper.layers import LAYERS, NARROW, WIDE, Profile, profile
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.papers.data import Data
from orchestrator.papers.result import Found
from orchestrator.papers.simulated import job
from orchestrator.report.model import Entry, Section, Table
from orchestrator.report.statistics import number
from orchestrator.scenario.load import loads
from orchestrator.scenario.model import Cell

FILE = "figure-28.yaml"
_SHARES = {"0%": "nothing hot", "1%": "1 % of readings hot"}
_HALF = 50  # percent
_NOTE = (
    "Measured: instructions that all motes executed in a simulation, by the file that each was compiled "
    "from, without those of their boot and of printing. Shown: thousands of them for a mote and second, and "
    "shares of all. They are instructions of this machine's processor, for which a simulation's motes are "
    "compiled: nothing here is a time of a microcontroller, on which the next table executes the same. The "
    "figure's numbers are lost in our copy. Its text measures simulations and names no node. It gives "
    "ESCAPE the policy manager, the core services and a part of diffusion, and TinyOS the rest; which part, "
    "it doesn't say. The last two columns are the share of policies and manager, and with all of broker, "
    "diffusion and delivery. The C library's copying of memory and the radio's driver count to Contiki; "
    "what stands for hardware isn't counted. Readings are random, and hot ones are sent to all; what the "
    "last of them still causes, up to five seconds after the readings, counts to the seconds of readings, so "
    "that shares are more certain than sums, most of all with many sensors, whose runs are short."
)


_SKY_NOTE = (
    f"Executed: ms in which the processor of {PROCESSOR} was awake for each layer's code, of 1,000 ms a "
    "second. The scenario is the same, with room for fewer floods and members. A mote's radio driver waits "
    "for the CC2420, so that Contiki's part is larger than in instructions. Time asleep isn't counted. "
    "What the last readings cause after them counts here, too: where a processor has no rest, the layers "
    "together have more than 1,000 ms. The paper's system is TinyOS, and its figure's numbers are lost."
)
_NO_CLANG = "no clang, lld or llvm-addr2line here"


@cache
def measured() -> Mapping[tuple[str, int], Profile]:
    """Return the instructions of every cell, by the share that is hot, and how many sensors there are.

    Empty, and says why, where a tool is missing.
    """
    return _each(_instructions)


@cache
def executed() -> Mapping[tuple[str, int], Profile]:
    """Return the same in cycles of emulated Tmote Skys."""
    return _each(cycles)


def _each(count: Callable[[Cell], Counter[str]]) -> Mapping[tuple[str, int], Profile]:
    try:
        return {
            (hot, int(sensors)): profile(cell, count)
            for cell in loads(Data(__file__).text(FILE), FILE).cells
            for hot, _, sensors in [cell.name.partition("-")]
        }
    except MissingTool as missing:
        say(str(missing))
        return {}


def _instructions(cell: Cell) -> Counter[str]:
    with tempfile.TemporaryDirectory(prefix="orchestrate-layers-") as folder:
        return profiled.instructions(job(cell, Path(folder), cflags="-fno-lto"))


def cycles(cell: Cell) -> Counter[str]:
    """Return the cycles of a cell's run on emulated Tmote Skys."""
    parameters = cell.application.parameters | {platform.PLATFORM: platform.SKY}
    emulated = replace(cell, application=replace(cell.application, parameters=parameters))
    with tempfile.TemporaryDirectory(prefix="orchestrate-layers-") as folder:
        return profiled.cycles(job(emulated, Path(folder)))


def tables(results: Found) -> list[Table]:
    """Return the tables for which the tools are here."""
    title = "Figure 28: thousands of instructions by layer, a mote and second"
    sky = "Figure 28 executed on Tmote Skys: ms of the processor by layer, a mote and second"
    both = ((title, measured(), 1000.0, 2, _NOTE), (sky, executed(), HZ / 1000, 3, _SKY_NOTE))
    columns = ("Hot", "Sensors", *LAYERS, "ESCAPE, narrow", "ESCAPE, wide")
    return [
        Table(
            heading,
            columns,
            tuple(_row(key, value, unit, digits) for key, value in profiles.items()),
            note,
            cards=False,
        )
        for heading, profiles, unit, digits, note in both
        if profiles
    ]


def _row(key: tuple[str, int], value: Profile, unit: float, digits: int) -> tuple[Entry, ...]:
    hot, sensors = key
    spent = [number(value.each(layer) / unit, digits) for layer in LAYERS]
    shares = [f"{number(value.share(layers), 0)} %" for layers in (NARROW, WIDE)]
    texts = [str(sensors), *spent, *shares]
    return (Entry(hot.replace("%", " %")), *(Entry(text, number=True) for text in texts))


def checks(results: Found) -> list[Check]:
    """Test whether ESCAPE is a small part, in both readings; the paper has no number, we take a half."""
    kinds = (
        ("", "executes less than the rest", measured(), "no valgrind here", "instructions"),
        ("-executed", "takes less time of a Tmote Sky than the rest", executed(), _NO_CLANG, "cycles"),
    )
    return [
        _small(
            f"layers-{hot[:-1]}-{reading}{kind}",
            f"ESCAPE {does} at every size, {words} ({reading} reading)",
            shares,
            lacking,
            what,
        )
        for kind, does, profiles, lacking, what in kinds
        for hot, words in _SHARES.items()
        for reading, layers in (("narrow", NARROW), ("wide", WIDE))
        for shares in [[value.share(layers) for (mine, _), value in profiles.items() if mine == hot]]
    ]


def _small(name: str, claim: str, shares: list[float], lacking: str, what: str) -> Check:
    if not shares:
        return Check(name, claim, "6.2.5", MISSING, lacking)
    evidence = f"{number(min(shares), 0)} to {number(max(shares), 0)} % of all {what}"
    return Check(name, claim, "6.2.5", HOLDS if max(shares) < _HALF else FAILS, evidence)


def sections(results: Found) -> list[Section]:
    """Return the figure's part of the page."""
    tested = checks_table(checks(results), "Time of layers")
    return [Section("figure-28", "Figure 28: CPU time by layer", (*tables(results), tested), "Figure 28")]
