# SPDX-License-Identifier: Apache-2.0
"""The executor, with an engine that does what the test says: resuming, retrying, stopping."""

import itertools
import os
import threading
from dataclasses import replace
from itertools import islice
from types import SimpleNamespace

import pytest

from orchestrator.errors import MissingTool, StorageFailed
from orchestrator.execution import workers
from orchestrator.execution.execute import RETRIES, Effort, Follower, conduct, execute
from orchestrator.execution.progress import Progress
from orchestrator.runs.model import Outcome, RunResult
from tests.runs.conftest import make_cell, make_spec


class ScriptedEngine:
    """`plan[seed]` lists the outcomes (or exceptions) of that seed's attempts; OK when it is used up. A run
    takes `pause_s`, and longer until `may_end(seed)`."""

    name = "embedded"

    def __init__(self, plan=None, pause_s: float = 0.0, may_end=lambda seed: True):
        self.plan = {seed: list(outcomes) for seed, outcomes in (plan or {}).items()}
        self.pause_s, self.may_end = pause_s, may_end
        self.runs: list[int] = []
        self.most = self.now = 0
        self.stopped = threading.Event()
        self.lock = threading.Lock()

    def version(self) -> str:
        return "v1"

    def prepare(self, say=None) -> None:
        pass

    def stop(self) -> None:
        self.stopped.set()

    def run(self, jobs, done) -> None:
        for job in jobs:
            done(job, self.one(job.seed, job.log))

    def one(self, seed, log) -> RunResult:
        with self.lock:
            self.runs.append(seed)
            self.now += 1
            self.most = max(self.most, self.now)
            step = self.plan[seed].pop(0) if self.plan.get(seed) else Outcome.OK
        log.write_text(f"Random seed: {seed}\n500\tID:1\thalf of it\n70")
        lost = self.stopped.wait(self.pause_s)
        while not lost and not self.may_end(seed):
            lost = self.stopped.wait(0.005)
        with self.lock:
            self.now -= 1
        if isinstance(step, BaseException):
            raise step
        return RunResult(Outcome.LOST if lost else step, 60_000_000, self.pause_s, 1, 1, ("why",))


def specs(count: int = 6):
    return [make_spec(make_cell(), seed) for seed in range(1, count + 1)]


def go(engine, store, count: int = 6, workers: int | None = None, **options):
    return execute(specs(count), count, {"embedded": engine}, store, "trial", Effort(workers), **options)


def temporary(store) -> list:
    return list(store.experiment("trial").glob(".tmp-*"))


def test_every_run_once_and_none_the_second_time(store):
    engine = ScriptedEngine()
    summary = go(engine, store, workers=3)
    assert sorted(engine.runs) == [1, 2, 3, 4, 5, 6]
    assert summary.made == 6
    assert summary.worst() is Outcome.OK
    assert summary.run_ids == [spec.run_id for spec in specs()]
    assert [run.seed for run in store.runs("trial")] == [1, 2, 3, 4, 5, 6]
    again = go(engine, store)
    assert len(engine.runs) == 6
    assert again.made == 0
    assert again.run_ids == summary.run_ids
    assert not temporary(store)


def test_so_many_at_a_time(store):
    engine = ScriptedEngine(pause_s=0.05, may_end=lambda _: engine.most >= 2)
    go(engine, store, workers=2)
    assert engine.most == 2


def test_only_lost_runs_are_tried_again(store):
    engine = ScriptedEngine(
        {2: [Outcome.LOST, Outcome.LOST], 3: [Outcome.CRASH], 4: [Outcome.FAILED], 5: [Outcome.LOST] * 9}
    )
    summary = go(engine, store, workers=1)
    assert [engine.runs.count(seed) for seed in range(1, 7)] == [1, 3, 1, 1, RETRIES + 1, 1]
    assert [(one.seed, one.outcome) for one in summary.failures] == [
        (3, Outcome.CRASH),
        (4, Outcome.FAILED),
        (5, Outcome.LOST),
    ]
    assert summary.worst() is Outcome.CRASH
    assert [run.seed for run in store.runs("trial")] == [1, 2, 3, 4, 5, 6], "what was lost is shown, too"
    assert not temporary(store)
    again = go(engine, store)  # results stay, what was lost is done again
    assert engine.runs.count(3) == 1
    assert engine.runs.count(5) > RETRIES + 1
    assert [one.seed for one in again.failures][:2] == [3, 4]


def test_a_simulated_run_in_which_a_mote_did_not_live_to_the_end_is_made_again(store):
    class Engine(ScriptedEngine):
        def run(self, jobs, done) -> None:
            for job in jobs:
                result = self.one(job.seed, job.log)
                job.log.write_text("1\tID:2\thello\n9\tID:1\t!cnt,packets_received,4\n")
                done(job, result)

    summary = go(Engine(), store, 1)
    assert [(one.outcome, one.evidence) for one in summary.failures] == [
        (Outcome.TRUNCATED, ("P1 (mote 2) has none of the records of the run's end, which others have",))
    ]
    assert go(ScriptedEngine(), store, 1).made == 1


def test_what_the_wall_clock_cut_off_is_kept_and_done_again(store):
    engine = ScriptedEngine({1: [Outcome.WALL_LIMIT]})
    assert go(engine, store, 1).worst() is Outcome.WALL_LIMIT
    assert store.runs("trial")[0].outcome is Outcome.WALL_LIMIT
    assert go(engine, store, 1).worst() is Outcome.OK
    assert store.runs("trial")[0].outcome is Outcome.OK


@pytest.mark.parametrize("error", [MissingTool("no engine"), StorageFailed("full"), KeyError("a bug")])
def test_an_error_of_the_engine_ends_the_campaign_and_keeps_what_is_done(store, error):
    engine = ScriptedEngine({3: [error]})
    with pytest.raises(type(error)):
        go(engine, store, workers=1)
    assert [run.seed for run in store.runs("trial")] == [1, 2]
    assert engine.stopped.is_set()
    assert not temporary(store)


def test_a_full_disk_ends_the_campaign(store, monkeypatch):
    import orchestrator.runs.store as module

    written = []
    real = module.write

    def write(path, data):
        written.append(path)
        if len(written) > 5:
            raise OSError(28, "No space left on device", str(path))
        real(path, data)

    monkeypatch.setattr(module, "write", write)
    with pytest.raises(StorageFailed, match="No space left on device"):
        go(ScriptedEngine(), store, workers=1)
    monkeypatch.undo()
    assert [run.seed for run in store.runs("trial")] == [1, 2]
    assert store.verify("trial") == []
    assert not temporary(store)
    assert go(ScriptedEngine(), store).made == 4


def test_ctrl_c_ends_the_engines_and_keeps_what_is_done(store):
    engine = ScriptedEngine(may_end=lambda seed: seed <= 2)

    def show(progress: Progress) -> None:
        if progress.made >= 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        go(engine, store, 100, workers=2, show=show)
    assert engine.stopped.is_set()
    kept = [run.seed for run in store.runs("trial")]
    assert kept == [1, 2]
    assert all(run.outcome is Outcome.OK for run in store.runs("trial"))
    assert not temporary(store)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("worker-")]


def test_specs_are_made_as_they_are_needed_and_their_errors_are_raised(store):
    def generate():
        yield from specs(2)
        raise StorageFailed("no third")

    with pytest.raises(StorageFailed, match="no third"):
        execute(generate(), 3, {"embedded": ScriptedEngine()}, store, "trial", Effort(2))
    assert len(store.runs("trial")) <= 2


def test_an_engine_that_does_not_end_keeps_nobody_waiting(store, monkeypatch):
    monkeypatch.setattr(workers, "_STOP_MOST_S", 0.0)
    over = threading.Event()
    engine = ScriptedEngine(may_end=lambda _: over.is_set())
    monkeypatch.setattr(engine, "stop", lambda: None)

    def show(_progress: Progress) -> None:
        if engine.now == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        go(engine, store, workers=2, show=show)
    working = [thread for thread in threading.enumerate() if thread.name.startswith("worker-")]
    assert len(working) == 2 and all(thread.daemon for thread in working), "nor the process"
    over.set()
    for thread in working:
        thread.join()


class Together(ScriptedEngine):
    """Takes up to four runs at a time, as a JVM does; `calls`: their seeds."""

    name = "cooja"

    def __init__(self, plan=None):
        super().__init__(plan)
        self.calls: list[list[int]] = []

    def run(self, jobs, done) -> None:
        while together := list(islice(jobs, 4)):
            with self.lock:
                self.calls.append([job.seed for job in together])
            super().run(together, done)


def test_an_engine_takes_as_many_as_it_does_best(store):
    engine = Together()
    summary = go(engine, store, workers=1)
    assert engine.calls == [[1, 2, 3, 4], [5, 6]]
    assert (summary.made, summary.run_ids) == (6, [spec.run_id for spec in specs()])


def test_but_leaves_every_worker_its_share(store):
    engine = Together()
    go(engine, store, workers=3)
    assert sorted(sum(engine.calls, [])) == [1, 2, 3, 4, 5, 6] and max(map(len, engine.calls)) <= 2


@pytest.mark.parametrize(
    ("asked", "total", "count"),
    [(None, 9, 5), (0, 9, 5), (-2, 9, 1), (3, 9, 3), (3, 2, 2), (3, 1, 1), (3, 0, 1)],
)
def test_how_many_workers_there_are(store, monkeypatch, asked, total, count):
    """One for each core that this process may use, but no more than runs, and one if there are none."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0: set(range(5))}[process])
    started, run = [], workers.Workers.run

    def counted(self, many, *rest):
        started.append(many)
        run(self, many, *rest)

    monkeypatch.setattr(workers.Workers, "run", counted)
    engine = Together()
    tasks = ((spec, engine) for spec in specs(total))
    assert conduct(tasks, total, store, {}, Effort(asked)).made == total and started == [count]
    assert max(map(len, engine.calls), default=0) <= -(-total // count), "each gets its share"


def test_what_the_simulator_lost_of_several_is_tried_again(store):
    engine = Together({2: [Outcome.LOST], 3: [Outcome.LOST, Outcome.LOST, Outcome.LOST, Outcome.LOST]})
    summary = go(engine, store, workers=1)
    assert engine.calls == [[1, 2, 3, 4], [2, 3, 5, 6], [3]]
    assert [(failure.seed, failure.outcome) for failure in summary.failures] == [(3, Outcome.LOST)]
    assert temporary(store) == []


def test_runs_of_another_engine_wait_for_it(store):
    mixed = (
        [make_spec(make_cell(), seed) for seed in (1, 2)]
        + [replace(make_spec(make_cell(), seed), engine="cooja") for seed in (3, 4)]
        + [make_spec(make_cell(), 5)]
    )
    alone, together = ScriptedEngine(), Together()
    summary = execute(mixed, 5, {"embedded": alone, "cooja": together}, store, "trial", Effort(1))
    assert (alone.runs, together.calls, summary.made) == ([1, 2, 5], [[3, 4]], 5)


def test_a_run_that_was_lost_waits_before_it_is_tried_again(store, monkeypatch):
    """By a clock that stands until all runs have begun: how long they take is no matter."""
    engine, clock = ScriptedEngine({1: [Outcome.LOST, Outcome.LOST]}), itertools.count(1000, 1000)
    monotonic = SimpleNamespace(monotonic=lambda: next(clock) if len(engine.runs) >= 3 else 0)
    monkeypatch.setattr("orchestrator.execution.execute.time", monotonic)
    noted = []
    tasks = ((spec, engine) for spec in specs(3))
    summary = conduct(
        tasks,
        3,
        store,
        {},
        Effort(1, retries=2, pause_s=100),
        Follower(noted=lambda spec, result: noted.append((spec.seed, result.outcome))),
    )
    assert engine.runs == [1, 2, 3, 1, 1] and summary.made == 3 and not summary.failures
    assert noted == [(2, Outcome.OK), (3, Outcome.OK), (1, Outcome.OK)]


def test_when_it_is_closed_runs_under_way_end_and_no_other_begins(store):
    engine = ScriptedEngine({2: [Outcome.LOST]})
    tasks = ((spec, engine) for spec in specs(6))
    summary = conduct(
        tasks, 6, store, {}, Effort(1, pause_s=1000), Follower(closed=lambda: len(engine.runs) >= 3)
    )
    assert engine.runs == [1, 2, 3] and summary.made == 2, "the lost one is not waited for"
    assert [run.seed for run in store.runs("trial")] == [1, 3] and not temporary(store)


def test_each_run_has_its_own_engine(store):
    one, other = ScriptedEngine(), ScriptedEngine()
    tasks = [(spec, other if spec.seed % 2 else one) for spec in specs(5)]
    assert conduct(tasks, 5, store, {}, Effort(1)).made == 5
    assert (one.runs, other.runs) == ([2, 4], [1, 3, 5])
