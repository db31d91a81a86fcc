# SPDX-License-Identifier: Apache-2.0
"""Campaign files: what they mean, and every fault at once with its file and line."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import FaultyInput, NoSuchThing
from orchestrator.features.campaigns import load as loading
from orchestrator.features.campaigns.load import load
from orchestrator.features.campaigns.model import Shard
from orchestrator.features.campaigns.written import Retention, Seeds
from orchestrator.scenario.load import loads
from tests.features.campaigns.conftest import SCENARIO


@pytest.fixture
def campaign(tmp_path):
    """A function that writes a campaign beside a scenario and loads it."""
    (tmp_path / "mine.yaml").write_text(SCENARIO)

    def made(text: str):
        path = tmp_path / "nights.yaml"
        path.write_text(text)
        return load(path)

    return made


def faults(campaign, text: str) -> list[tuple[str, int, str]]:
    with pytest.raises(FaultyInput) as raised:
        campaign(text)
    return [(fault.file.rsplit("/", 1)[-1], fault.line, fault.what) for fault in raised.value.faults]


def test_all_that_a_file_may_say(campaign):
    made = campaign("""\
campaign: nights
seeds: {fixed: 1..3, fresh: 2}
time-budget: 6 h
shards: 4
retries: 5
wall-limit: 2 min
retention: {rounds: 30, quota: 5 GB}
quarantine:
  - {experiment: nights-trial, cell: A, seed: 2, until: 2026-12-01, reason: it hangs}
  - {experiment: short, until: 2026-11-01, reason: too noisy}
parts:
  - scenario: mine.yaml
  - scenario: ./mine.yaml
    experiment: short
    seeds: 7
    cells: "A*"
    set: {duration: 5 s, radio.range: 40 m, engine.rules: "2026.07"}
""")
    first, second = made.parts
    assert (made.name, made.budget_s, made.shards, made.retries, made.wall_limit_s) == (
        "nights",
        21600,
        4,
        5,
        120,
    )
    assert made.retention == Retention(30, 5_000_000_000)
    assert (first.experiment, first.named, first.seeds) == ("nights-trial", "mine.yaml", Seeds((1, 2, 3), 2))
    assert [cell.name for cell in first.scenario.cells] == ["plain", "A"]
    assert first.overrides == {}
    assert (second.experiment, second.seeds) == ("short", Seeds((7,)))
    (cell,) = second.scenario.cells
    assert (cell.name, cell.duration_us, cell.radio.range_m, cell.ruleset) == (
        "A",
        5_000_000,
        40.0,
        "2026.07",
    )
    assert second.overrides == {
        "duration": "5 s",
        "radio.range": "40 m",
        "engine.rules": "'2026.07'",
        "cells": "A",
    }
    assert made.total == 2 * 5 + 1 and not made.repeats
    (hangs,) = made.in_quarantine(date(2026, 11, 30))
    assert (hangs.cell, hangs.seed, hangs.reason) == ("A", 2, "it hangs")
    assert [line for line, _ in made.expired(date(2026, 11, 1))] == [10]
    assert made.in_quarantine(date(2026, 12, 1)) == ()
    assert made.shard(2, 4) == made.shard(2, None) == Shard(2, 4) and made.shard(None, None) == Shard()
    for wrong in ((5, 4), (0, 4), (1, 3)):
        with pytest.raises(ValueError, match="shards are|not 3"):
            made.shard(*wrong)


def test_without_seeds_of_its_own_a_part_has_its_scenarios(campaign):
    made = campaign("campaign: n\nparts: [{scenario: mine.yaml}]")
    (part,) = made.parts
    assert part.seeds == Seeds((1, 2)) and part.text((1, 2)) == SCENARIO and made.repeats
    assert "seeds: [1..3, 9]" in part.text((1, 2, 3, 9))
    with pytest.raises(ValueError, match="of how many"):
        made.shard(1, None)


def test_papers_are_named_by_their_experiments(campaign):
    made = campaign("campaign: n\nseeds: 1\nparts: [{paper: aggregation-paper, cells: [L5]}]")
    (part,) = made.parts
    assert (part.experiment, part.named) == ("n-aggregation-paper", "paper aggregation-paper")
    assert [cell.name for cell in part.scenario.cells] == ["L5"]


def test_the_text_of_a_part_is_the_scenario_that_runs(campaign):
    made = campaign(
        "campaign: n\nseeds: {fresh: 2}\nparts:\n"
        "  - {scenario: mine.yaml, set: {duration: 5 s, matrix: {topology.publishers: [2, "
        "{label: x, value: 3}]}}}"
    )
    (part,) = made.parts
    again = loads(part.text((5, 6, 9)), "again")
    assert again.cells == part.scenario.cells and again.seeds == (5, 6, 9)


def test_every_fault_of_all_files_at_once(campaign, tmp_path):
    (tmp_path / "other.yaml").write_text(SCENARIO.replace("20 s", "20").replace("chain", "chian"))
    found = faults(
        campaign,
        """\
campaign: no good
seeds: {fixed: 3..1, fresh: many, other: 1}
time-budget: 6
shard: 4
quarantine: [{experiment: n-trial, until: soon}, 7]
retention: {rounds: 0, quote: 1 GB}
parts:
  - scenario: mine.yaml
    set: {duration: 5 m, radio.reach: 1 m, seeds: 3, application.aggregate: true, sed: 1}
  - scenario: other.yaml
  - scenario: none.yaml
  - {scenario: mine.yaml, paper: aggregation-paper}
  - {paper: aggregation-papr}
  - {scenario: mine.yaml, cells: [B], experiment: "?", sets: 1}
  - 7
""",
    )
    own = [(line, what) for file, line, what in found if file == "nights.yaml"]
    assert [line for line, _ in own] == sorted(line for line, _ in own)
    told = "\n".join(f"{line} {what}" for line, what in own)
    for line in (
        "1 campaign: 'no good' is not a valid name",
        "2 seeds: 3..1 runs backwards",
        "2 seeds.fresh: 'many' is not a whole number",
        "2 seeds has no 'other'",
        "3 time-budget: 6 has no unit",
        "4 'shard' is unknown",
        "5 an entry of the quarantine without reason",
        "5 until: 'soon' is not a date",
        "5 an entry is one value",
        "6 retention.rounds: '0' is out of range",
        "6 retention has no 'quote'",
        "9 duration: 5 m is a length, a time is needed",
        "9 radio has no setting 'reach'",
        "9 'seeds' can't be set",
        "9 the scenario's matrix sets application.aggregate in its cells",
        "9 'sed' is unknown",
        "11 no scenario",
        "12 a part with a scenario and a paper",
        "13 no paper has an experiment 'aggregation-papr'",
        "14 'sets' is unknown",
        "15 a part is one value",
    ):
        assert line in told, (line, told)
    others = [(line, what) for file, line, what in found if file == "other.yaml"]
    assert len(others) == 2 and others[0][0] == 2 and "20 has no unit" in others[1][1]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no campaign"),
        ("a: [", "not YAML"),
        ("- 1", "the file holds no campaign"),
        ("campaign: n", "no list of parts"),
        ("campaign: n\nparts: []", "no list of parts"),
        ("campaign: n\nparts: [{}]", "a part without a scenario"),
        ("campaign: n\nparts: [{scenario: [1]}]", "scenario is a list"),
        ("campaign: n\nparts: [{scenario: mine.yaml, set: 3}]", "set is one value"),
        ("campaign: n\nparts: [{scenario: mine.yaml, cells: B}]", "has no cell 'B'"),
        ("campaign: n\nparts: [{scenario: mine.yaml, cells: []}]", "cells names none"),
        ("campaign: n\nparts: [{scenario: mine.yaml, seeds: {}}]", "no seeds"),
        (
            "campaign: n\nparts: [{scenario: mine.yaml}, {scenario: mine.yaml}]",
            "two parts are the experiment n-trial",
        ),
        ("campaign: n\nparts: [{scenario: mine.yaml, experiment: firm ware}]", "not a valid name"),
        ("campaign: n\nquarantine: {}\nparts: [{scenario: mine.yaml}]", "quarantine is a mapping"),
        (
            "campaign: n\nquarantine: [{experiment: trial, until: 2026-01-01, reason: x}]\n"
            "parts: [{scenario: mine.yaml}]",
            "no part is the experiment 'trial'",
        ),
        (
            "campaign: n\nquarantine: [{experiment: n-trial, cell: B, until: 2026-01-01, reason: x}]\n"
            "parts: [{scenario: mine.yaml}]",
            "n-trial has no cell 'B'",
        ),
    ],
)
def test_a_fault(campaign, text, what):
    assert what in "\n".join(what for _, _, what in faults(campaign, text))


def test_a_long_experiment_has_a_name_that_the_store_takes(campaign, tmp_path):
    (tmp_path / "mine.yaml").write_text(SCENARIO.replace("experiment: trial", f"experiment: {'y' * 40}"))
    (part,) = campaign(f"campaign: {'x' * 32}\nparts: [{{scenario: mine.yaml}}]").parts
    assert part.experiment == f"{'x' * 32}-{'y' * 31}"


def test_a_campaign_is_bounded(campaign, monkeypatch):
    monkeypatch.setattr(loading, "MOST_RUNS", 9)
    assert campaign("campaign: n\nseeds: {fixed: 1..3, fresh: 1}\nparts: [{scenario: mine.yaml}]").total == 8
    (fault,) = faults(campaign, "campaign: n\nseeds: {fixed: 1..3, fresh: 2}\nparts: [{scenario: mine.yaml}]")
    assert fault == ("nights.yaml", 1, "the parts have 10 runs")


def test_no_such_file(tmp_path):
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(NoSuchThing, match="no campaign"):
            load(path)


@given(st.text(max_size=300))
def test_nothing_but_faults_comes_of_any_text(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("any") / "any.yaml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass" if text.isascii() else "replace")
    with pytest.raises(FaultyInput):
        load(path)


KEYS = ("campaign", "parts", "seeds", "quarantine", "retention", "scenario", "set", "cells", "until", "fresh")
NODES = st.recursive(
    st.sampled_from(["n", "mine.yaml", "1..3", "1", "", "2026-01-01"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(KEYS), NODES, max_size=6))
def test_nothing_but_faults_comes_of_any_values(tmp_path_factory, values):
    import yaml

    path = tmp_path_factory.mktemp("any") / "any.yaml"
    path.write_text(yaml.safe_dump(values))
    (path.parent / "mine.yaml").write_text("experiment: x\n")
    with pytest.raises(FaultyInput):
        load(path)
