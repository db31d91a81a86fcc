# SPDX-License-Identifier: Apache-2.0
"""Words and numbers of the commands for campaigns and of bisect."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from orchestrator.campaign import record
from orchestrator.campaign import run as campaigns
from orchestrator.campaign.begin import Chosen
from orchestrator.campaign.bisection.bisect import Decided, Found
from orchestrator.campaign.model import End, Shard, State
from orchestrator.campaign.results import Results
from orchestrator.campaign.run import Options, Result
from orchestrator.cli import bisect, campaign_plan, campaign_prune, campaign_run, campaign_seeds
from orchestrator.errors import Fault
from orchestrator.execution.execute import Failure, Summary
from orchestrator.runs.model import Outcome
from tests.campaign.conftest import AT, ran, round_plan


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (1_500_000, "1.5 MB"),
     (10**9, "1.0 GB"), (2_340_000_000, "2.3 GB")],
)  # fmt: skip
def test_sizes_have_the_largest_unit(count, text):
    assert campaign_prune._bytes(count) == text


@pytest.mark.parametrize(("seeds", "text"), [(None, "–"), (7, "7"), (1234, "1,234")])
def test_numbers_of_seeds(seeds, text, capsys):
    row = SimpleNamespace(
        experiment="e", cell="c", metric="loss", key="total", apart=0.1, half=0.2, seeds=seeds, stop=seeds
    )
    row.value = SimpleNamespace(n=3, mean=0.5, sd=0.1)
    campaign_seeds._show([row], SimpleNamespace(change=0.05, power=0.8))
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("e/c"))
    assert line.split() == ["e/c", "loss", "3", "0.5", "0.1", "0.1", text, "0.2", text]


def test_runs_in_their_order_and_how_many_more():
    runs = [
        SimpleNamespace(key=SimpleNamespace(experiment="e", cell="c", seed=seed), expected_s=1.234)
        for seed in (5, 0, -2)
    ]
    made = SimpleNamespace(runs=runs, known=True)
    table = campaign_plan._in_order(made, "in order", 2)
    assert [[text for text, _ in row] for row in table.rows] == [
        ["e", "c", "5", "1.23"],
        ["e", "c", "0", "1.23"],
    ]
    assert table.note == "and 1 more; --all lists them"
    made.known = False
    table = campaign_plan._in_order(made, "in order", 3)
    assert [text for text, _ in table.rows[2]] == ["e", "c", "fresh 2", "–"] and table.note == ""


@pytest.mark.parametrize(("agree", "sure"), [(3, True), (2, False)])
def test_what_a_bisection_found_in_words(agree, sure):
    red = SimpleNamespace(metric="loss", key="S", place="chain/merged")
    decided = (Decided("c" * 40, "bad", agree, 4, 8, "2 of 4 seeds"), Decided("d" * 40, "skip"))
    found = Found(
        SimpleNamespace(red=red, good="a" * 40, bad="b" * 40), "c" * 40, (), "Faster", ("x.c",), 5, decided,
        (1, 2), 0.123456, 2.0, 9, ("odd",),
    )  # fmt: skip
    lines = bisect._text(found).split("\n")
    assert lines == [
        f"loss/S of chain/merged: 0.1235 at {'a' * 12}, 2 at {'b' * 12} (mean of 2 seeds that differ)",
        f"it turned with {'c' * 12} Faster",
        "    x.c",
        "5 commits between them, 2 commits tried beside the two ends, 9 runs simulated:",
        f"    {'c' * 12} bad, 2 of 4 seeds",
        f"    {'d' * 12} skip",
        *([] if sure else [f"not sure: fewer than three quarters of the seeds agree at {'c' * 12}"]),
        "note: odd",
    ]
    red.key = "total"
    unknown = bisect._text(replace(found, first_bad="", candidates=("e" * 40,))).split("\n")
    assert unknown[0].startswith("loss of chain/merged: ")
    assert unknown[1:3] == ["it turned with one of these, of which some say nothing:", f"    {'e' * 12}"]


FAULT = Fault("mine.py", 3, "no number", "return one")


def result(store, state=State.COMPLETE, **given) -> Result:
    """Of the second shard of a round of two, which has a crash and one run that is not there yet."""
    one = record.begin(store, round_plan(shards=2))
    shard = Shard(2, 2)
    first, second = one.plan.of_shard(shard)
    with one.writing(shard) as journal:
        journal.add(ran(first, Outcome.CRASH))
    one.end(End(shard, State.BUDGET, AT, "here", 1.0))
    values = {"summary": Summary(["r1"], 1, [], 90_000_000, 1.5)}
    return Result(Chosen(one, "goes on"), shard, state, **values | given)


@pytest.mark.parametrize(
    ("state", "bad", "results", "code"),
    [
        (State.COMPLETE, {}, Results(), 0),
        (State.BUDGET, {}, Results(), 0),
        (State.INTERRUPTED, {Outcome.CRASH: 1}, Results(), 130),
        (State.COMPLETE, {Outcome.FAILED: 1}, Results(), 1),
        (State.COMPLETE, {Outcome.FAILED: 1, Outcome.CRASH: 1}, Results(), 7),
        (State.COMPLETE, {Outcome.LOST: 1}, Results(), 7),
        (State.COMPLETE, {}, Results(faults={"one": (FAULT,)}), 3),
        (State.COMPLETE, {}, Results(damaged={"one": ("r1",)}), 8),
        (State.COMPLETE, {}, Results({}, {"one": (FAULT,)}, {"one": ("r1",)}), 8),
        (State.COMPLETE, {Outcome.FAILED: 1}, Results({}, {"one": (FAULT,)}, {"one": ("r1",)}), 1),
    ],
)
def test_the_exit_code_says_the_worst(store, state, bad, results, code):
    made = result(store, state, results=results)
    made.bad.update(bad)
    assert campaign_run.exit_code(made) == code


def test_what_a_call_did_in_words_and_as_json(store, tmp_path):
    failure = Failure("A", 2, "e" * 20, Outcome.CRASH, ("it crashed",))
    made = result(
        store,
        State.BUDGET,
        found=1234,
        summary=Summary(["r1"], 1, [failure], 90_000_000, 1.5),
        results=Results({"one": tmp_path / "index.html"}, {}, {"one": ("r1",)}),
        seconds={"plan": 0.12345, "simulate": 90.0},
    )
    made.bad.update({Outcome.FAILED: 1, Outcome.CRASH: 2})
    first, *lines = campaign_run.in_words(made).split("\n")
    assert first == (
        "nights, round 1 (2026-03-01 02:00 UTC), shard 2/2: budget; 1 run made, 1,234 found in the store, "
        "1.5 simulated minutes in 1 min 30 s"
    )
    assert lines[:2] == [
        "  without a result: 2 of shards that have not come, 1 as the time was over",
        "  not ok: 2 crash, 1 failed verdict",
    ]
    assert (
        any("it crashed" in line for line in lines)
        and lines[-1] == f"report of one: {tmp_path / 'index.html'}"
    )
    assert campaign_run._described(made) == {
        "campaign": "nights",
        "round": 1,
        "why": "goes on",
        "shard": "2/2",
        "state": "budget",
        "round_state": "incomplete",
        "planned": 4,
        "found": 1234,
        "made": 1,
        "left": 3,
        "not_ok": {"crash": 2, "failed verdict": 1},
        "reports": {"one": str(tmp_path / "index.html")},
        "damaged": {"one": ["r1"]},
        "seconds": {"plan": 0.123, "simulate": 90.0},
    }


def test_faults_of_own_metrics_are_told(store, monkeypatch, capsys):
    made = result(store, results=Results(faults={"one": (FAULT,)}))
    monkeypatch.setattr(campaigns, "run", lambda *_: made)
    assert campaign_run.make(SimpleNamespace(name="nights"), store, Options()) is made
    assert "orchestrate: one: mine.py:3: no number\n    return one\n" in capsys.readouterr().err


def test_a_metric_that_is_the_same_in_each_run_needs_the_fewest_seeds(tmp_path):
    from orchestrator.campaign import samples, seeds
    from orchestrator.campaign.written import USUAL
    from tests.campaign.nights_store import Nights

    nights = Nights(tmp_path)
    one = nights.night()
    frame = samples.measured(tmp_path, one)
    frame.loc[frame["metric"] == "event_loss_rate", "value"] = 0.0
    found = [("chain", samples.of_rows("chain", "merged", samples.of_cell(frame, "chain", "merged")))]
    rows = {row.metric: row for row in seeds.needs(found, USUAL, 0.1, 0.9, 0.05)}
    assert rows["event_loss_rate"].seeds is not None and seeds.most(rows.values())
