# SPDX-License-Identifier: Apache-2.0
"""What retention and quota remove, and what they never do."""

import json

import pytest

from orchestrator.errors import StorageFailed
from orchestrator.features.campaigns import record
from orchestrator.features.campaigns.model import RoundRun, Shard
from orchestrator.features.campaigns.retention import prune, pruning
from orchestrator.features.campaigns.written import Retention
from orchestrator.runs.model import Outcome
from orchestrator.runs.store import Store
from tests.features.campaigns.conftest import round_plan
from tests.runs.conftest import make_cell, make_spec, put

SIZE = 5_000


@pytest.fixture
def rounds(store):
    """Five rounds with a fresh run each, and one run that all have; ids by round, 0 for the common one."""
    there = Store(store)
    ids = {number: put(there, make_spec(make_cell(), number), log=b"x" * SIZE).run_id for number in range(6)}
    for number in range(1, 6):
        one = record.begin(store, round_plan(number))
        with one.writing(Shard()) as journal:
            for seed in (0, number):
                journal.add(RoundRun("trial", "H5", seed, ids[seed], "t", Outcome.OK, seed > 0, 1.0))
    return ids


def removed(store, ids, **keep):
    what = pruning(store, "nights", Retention(**keep))
    numbers = {run_id: number for number, run_id in ids.items()}
    return [numbers[one.run_id] for one in what.remove], what


def test_runs_of_rounds_before_the_last_ones_go(store, rounds):
    stranger = put(Store(store), make_spec(make_cell(), 99)).run_id
    gone, what = removed(store, rounds, rounds=2)
    assert (gone, what.cited, what.over) == ([1, 2, 3], 0, 0), "not the one that later rounds found"
    assert what.freed == sum(one.size for one in what.remove) > 3 * SIZE
    assert set(Store(store).ids("trial")) == {*rounds.values(), stranger}, "nothing is removed by looking"
    prune(store, what)
    assert set(Store(store).ids("trial")) == {rounds[0], rounds[4], rounds[5], stranger}
    assert len(record.rounds(store, "nights")) == 5, "the records stay"
    assert removed(store, rounds, rounds=2)[0] == []
    assert removed(store, rounds, rounds=9)[0] == []


def test_what_is_beyond_the_quota_goes_the_oldest_first(store, rounds):
    _, all_of_it = removed(store, rounds, rounds=5)
    one = all_of_it.size // 6
    gone, what = removed(store, rounds, quota=4 * one + one // 2)
    assert (gone, what.over) == ([1, 2], 0)
    gone, what = removed(store, rounds, quota=1_000_000_000)
    assert gone == []
    gone, what = removed(store, rounds, quota=one)
    assert gone == [1, 2, 3, 4] and what.over == pytest.approx(one, rel=0.1), "the last round stays"


@pytest.mark.parametrize("who", ["baseline", "another baseline", "report", "verdict", "page"])
def test_what_is_cited_stays(store, rounds, who):
    cited = rounds[1]
    folder = record.folder(store, "nights")
    if who == "baseline":
        (folder / "baseline.json").write_text(json.dumps({"promotions": [{"cells": [{"runs": [cited]}]}]}))
    elif who == "another baseline":
        record.begin(store, round_plan(campaign="others"))
        (record.folder(store, "others") / "baseline.json").write_text(f'["{cited}"]')
    elif who == "report":
        (store / "trial/campaign.json").write_text(
            json.dumps({"format": 1, "experiment": "trial", "runs": [cited]})
        )
    else:
        (folder / "verdicts/000005").mkdir(parents=True)
        name, text = (
            ("verdict.json", f'"{cited}"')
            if who == "verdict"
            else ("index.html", f'<a href="../../../../trial/runs/{cited}/">')
        )
        (folder / "verdicts/000005" / name).write_text(text)
    gone, what = removed(store, rounds, rounds=2)
    assert (gone, what.cited) == ([2, 3], 1)


def test_the_verdict_of_a_round_that_is_not_kept_cites_nothing(store, rounds):
    folder = record.folder(store, "nights") / "verdicts/000002"
    folder.mkdir(parents=True)
    (folder / "verdict.json").write_text(f'"{rounds[1]}"')
    assert removed(store, rounds, rounds=2)[0] == [1, 2, 3]


def test_nothing_goes_if_what_may_cite_it_cannot_be_read(store, rounds):
    baseline = record.folder(store, "nights") / "baseline.json"
    baseline.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StorageFailed, match=r"baseline\.json can't be read, so nothing is removed"):
        removed(store, rounds, rounds=2)
    baseline.unlink()
    (record.folder(store, "nights") / "rounds/000002.json").write_text("{")
    with pytest.raises(StorageFailed, match="not a readable round"):
        removed(store, rounds, rounds=2)


def test_a_run_that_is_gone_already_is_no_matter(store, rounds):
    _, what = removed(store, rounds, rounds=2)
    Store(store).remove("trial", rounds[1])
    prune(store, what)
    assert len(Store(store).ids("trial")) == 3
