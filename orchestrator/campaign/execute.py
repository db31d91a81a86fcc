# SPDX-License-Identifier: Apache-2.0
"""Executes runs: some threads, each waiting for one engine process at a time, each run committed as it ends.

Finished runs are not done again. A run whose engine vanished is tried up to three times in all; every other outcome is
a result. At Ctrl-C, or when the store can't be written, the engines under way are ended, and finished runs stay.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from orchestrator.campaign.progress import Progress
from orchestrator.engines.protocol import Engine
from orchestrator.runs.manifest import LOG_FILE
from orchestrator.runs.model import Outcome, RunResult, RunSpec
from orchestrator.runs.store import Store

ATTEMPTS = 3  # of a run whose engine vanishes
_SHOW_EVERY_S = 0.2
_STOP_EVERY_S = 0.05
_STOP_MOST_S = 10.0


@dataclass(frozen=True)
class Failure:
    """A run that did not end ok, and the lines that prove it (those of a run made now)."""

    cell: str
    seed: int
    run_id: str
    outcome: Outcome
    evidence: tuple[str, ...]


@dataclass
class Summary:
    """What came of a campaign: run ids in plan order, how many were made now, those not ok, simulated time made."""

    run_ids: list[str] = field(default_factory=list)
    made: int = 0
    failures: list[Failure] = field(default_factory=list)
    sim_us: int = 0
    seconds: float = 0.0

    def measured(self) -> bool:
        """Whether some run ended ok, so that there is something to analyse: metrics are of those only."""
        return len(self.failures) < len(self.run_ids)

    def worst(self) -> Outcome:
        """OK, FAILED if only verdicts failed, else the first outcome that is no verdict."""
        others = [failure.outcome for failure in self.failures if failure.outcome is not Outcome.FAILED]
        return others[0] if others else Outcome.FAILED if self.failures else Outcome.OK


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


def execute(
    specs: Iterable[RunSpec], total: int, engines: Mapping[str, Engine], store: Store, experiment: str, *,
    workers: int | None = None, wall_limit_s: float | None = None, show: Callable[[Progress], None] | None = None,
) -> Summary:
    """Does all runs that the store doesn't have. `specs` is consumed as runs start; `show` is called from this thread.

    Raises StorageFailed, KeyboardInterrupt, and what the making of a spec raises.
    """
    store.sweep(experiment)
    campaign = _Campaign(specs, engines, store, store.decided(experiment), wall_limit_s)
    try:
        campaign.start(min(max(1, workers or cores()), max(1, total)))
        while not campaign.idle(_SHOW_EVERY_S):
            if show is not None:
                show(campaign.progress(total))
    except BaseException:
        # Again and again: a worker may have been about to start its engine when the others were ended.
        # Bounded, because the interruption may have come between a worker's count and its start.
        until = time.monotonic() + _STOP_MOST_S
        campaign.stop()
        while not campaign.idle(_STOP_EVERY_S) and time.monotonic() < until:
            campaign.stop()
        raise
    if show is not None:
        show(campaign.progress(total))
    if campaign.error is not None:
        raise campaign.error
    return campaign.summary()


class _Campaign:
    """What the worker threads share."""

    def __init__(self, specs, engines, store: Store, decided: dict[str, Outcome], wall_limit_s: float | None):
        self._specs = iter(specs)
        self._engines = engines
        self._store = store
        self._decided = decided
        self._wall_limit_s = wall_limit_s
        self._lock = threading.Lock()
        self._planning = threading.Lock()
        self._stopped = threading.Event()
        self._started = time.monotonic()
        self._order: list[str] = []
        self._failures: dict[str, Failure] = {}
        self._found = self._made = self._sim_us = 0
        self._working = 0
        self._idle = threading.Condition(self._lock)
        self.error: BaseException | None = None

    def start(self, workers: int) -> None:
        for number in range(workers):
            with self._lock:
                self._working += 1
            threading.Thread(target=self.work, name=f"run-{number}", daemon=True).start()

    def idle(self, timeout_s: float) -> bool:
        """Whether all workers have ended, waiting for that so long.

        Not by Thread.join: an interrupted join of Python 3.11 takes a running thread for an ended one.
        """
        with self._idle:
            return self._idle.wait_for(lambda: self._working == 0, timeout_s)

    def work(self) -> None:
        """One worker's life."""
        try:
            while not self._stopped.is_set():
                spec = self._next()
                if spec is None:
                    return
                self._do(spec)
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread
            with self._lock:
                self.error = self.error or error
            self.stop()
        finally:
            with self._idle:
                self._working -= 1
                self._idle.notify_all()

    def stop(self) -> None:
        """Ends all workers, engines under way included."""
        self._stopped.set()
        for engine in self._engines.values():
            engine.stop()

    def progress(self, total: int) -> Progress:
        with self._lock:
            return Progress(total, self._found, self._made, len(self._failures), self._sim_us,
                            time.monotonic() - self._started)

    def summary(self) -> Summary:
        failures = [self._failures[run_id] for run_id in self._order if run_id in self._failures]
        return Summary(list(self._order), self._made, failures, self._sim_us, time.monotonic() - self._started)

    def _next(self) -> RunSpec | None:
        """The next run to do; those that the store has are counted and passed over."""
        while not self._stopped.is_set():
            with self._planning:  # a generator can't be shared, and the order is the plan's, whichever worker comes next
                spec = next(self._specs, None)
                if spec is None:
                    return None
                self._order.append(spec.run_id)
            with self._lock:
                outcome = self._decided.get(spec.run_id)
                if outcome is None:
                    return spec
                self._found += 1
                if outcome is not Outcome.OK:
                    self._fail(spec, outcome, ())
        return None

    def _do(self, spec: RunSpec) -> None:
        engine = self._engines[spec.engine]
        for _attempt in range(ATTEMPTS):
            work = self._store.open(spec.experiment, spec.run_id)
            committed = False
            try:
                started = datetime.now(UTC)
                result = engine.run(
                    spec.simulation, spec.seed, spec.firmware, work / LOG_FILE,
                    ruleset=spec.cell.ruleset, wall_limit_s=self._wall_limit_s,
                )
                if self._stopped.is_set():
                    return
                if result.outcome is not Outcome.LOST:
                    self._store.commit(work, spec, result, started=started)
                    committed = True
            finally:
                if not committed:
                    self._store.abandon(work)
            if committed:
                break
        self._count(spec, result)

    def _count(self, spec: RunSpec, result: RunResult) -> None:
        with self._lock:
            self._made += 1
            self._sim_us += result.sim_us
            if result.outcome is not Outcome.OK:
                self._fail(spec, result.outcome, result.evidence)

    def _fail(self, spec: RunSpec, outcome: Outcome, evidence: tuple[str, ...]) -> None:
        self._failures[spec.run_id] = Failure(spec.cell.name, spec.seed, spec.run_id, outcome, evidence)
