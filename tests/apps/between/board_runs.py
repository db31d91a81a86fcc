# SPDX-License-Identifier: Apache-2.0
"""Runs of the applications that share values by the blackboard, on the embedded engine, and their logs as
values.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "aggregation"))
from app_runs import Run, parse

from orchestrator.applications.descriptor import load as application
from orchestrator.build import host
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.scenario.load import loads
from tests.placed import simulation
from tests.waiting import HANG_S

SCENARIO = """
experiment: between
topology: {{shape: {shape}}}
radio: {{medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: {rx} %}}
application: {{name: {name}{parameters}}}
duration: {duration}
drain: 1 s
start-delay: 1 s
seeds: 1
trace: {trace}
"""


def board_run(
    folder: Path,
    name: str,
    parameters: str = "",
    *,
    shape: str = "star, publishers: 2",
    duration: str = "60 s",
    trace: bool = False,
    rx: int = 100,
    seed: int = 1,
    firmware: Path | None = None,
) -> tuple[Run, list[str]]:
    """The run and the lines of plain text in its log (`ID:mote`, tab, text). `firmware`: another than the
    application's own.
    """
    text = SCENARIO.format(
        name=name,
        parameters=f", {parameters}" if parameters else "",
        shape=shape,
        duration=duration,
        trace=str(trace).lower(),
        rx=rx,
    )
    cell = loads(text, f"{name}.yaml").cells[0]
    if firmware is None:
        app = application(name)
        firmware = host.firmware(app, app.variant(cell.application.parameters)).path
    made = simulation(cell, seed)
    kernel = engine("embedded")
    kernel.prepare()
    log = folder / "log"
    result = run_one(
        kernel, Job(made, seed, {made.mote_types[0].identifier: firmware}, log, wall_limit_s=HANG_S)
    )
    lines = log.read_bytes().splitlines(keepends=True)
    texts = [line for line in lines if b"\tID:" in line and b"\t!" not in line]
    return parse(result.outcome, b"".join(line for line in lines if line not in texts)), [
        line.decode().strip().split("\t", 1)[1] for line in texts
    ]


def states(run: Run) -> dict[int, dict[str, int]]:
    """mote -> state -> us."""
    found: dict[int, dict[str, int]] = {}
    for record in run.of("nrg"):
        found.setdefault(record.mote, {})[record.values[0]] = record.values[1]
    return found


def threads(run: Run, mote: int) -> dict[str, list]:
    """A mote's records `thr`, by the thread's name."""
    return {record.values[0]: record.values for record in run.of("thr") if record.mote == mote}


def notifications(run: Run, mote: int) -> dict[str, dict[str, int]]:
    """A mote's records `nts`, by the thread's name."""
    names = ("deadline_us", "notified", "missed", "total_us", "max_us")
    return {
        record.values[2]: dict(zip(names, record.values[3:], strict=True))
        for record in run.of("nts")
        if record.mote == mote
    }
