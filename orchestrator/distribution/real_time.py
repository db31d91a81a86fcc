# SPDX-License-Identifier: Apache-2.0
"""Runs a system in real time on this machine: each node is a process, each of its tasks one more, as on
gateways (orchestrate_testbed.gateway.distribution).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from orchestrate_testbed.gateway.distribution.node import allowed
from orchestrate_testbed.gateway.distribution.table import LAST, NodeTable, plain
from orchestrate_testbed.gateway.distribution.task import CAUSES

from orchestrator.errors import RunFailed

_NODE = "orchestrate_testbed.gateway.distribution.node"
_GRACE_S = 300.0  # beyond the duration: for nodes to find each other, and to hand over what they logged


@dataclass(frozen=True)
class RealTime:
    """What ran. `refused`: why there were no real-time priorities, "" if there were. `said`: of each node, in
    the order of the nodes. `shared`: whether nodes had to share a processor.
    """

    tables: list[NodeTable]
    refused: str
    shared: bool
    said: list[list[dict]]

    @cached_property
    def jobs(self) -> list[dict]:
        """All jobs: task, kind, number, release, response, deadline (us), cause ("" of one in time)."""
        names = ("task", "kind", "number", "release", "response", "deadline")
        return [
            dict(zip(names, one["job"])) | {"cause": one["cause"], "node": node}
            for node, there in enumerate(self.said)
            for one in there
            if "job" in one
        ]

    @cached_property
    def ages(self) -> list[dict]:
        """All values that targets used: target, number, age, error, validity (us)."""
        names = ("target", "number", "age", "error", "validity")
        return [
            dict(zip(names, one["age"])) | {"node": node}
            for node, there in enumerate(self.said)
            for one in there
            if "age" in one
        ]

    @property
    def without_data(self) -> int:
        """How often a target found no value yet."""
        return sum("none" in one for there in self.said for one in there)

    @property
    def clock_steps(self) -> int:
        """How often the real-time clock of a node's host stepped."""
        return sum(one.get("steps", 0) for there in self.said for one in there)

    @property
    def clock_error(self) -> int:
        """By how much a node's reference time was wrong at most, us."""
        return max(one.get("error", 0) for there in self.said for one in there)

    def causes(self, jobs: Iterable[dict]) -> dict[str, int]:
        """How many of these jobs were late, by cause."""
        found = [one["cause"] for one in jobs]
        return {cause: found.count(cause) for cause in CAUSES}

    def log(self) -> str:
        """As a log that `orchestrate ingest` reads: node k is mote k; times from the system's start."""
        lines = []
        for node, there in enumerate(self.said, 1):
            for one in there:
                if "job" in one:
                    lines.append((one["at"], node, "!job," + ",".join(map(str, one["job"]))))
                elif "age" in one:
                    lines.append((one["at"], node, "!age," + ",".join(map(str, one["age"]))))
        end = max((at for at, _, _ in lines), default=0)
        for node, there in enumerate(self.said, 1):
            mine = [one for one in self.jobs if one["node"] == node - 1]
            counters = {f"misses_{cause}": count for cause, count in self.causes(mine).items()}
            counters["reads_without_data"] = sum("none" in one for one in there)
            for one in there:
                if "steps" in one:
                    counters |= {
                        "clock_steps": one["steps"],
                        "clock_error_us": one["error"],
                        "clock_exchanges": one["exchanges"],
                    }
            lines += [(end, node, f"!cnt,{name},{value}") for name, value in counters.items()]
        lines.sort(key=lambda line: line[0])
        return "".join(f"{max(0, at)}\tID:{node}\t{text}\n" for at, node, text in lines)


def completed(found: RealTime, names: Iterable[str]) -> list[tuple[int, int]]:
    """(release, largest response of these tasks) of each period in which all of them ended."""
    wanted = set(names)
    by_release: dict[int, list[int]] = {}
    for one in found.jobs:
        if one["task"] in wanted and one["kind"] == LAST:
            by_release.setdefault(one["release"], []).append(one["response"])
    return [(at, max(there)) for at, there in sorted(by_release.items()) if len(there) == len(wanted)]


def run(
    tables: list[NodeTable], duration_us: int, shortest: float, seed: int, realtime: bool = True
) -> RealTime:
    """Run the nodes. Raises RunFailed if they don't find each other, or one fails."""
    refused = allowed() if realtime else "they were not asked for"
    cpus = sorted(os.sched_getaffinity(0))
    own = len(cpus) >= len(tables)
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", _NODE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        for _ in tables
    ]
    try:
        peers = [json.loads(process.stdout.readline() or "{}").get("control") for process in processes]
        if None in peers:
            raise RunFailed("a node of the system did not start")
        for node, (process, table) in enumerate(zip(processes, tables)):
            settings = {
                "table": plain(table),
                "node": node,
                "peers": peers,
                "duration": duration_us,
                "shortest": shortest,
                "seed": seed,
                "cpu": cpus[node % len(cpus)],
                "realtime": not refused,
            }
            process.stdin.write(json.dumps(settings) + "\n")
            process.stdin.flush()
        said = [_heard(process, duration_us / 1e6 + _GRACE_S) for process in processes]
    finally:
        for process in processes:
            _end(process)
    return RealTime(tables, refused, not own, said)


def _heard(process: subprocess.Popen, seconds: float) -> list[dict]:
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise RunFailed("a node of the system did not end in time") from None
    lines = [json.loads(line) for line in out.splitlines()]
    faults = [line["fault"] for line in lines if "fault" in line]
    if faults or process.returncode:
        raise RunFailed(f"a node of the system failed: {(faults or [err.strip()[-500:]])[0]}")
    return lines


def _end(process: subprocess.Popen) -> None:
    """End a node and its tasks."""
    if process.poll() is None:
        os.killpg(process.pid, 9)
        process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None and not stream.closed:
            stream.close()
