# SPDX-License-Identifier: Apache-2.0
"""The embedded engine with many motes: what an event costs, how fast a large grid runs, what memory it takes.

Every mote of a grid (40 m apart, transmission range 50 m, interference 100 m) runs hello-nullnet, which
broadcasts over CSMA every 8 s, or every minute. A radio event is a transmission, a reception or an
interference at one radio.

Times are the best of a few runs, the two sizes in turn, as other processes only ever make them longer. What
an event takes longer at 10,000 motes than at 100 is memory: the same operations are done (the first three
rows), on 250 MB instead of 3 MB, which no cache holds; an event that finds its mote in main memory waits for
it.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

from orchestrator.build import host, kernel
from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import EndScript, Mote, MoteType, Simulation, Udgm
from orchestrator.engines.embedded.description import describe
from tools.bench.row import Row

SPACING = 40.0  # m
COUNTED = {"queue_steps": "queue places taken", "neighbours": "neighbours visited", "bytes": "bytes copied"}


class Grid:
    """A square grid of these motes that broadcast every `period_s`, ready to run."""

    def __init__(self, side: int, period_s: int, seconds: int):
        motes = tuple(Mote("t", i + 1, i % side * SPACING, i // side * SPACING) for i in range(side * side))
        script = EndScript(seconds * 1_000_000, None, None, True)
        simulation = Simulation(
            "grid",
            1,
            1_000_000,
            Udgm(50.0, 100.0, 1.0, 1.0),
            (MoteType("t", "t", "t.c", "", STANDARD_INTERFACES),),
            motes,
            script,
        )
        firmware = host.firmware("hello-nullnet", {"DEFINES": f"PERIOD_S={period_s}"}).path
        self.motes, self.seconds = len(motes), seconds
        self.text = describe(simulation, 1, {"t": firmware}, "5.0")
        self.reports: list[dict] = []

    def run(self, folder: Path) -> None:
        command = [kernel.executable(), "--log", folder / "COOJA.testlog"]
        self.reports.append(
            json.loads(subprocess.run(command, input=self.text, check=True, capture_output=True).stdout)
        )

    def least(self, *names: str) -> int:
        return min(sum(report[name] for name in names) for report in self.reports)

    @property
    def radio_events(self) -> int:
        return self.least("transmissions", "receptions", "interferences")


def rows(folder: Path, seeds: str) -> Iterator[Row]:
    small, large = Grid(10, 8, 60), Grid(100, 8, 60)
    for _ in range(3):
        for _ in range(5):
            small.run(folder)
        large.run(folder)
    for name, what in COUNTED.items():
        growth = large.least(name) / large.radio_events / (small.least(name) / small.radio_events)
        yield Row(f"{what} per radio event, 10,000 motes to 100", growth, "times", 1.2)
    growth = large.least("run_us") / large.radio_events / (small.least("run_us") / small.radio_events)
    yield Row("wall time per radio event, 10,000 motes to 100", growth, "times", 4.0)
    minute = Grid(100, 60, 180)
    for _ in range(2):
        minute.run(folder)
    speed = 1e6 * minute.seconds / minute.least("load_us", "run_us")
    yield Row("10,000 motes, a broadcast each a minute, with loading", speed, "x real", 60.0, at_least=True)
    yield Row("memory of it, a mote", minute.least("peak_memory") / 1000 / minute.motes, "KB", 30.0)
    hello = Grid(30, 8, 60)
    for _ in range(10):
        hello.run(folder)
    yield Row(
        "900 motes, 60 s, a broadcast each 8 s: engine's time", hello.least("run_us") / 1000, "ms", 50.0
    )
    skipped = 100 * hello.least("skipped") / hello.least("ticks")
    yield Row("  of its ticks, skipped as they had nothing to do", skipped, "%")
