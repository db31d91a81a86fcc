# SPDX-License-Identifier: Apache-2.0
"""Bisections of a metric in a checkout of orchestrate's own, with a stand-in for the commits' code.

Nothing is built or run: which commits are tried, with what, and what is said of them.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from orchestrator.errors import Unsupported
from orchestrator.execution.progress import Listener
from orchestrator.features.campaigns import checkouts, record, samples
from orchestrator.features.campaigns.bisection import trial
from orchestrator.features.campaigns.bisection.bisect import Asked, bisect
from orchestrator.features.campaigns.bisection.state import Trial
from orchestrator.features.campaigns.commands import bisect as command
from orchestrator.features.campaigns.judging.blame import OUTCOME, Red
from orchestrator.features.campaigns.load import load
from orchestrator.runs.model import Outcome
from orchestrator.runs.store import Store
from tests import checkout
from tests.campaign.conftest import SCENARIO
from tests.runs.conftest import make_cell, make_result, make_spec, put

LOSS = Red("one", "A", "event_loss_rate")
SUBJECTS = ("one", "two", "three", "four", "five", "six")
# What each commit's seeds have: from `four` on the first two lose more. `two` has the very runs of `one`, and
# `three` says nothing.
VALUES = {
    "one": {1: 0.10, 2: 0.20, 3: 0.5},
    "two": {1: 0.10, 2: 0.20, 3: 0.5},
    "three": {},
    "four": {1: 0.31, 2: 0.39, 3: 0.5},
    "five": {1: 0.29, 2: 0.29, 3: 0.5},
    "six": {1: 0.30, 2: 0.40, 3: 0.5},
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory) -> tuple[Path, dict[str, str]]:
    """A checkout of orchestrate with six commits that decide about runs, and these by their subjects."""
    top = tmp_path_factory.mktemp("checkout") / "theirs"
    checkout.begin(top)
    app = top / "orchestrator" / "cli" / "app.py"
    app.parent.mkdir(parents=True)
    (top / "contiki-apps").mkdir()
    (top / "contiki-apps" / "notes").write_text("")
    commits = {}
    for subject in SUBJECTS:
        app.write_text(subject)
        commits[subject] = checkout.commit(top, subject)
    (top / "README.md").write_text("it decides about no run")
    commits["last"] = checkout.commit(top, "README")
    return top, commits


class Theirs:
    """That checkout, and a stand-in for what the code of each of its commits makes of the runs."""

    def __init__(self, repository, store: Path, monkeypatch):
        self.top, self.commits = repository
        self.store, self.tried = store, []
        self.values = {name: dict(values) for name, values in VALUES.items()}
        monkeypatch.setattr(trial, "of_own", self.of_own)

    def of_own(self, given, store, commit, red, worktree, told):
        subject = (worktree / "orchestrator" / "cli" / "app.py").read_text()
        assert commit == checkout.git(worktree, "rev-parse", "HEAD") and store.name == "store"
        self.tried.append(subject)
        self.given = given
        values = self.values[subject]
        runs = "one" if subject == "two" else subject
        return Trial(
            commit,
            values,
            {seed: f"{runs} {seed}" for seed in values},
            0 if subject == "two" else len(values),
            "" if values else "it does not build",
        )

    def asked(self, campaign, part=0, **given) -> Asked:
        values = {
            "red": LOSS,
            "seeds": (1, 2, 3),
            "repository": self.top,
            "good": self.commits["one"],
            "bad": self.commits["last"],
        }
        return Asked(campaign, campaign.parts[part], **values | given)


@pytest.fixture
def theirs(repository, tmp_path, monkeypatch):
    return Theirs(repository, tmp_path / "store", monkeypatch)


@pytest.fixture
def campaign(tmp_path):
    (tmp_path / "one.yaml").write_text(SCENARIO)
    (tmp_path / "nights.yaml").write_text(
        "campaign: nights\nparts:\n  - {scenario: one.yaml, experiment: one}\n"
        "  - {scenario: one.yaml, experiment: two, cells: A, set: {duration: 40 s, radio.range: 40 m}}\n"
        "  - {paper: aggregation-paper, experiment: three, cells: [L5], seeds: 1}\n"
    )
    return load(tmp_path / "nights.yaml")


def test_the_commit_that_turned_a_metric_and_what_is_said_of_each(theirs, campaign):
    said, stages = [], []
    told = Listener(say=said.append, stage=lambda text, *_: stages.append(text))
    found = bisect(theirs.asked(campaign, notes=("odd",)), theirs.store, told)
    assert (found.first_bad, found.subject, found.files) == ("", "", ())
    assert set(found.candidates) == {theirs.commits["three"], theirs.commits["four"]}
    assert (found.base, found.now, found.seeds) == (pytest.approx(0.15), pytest.approx(0.35), (1, 2))
    assert found.between == 5, "README.md decides about no run"
    assert found.notes == ("odd",)
    names = {commit: "six" if subject == "last" else subject for subject, commit in theirs.commits.items()}
    decided = {names[one.commit]: one for one in found.decided}
    assert theirs.tried[:2] == ["one", "six"] and sorted(theirs.tried[2:]) == sorted(decided)
    assert len(theirs.tried) == len(set(theirs.tried))
    words = {
        "two": ("good", 2, 2, "its runs are those of the good commit, byte for byte", True),
        "three": ("skip", 0, 0, "it does not build", True),
        "four": ("bad", 2, 2, "2 of 2 seeds", True),
        "five": ("bad", 1, 2, "1 of 2 seeds", False),
        "six": ("bad", 2, 2, "its runs are those of the bad commit, byte for byte", True),
    }
    for subject, one in decided.items():
        assert (one.verdict, one.agree, one.of, one.why, one.sure) == words[subject], subject
    assert found.made == sum(len(VALUES[name]) for name in theirs.tried if name not in ("two", "three"))
    assert said == [
        f"{one.commit[:12]} {names[one.commit]}: {one.verdict}, {one.why}" for one in found.decided
    ]
    assert len(stages) == len(theirs.tried) and f"trying {theirs.commits['last'][:12]}" == stages[1]
    assert (theirs.store / "campaigns" / "nights" / "bisect").is_dir()
    assert checkout.git(theirs.top, "worktree", "list").count("\n") == 0
    again = bisect(theirs.asked(campaign, notes=("odd",)), theirs.store)
    assert again == found and len(theirs.tried) == len(set(theirs.tried)), "nothing is tried twice"


def test_the_result_as_json(theirs, campaign):
    theirs.values["three"] = theirs.values["two"]
    found = bisect(theirs.asked(campaign), theirs.store)
    told = json.loads(json.dumps(command.plain(found)))
    commits = told.pop("commits")
    assert told == {
        "first_bad": theirs.commits["four"],
        "subject": "four",
        "files": ["orchestrator/cli/app.py"],
        "candidates": [],
        "question": told["question"],
        "between": 5,
        "seeds": [1, 2],
        "good": pytest.approx(0.15),
        "bad": pytest.approx(0.35),
        "runs": found.made,
        "notes": [],
    }
    assert told["question"]["seeds"] == [1, 2, 3] and told["question"]["red"] == vars(LOSS)
    assert [(one["commit"], one["verdict"], one["agree"], one["of"], one["sure"]) for one in commits] == [
        (one.commit, one.verdict, one.agree, one.of, one.sure) for one in found.decided
    ]
    assert "four" in command._text(found) and found.decided


@pytest.mark.parametrize(
    ("part", "red", "given"),
    [
        (0, LOSS, {"scenario": "one.yaml", "cells": ["A"]}),
        (
            1,
            replace(LOSS, experiment="two"),
            {"scenario": "one.yaml", "cells": ["A"], "set": {"duration": "40 s", "radio.range": "40 m"}},
        ),
        (2, Red("three", "L5", "event_loss_rate"), {"paper": "aggregation-paper", "cells": ["L5"]}),
    ],
)
def test_what_a_commits_code_is_asked_to_run(theirs, campaign, tmp_path, part, red, given):
    bisect(theirs.asked(campaign, part, red=red), theirs.store)
    if "scenario" in given:
        given = given | {"scenario": str((tmp_path / given["scenario"]).resolve())}
    assert theirs.given == {
        "campaign": "bisect",
        "parts": [{"experiment": red.experiment, "seeds": [1, 2, 3]} | given],
    }


@pytest.mark.parametrize(
    ("expected", "values", "said"),
    [
        (0.0, {1: 0.10, 2: 0.20, 3: 0.5},
         "event_loss_rate of one/A is the same at the good and the bad commit, with 3 seeds"),
        (0.0, {2: 0.20}, "with 1 seed: "),
        (0.0, {1: 0.20, 2: 0.10}, "with 2 seeds: "),  # no change of the mean
        (-0.2, {1: 0.30, 2: 0.40},
         r"changed by \+0\.2 from the good commit to the bad one, and the verdict found -0\.2"),
        (0.2, {1: 0.0, 2: 0.1}, r"changed by -0\.1 from .* found \+0\.2: what turned it is not in"),
    ],
)  # fmt: skip
def test_ends_that_do_not_show_it(theirs, campaign, expected, values, said):
    theirs.values["six"] = values
    with pytest.raises(Unsupported, match=said):
        bisect(theirs.asked(campaign, expected=expected), theirs.store)
    assert theirs.tried == ["one", "six"]


@pytest.mark.parametrize("expected", [0.0, 0.001, 5.0])
def test_a_change_that_the_verdict_says_or_says_nothing_of_is_looked_for(theirs, campaign, expected):
    assert bisect(theirs.asked(campaign, expected=expected), theirs.store).decided


@pytest.mark.parametrize(("end", "commit", "name"), [("one", "one", "good"), ("six", "last", "bad")])
def test_an_end_that_says_nothing_is_named(theirs, campaign, end, commit, name):
    theirs.values[end] = {}
    text = rf"the {name} commit {theirs.commits[commit][:12]} can't be tried: it does not build\n.*--{name}"
    with pytest.raises(Unsupported, match=text):
        bisect(theirs.asked(campaign), theirs.store)


def test_a_commit_without_a_seed_that_discriminates_says_nothing(theirs, campaign):
    theirs.values |= {name: {3: 0.5} for name in ("two", "three", "four", "five")}
    found = bisect(theirs.asked(campaign, bad=theirs.commits["six"]), theirs.store)
    assert not found.first_bad and len(found.candidates) > 1 and found.subject == "" and found.files == ()
    assert {one.verdict for one in found.decided} == {"skip"}
    assert {one.why for one in found.decided} == {"no seed that discriminates has a value"}


def asks_for(theirs, campaign, monkeypatch, red, *run_ids):
    """What the trial of a user's commit is told of runs that the store has."""
    told = {}

    def of_users(scenario, store, commit, _red, known, _told):
        told.update({run_id: known(run_id) for run_id in run_ids})
        return Trial(commit, skipped="enough")

    monkeypatch.setattr(trial, "of_users", of_users)
    monkeypatch.setattr(trial, "is_own", lambda top: False)
    monkeypatch.setattr(trial, "moved", lambda scenario, top, where: (scenario, checkouts.OWN))
    with pytest.raises(Unsupported, match="enough"):
        bisect(theirs.asked(campaign, red=red), theirs.store)
    return [told[run_id] for run_id in run_ids]


def test_runs_of_nights_and_baselines_are_not_made_again(theirs, campaign, monkeypatch):
    def kept(where, run_id, value, metric="event_loss_rate", key="total"):
        row = ("one", "A", 1, run_id, metric, key, value)
        columns = ["experiment", "cell", "seed", "run_id", "metric", "key", "value"]
        samples.keep(folder / where, pd.DataFrame([row], columns=columns))

    folder = record.folder(theirs.store, "nights")
    kept("verdicts/000001/per_run.parquet", "of a night", 0.25)
    kept("verdicts/000002/per_run.parquet", "of another metric", 0.25, metric="delay_ms")
    kept("verdicts/000003/per_run.parquet", "of another key", 0.25, key="P1")
    kept("baselines/000001.parquet", "of a baseline", 0.75)
    (folder / "baselines" / "000002.parquet").write_bytes(b"PAR1")
    runs = ("of a night", "of a baseline", "of another metric", "of another key", "of nobody")
    assert asks_for(theirs, campaign, monkeypatch, LOSS, *runs) == [0.25, 0.75, None, None, None]


def test_how_runs_ended_is_known_from_their_manifests(theirs, campaign, monkeypatch):
    ids = []
    for experiment in ("one", "nights-bisect"):
        for seed, outcome in enumerate((Outcome.OK, Outcome.CRASH, Outcome.FAILED), 1):
            spec = replace(make_spec(make_cell(experiment), seed), experiment=experiment)
            ids.append(put(Store(theirs.store), spec, make_result(outcome)).run_id)
    known = asks_for(theirs, campaign, monkeypatch, Red("one", "A", OUTCOME), *ids, "0" * 20)
    assert known == [0.0, 1.0, 1.0] * 2 + [None]


def test_runs_that_an_earlier_call_tried_are_not_made_again(theirs, campaign, monkeypatch):
    bisect(theirs.asked(campaign), theirs.store)
    (path,) = (theirs.store / "campaigns" / "nights" / "bisect").glob("*/state.json")
    told = json.loads(path.read_text())
    told["trials"] = [one for one in told["trials"] if one["commit"] == theirs.commits["one"]]
    path.write_text(json.dumps(told))
    assert asks_for(theirs, campaign, monkeypatch, LOSS, "one 1", "one 2", "six 1") == [0.10, 0.20, None]
