# SPDX-License-Identifier: Apache-2.0
"""Makes the runs of a round, or of a shard of it, in one list over all its scenarios.

What is done is decided by the store's manifests, never by the journal: each planned run's id is made of its
cell, seed, .csc, firmware and engine, and a run that the store has under that id is not made again.
"""

from __future__ import annotations

import platform
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.engines.protocol import Engine
from orchestrator.execution.cluster import Cluster
from orchestrator.execution.execute import WALL_LIMIT_S, Effort, Follower, Summary, conduct
from orchestrator.execution.progress import NOBODY, Listener, Progress
from orchestrator.features.campaigns import begin, record
from orchestrator.features.campaigns.begin import Chosen, Wanted
from orchestrator.features.campaigns.difference import differences
from orchestrator.features.campaigns.durations import ROUNDS, Durations
from orchestrator.features.campaigns.journal import Journal
from orchestrator.features.campaigns.model import End, Product, RoundRun, RunKey, Shard, State
from orchestrator.features.campaigns.order import Todo, longest_first, most_informative_first
from orchestrator.features.campaigns.prepared import Prepared, prepare
from orchestrator.features.campaigns.record import Round
from orchestrator.features.campaigns.results import Results, give_verdict, of_round, present
from orchestrator.features.campaigns.written import Campaign
from orchestrator.runs.model import UNDECIDED, Outcome, RunResult
from orchestrator.runs.spec import RunSpec
from orchestrator.runs.store import Store

Ended = Callable[[RunSpec, RunResult], None]
PAUSE_S = 5.0  # before a run that the machine failed is tried again; then four times as long, and so on
_FITS = 1.2  # a run may take that much longer than expected and still be begun before the time is over
_CLOCK_S = 60.0  # seconds that the clock may gain or lose in a round before this is mentioned


@dataclass(frozen=True)
class Options:
    """The options of a call that makes its part of a round.

    `budget_s`: in place of the file's. `verdict`: the caller gives one afterwards. `master`: the Spark master
    whose cluster does the work of Spark; `cluster`: the one that makes the runs as well.
    """

    shard: Shard = Shard()
    wanted: Wanted = Wanted.USUAL
    workers: int | None = None
    budget_s: float | None = None
    metrics: bool = True
    page: bool = True
    verdict: bool = False
    master: str | None = None
    cluster: Cluster | None = None

    @property
    def wants(self) -> tuple[Product, ...]:
        """The products to make after the round's runs."""
        asked = {Product.RESULTS: self.metrics, Product.VERDICT: self.verdict}
        return tuple(product for product in Product if asked[product])

    def spark(self) -> str | None:
        """Return the master for Spark's work; a cluster that made runs but sees no tables is let go."""
        if self.cluster is None:
            return self.master
        if self.cluster.spark is None:
            self.cluster.close()
        return self.cluster.spark


USUAL = Options()


class Drain:
    """Asks a call to begin no further run; those under way end. `working`: whether runs are being made."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self.working = False

    def ask(self) -> None:
        """Ask the call to end; a signal's handler or another thread may do so."""
        self._asked.set()

    def asked(self) -> bool:
        """Whether it has been called."""
        return self._asked.is_set()


@dataclass
class Result:
    """The result of a call.

    `found`: runs that the store had; `summary`: of those made now; `seconds`: wall time by step.
    """

    chosen: Chosen
    shard: Shard
    state: State
    found: int = 0
    bad: Counter[Outcome] = field(default_factory=Counter)
    summary: Summary = field(default_factory=Summary)
    results: Results = field(default_factory=Results)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def round(self) -> Round:
        """The round that it worked on."""
        return self.chosen.round


class _TimeOver(Exception):
    """The budget is used up while runs are under way."""


def run(
    campaign: Campaign,
    store: Path,
    options: Options = USUAL,
    drain: Drain | None = None,
    listener: Listener = NOBODY,
) -> Result:
    """Make a round or go on with one.

    Raises every class of errors.py; finished runs are kept whatever happens.
    """
    started = time.monotonic()
    store = Path(store)
    prepared = prepare(campaign, store, listener)
    if options.wanted is Wanted.USUAL:
        _finish_another(prepared, store, options, listener)
    chosen = begin.choose(prepared, store, options.shard, options.wanted)
    listener.say(f"{campaign.name}: {chosen.why}")
    budget_s = options.budget_s or campaign.budget_s
    call = _Call(prepared, Store(store), chosen.round, options, drain or Drain(), listener)
    result = Result(chosen, options.shard, State.INTERRUPTED)
    result.seconds["plan"] = time.monotonic() - started
    if chosen.idle and call.all_there(result):
        return result
    if chosen.finish:
        call.finish(result)
        return result
    if chosen.idle:
        listener.say(f"{campaign.name}: but the store no longer has all of its runs; they are made again")
    call.make(result, None if budget_s is None else started + budget_s)
    if options.metrics and result.state is not State.INTERRUPTED:
        if chosen.round.over:
            call.results(result)
        else:
            waiting = [str(shard) for shard in chosen.round.shards if shard not in chosen.round.ends]
            listener.say(
                f"{campaign.name}: tables and reports are made by the shard that ends last; "
                f"not ended: {', '.join(waiting)}"
            )
    return result


def _finish_another(prepared: Prepared, store: Path, options: Options, listener: Listener) -> None:
    """Finish the last round before the next one, if scenarios, firmware or engine have changed since."""
    campaign = prepared.campaign
    last = record.latest(store, campaign.name)
    if last is None or not last.missing:
        return
    quarantine = campaign.in_quarantine(last.plan.at.date())
    if not differences(prepared, quarantine, last.plan):
        return  # begin.choose returns it
    listener.say(f"{campaign.name}: finishes {begin.told(last)} first, which has {begin.missing(last)} yet")
    if Product.RESULTS in last.missing:
        of_round(prepared, last, store, options.page, options.spark(), listener)
    if Product.VERDICT in last.missing:
        give_verdict(campaign, last, store, listener)


class _Call:
    """One call's work on a shard of a round."""

    def __init__(
        self,
        prepared: Prepared,
        store: Store,
        chosen: Round,
        options: Options,
        drain: Drain,
        listener: Listener,
    ):
        self._prepared, self._store, self._round, self._listener = prepared, store, chosen, listener
        self._options, self._drain = options, drain
        self._decided: dict[str, dict[str, Outcome]] = {}
        self._deadline: float | None = None
        self._skipped = 0
        self._expected = False  # whether there are times to expect

    def all_there(self, result: Result) -> bool:
        """Whether the store has every planned run with its outcome; if so, `result` says how they ended."""
        outcomes = [self._outcome(key, self._prepared.ids(key)[0]) for key in self._keys()]
        if None in outcomes:
            return False
        result.state, result.found = State.COMPLETE, len(outcomes)
        result.bad.update(outcome for outcome in outcomes if outcome is not Outcome.OK)
        return True

    def results(self, result: Result) -> None:
        """Make tables and reports of the round, all of whose shards have ended."""
        options, began = self._options, time.monotonic()
        result.results = of_round(
            self._prepared, self._round, self._store.path, options.page, options.spark(), self._listener
        )
        result.seconds["results"] = time.monotonic() - began
        if (end := self._round.ends.get(options.shard)) is not None:
            self._round.end(replace(end, results_s=result.seconds["results"]))

    def finish(self, result: Result) -> None:
        """Make the missing products of a round whose runs have ended."""
        runs = list(self._round.runs())
        result.state, result.found = self._round.runs_state, len(runs)
        result.bad.update(run.outcome for run in runs if run.outcome is not Outcome.OK)
        if Product.RESULTS in self._round.missing:
            self.results(result)
        if Product.VERDICT in self._round.missing and not self._options.verdict:
            give_verdict(self._prepared.campaign, self._round, self._store.path, self._listener)

    def make(self, result: Result, deadline: float | None) -> None:
        """Make the runs and note their results in `result`."""
        began, clock = time.monotonic(), datetime.now(UTC)
        with self._journal() as journal:
            noted = self._round.runs_of(self._options.shard)
            noted_runs, todo = self._sorted_out(noted)
            journal.add_all([run for run in noted_runs if noted.get(run.key) is not run])
            result.found = len(noted_runs)
            result.bad.update(run.outcome for run in noted_runs if run.outcome is not Outcome.OK)
            name = self._round.plan.campaign
            durations = Durations(record.readable(self._store.path, name, ROUNDS)[0])
            self._deadline = None if deadline is None else deadline - durations.results_s
            ordered = self._ordered(todo, noted_runs, durations)

            def ended(spec: RunSpec, run_result: RunResult) -> None:
                journal.add(
                    RoundRun(
                        spec.experiment,
                        spec.cell.name,
                        spec.seed,
                        spec.run_id,
                        spec.trend_id,
                        run_result.outcome,
                        True,
                        run_result.wall_s,
                    )
                )
                result.bad.update([run_result.outcome] if run_result.outcome is not Outcome.OK else [])

            try:
                result.summary = self._conduct(ordered, len(noted_runs), ended)
            except _TimeOver:
                self._skipped += 1
            except KeyboardInterrupt:
                result.seconds["simulate"] = time.monotonic() - began
                self.end(result)
                raise
            result.seconds["simulate"] = time.monotonic() - began
            result.state = self._state(result)
            self._remember()
            present(self._prepared, self._round, self._store.path)
            self.end(result)
        self._say_clock(clock, time.monotonic() - began)

    def end(self, result: Result) -> None:
        """Note how far the shard is."""
        self._round.end(
            End(
                self._options.shard,
                result.state,
                datetime.now(UTC),
                platform.node(),
                result.seconds.get("simulate", 0.0),
                result.seconds.get("results", 0.0),
                self._options.wants,
            )
        )

    @contextmanager
    def _journal(self) -> Iterator[Journal]:
        with ExitStack() as held:
            try:
                opened = held.enter_context(self._round.writing(self._options.shard))
            except BlockingIOError:
                raise begin.busy(self._round, self._options.shard) from None
            yield opened

    def _keys(self) -> Iterator[RunKey]:
        """Return the shard's runs, without those in quarantine."""
        plan = self._round.plan
        keys = plan.of_shard(self._options.shard)
        return (key for key in keys if plan.why_left_out(key) is None) if plan.quarantine else keys

    def _outcome(self, key: RunKey, run_id: str) -> Outcome | None:
        if key.experiment not in self._decided:
            self._decided[key.experiment] = self._store.decided(key.experiment)
        return self._decided[key.experiment].get(run_id)

    def _sorted_out(self, noted: dict[RunKey, RoundRun]) -> tuple[list[RoundRun], list[RunKey]]:
        """Return the runs that the store has, and the runs to make."""
        decided, todo = [], []
        for key in self._keys():
            run_id, trend_id = self._prepared.ids(key)
            outcome = self._outcome(key, run_id)
            if outcome is None:
                todo.append(key)
            elif (was := noted.get(key)) is not None and was.run_id == run_id and was.outcome is outcome:
                decided.append(was)
            else:
                decided.append(RoundRun(*key, run_id, trend_id, outcome, False, 0.0))
        return decided, todo

    def _ordered(self, todo: list[RunKey], runs_made: list[RoundRun], durations: Durations) -> list[Todo]:
        durations.learn(self._prepared.campaign)
        cells = {
            (part.experiment, cell.name): cell
            for part in self._prepared.campaign.parts
            for cell in part.scenario.cells
        }
        runs = []
        for key in todo:
            cell = cells[key.experiment, key.cell]
            expected = durations.expected_s(key.experiment, cell)
            last = durations.last_run.get((key.experiment, key.cell), 0)
            runs.append(Todo(key, cell.duration_us / 1e6 if expected is None else expected, last))
        self._expected = durations.any_known
        if self._deadline is None:
            return longest_first(runs)
        return most_informative_first(runs, Counter((run.experiment, run.cell) for run in runs_made))

    def _conduct(self, ordered: list[Todo], count: int, ended: Ended) -> Summary:
        if not ordered:
            return Summary()
        campaign = self._prepared.campaign
        effort = Effort(
            1 if self._options.cluster else self._options.workers,  # its tasks are the workers
            campaign.wall_limit_s or WALL_LIMIT_S,
            campaign.retries,
            PAUSE_S,
        )
        total = count + len(ordered)

        def show(progress: Progress) -> None:
            self._listener.runs(replace(progress, total=total, found=count))
            if self._deadline is not None and time.monotonic() >= self._deadline:
                raise _TimeOver

        with ExitStack() as held:
            for experiment in sorted(self._prepared.parts):
                held.enter_context(self._store.sharing(experiment, self._listener.say))
                self._store.sweep(experiment)
            self._drain.working = True
            try:
                follower = Follower(show, ended, self._drain.asked)
                return conduct(self._tasks(ordered), len(ordered), self._store, {}, effort, follower)
            finally:
                self._drain.working = False

    def _tasks(self, ordered: list[Todo]) -> Iterator[tuple[RunSpec, Engine]]:
        """Yield the runs as they are begun; with a budget, without those that would not end in time."""
        for run in ordered:
            if self._deadline is not None:
                left = self._deadline - time.monotonic()
                if left <= 0 or (self._expected and run.expected_s * _FITS > left):
                    self._skipped += 1
                    continue
            runs = self._prepared.runs(run.key)
            cluster = self._options.cluster
            engine = runs.engine if cluster is None else cluster.engine(runs.engine, self._store.path)
            yield runs.spec(run.key.seed), engine

    def _state(self, result: Result) -> State:
        there = self._round.runs_of(self._options.shard)
        left = any(key not in there for key in self._keys())
        if left and self._skipped and not self._drain.asked():
            return State.BUDGET
        if left:
            return State.INTERRUPTED
        failed = any(run.outcome in UNDECIDED for run in there.values())
        return State.FAILED if failed else State.COMPLETE

    def _remember(self) -> None:
        """Note how the runs ended, for the next call."""
        ended: dict[str, dict[str, Outcome]] = {name: {} for name in self._prepared.parts}
        for run in self._round.runs_of(self._options.shard).values():
            ended[run.experiment][run.run_id] = run.outcome
        for experiment, outcomes in ended.items():
            self._store.remember(experiment, outcomes)

    def _say_clock(self, clock: datetime, took_s: float) -> None:
        gained = (datetime.now(UTC) - clock).total_seconds() - took_s
        if abs(gained) > _CLOCK_S:
            self._listener.say(
                f"this machine's clock was set {'forward' if gained > 0 else 'back'} by {abs(gained):.0f} s "
                "during the round; durations and the budget do not depend on it, dates do"
            )
