# SPDX-License-Identifier: Apache-2.0
"""Runs a system in real time, each node and each of its tasks as a process.

They run on this machine or on gateways (orchestrate_testbed.gateway.distribution).

What nodes say is not trusted where they are on gateways: it is bounded, and each record is checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from orchestrate_testbed.gateway.distribution import records
from orchestrate_testbed.gateway.distribution.table import NodeTable, plain
from orchestrate_testbed.gateway.distribution.work import CAUSES

from orchestrator.features.distribution import started
from orchestrator.features.distribution.started import Started, Steps


@dataclass(frozen=True)
class RealTime:
    """A finished run in real time and its records.

    `refused`: why there were no real-time priorities, "" if there were. `said`: of each node, in the order of
    the nodes. `shared`: whether nodes had to share a processor. `drift_ppm`: that the clocks' errors allow
    for; 0 of nodes that have one clock.
    """

    tables: list[NodeTable]
    refused: str
    shared: bool
    said: list[list[dict]]
    drift_ppm: int = 0

    @cached_property
    def jobs(self) -> list[dict]:
        """All jobs: task, kind, number, release, response, deadline (us), cause ("" of one in time)."""
        names = ("task", "kind", "number", "release", "response", "deadline")
        return [job | {"cause": record["cause"]} for job, record in self._records("job", names)]

    @cached_property
    def ages(self) -> list[dict]:
        """All values that targets used: target, number, age, error, validity (us)."""
        return [age for age, _ in self._records("age", ("target", "number", "age", "error", "validity"))]

    def _records(self, kind: str, names: Sequence[str]) -> Iterator[tuple[dict, dict]]:
        """Yield the records of a kind: its fields by name with the node's number, and the record itself."""
        for node, there in enumerate(self.said):
            for record in there:
                if kind in record:
                    yield dict(zip(names, record[kind])) | {"node": node}, record

    @property
    def without_data(self) -> int:
        """How often a target found no value yet."""
        return sum("none" in record for there in self.said for record in there)

    @property
    def clock_steps(self) -> int:
        """How often the real-time clock of a node's host stepped."""
        return sum(record.get("steps", 0) for there in self.said for record in there)

    @property
    def clock_error(self) -> int:
        """By how much a node's reference time was wrong at most, us."""
        return max(record.get("error", 0) for there in self.said for record in there)

    @property
    def malformed(self) -> int:
        """The number of messages at nodes that no other node sent."""
        return sum(record["malformed"] for there in self.said for record in there if "steps" in record)

    def causes(self, jobs: Iterable[dict]) -> dict[str, int]:
        """How many of these jobs were late, by cause."""
        counts = Counter(job["cause"] for job in jobs)
        return {cause: counts[cause] for cause in CAUSES}

    def log(self) -> str:
        """As a log that `orchestrate ingest` reads: node k is mote k; times from the system's start."""
        lines = [
            (record["at"], node, text)
            for node, there in enumerate(self.said, 1)
            for record in there
            if (text := records.text(record)) is not None
        ]
        end = max((at for at, _, _ in lines), default=0)
        for node, there in enumerate(self.said, 1):
            for last in there:
                if "steps" in last:
                    lines += [(end, node, text) for text in records.counters(there, last)]
        lines.sort(key=lambda line: line[0])
        return "".join(f"{max(0, at)}\tID:{node}\t{text}\n" for at, node, text in lines)


def run(
    tables: list[NodeTable], duration_us: int, shortest: float, seed: int, realtime: bool = True
) -> RealTime:
    """Run the nodes on this machine; see `run_nodes`."""
    nodes = [started.here(table.name) for table in tables]
    return run_nodes(nodes, tables, duration_us, shortest, seed, realtime)


def run_nodes(
    nodes: Sequence[Started],
    tables: list[NodeTable],
    duration_us: int,
    shortest: float,
    seed: int,
    realtime: bool = True,
    drift_ppm: int = 0,
) -> RealTime:
    """Run the nodes, which were started in the order of their tables, and end them.

    Raises RunFailed if one does not start, they don't find each other, or one fails.
    """
    steps = Steps(nodes, tables)
    try:
        here = steps.listening()
        for node, (process, table) in enumerate(zip(nodes, tables)):
            process.tell(
                {
                    "table": plain(table),
                    "node": node,
                    "peers": [each.control for each in here],
                    "duration": duration_us,
                    "shortest": shortest,
                    "seed": seed,
                    "place": here[node].place,
                    "realtime": realtime,
                    "drift_ppm": drift_ppm,
                }
            )
        records = steps.ended(duration_us / 1e6)
    finally:
        for process in nodes:
            process.end()
    refused = (
        "; ".join(sorted({process.refused for process in here} - {""}))
        if realtime
        else "they were not asked for"
    )
    return RealTime(tables, refused, any(process.shares for process in here), records, drift_ppm)
