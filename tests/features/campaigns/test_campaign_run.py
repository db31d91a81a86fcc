# SPDX-License-Identifier: Apache-2.0
"""Rounds of a campaign with a stand-in for the simulator: going on, draining, shards."""

import json
import os
import platform
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta

import pytest

from orchestrator import __version__
from orchestrator.engines.embedded.engine import EmbeddedEngine
from orchestrator.errors import NoSuchThing, StorageFailed, WrongUsage
from orchestrator.execution.progress import Listener
from orchestrator.features.campaigns import begin, record
from orchestrator.features.campaigns.begin import Wanted
from orchestrator.features.campaigns.load import load
from orchestrator.features.campaigns.model import Shard, State, Why
from orchestrator.features.campaigns.run import Drain
from orchestrator.runs.model import Outcome
from orchestrator.runs.store import Store
from tests import needs
from tests.features.campaigns.calls import go, outcomes
from tests.features.campaigns.conftest import SCENARIO
from tests.waiting import HANG_S, wait_until

needs.a_compiler()


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
        go(nights("1..200"), store, listener=Listener(runs=show))
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
    monkeypatch.setattr("orchestrator.features.campaigns.difference.__version__", "9.9")
    with pytest.raises(WrongUsage, match=r"orchestrate is 9\.9 here, there 0"):
        go(nights(), store, shard=Shard(2, 2))
    assert len(record.rounds(store, "nights")) == 1
    assert list(record.latest(store, "nights").runs_of(Shard(2, 2))) == [], "nothing was made"


def test_an_edited_campaign_begins_the_next_round_and_says_what_changed(nights, store, engine, tmp_path):
    go(nights("{fresh: 1}"), store)
    (tmp_path / "trial.yaml").write_text(SCENARIO.replace("20 s", "21 s").replace("label: A", "label: B"))
    said = []
    second = go(nights("{fresh: 1}"), store, listener=Listener(say=said.append))
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
        "from orchestrator.features.campaigns import run\n"
        "from orchestrator.features.campaigns.load import load\n"
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
