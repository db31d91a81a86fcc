# SPDX-License-Identifier: Apache-2.0
"""Makes several runs in one JVM, one after the other; each is judged as it ends. A JVM that dies fails one.

Runs share a JVM because it takes a second or two to start and several runs to get warm. (Four runs of 330 s
with four motes took 1.6 s, 0.8 s, 0.2 s and 0.6 s in one JVM, and 1.6 s each in JVMs of their own.)
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
from orchestrator.engines.log import ending, tail
from orchestrator.engines.model import Job
from orchestrator.runs.model import Outcome, RunResult

_LOOK_EVERY_S = 0.5
_DYING_S = 2.0  # in which an error's lines are printed
_QUIT_S = 20.0  # in which a JVM without further runs has to end by itself
_CHUNK = 1 << 16


@dataclass
class Batch:
    """The callbacks of a series of runs, which are named by their numbers.

    `start(numbers)` starts a Cooja for these runs, in this order. `done(number, result)` is called as each
    ends. `check(number)` returns a line for each fault in how a run with a good verdict was made.
    `crash_report()` returns the lines of the report that a crashed JVM left. `log_limit`: bytes of a run's
    log.
    """

    start: Callable[[Sequence[int]], Running]
    done: Callable[[int, RunResult], None]
    check: Callable[[int], list[str]]
    crash_report: Callable[[], list[str]]
    log_limit: int

    def run(self, jobs: Sequence[Job], stopped: Callable[[], bool]) -> None:
        """Run all jobs in as few JVMs as possible, until `stopped`."""
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
    """A JVM and its runs."""

    def __init__(
        self,
        batch: Batch,
        jobs: Sequence[Job],
        numbers: list[int],
        running: Running,
        stopped: Callable[[], bool],
    ):
        self.batch, self.jobs, self.numbers = batch, jobs, numbers
        self.running, self.stopped = running, stopped
        self.console = Console()
        self.finished = 0
        self.started = time.monotonic()
        self.held: tuple[Outcome, tuple[str, ...]] | None = (
            None  # the last run's, until the exit status is known
        )
        self.begun = False  # whether Cooja has begun the current run
        self.died_at: float | None = None  # when Cooja's main thread ended with an error
        self.peak_memory = 0
        self.statuses: list[bool] = []

    def watch(self) -> int:
        """Watch it until it ends or is ended; return how many of its runs have a result (at least one)."""
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
            if self.died_at is not None and time.monotonic() - self.died_at > _DYING_S:
                self.running.kill()
                self._finish(Outcome.SETUP_ERROR, _why_died(self.console.lines()))
                return self.finished
            if (outcome := self._over_limit()) is not None:
                self.running.kill()
                self._finish(*outcome)
                return self.finished
        for mark in self.console.end():
            self._mark(mark)
        self._end()
        return self.finished

    def _mark(self, mark: str) -> None:
        if mark == "died":
            self.died_at = time.monotonic()
        elif mark == "begin":
            self.begun = True
            if self.finished:  # the time of the first run includes the JVM's start
                self.started = time.monotonic()
        elif self.finished < len(self.numbers) and self.held is None:
            number = self.numbers[self.finished]
            job = self.jobs[number]
            simulation = deployed.simulation(job.deployment)
            commands = any(one.commands for one in simulation.serial_sockets)
            outcome, evidence = judge(
                mark == "ok", self.console.lines(), job.log, simulation.script, commands
            )
            if outcome is Outcome.OK and (wrong := self.batch.check(number)):
                outcome, evidence = Outcome.SETUP_ERROR, tuple(wrong)
            self.statuses.append(mark == "ok")
            if self.finished + 1 == len(self.numbers):
                self.held = (outcome, evidence)
            else:
                self._finish(outcome, evidence)

    def _end(self) -> None:
        """Finish after the end of the output, or of all runs."""
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
        """Read to the end of the output; return the exit status, or None if the process had to be killed.

        (A process whose pipe is full does not end.)
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


def _why_died(console: Sequence[str]) -> tuple[str, ...]:
    """Return the error with which Cooja's main thread ended, and its causes."""
    causes = [line for line in console if line.startswith(('Exception in thread "main"', "Caused by: "))]
    return ("Cooja's main thread ended with an error, which leaves its process hanging", *causes)


def _last_line(log: Path) -> tuple[str, ...]:
    """Return a log's last complete line as evidence."""
    try:
        lines = tail(log, 4096).split("\n")[:-1]
    except OSError:
        return ()
    return (f"last line: {lines[-1]}",) if lines else ()
