# SPDX-License-Identifier: Apache-2.0
"""A simulation that Python drives: steps a second, and what copies of a warmed-up network cost.

python -m tools.bench.live
"""

from __future__ import annotations

import resource
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from orchestrator import live
from tools.bench.row import Row

SCENARIO = """\
experiment: live
topology: {shape: grid, rows: 5, columns: 5, spacing: 30 m}
radio: {medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: 100 %}
application: {name: aggregation, rate: high, aggregate: true}
duration: 2 h
seeds: 1
"""
WARM_UP, STEP = "10 min", "100 ms"
STEPS, BRANCHES = 2000, 200


def _used() -> float:
    """The processor time of this process and of those that have ended, s."""
    parts = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(part.ru_utime + part.ru_stime for part in parts)


def _booted(scenario: Path) -> live.Live:
    simulation = live.open(scenario, listen="nothing")
    simulation.step(WARM_UP)
    return simulation


def rows(folder: Path, _: str) -> Iterator[Row]:
    scenario = folder / "live.yaml"
    scenario.write_text(SCENARIO)
    live.open(scenario).close()  # which builds its firmware
    before = _used()
    for _ in range(2):
        _booted(scenario).close()
    boots = _used() - before
    with _booted(scenario) as simulation:
        began = time.perf_counter()
        for _ in range(STEPS):
            simulation.step(by=STEP)
        motes = len(simulation.motes)
        per_second = STEPS / (time.perf_counter() - began)
        yield Row(f"steps of {STEP} a second, {motes} motes", per_second, "/s", 1000, at_least=True)
        times, before = [], _used()
        for seed in range(BRANCHES):
            began = time.perf_counter()
            branch = simulation.fork(seed)
            times.append(time.perf_counter() - began)
            branch.close()
        branches = _used() - before
    yield Row(f"a fork of {motes} motes, median", 1000 * statistics.median(times), "ms", 5)
    yield Row(f"processor time of {BRANCHES} branches by two boots of {WARM_UP}", branches / boots, "", 1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        for row in rows(Path(place), ""):
            print(row)
