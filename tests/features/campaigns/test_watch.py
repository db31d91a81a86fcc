# SPDX-License-Identifier: Apache-2.0
"""`campaign watch` while a round runs, with a clock of its own."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest

from orchestrator import console
from orchestrator.cli.app import main
from orchestrator.features.campaigns import record
from orchestrator.features.campaigns.commands import campaign_watch
from orchestrator.features.campaigns.model import End, Shard, State
from orchestrator.runs.model import Outcome
from tests.features.campaigns.conftest import AT, cell_plan, ran, round_plan


class Clock:
    """A sleep lasts as long as it has to, and then the next of `steps` happens."""

    def __init__(self, steps):
        self.now, self.steps, self.slept = 100.0, iter(steps), []

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
        self.slept.append(seconds)
        next(self.steps)()


@pytest.fixture
def shown(monkeypatch):
    """What the display is told."""
    lines = []

    @contextmanager
    def stages(label):
        yield lambda what, done, total, rest: lines.append((label, what, done, total, rest))

    monkeypatch.setattr(console, "stages", stages)
    return lines


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "nights.yaml"
    path.write_text("campaign: nights\nseeds: 1\nparts:\n  - paper: blackboard-test-case\n")
    return str(path)


def test_a_round_is_followed_until_it_ends(store, file, shown, monkeypatch, capsys):
    made = record.begin(store, round_plan(cells=[cell_plan("A", range(10))]))
    keys = list(made.plan.keys())
    with made.writing(Shard()) as journal:
        journal.add(ran(keys[0]))

        def more(*outcomes):
            number = len(list(made.runs()))
            journal.add_all([ran(keys[number + at], one) for at, one in enumerate(outcomes)])

        def end():
            more(*[Outcome.OK] * 4)
            made.end(End(Shard(), State.COMPLETE, AT, "here", 1.0))

        steps = [lambda: None, lambda: more(Outcome.OK, Outcome.CRASH), lambda: more(*[Outcome.OK] * 3), end]
        clock = Clock(steps)
        monkeypatch.setattr(campaign_watch, "time", clock)
        state = record.Round.shard_state
        monkeypatch.setattr(
            record.Round,
            "shard_state",
            lambda one, shard: one.ends[shard].state if shard in one.ends else state(one, shard),
        )
        words = ["campaign", "watch", file, "--store", str(store), "--every", "10"]
        assert main(words) == 0
    told = [
        (1, "round 1, running"),
        (1, "round 1, running"),
        (3, "round 1, 1 not ok, 1 min 20 s left, running"),  # two in 20 s, eight are left
        (6, "round 1, 1 not ok, 30.0 s left, running"),
        (10, "round 1, 1 not ok, complete"),
    ]
    assert shown == [("nights", "simulating", done, 11, rest) for done, rest in told]
    assert clock.slept == [10.0] * 4
    assert capsys.readouterr().out == "nights, round 1 (2026-03-01 02:00 UTC): complete; 10 of 11 runs done\n"
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["done"] == 10


@pytest.mark.parametrize("state", [State.INTERRUPTED, State.INCOMPLETE])
def test_a_round_that_nobody_makes_is_not_waited_for(store, file, shown, monkeypatch, state):
    made = record.begin(store, round_plan())
    if state is State.INTERRUPTED:
        with made.writing(Shard()):
            pass
    monkeypatch.setattr(campaign_watch, "time", Clock([]))
    assert main(["campaign", "watch", file, "--store", str(store)]) == 0
    assert [line[2:] for line in shown] == [(0, 4, f"round 1, {state.value}")]


def test_a_campaign_whose_first_round_is_not_begun_yet(store, file, capsys):
    (store / "campaigns" / "nights" / "rounds").mkdir(parents=True)
    assert main(["campaign", "watch", file, "--store", str(store)]) == 9
    assert f"no round of nights; `orchestrate campaign run {file}` begins one" in capsys.readouterr().err
