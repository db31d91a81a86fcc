# SPDX-License-Identifier: Apache-2.0
"""Runs of the application lorry on the embedded engine, without a store."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import polars as pl
import pyarrow as pa
from orchestrate_spark.parse import LogParser

from orchestrator.applications import place
from orchestrator.build import host
from orchestrator.csc import javascript
from orchestrator.csc.javascript import Part
from orchestrator.csc.model import JavaScript
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import load, loads
from orchestrator.scenario.model import Cell
from tests.placed import simulation
from tests.waiting import HANG_S

SCENARIO = """
experiment: lorry
topology: {{shape: lorry, {topology}}}
radio: {{medium: udgm, range: 20 m, interference: 40 m, tx: 100 %, rx: 100 %}}
application: {{name: lorry, {application}}}
duration: {seconds} s
drain: 1 s
seeds: 1
trace: {trace}
"""


@dataclass(frozen=True)
class Run:
    log: Path

    @cached_property
    def lines(self) -> list[tuple[int, int, str]]:
        """Time in us, mote and text of each line that a mote printed."""
        split = [line.split("\t") for line in self.log.read_text().splitlines() if "\tID:" in line]
        return [(int(time), int(mote.removeprefix("ID:")), text) for time, mote, text in split]

    @cached_property
    def tables(self) -> dict[str, pl.DataFrame]:
        parser = LogParser([self.log])
        long: dict[str, list[pa.Table]] = {}
        for table, rows in parser.stream():
            long.setdefault(table, []).append(rows)
        made = {table: pa.concat_tables(parts) for table, parts in long.items()}
        made = {**made, **parser.tables, "damage": parser.damage}
        return {table: pl.from_arrow(rows) for table, rows in made.items()}

    def said(self, text: str) -> list[tuple[int, int]]:
        """When and by which motes a line was printed."""
        return [(time, mote) for time, mote, line in self.lines if line == text]

    def counter(self, name: str, mote: int | None = None) -> int:
        """Of a mote, or of all together."""
        rows = self.tables["counters"].filter(pl.col("name") == name)
        return rows.filter(pl.col("mote") == mote if mote else pl.lit(True))["value"].sum()


def run(
    folder: Path,
    application: str = "",
    topology: str = "sensors: 4, sprinklers: 1",
    seconds: int = 20,
    trace: bool = False,
) -> Run:
    text = SCENARIO.format(
        application=application, topology=topology, seconds=seconds, trace=str(trace).lower()
    )
    return run_cell(folder, loads(text, "lorry.yaml").cells[0])


WRITING = """TIMEOUT({end_ms}, log.testOK());
GENERATE_MSG({at_ms}, "now");
while(true) {{
  if(msg.equals("now")) {{
    {writes}
  }} else {{
    log.log(time + "\\tID:" + id + "\\t" + msg + "\\n");
  }}
  YIELD();
}}"""


def run_with_lines(folder: Path, typed: dict[int, str], topology: str, application: str, seconds: int) -> Run:
    """Run with these lines at motes' serial ports 5 s after they began."""
    text = SCENARIO.format(application=application, topology=topology, seconds=seconds, trace="false")
    path = folder / "lorry.yaml"
    path.write_text(text)
    writes = " ".join(f'write(sim.getMoteWithID({mote}), "{line}");' for mote, line in typed.items())
    script = WRITING.format(end_ms=(seconds + 12) * 1000, at_ms=7000, writes=writes)
    return run_cell(folder / "run", load(path).cells[0], javascript.spelled([Part(script, "typed.js", 1)]))


def run_cell(folder: Path, cell: Cell, script: JavaScript | None = None) -> Run:
    app = place.application(cell)
    firmware = host.firmware(app, app.variant(cell.application.parameters))
    made = simulation(cell, 1)
    made = made if script is None else replace(made, script=script)
    kernel = engine("embedded")
    kernel.prepare()
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "log"
    job = Job(made, 1, {made.mote_types[0].identifier: firmware.path}, log, wall_limit_s=HANG_S)
    result = run_one(kernel, job)
    assert result.outcome is Outcome.OK, result.evidence
    return Run(log)
