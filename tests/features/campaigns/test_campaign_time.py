# SPDX-License-Identifier: Apache-2.0
"""Time budgets of rounds, and clocks that jump, with a stand-in for the simulator."""

import itertools
import threading
from datetime import datetime, timedelta

import pytest

from orchestrator.engines.embedded.engine import EmbeddedEngine
from orchestrator.execution.progress import Listener
from orchestrator.features.campaigns import begin, record
from orchestrator.features.campaigns import run as campaigns
from orchestrator.features.campaigns.model import Shard, State, Why
from tests import needs
from tests.features.campaigns.calls import go, outcomes
from tests.waiting import HANG_S

needs.a_compiler()


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
    result = go(nights("1..2"), store, listener=Listener(runs=show), budget_s=60.0)
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
    assert go(nights("1"), store, listener=Listener(say=said.append)).state is State.COMPLETE
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
    go(nights("1"), store, listener=Listener(say=texts.append))
    told = [text for text in texts if "clock was set" in text]
    assert told == [
        f"this machine's clock was set {one} during the round; durations and the budget do not depend on it, "
        "dates do"
        for one in [said]
        if one
    ]


@pytest.mark.parametrize(
    ("left", "made"), [(0.61, 2), (0.59, 1), (0.31, 1), (0.29, 0)]
)  # what takes 0.5 s may take a fifth more, what takes 0.25 s as well
def test_a_run_is_begun_only_if_it_would_end_in_time(nights, store, engine, monkeypatch, left, made):
    go(nights("1"), store)
    engine.runs.clear()

    class Clock:
        monotonic = staticmethod(lambda: 1000.0)

    monkeypatch.setattr(campaigns, "time", Clock)
    result = go(nights("2"), store, budget_s=left)
    assert len(engine.runs) == made == result.summary.made
    assert result.state is (State.COMPLETE if made == 2 else State.BUDGET)
