# SPDX-License-Identifier: Apache-2.0
"""Runs of the application on the embedded engine, and their logs as values."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrate_spark.log_format import COUNTERS, MARKER, RECORDS

from orchestrator.applications.descriptor import load as application
from orchestrator.build import host
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import loads
from tests.placed import simulation
from tests.waiting import HANG_S

BASE = """
experiment: app
topology: {{shape: {shape}}}
radio: {{medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: {rx} %}}
application: {{name: aggregation, {parameters}}}
duration: {duration}
drain: 10 s
seeds: 1
trace: {trace}
"""


@dataclass
class Record:
    time_us: int
    mote: int
    kind: str
    values: list


@dataclass
class Run:
    outcome: Outcome
    log: bytes
    records: list[Record]
    counters: dict[int, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))

    def of(self, *kinds: str) -> list[Record]:
        return [record for record in self.records if record.kind in kinds]

    def total(self, name: str) -> int:
        return sum(counters.get(name, 0) for counters in self.counters.values())


def run(
    folder: Path,
    parameters: str = "rate: high",
    *,
    shape: str = "chain, publishers: 5, spacing: 5 m",
    duration: str = "30 s",
    trace: bool = True,
    rx: int = 100,
    seed: int = 1,
    change=None,
) -> Run:
    """Makes one run. `change` gets the simulation and returns another."""
    text = BASE.format(shape=shape, parameters=parameters, duration=duration, trace=str(trace).lower(), rx=rx)
    cell = loads(text, "app.yaml").cells[0]
    app = application("aggregation")
    firmware = host.firmware(app, app.variant(cell.application.parameters))
    made = simulation(cell, seed)
    if change:
        made = change(made)
    log = folder / "run.log"
    kernel = engine("embedded")
    kernel.prepare()
    result = run_one(
        kernel, Job(made, seed, {made.mote_types[0].identifier: firmware.path}, log, wall_limit_s=HANG_S)
    )
    raw = log.read_bytes()
    return parse(result.outcome, raw)


def parse(outcome: Outcome, raw: bytes) -> Run:
    """Every record must fit the log format; text of the application is an error."""
    records = []
    for line in raw.decode("ascii").splitlines():
        parts = line.split("\t")
        if len(parts) != 3:
            continue
        time_us, mote, text = int(parts[0]), int(parts[1].removeprefix("ID:")), parts[2]
        assert text.startswith(MARKER), line
        kind, *values = text[1:].split(",")
        fields = RECORDS[kind]
        assert len(values) == len(fields), line
        typed = []
        for (_, kind_of), value in zip(fields, values, strict=True):
            if kind_of == "int":
                typed.append(int(value))
            elif kind_of == "events":
                typed.append([tuple(map(int, name.split("."))) for name in value.split("+")])
            else:
                assert 1 <= len(value) <= 64 and value.isprintable() and value.isascii(), line
                typed.append(value)
        records.append(Record(time_us, mote, kind, typed))
    found = Run(outcome, raw, records)
    for record in found.of("cnt"):
        name, value = record.values
        assert name in COUNTERS, name
        assert name not in found.counters[record.mote], (record.mote, name)
        found.counters[record.mote][name] = value
    return found


def shorter_range(made, metres: float):
    """The same simulation with radios that reach less far."""
    return replace(made, medium=replace(made.medium, transmitting_range=metres, interference_range=metres))
