# SPDX-License-Identifier: Apache-2.0
"""Several runs in one JVM after another: each judged as it ends; a JVM that dies takes one run with it.

A JVM needs a second or two to start and several runs to get warm (measured, four runs of 330 s with four
motes in one
JVM: 1.6 s, 0.8 s, 0.2 s, 0.6 s of simulation, against 1.6 s each), so runs share one where they can.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.csc import deployed
from orchestrator.engines.cooja.console import Console
from orchestrator.engines.cooja.launcher import Running
from orchestrator.engines.cooja.verdict import judge, vanished
from orchestrator.engines.log import ending
from orchestrator.engines.model import Job
from orchestrator.runs.model import Outcome, RunResult

_LOOK_EVERY_S = 0.5
_QUIT_S = 20.0  # for a JVM whose runs are all done to end by itself
_CHUNK = 1 << 16


@dataclass
class Batch:
    """`start(numbers)` starts a Cooja for the jobs with these numbers, in that order. `done(number, result)`
    is called as each run ends, in order.

    `wall_limit_s` of each run, `log_limit` of its log in bytes. `check(number)`: what is wrong with how a run
    that went well was made, a line each. `crash_report()`: the lines of the report that a crashed JVM left.
    """

    start: Callable[[Sequence[int]], Running]
    done: Callable[[int, RunResult], None]
    check: Callable[[int], list[str]]
    crash_report: Callable[[], list[str]]
    log_limit: int

    def run(self, jobs: Sequence[Job], stopped: Callable[[], bool]) -> None:
        waiting = list(range(len(jobs)))
        while waiting and not stopped():
            running = self.start(waiting)
            try:
                finished = _Jvm(self, jobs, waiting, running, stopped).watch()
            finally:
                running.kill()
                running.wait(None)
            del waiting[:finished]


class _Jvm:
    """One JVM with some runs."""

    def __init__(self, batch: Batch, jobs: Sequence[Job], numbers: list[int], running: Running, stopped):
        self.batch, self.jobs, self.numbers, self.running, self.stopped = (
            batch,
            jobs,
            numbers,
            running,
            stopped,
        )
        self.console = Console()
        self.finished = 0
        self.started = time.monotonic()
        self.held: tuple[Outcome, tuple[str, ...]] | None = (
            None  # of the last run, until the exit status is known
        )
        self.begun = False  # whether Cooja has taken up the run at hand
        self.peak_memory = 0
        self.statuses: list[bool] = []

    def watch(self) -> int:
        """Until it ends or is ended; how many of its runs have a result then (at least one)."""
        while True:
            ready, _, _ = select.select([self.running.output], [], [], _LOOK_EVERY_S)
            data = os.read(self.running.output, _CHUNK) if ready else None
            self.peak_memory = max(self.peak_memory, self.running.peak_memory())
            if data == b"":
                break
            for mark in self.console.feed(data or b""):
                self._mark(mark)
            if self.held is not None:
                break
            if (outcome := self._over_limit()) is not None:
                self.running.kill()
                self._finish(*outcome)
                return self.finished
        for mark in self.console.end():
            self._mark(mark)
        self._end()
        return self.finished

    def _mark(self, mark: str) -> None:
        if mark == "begin":
            self.begun = True
            if self.finished:  # the first one's time includes the JVM's start
                self.started = time.monotonic()
        elif self.finished < len(self.numbers) and self.held is None:
            number = self.numbers[self.finished]
            job = self.jobs[number]
            outcome, evidence = judge(
                mark == "ok", self.console.lines(), job.log, deployed.simulation(job.deployment).script
            )
            if outcome is Outcome.OK and (wrong := self.batch.check(number)):
                outcome, evidence = Outcome.SETUP_ERROR, tuple(wrong)
            self.statuses.append(mark == "ok")
            if self.finished + 1 == len(self.numbers):
                self.held = (outcome, evidence)
            else:
                self._finish(outcome, evidence)

    def _end(self) -> None:
        """The output has ended, or all runs have."""
        status = self._drain()
        if self.stopped():
            self.held = None
            self.finished = len(self.numbers)
            return
        if self.held is not None:
            outcome, evidence = self.held
            expected = 0 if all(self.statuses) else 1
            if outcome is Outcome.OK and status is not None and status != expected:
                outcome, evidence = vanished(status, self.console.lines(), begun=True)
                evidence = (
                    "the log and the console say TEST OK, but Cooja's exit status does not",
                    *evidence,
                )
            self._finish(outcome, evidence)
        else:
            self._finish(*vanished(status, self.console.lines(), self.begun, self.batch.crash_report()))

    def _drain(self) -> int | None:
        """Reads to the end, as a process whose pipe is full does not end; its exit status, None if it had to
        be killed.
        """
        until = time.monotonic() + _QUIT_S
        while (left := until - time.monotonic()) > 0:
            ready, _, _ = select.select([self.running.output], [], [], min(left, _LOOK_EVERY_S))
            if ready:
                data = os.read(self.running.output, _CHUNK)
                if data == b"":
                    return self.running.wait(left)
                for _ in self.console.feed(data):
                    pass
        self.running.kill()
        self.running.wait(None)
        return None

    def _over_limit(self) -> tuple[Outcome, tuple[str, ...]] | None:
        job = self.jobs[self.numbers[self.finished]]
        took = time.monotonic() - self.started
        if job.wall_limit_s is not None and took > job.wall_limit_s:
            return Outcome.WALL_LIMIT, (
                f"wall-clock limit of {job.wall_limit_s:g} s; Cooja was ended",
                *_last_line(job.log),
            )
        try:
            size = job.log.stat().st_size
        except OSError:
            return None
        if size > self.batch.log_limit:
            return Outcome.TRUNCATED, (
                f"the log has {size} bytes, more than it may; Cooja was ended",
                *_last_line(job.log),
            )
        return None

    def _finish(self, outcome: Outcome, evidence: tuple[str, ...]) -> None:
        now = time.monotonic()
        number = self.numbers[self.finished]
        result = RunResult(
            outcome=outcome,
            sim_us=ending(self.jobs[number].log).sim_us,
            wall_s=now - self.started,
            events=0,
            peak_memory=self.peak_memory,
            evidence=evidence,
        )
        self.finished += 1
        self.begun = False
        self.started = now
        self.batch.done(number, result)


def _last_line(log: Path) -> tuple[str, ...]:
    """The last whole line that a log has."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - 4096))
            lines = stream.read().decode("utf-8", "replace").split("\n")[:-1]
    except OSError:
        return ()
    return (f"last line: {lines[-1]}",) if lines else ()
