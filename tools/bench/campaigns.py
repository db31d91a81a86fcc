# SPDX-License-Identifier: Apache-2.0
"""Campaigns over many scenarios: what planning, going on and keeping records cost beside the simulations."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from orchestrator.engines.embedded.engine import EmbeddedEngine
from orchestrator.engines.model import Job
from orchestrator.execution.execute import cores
from orchestrator.features.campaigns import run as campaigns
from orchestrator.features.campaigns.load import load
from orchestrator.runs.model import Outcome, RunResult
from tools.bench.row import Row

COMMAND = [sys.executable, "-m", "orchestrator.cli.app", "campaign"]
PLANNED, RESUMED, SHORT, L5_RUNS = 100_000, 10_000, 1_000, 600
GIB = 2**30
SCENARIO = """\
experiment: {name}
topology: {{shape: chain, publishers: 5, spacing: 4 m}}
radio: {{medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: 100 %}}
application: {{name: aggregation, rate: low, aggregate: false, delay: 0 s}}
duration: {duration}
drain: 1 s
seeds: 1..{seeds}
matrix:
  topology.publishers: [{publishers}]
  radio.rx: [{ratios}]
"""


def rows(folder: Path, _seeds: str) -> Iterator[Row]:
    """What issue 14 wants of campaigns."""
    yield from planning(folder)
    yield from going_on(folder)
    yield from beside_simulation(folder)
    yield from throughput(folder)


def written(folder: Path, name: str, publishers: int, ratios: int, seeds: int, duration: str) -> Path:
    """A campaign of one scenario with publishers x ratios cells."""
    (folder / f"{name}-scenario.yaml").write_text(
        SCENARIO.format(
            name="one",
            duration=duration,
            seeds=seeds,
            publishers=", ".join(str(number) for number in range(2, 2 + publishers)),
            ratios=", ".join(f"{100 - number} %" for number in range(ratios)),
        )
    )
    path = folder / f"{name}.yaml"
    path.write_text(f"campaign: {name}\nparts: [{{scenario: {name}-scenario.yaml}}]\n")
    return path


def planning(folder: Path) -> Iterator[Row]:
    """A plan of 100,000 runs: 2,000 cells with 50 seeds each."""
    file = written(folder, "planned", 20, 100, PLANNED // 2000, "1 min")
    with (folder / "plan.json").open("wb") as out:
        started = time.monotonic()
        process = subprocess.Popen(
            [*COMMAND, "plan", str(file), "--store", str(folder / "s"), "--json"], stdout=out
        )
        _, status, used = os.wait4(process.pid, 0)
        taken = time.monotonic() - started
    assert status == 0
    yield Row(f"a plan of {PLANNED:,} runs (2,000 cells)", taken, "s", 5.0)
    yield Row("  its peak memory", used.ru_maxrss * 1024 / GIB, "GiB", 1.0)


def going_on(folder: Path) -> Iterator[Row]:
    """A call on a complete round of 10,000 runs, which were made by a stand-in for the simulator."""
    file, store = written(folder, "resumed", 5, 4, RESUMED // 20, "1 s"), folder / "resumed-store"
    with quick():
        made = quiet(file, store)
    assert made.summary.made == RESUMED
    yield Row(
        f"  of {RESUMED:,} runs that take no time", 1e3 * made.seconds["simulate"] / RESUMED, "ms a run"
    )
    started = time.monotonic()
    done = subprocess.run(
        [*COMMAND, "run", str(file), "--store", str(store)], capture_output=True, text=True, check=True
    )
    taken = time.monotonic() - started
    assert f"0 runs made, {RESUMED:,} found" in done.stdout, done.stdout
    yield Row(f"a call that finds all {RESUMED:,} runs done", taken, "s", 2.0)


def beside_simulation(folder: Path) -> Iterator[Row]:
    """All but the simulations of 1,000 runs, tables, metrics and report included; as a part of what 1,000
    runs of one second take on these cores.
    """
    file, store = written(folder, "short", 5, 2, SHORT // 10, "20 s"), folder / "short-store"
    started = time.monotonic()
    made = quiet(file, store, metrics=True)
    taken = time.monotonic() - started
    assert made.summary.made == SHORT
    simulated = sum(run.wall_s for run in made.round.runs()) / cores()
    beside = taken - simulated
    yield Row(f"{SHORT:,} short runs to the report", taken, "s")
    yield Row(
        "  what is not simulation, if each run took 1 s", 100 * beside / (beside + SHORT / cores()), "%", 10.0
    )


def throughput(folder: Path) -> Iterator[Row]:
    """The paper's L5: 5 publishers, 30 minutes at the low rate."""
    file = folder / "l5.yaml"
    file.write_text(
        f"campaign: l5\nseeds: 1..{L5_RUNS}\nparts: [{{paper: aggregation-paper, cells: [L5]}}]\n"
    )
    made = quiet(file, folder / "l5-store")
    assert made.summary.made == L5_RUNS
    per_hour = L5_RUNS / made.seconds["simulate"] * 3600
    yield Row("runs an hour of the paper's L5, on two cores", per_hour * 2 / cores(), "runs", 100_000, True)


def quiet(file: Path, store: Path, metrics: bool = False) -> campaigns.Result:
    """A call without its words."""
    with contextlib.redirect_stderr(io.StringIO()):
        return campaigns.run(load(file), store, campaigns.Options(metrics=metrics))


@contextlib.contextmanager
def quick() -> Iterator[None]:
    """The embedded engine, its version included, without its simulations."""

    def at_once(_self: EmbeddedEngine, job: Job) -> RunResult:
        job.log.write_text(f"Random seed: {job.seed}\n")
        return RunResult(Outcome.OK, 1_000_000, 0.0, 1, 1)

    with mock.patch.object(EmbeddedEngine, "_run", at_once):
        yield
