# SPDX-License-Identifier: Apache-2.0
"""Makes a scenario's runs: each of several threads waits for one engine process and commits each ended run.

Runs that the store has are not made again. A run that failed because of the machine or the simulator
(runs.model.RETRIED) is tried again; every other outcome is a result. An engine that makes several runs in one
process gets them together. At Ctrl-C, or if the store can't be written, the engines at work are ended;
finished runs are kept.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from orchestrate_spark.end_records import unfinished

from orchestrator.engines.model import Job
from orchestrator.engines.protocol import Engine
from orchestrator.errors import RunFailed
from orchestrator.execution.progress import Progress, reached
from orchestrator.execution.workers import Workers
from orchestrator.runs.manifest import AIR_FILE, LOG_FILE
from orchestrator.runs.model import RETRIED, VERDICTS, Outcome, RunResult
from orchestrator.runs.spec import RunSpec
from orchestrator.runs.store import Store

RETRIES = 2  # of a run that failed because of the machine or the simulator
WALL_LIMIT_S = 600.0  # of one run, so that a firmware that hangs doesn't hold up the others for ever
_WAIT_S = 0.05  # between looks at whether a run may be tried again
_PAUSES_GROW = 4
_LONGEST_PAUSE_S = 300.0


@dataclass(frozen=True)
class Effort:
    """The limits of the resources of a batch of runs.

    `workers`: runs at the same time (None: one for each core). `wall_limit_s`: seconds of real time for each
    run. `retries`: how often a run is tried again that failed because of the machine or the simulator.
    """

    workers: int | None = None
    wall_limit_s: float | None = WALL_LIMIT_S
    retries: int = RETRIES
    pause_s: float = 0.0

    def pause(self, tries: int) -> float:
        """Return the wait, in s, before the next try of a run that was tried so often."""
        return min(self.pause_s * _PAUSES_GROW ** (tries - 1), _LONGEST_PAUSE_S)


USUAL = Effort()


def _judged(spec: RunSpec, log: Path, result: RunResult) -> RunResult:
    """Return the result of a simulated run, which is no good one if a mote didn't live through it."""
    if result.outcome is not Outcome.OK or result.testbed.motes:  # a testbed has judged its own
        return result
    motes = {node.mote: node.name for node in spec.motes}
    found = unfinished(log, motes, sequences=False)
    if not found:
        return result
    evidence = tuple(f"{motes[one.mote]} (mote {one.mote}) {one.why}" for one in found)
    return replace(result, outcome=Outcome.TRUNCATED, evidence=evidence)


@dataclass(frozen=True)
class _Try:
    """A run to make, by which engine, how often it was tried, and not before when (time.monotonic)."""

    spec: RunSpec
    engine: Engine
    tries: int = 0
    not_before: float = 0.0


@dataclass(frozen=True)
class Failure:
    """A run that did not end ok; `evidence`: the lines that prove it, if the run was made by this call."""

    cell: str
    seed: int
    run_id: str
    outcome: Outcome
    evidence: tuple[str, ...]

    def error(self, what: str) -> RunFailed:
        """Return the error to raise if `what` needs this run."""
        lines = "".join(f"\n    {line}" for line in self.evidence)
        return RunFailed(f"{what}: {self.outcome.value}{lines}")


@dataclass
class Summary:
    """The result of a batch of runs.

    `run_ids`: in the plan's order. `made`: how many of them this call made, `sim_us` their simulated time.
    `failures`: the runs that did not end ok, whoever made them.
    """

    run_ids: list[str] = field(default_factory=list)
    made: int = 0
    failures: list[Failure] = field(default_factory=list)
    sim_us: int = 0
    seconds: float = 0.0

    def measured(self) -> bool:
        """Say whether a run ended ok: metrics are computed from those only."""
        return len(self.failures) < len(self.run_ids)

    def worst(self) -> Outcome:
        """Return OK, FAILED if the only failures are verdicts, else the first other outcome."""
        others = [failure.outcome for failure in self.failures if failure.outcome not in VERDICTS]
        return others[0] if others else Outcome.FAILED if self.failures else Outcome.OK


@dataclass(frozen=True)
class Follower:
    """Callbacks that observe a batch of runs and can stop it.

    `show` is called in the caller's thread, `noted` when a run stands in the store, from the thread that made
    it. Once `closed` returns true, no further run begins, and the runs under way are waited for.
    """

    show: Callable[[Progress], None] = lambda _: None
    noted: Callable[[RunSpec, RunResult], None] = lambda _spec, _result: None
    closed: Callable[[], bool] = lambda: False


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0))


def execute(
    specs: Iterable[RunSpec],
    total: int,
    engines: Mapping[str, Engine],
    store: Store,
    experiment: str,
    effort: Effort,
    show: Callable[[Progress], None] = lambda _: None,
) -> Summary:
    """Make all runs that the store doesn't have.

    `specs` (of which there are `total`) is read as runs start. `show` is called in this thread. Raises
    StorageFailed, KeyboardInterrupt, and what `specs` raises.
    """
    store.sweep(experiment)
    tasks = ((spec, engines[spec.engine]) for spec in specs)
    summary = conduct(tasks, total, store, store.decided(experiment), effort, Follower(show))
    ended = dict.fromkeys(summary.run_ids, Outcome.OK)
    store.remember(experiment, ended | {failure.run_id: failure.outcome for failure in summary.failures})
    return summary


def conduct(
    tasks: Iterable[tuple[RunSpec, Engine]],
    total: int,
    store: Store,
    decided: Mapping[str, Outcome],
    effort: Effort,
    follower: Follower = Follower(),
) -> Summary:
    """Make runs of any experiments, each by its engine, in this order; those that are `decided` are counted.

    Otherwise as `execute`.
    """
    count = min(max(1, effort.workers or cores()), max(1, total))
    effort = replace(effort, workers=count)
    execution = _Execution(tasks, total, store, decided, effort, follower)

    def show() -> None:
        follower.show(execution.progress(total))

    Workers().run(count, execution.work, show, execution.stop)
    show()
    if execution.error is not None:
        raise execution.error
    return execution.summary()


class _Execution:
    """The shared state of the worker threads."""

    def __init__(
        self,
        tasks: Iterable[tuple[RunSpec, Engine]],
        total: int,
        store: Store,
        decided: Mapping[str, Outcome],
        effort: Effort,
        follower: Follower,
    ):
        self._tasks = iter(tasks)
        self._total = total
        self._effort = effort
        # Runs that come before the plan's next one: those tried again, and those taken for another engine.
        self._first: deque[_Try] = deque()
        self._engines: dict[int, Engine] = {}  # those that have made a run
        self._follower = follower
        self._store = store
        self._decided = decided
        self._lock = threading.Lock()
        # Held while a run is taken: threads can't share a generator, and runs keep the plan's order.
        self._planning = threading.Lock()
        self._stopped = threading.Event()
        self._started = time.monotonic()
        self._order: list[str] = []
        self._failures: dict[str, Failure] = {}
        self._found = self._made = self._sim_us = 0
        self._under_way: dict[Path, int] = {}  # log -> simulated us at which its run ends at the latest
        self.error: BaseException | None = None

    def work(self) -> None:
        """Make runs until none is left; this is what each worker thread does."""
        try:
            while not self._stopped.is_set():
                first = self._take(None, 0)
                if first is None:
                    return
                self._work_from(first)
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread
            with self._lock:
                self.error = self.error or error
            self.stop()

    def stop(self) -> None:
        """End all workers and the engines at work."""
        self._stopped.set()
        for engine in tuple(self._engines.values()):
            engine.stop()

    def progress(self, total: int) -> Progress:
        """Return how far the batch is, its unfinished runs by their logs."""
        with self._lock:
            ends = dict(self._under_way)
            counted = Progress(
                total,
                self._found,
                self._made,
                len(self._failures),
                self._sim_us,
                time.monotonic() - self._started,
            )
        return replace(
            counted,
            logged_us=sum(min(reached(log), end) for log, end in ends.items()),
            to_log_us=sum(ends.values()),
        )

    def summary(self) -> Summary:
        """Return the result, in the plan's order."""
        failures = [self._failures[run_id] for run_id in self._order if run_id in self._failures]
        return Summary(
            list(self._order), self._made, failures, self._sim_us, time.monotonic() - self._started
        )

    def _due(self) -> _Try | None:
        """Take the first of those that come before the plan's next run, unless it has to wait."""
        now = time.monotonic()
        with self._lock:
            for attempt in self._first:
                if attempt.not_before <= now:
                    self._first.remove(attempt)
                    return attempt
        return None

    def _next(self, held: int) -> _Try | None:
        """Return the next run to make: one to be tried again, else the plan's next that is not in the store.

        Runs in the store are counted on the way. If nothing is left but runs that have to wait before they
        are tried again, it waits for the first, unless the worker has taken others (`held`) that wait too.
        """
        while not self._stopped.is_set() and not self._follower.closed():
            if (due := self._due()) is not None:
                return due
            spec, engine = next(self._tasks, (None, None))
            if spec is None:
                if held or not self._first:
                    return None
                self._stopped.wait(_WAIT_S)
                continue
            self._order.append(spec.run_id)
            with self._lock:
                outcome = self._decided.get(spec.run_id)
                if outcome is None:
                    return _Try(spec, engine)
                self._found += 1
                if outcome is not Outcome.OK:
                    self._fail(spec, outcome, ())
        return None

    def _take(self, engine: Engine | None, held: int) -> _Try | None:
        """Take the next run for this engine (None: for any), or none if it is not this worker's share.

        `held`: how many runs the worker has taken for its engine's process. It gets no more than an equal
        share of what is left.
        """
        with self._planning:
            left = self._total - len(self._order)
            if held and held >= -(-(left + held) // self._effort.workers):
                return None
            attempt = self._next(held)
            if attempt is not None and engine is not None and engine is not attempt.engine:
                with self._lock:
                    self._first.appendleft(attempt)
                return None
            return attempt

    def _work_from(self, first: _Try) -> None:
        """Make this run and those after it, as long as they are for the same engine and it asks for more."""
        under_way: dict[Path, _Try] = {}  # by log
        with self._lock:
            self._engines[id(first.engine)] = first.engine
        ended = datetime.now(UTC)

        def jobs() -> Iterator[Job]:
            attempt: _Try | None = first
            while attempt is not None:
                spec = attempt.spec
                log = self._store.open(spec.experiment, spec.run_id) / LOG_FILE
                under_way[log] = attempt
                with self._lock:
                    self._under_way[log] = max(1, spec.longest_us)
                limit_s = self._effort.wall_limit_s
                air = log.with_name(AIR_FILE) if AIR_FILE in spec.cell.record else None
                yield Job(spec.deployment, spec.seed, spec.firmware, log, spec.cell.ruleset, limit_s, air=air)
                attempt = self._take(first.engine, len(under_way))

        def done(job: Job, result: RunResult) -> None:
            nonlocal ended
            if self._stopped.is_set():
                return
            attempt = under_way[job.log]
            result = _judged(attempt.spec, job.log, result)
            started, ended = ended, datetime.now(UTC)
            tries = attempt.tries + 1
            if result.outcome in RETRIED and tries <= self._effort.retries:
                self._drop(job.log)
                again = time.monotonic() + self._effort.pause(tries)
                with self._lock:
                    self._first.append(replace(attempt, tries=tries, not_before=again))
            else:
                self._store.commit(job.log.parent, attempt.spec, result, started=started)
                self._follower.noted(attempt.spec, result)
                self._count(attempt.spec, result, job.log)
            del under_way[job.log]

        try:
            first.engine.run(jobs(), done)
        finally:
            for log in under_way:
                self._drop(log)

    def _drop(self, log: Path) -> None:
        with self._lock:
            self._under_way.pop(log, None)
        self._store.abandon(log.parent)

    def _count(self, spec: RunSpec, result: RunResult, log: Path) -> None:
        with self._lock:
            self._under_way.pop(log, None)
            self._made += 1
            self._sim_us += result.sim_us
            if result.outcome is not Outcome.OK:
                self._fail(spec, result.outcome, result.evidence)

    def _fail(self, spec: RunSpec, outcome: Outcome, evidence: tuple[str, ...]) -> None:
        self._failures[spec.run_id] = Failure(spec.cell.name, spec.seed, spec.run_id, outcome, evidence)
