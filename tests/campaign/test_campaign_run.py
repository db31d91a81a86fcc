# SPDX-License-Identifier: Apache-2.0
"""Rounds of a campaign with a stand-in for the simulator: going on, draining, budgets, shards."""

import itertools
import json
import os
import platform
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta

import pytest

from orchestrator import __version__
from orchestrator.campaign import begin, record
from orchestrator.campaign import run as campaigns
from orchestrator.campaign.begin import Wanted
from orchestrator.campaign.load import load
from orchestrator.campaign.model import Shard, State, Why
from orchestrator.campaign.run import Drain, Options
from orchestrator.engines.embedded.engine import EmbeddedEngine
from orchestrator.errors import Fault, NoSuchThing, StorageFailed, WrongUsage
from orchestrator.execution.progress import NOBODY, Listener
from orchestrator.runs.model import Outcome, RunResult
from orchestrator.runs.store import Store
from tests import needs
from tests.campaign.conftest import SCENARIO
from tests.waiting import HANG_S, wait_until

needs.a_compiler()


class StandIn:
    """What the engine does: `plan[seed]` lists the outcomes of that seed's tries; `each` is called in every
    run."""

    def __init__(self):
        self.plan, self.runs, self.each = {}, [], lambda _job: None
        self.lock = threading.Lock()

    def run(self, _engine, job) -> RunResult:
        with self.lock:
            self.runs.append((job.deployment.title.split()[-1], job.seed))
            outcome = self.plan[job.seed].pop(0) if self.plan.get(job.seed) else Outcome.OK
        self.each(job)
        job.log.write_text(f"Random seed: {job.seed}\n")
        long = "A" in job.deployment.title.split()[-1]
        return RunResult(outcome, 1_000_000, 0.5 if long else 0.25, 1, 1, ("why",))


@pytest.fixture
def engine(monkeypatch) -> StandIn:
    made = StandIn()
    monkeypatch.setattr(EmbeddedEngine, "_run", lambda engine, job: made.run(engine, job))
    monkeypatch.setattr(campaigns, "PAUSE_S", 0.0)
    return made


@pytest.fixture
def nights(tmp_path):
    """A function that writes a campaign of a scenario with two cells, plain and A, and loads it."""
    (tmp_path / "trial.yaml").write_text(SCENARIO)

    def made(seeds="1..3", more=""):
        path = tmp_path / "nights.yaml"
        part = "{scenario: trial.yaml, experiment: trial}"
        path.write_text(f"campaign: nights\nseeds: {seeds}\n{more}\nparts: [{part}]\n")
        return load(path)

    return made


def go(campaign, store, drain=None, told=NOBODY, **options):
    given = {"metrics": False, "workers": 1} | options
    return campaigns.run(campaign, store, Options(**given), drain, told)


def outcomes(one):
    return {(run.cell, run.seed): run.outcome for run in one.runs()}


def test_a_round_and_then_nothing_to_do(nights, store, engine):
    result = go(nights(), store)
    assert (result.state, result.summary.made, result.found) == (State.COMPLETE, 6, 0)
    assert len(engine.runs) == 6 and result.round.state is State.COMPLETE and not list(result.round.left())
    assert {run.made for run in result.round.runs()} == {True}
    again = go(nights(), store)
    assert again.chosen.idle and (again.state, again.found) == (State.COMPLETE, 6)
    assert len(engine.runs) == 6 and len(record.rounds(store, "nights")) == 1
    assert "the same seeds would give the same bytes" in again.chosen.why
    assert json.loads((store / "trial/campaign.json").read_text())["runs"] == [
        run.run_id for run in sorted(result.round.runs(), key=lambda run: (run.cell != "plain", run.seed))
    ]


def test_a_run_that_vanished_is_made_again(nights, store, engine):
    first = go(nights(), store)
    lost = next(iter(first.round.runs()))
    Store(store).remove("trial", lost.run_id)
    again = go(nights(), store)
    assert (again.summary.made, again.state) == (1, State.COMPLETE)
    assert len(record.rounds(store, "nights")) == 1


def test_fresh_seeds_make_a_round_of_every_call_and_never_come_twice(nights, store, engine):
    rounds = [go(nights("{fixed: 1, fresh: 2}"), store).round for _ in range(3)]
    assert [one.plan.number for one in rounds] == [1, 2, 3]
    drawn = [seed for one in rounds for seed in one.plan.fresh]
    assert len(set(drawn)) == 6 and all(0 <= seed < 2**31 for seed in drawn)
    assert len(engine.runs) == 2 + 3 * 4, "the fixed seed once"
    assert all(cell.seeds == (1, *one.plan.fresh) for one in rounds for cell in one.plan.parts[0].cells)


def test_a_seed_that_was_drawn_before_is_drawn_again_otherwise(nights, store, engine, monkeypatch):
    monkeypatch.setattr(begin, "_SEEDS", 8)
    rounds = [go(nights("{fixed: 3, fresh: 2}"), store).round for _ in range(3)]
    drawn = [seed for one in rounds for seed in one.plan.fresh]
    assert len(set(drawn)) == 6 and 3 not in drawn, "of the seven that there are"


def test_each_part_has_as_many_fresh_seeds_as_it_wants(nights, store, engine, tmp_path):
    nights()
    (tmp_path / "nights.yaml").write_text(
        "campaign: nights\nparts:\n  - {scenario: trial.yaml, experiment: trial, seeds: {fresh: 1}}\n"
        "  - {scenario: trial.yaml, experiment: other, cells: A, seeds: {fixed: 5, fresh: 2}}\n"
    )
    plan = go(load(tmp_path / "nights.yaml"), store).round.plan
    first, second = plan.fresh
    assert [cell.seeds for part in plan.parts for cell in part.cells] == [
        (first,),
        (first,),
        (5, first, second),
    ]


def test_the_longest_first(nights, store, engine):
    go(nights("1"), store)
    engine.runs.clear()
    go(nights("2..3"), store)
    assert [cell for cell, _ in engine.runs] == ["A", "A", "plain", "plain"]


def test_drained_runs_under_way_end_and_the_next_call_goes_on(nights, store, engine):
    drain = Drain()
    engine.each = lambda _job: drain.ask() if len(engine.runs) == 2 else None
    result = go(nights(), store, drain)
    assert (result.state, result.summary.made, len(engine.runs)) == (State.INTERRUPTED, 2, 2)
    assert result.round.state is State.INTERRUPTED and {left.why for left in result.round.left()} == {
        Why.DRAINED
    }
    engine.each = lambda _job: None
    again = go(nights(), store)
    assert (again.round.plan.number, again.found, again.summary.made) == (1, 2, 4)
    assert len(engine.runs) == len(set(engine.runs)) == 6 and again.round.state is State.COMPLETE
    assert [run.made for run in again.round.runs()] == [True] * 6


def test_a_second_ctrl_c_ends_them(nights, store, engine, monkeypatch):
    over = threading.Event()  # the sixth run waits for the end
    engine.each = lambda _job: over.wait(HANG_S) if len(engine.runs) > 5 else None
    monkeypatch.setattr(EmbeddedEngine, "stop", lambda self: over.set())

    def show(progress):
        if progress.made >= 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        go(nights("1..200"), store, told=Listener(runs=show))
    last = record.latest(store, "nights")
    assert last.state is State.INTERRUPTED
    before = len(list(last.runs()))
    assert 0 < before < 400
    assert go(nights("1..200"), store).summary.made == 400 - before


def test_what_the_machine_failed_is_tried_again_and_then_told(nights, store, engine):
    engine.plan = {1: [Outcome.LOST] * 9, 2: [Outcome.CRASH]}
    result = go(nights("1..2", "retries: 1"), store)
    assert result.state is State.FAILED is result.round.state and result.round.over
    lost = [key for key, outcome in outcomes(result.round).items() if outcome is Outcome.LOST]
    assert sorted({left.why for left in result.round.left()}) == [Why.MACHINE]
    assert len(lost) == 2 and engine.runs.count(("A", 2)) == 1, "a crash is a result"
    engine.plan = {}
    again = go(nights("1..2", "retries: 1"), store, wanted=Wanted.CONTINUE)
    assert (again.round.plan.number, again.state, again.summary.made) == (1, State.COMPLETE, 2)


def test_a_budget_ends_in_time_with_a_first_result_of_each_cell(nights, store, engine, monkeypatch):
    go(nights("1"), store)  # so that durations are known: 0.5 s and 0.25 s
    engine.runs.clear()
    clock = [1000.0]

    class Clock:
        monotonic = staticmethod(lambda: clock[0])

    monkeypatch.setattr(campaigns, "time", Clock)
    engine.each = lambda _job: clock.__setitem__(0, clock[0] + 0.5)
    result = go(nights("2..9"), store, budget_s=2.1)
    assert engine.runs[:2] == [("A", 2), ("plain", 2)] and engine.runs[2] == ("A", 3)
    assert (result.state, result.round.state) == (State.BUDGET, State.BUDGET) and result.round.over
    assert len(engine.runs) == 4, "what would not end in time is not begun"
    assert {left.why for left in result.round.left()} == {Why.BUDGET}
    engine.each = lambda _job: None
    following = go(nights("2..9"), store)
    assert (following.round.plan.number, following.found) == (3, 4)


def test_a_budget_that_is_over_while_runs_are_under_way_ends_them(nights, store, engine):
    stop = threading.Event()
    engine.each = lambda job: stop.wait(HANG_S) if job.seed == 2 else None
    engine_stop = EmbeddedEngine.stop
    try:
        EmbeddedEngine.stop = lambda self: (stop.set(), engine_stop(self))
        result = go(nights("1..3"), store, budget_s=1.0, workers=1)
    finally:
        EmbeddedEngine.stop = engine_stop
    assert result.state is State.BUDGET and not any(run.seed == 2 for run in result.round.runs())


def test_what_ends_before_the_time_is_over_is_kept(nights, store, engine, monkeypatch):
    """The clock stands still until both runs of seed 1 have ended; those of seed 2 wait for their end."""
    clock, stop, stopped = [1000.0], threading.Event(), EmbeddedEngine.stop

    class Clock:
        monotonic = staticmethod(lambda: clock[0])

    def show(progress):
        assert (progress.total, progress.found) == (4, 0)
        if progress.made == 2:
            clock[0] = 1000.0 + 60.0

    monkeypatch.setattr(campaigns, "time", Clock)
    monkeypatch.setattr(EmbeddedEngine, "stop", lambda self: (stop.set(), stopped(self)))
    engine.each = lambda job: stop.wait(HANG_S) if job.seed == 2 else None
    result = go(nights("1..2"), store, told=Listener(runs=show), budget_s=60.0)
    assert (result.state, result.round.state) == (State.BUDGET, State.BUDGET) and stop.is_set()
    assert sorted(outcomes(result.round)) == [("A", 1), ("plain", 1)]
    assert [(left.seed, left.why) for left in result.round.left()] == [(2, Why.BUDGET)] * 2


def test_a_budget_that_is_large_enough_changes_nothing(nights, store, engine):
    result = go(nights("1..2"), store, budget_s=1e6)
    assert (result.state, result.summary.made) == (State.COMPLETE, 4)


def test_the_files_budget_counts_and_a_calls_own_before_it(nights, store, engine, monkeypatch):
    class Clock:
        """A second later at each look."""

        seconds = itertools.count()
        monotonic = staticmethod(lambda: float(next(Clock.seconds)))

    monkeypatch.setattr(campaigns, "time", Clock)
    assert go(nights("1..2", "time-budget: 1 s"), store).state is State.BUDGET and engine.runs == []
    assert go(nights("1..2", "time-budget: 1 s"), store, budget_s=1e6).state is State.COMPLETE


def made_of_rounds(monkeypatch, **told):
    """Stand-ins for tables, metrics and reports: which runs they were asked for, by experiment."""
    asked = []

    def results(planned, store, run_ids, *, page, master, told):
        experiment = planned.scenario.experiment
        asked.append((experiment, len(run_ids), page, master))
        return answers.get(experiment, (None, (), ()))

    answers = told
    monkeypatch.setattr("orchestrator.execution.pipeline.results", results)
    return asked


def two_experiments(nights, tmp_path, more=""):
    nights()
    (tmp_path / "nights.yaml").write_text(
        f"campaign: nights\n{more}\nparts:\n  - {{scenario: trial.yaml, experiment: trial, seeds: 1..2}}\n"
        "  - {scenario: trial.yaml, experiment: other, cells: A, seeds: 7}\n"
    )
    return load(tmp_path / "nights.yaml")


def test_tables_and_reports_are_made_of_each_experiment(nights, store, engine, monkeypatch, tmp_path):
    fault = Fault("mine.py", 3, "no number", "return one")
    report = tmp_path / "index.html"
    asked = made_of_rounds(monkeypatch, trial=(report, (), ("r1",)), other=(None, (fault,), ()))
    campaign = two_experiments(nights, tmp_path)
    result = go(campaign, store, metrics=True)
    assert asked == [("trial", 4, True, None), ("other", 1, True, None)]
    assert result.results.reports == {"trial": report}
    assert result.results.faults == {"other": (fault,)} and result.results.damaged == {"trial": ("r1",)}
    assert set(result.seconds) == {"plan", "simulate", "results"}
    (end,) = result.round.ends.values()
    assert (end.results_s, end.seconds) == (result.seconds["results"], result.seconds["simulate"])
    asked.clear()
    assert go(campaign, store, metrics=True).chosen.idle and asked == [], "nothing is left to do"
    go(campaign, store, metrics=True, wanted=Wanted.NEW, page=False, master="spark://there:7077")
    assert asked == [
        ("trial", 4, False, "spark://there:7077"),
        ("other", 1, False, "spark://there:7077"),
    ]


def test_no_tables_are_made_of_an_experiment_without_a_good_run(nights, store, engine, monkeypatch, tmp_path):
    asked = made_of_rounds(monkeypatch)
    engine.plan = {7: [Outcome.FAILED], 1: [Outcome.CRASH] * 2}
    result = go(two_experiments(nights, tmp_path), store, metrics=True)
    assert asked == [("trial", 4, True, None)] and result.state is State.COMPLETE
    assert result.results.reports == result.results.faults == result.results.damaged == {}


def test_tables_are_made_by_the_shard_that_ends_last_and_not_after_an_interruption(
    nights, store, engine, monkeypatch, tmp_path
):
    asked, said = made_of_rounds(monkeypatch), []
    campaign = two_experiments(nights, tmp_path)
    go(campaign, store, metrics=True, shard=Shard(2, 3), told=Listener(say=said.append))
    assert asked == [] and said[-1] == (
        "nights: tables and reports are made by the shard that ends last; not ended: 1/3, 3/3"
    )
    drain = Drain()
    drain.ask()
    assert go(campaign, store, drain, metrics=True, shard=Shard(1, 3)).state is State.INTERRUPTED
    assert asked == []
    go(campaign, store, metrics=True, shard=Shard(1, 3))
    assert asked == []
    go(campaign, store, metrics=True, shard=Shard(3, 3))
    assert asked == [("trial", 4, True, None), ("other", 1, True, None)]


def test_two_shards_make_exactly_the_whole_list(nights, store, engine):
    first = go(nights(), store, shard=Shard(1, 2))
    assert (first.state, first.round.state, first.summary.made) == (State.COMPLETE, State.INCOMPLETE, 3)
    assert {left.why for left in first.round.left()} == {Why.SHARD}, "the other one never came so far"
    second = go(nights(), store, shard=Shard(2, 2))
    assert second.round.plan.number == 1 and second.round.state is State.COMPLETE
    assert len(engine.runs) == len(set(engine.runs)) == 6
    assert len(json.loads((store / "trial/campaign.json").read_text())["runs"]) == 6


def test_a_shard_with_other_code_is_refused(nights, store, engine, monkeypatch):
    go(nights(), store, shard=Shard(1, 2))
    monkeypatch.setattr(EmbeddedEngine, "version", lambda self: "another")
    with pytest.raises(WrongUsage, match="another version of the engine"):
        go(nights(), store, shard=Shard(2, 2))
    monkeypatch.undo()
    monkeypatch.setattr("orchestrator.campaign.difference.__version__", "9.9")
    with pytest.raises(WrongUsage, match=r"orchestrate is 9\.9 here, there 0"):
        go(nights(), store, shard=Shard(2, 2))
    assert len(record.rounds(store, "nights")) == 1
    assert list(record.latest(store, "nights").runs_of(Shard(2, 2))) == [], "nothing was made"


def test_an_edited_campaign_begins_the_next_round_and_says_what_changed(nights, store, engine, tmp_path):
    go(nights("{fresh: 1}"), store)
    (tmp_path / "trial.yaml").write_text(SCENARIO.replace("20 s", "21 s").replace("label: A", "label: B"))
    said = []
    second = go(nights("{fresh: 1}"), store, told=Listener(say=said.append))
    (note,) = second.round.plan.notes
    assert "1 cell (B) is new in trial" in note and "1 cell (A) is gone from trial" in note
    assert "1 cell (plain) of trial with other settings" in note and note in " ".join(said)


def test_an_interrupted_round_of_other_runs_stays_and_the_next_begins(nights, store, engine):
    drain = Drain()
    drain.ask()
    go(nights("1..2"), store, drain)
    second = go(nights("1..3"), store)
    assert second.round.plan.number == 2
    assert "round 1 stays as it is: interrupted" in second.round.plan.notes
    assert record.rounds(store, "nights")[0].state is State.INTERRUPTED


def test_new_and_continue(nights, store, engine):
    with pytest.raises(NoSuchThing, match="no round"):
        go(nights(), store, wanted=Wanted.CONTINUE)
    go(nights(), store)
    new = go(nights(), store, wanted=Wanted.NEW)
    assert (new.round.plan.number, new.found, new.summary.made) == (2, 6, 0)
    assert {run.made for run in new.round.runs()} == {False}
    with pytest.raises(WrongUsage, match="is spread over 1 shards, not 2"):
        go(nights(), store, wanted=Wanted.CONTINUE, shard=Shard(1, 2))
    with pytest.raises(WrongUsage, match="other seeds"):
        go(nights("1..4"), store, wanted=Wanted.CONTINUE)


def test_a_clock_that_was_set_back_keeps_the_order_of_rounds(nights, store, engine):
    first = go(nights("{fresh: 1}"), store)
    prepared = campaigns.prepare(nights("{fresh: 1}"), store)
    earlier = first.round.plan.at - timedelta(days=2)
    chosen = begin.choose(prepared, store, Shard(), now=earlier)
    assert chosen.round.plan.number == 2 and chosen.round.plan.at == earlier
    assert "clock is 2 days, 0:00:00 behind the beginning of round 1" in chosen.why
    assert [one.plan.number for one in record.rounds(store, "nights")] == [1, 2]


def test_a_clock_that_jumps_during_a_round_is_told(nights, store, engine, monkeypatch):
    class Jumping(datetime):
        times = 0

        @classmethod
        def now(cls, zone=None):
            cls.times += 1
            return datetime.now(zone) + timedelta(hours=cls.times)

    monkeypatch.setattr(campaigns, "datetime", Jumping)
    said = []
    assert go(nights("1"), store, told=Listener(say=said.append)).state is State.COMPLETE
    assert any("clock was set forward by" in text for text in said)


@pytest.mark.parametrize(
    ("gained", "said"),
    [(61.0, "forward by 61 s"), (-3600.0, "back by 3600 s"), (59.0, ""), (-59.0, ""), (0.0, "")],
)
def test_a_clock_that_gains_or_loses_more_than_a_minute_is_told(
    nights, store, engine, monkeypatch, gained, said
):
    """Both clocks stand still, until the run has ended: then two minutes have passed by one of them."""
    passed = [0.0, 0.0]

    class Dates(datetime):
        @classmethod
        def now(cls, zone=None):
            return datetime(2026, 3, 1, tzinfo=zone) + timedelta(seconds=passed[0])

    class Clock:
        monotonic = staticmethod(lambda: passed[1])

    monkeypatch.setattr(campaigns, "datetime", Dates)
    monkeypatch.setattr(campaigns, "time", Clock)
    engine.each = lambda _job: passed.__setitem__(slice(None), [120.0 + gained, 120.0])
    texts = []
    go(nights("1"), store, told=Listener(say=texts.append))
    told = [text for text in texts if "clock was set" in text]
    assert told == [
        f"this machine's clock was set {one} during the round; durations and the budget do not depend on it, "
        "dates do"
        for one in [said]
        if one
    ]


def test_quarantine_leaves_runs_out_until_its_day(nights, store, engine):
    today = datetime.now(UTC).date()
    entry = "quarantine: [{{experiment: trial, cell: A, seed: 2, until: {}, reason: it hangs}}]"
    result = go(
        nights("1..2", entry.format(today + timedelta(days=2))), store
    )  # also if a day ends meanwhile
    assert (result.state, len(engine.runs)) == (State.COMPLETE, 3) and ("A", 2) not in engine.runs
    assert [(left.cell, left.seed, left.why) for left in result.round.left()] == [("A", 2, Why.QUARANTINE)]
    after = go(nights("1..2", entry.format(today)), store)
    assert (after.round.plan.number, after.summary.made, after.found) == (2, 1, 3)


def test_two_calls_at_once(nights, store, engine):
    campaign, inside, release = nights(), threading.Event(), threading.Event()
    engine.each = lambda _job: (inside.set(), release.wait(HANG_S))
    results = []
    thread = threading.Thread(daemon=True, target=lambda: results.append(go(campaign, store)))
    thread.start()
    assert inside.wait(HANG_S)
    assert record.latest(store, "nights").state is State.RUNNING
    for options in ({}, {"wanted": Wanted.CONTINUE}):
        with pytest.raises(StorageFailed, match="another process is making round 1"):
            go(campaign, store, **options)
    release.set()
    thread.join()
    assert results[0].state is State.COMPLETE and len(engine.runs) == 6


def test_a_call_for_the_whole_waits_for_no_shard_that_runs(nights, store, engine):
    """Nor does another shard mind it."""
    campaign = nights()
    first = go(campaign, store, shard=Shard(1, 2)).round
    with first.writing(Shard(2, 2)):
        for options in ({}, {"wanted": Wanted.CONTINUE}, {"shard": Shard(2, 2)}):
            with pytest.raises(
                StorageFailed, match=r"another process is making shard 2/2 of round 1 .* of nights\n"
            ):
                go(campaign, store, **options)
    second = go(campaign, store)
    assert second.round.plan.number == 2 and "round 1 stays as it is: interrupted" in second.round.plan.notes


def test_of_two_machines_that_begin_a_round_at_once_one_is_told_so(nights, store, engine, monkeypatch):
    monkeypatch.setattr(begin.record, "next_number", lambda *_: 1)
    go(nights("{fresh: 1}"), store)
    with pytest.raises(StorageFailed, match="another machine has begun round 1 of nights at the same moment"):
        go(nights("{fresh: 1}"), store)


def test_what_a_round_notes_of_itself(nights, store, engine, tmp_path):
    campaign = nights("{fixed: 1, fresh: 1}")
    plan = go(campaign, store).round.plan
    assert (plan.campaign, plan.number, plan.shards, plan.version) == ("nights", 1, 1, __version__)
    assert (plan.file, plan.file_sha256) == (campaign.text, campaign.sha256)
    assert plan.host == platform.node() and plan.quarantine == () and plan.notes == ()
    (part,) = plan.parts
    assert (part.experiment, part.scenario, part.overrides) == ("trial", "trial.yaml", {})
    assert f"seeds: [1, {plan.fresh[0]}]" in part.text
    assert [cell.settings for cell in part.cells] == [
        {"application.aggregate": False},
        {"application.aggregate": True},
    ]
    assert len({cell.made_of for cell in part.cells}) == len({cell.digest for cell in part.cells}) == 2


def test_two_campaigns_of_one_experiment_share_its_runs(nights, store, engine, tmp_path):
    go(nights(), store)
    other = tmp_path / "others.yaml"
    other.write_text((tmp_path / "nights.yaml").read_text().replace("campaign: nights", "campaign: others"))
    result = go(load(other), store)
    assert (result.found, result.summary.made, result.round.plan.number) == (6, 0, 1)
    assert record.names(store) == ["nights", "others"]


def test_a_kill_loses_nothing_and_repeats_nothing(nights, store, tmp_path):
    """A real process, a real kill -9, in the middle: of the first call, the stand-in makes twenty runs."""
    nights("1..40")
    code = (
        "import itertools, sys, threading\n"
        "from pathlib import Path\n"
        "from orchestrator.engines.embedded.engine import EmbeddedEngine\n"
        "from orchestrator.runs.model import Outcome, RunResult\n"
        "from orchestrator.campaign import run\n"
        "from orchestrator.campaign.load import load\n"
        "file, store, most = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])\n"
        "begun = itertools.count()\n"
        "def stand_in(_engine, job):\n"
        "    if next(begun) >= most:\n"
        "        threading.Event().wait()\n"
        "    job.log.write_text('x')\n"
        "    return RunResult(Outcome.OK, 1, 0.05, 1, 1)\n"
        "EmbeddedEngine._run = stand_in\n"
        "made = run.run(load(file), store, run.Options(workers=2, metrics=False))\n"
        "print(made.state, made.found, made.summary.made)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "nights.yaml"), str(store)]
    first = subprocess.Popen([*command, "20"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    journal = store / "campaigns/nights/rounds/000001.1-of-1.jsonl"
    wait_until(
        lambda: first.poll() is not None or (journal.exists() and journal.read_bytes().count(b"\n") >= 5)
    )
    first.kill()
    first.wait()
    before = {run_id: os.stat(store / "trial/runs" / run_id).st_ino for run_id in Store(store).ids("trial")}
    assert 5 <= len(before) < 80
    done = subprocess.run([*command, "80"], capture_output=True, text=True, check=True, timeout=HANG_S)
    assert done.stdout.split() == ["complete", str(len(before)), str(80 - len(before))]
    after = {run_id: os.stat(store / "trial/runs" / run_id).st_ino for run_id in Store(store).ids("trial")}
    assert before.items() <= after.items() and len(after) == 80
    last = record.latest(store, "nights")
    assert last.plan.number == 1 and {run.run_id for run in last.runs()} == set(after)
    assert not list((store / "trial").glob(".tmp-*"))


def test_an_end_that_was_not_written_is_an_interruption(nights, store, engine):
    result = go(nights(), store)
    (result.round.folder / "000001.1-of-1.end").unlink()
    again = go(nights(), store)
    assert (again.round.plan.number, again.found, again.state) == (1, 6, State.COMPLETE)
