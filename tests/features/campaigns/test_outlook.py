# SPDX-License-Identifier: Apache-2.0
"""Orders, expected durations, and what a plan says before anything is built."""

from collections import Counter
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.features.campaigns import record
from orchestrator.features.campaigns.durations import Durations
from orchestrator.features.campaigns.load import load
from orchestrator.features.campaigns.model import End, Quarantined, RunKey, Shard, State
from orchestrator.features.campaigns.order import Todo, longest_first, most_informative_first
from orchestrator.features.campaigns.outlook import outlook
from orchestrator.features.campaigns.status import status
from orchestrator.runs.model import Outcome
from tests.features.campaigns.conftest import AT, SCENARIO, ran, round_plan

TODAY = date(2026, 3, 1)
RUNS = st.lists(
    st.builds(
        Todo,
        st.builds(RunKey, st.just("e"), st.sampled_from("ABC"), st.integers(0, 9)),
        st.sampled_from([1.0, 2.0, 3.0]),
        st.integers(0, 3),
    ),
    unique_by=lambda run: run.key,
)


@pytest.fixture
def campaign(tmp_path):
    (tmp_path / "one.yaml").write_text(SCENARIO)
    (tmp_path / "nights.yaml").write_text(
        "campaign: nights\nseeds: {fixed: 1..2, fresh: 1}\n"
        "parts: [{scenario: one.yaml, experiment: one}, {scenario: one.yaml, experiment: two, cells: A, "
        "set: {duration: 40 s}}]\n"
        "quarantine: [{experiment: one, cell: plain, seed: 2, until: 2026-03-02, reason: x}]\n"
    )
    return load(tmp_path / "nights.yaml")


@given(RUNS)
def test_the_longest_first(runs):
    made = longest_first(runs)
    assert Counter(made) == Counter(runs)
    assert [run.expected_s for run in made] == sorted((run.expected_s for run in runs), reverse=True)


@given(RUNS, st.dictionaries(st.tuples(st.just("e"), st.sampled_from("ABC")), st.integers(0, 2)))
def test_no_cell_gets_a_second_result_before_each_has_a_first(runs, there):
    made = most_informative_first(runs, there)
    assert Counter(made) == Counter(runs)
    counts, layers = Counter(there), []
    for run in made:
        cell = (run.key.experiment, run.key.cell)
        layers.append((counts[cell], run.last_run, -run.expected_s))
        counts[cell] += 1
    assert [layer for layer, *_ in layers] == sorted(layer for layer, *_ in layers)


def test_among_firsts_the_never_run_then_the_longest_ago_then_the_longest():
    def run(cell, seconds, last):
        return Todo(RunKey("e", cell, 1), seconds, last)

    runs = [run("A", 9, 5), run("B", 1, 3), run("C", 1, 0), run("D", 2, 0)]
    assert [run.key.cell for run in most_informative_first(runs, {})] == ["D", "C", "B", "A"]


def begun(store, number, walls, results_s=0.0):
    one = record.begin(store, round_plan(number))
    with one.writing(Shard()) as journal:
        for key, wall_s in walls.items():
            journal.add(replace(ran(key, made=wall_s > 0), wall_s=abs(wall_s)))
    one.end(End(Shard(), State.COMPLETE, AT, "here", 1.0, results_s))
    return one


def test_durations_are_the_means_of_the_last_rounds(store, campaign):
    plain, other = RunKey("one", "A", 1), RunKey("two", "B", 7)
    begun(store, 1, {plain: 50.0, other: 1.0})
    for number in (2, 3, 4):
        begun(store, number, {plain: float(number), RunKey("one", "A", 2): -9.0}, results_s=number)
    durations = Durations(record.rounds(store, "nights"))
    (part, _) = campaign.parts
    one, two = part.scenario.cells
    assert durations.expected_s("one", two) == 3.0, "of made runs in the last three rounds"
    assert durations.results_s == 4.0
    assert durations.last_run == {("one", "A"): 4}
    assert durations.expected_s("one", one) is None and not durations.any_known
    durations.learn(campaign)
    assert durations.any_known and durations.expected_s("one", one) == pytest.approx(3.0)
    (longer,) = campaign.parts[1].scenario.cells
    assert durations.expected_s("two", longer) == pytest.approx(6.0), "as fast as the others"


def test_a_plan_before_the_first_round(campaign):
    made = outlook(campaign, [], Shard(), None, TODAY)
    assert (len(made.runs), made.left_out, made.known) == (8, 1, False)
    assert [run.key for run in made.runs[:3]] == [RunKey("two", "A", seed) for seed in (1, 2, -1)]
    assert made.total_s == 3 * 40 + 5 * 20
    assert outlook(campaign, [], Shard(), None, date(2026, 3, 2)).left_out == 0


def test_a_plan_by_what_rounds_took(store, campaign):
    begun(store, 1, {RunKey("one", "A", 1): 2.0}, results_s=5.0)
    made = outlook(campaign, record.rounds(store, "nights"), Shard(), 15.0, TODAY)
    assert made.known and made.total_s == pytest.approx(3 * 4 + 5 * 2)
    assert made.wall_s(2) == pytest.approx(11 + 5) and made.wall_s(100) == pytest.approx(4 + 5)
    assert [run.key.cell for run in made.runs[:3]] == ["A", "plain", "A"], "never run: the longest first"
    assert made.runs[2].key.experiment == "one", "run once already"
    assert (made.within(15.0, 1), made.within(9.0, 1), made.within(5.0, 1)) == (3, 1, 0)
    assert made.within(1e6, 1) == 8


@given(shards=st.integers(1, 4))
def test_plans_of_shards_are_the_whole_plan(campaign_file, shards):
    campaign = load(campaign_file)
    whole = outlook(campaign, [], Shard(), None, TODAY)
    pieces = [outlook(campaign, [], Shard(number, shards), None, TODAY) for number in range(1, shards + 1)]
    assert Counter(run.key for piece in pieces for run in piece.runs) == Counter(
        run.key for run in whole.runs
    )
    assert sum(piece.left_out for piece in pieces) == whole.left_out


@pytest.fixture(scope="module")
def campaign_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plan")
    (folder / "one.yaml").write_text(SCENARIO)
    path = folder / "nights.yaml"
    path.write_text("campaign: n\nseeds: {fixed: 1..3, fresh: 2}\nparts: [{scenario: one.yaml}]\n")
    return path


def test_the_status_of_a_round(store):
    quarantine = (Quarantined("two", None, None, "2026-04-01", "x"),)
    one = record.begin(store, round_plan(quarantine=quarantine))
    with one.writing(Shard()) as journal:
        journal.add_all(
            [
                ran(RunKey("one", "A", 1)),
                ran(RunKey("one", "A", 2), Outcome.CRASH, made=False),
                ran(RunKey("one", "A", 3), Outcome.LOST),
            ]
        )
        now = status(one)
    assert (now.state, now.planned, now.done, now.made) == (State.RUNNING, 4, 2, 2)
    assert now.not_ok == {Outcome.CRASH: 1, Outcome.LOST: 1}
    assert {why.value: count for why, count in now.left.items()} == {"machine": 1, "quarantine": 1}
    assert [(part.experiment, part.planned, part.done) for part in now.parts] == [
        ("one", 3, 2),
        ("two", 1, 0),
    ]
    assert now.wall_s == pytest.approx(0.75)
