# SPDX-License-Identifier: Apache-2.0
"""Which metrics `orchestrate metrics` takes, which rows it shows and how it prints them; a stand-in takes the
place of Spark.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace

import orchestrate_spark.load
import pyarrow
import pytest
from orchestrate_spark import errors
from orchestrate_spark.jobs.metrics import Computed
from orchestrate_spark.own_code import Own

from orchestrator.cli import ingest, metrics
from orchestrator.cli.app import main
from orchestrator.errors import NoSuchThing
from orchestrator.execution import pipeline
from orchestrator.runs.store import Store


def row(metric, key="total", cell="A", n=3, mean=1.5, low=1.25, high=1.75) -> dict:
    values = {"n": n, "mean": mean, "sd": 0.5, "ci_low": low, "ci_high": high}
    return {"experiment": "exp", "cell": cell, "metric": metric, "key": key, **values}


ROWS = [
    row("delay_ms", "p50"),
    row("delay_ms", "mean", n=1, low=None, high=None),
    row("events_lost"),
    row("events_lost", cell="B", n=1200, mean=0.0),
    row("events_lost", "P1"),
    row("battery", "P1", mean=2.8812345),
]


@pytest.fixture
def store(tmp_path) -> Store:
    (tmp_path / "store" / "exp" / "runs").mkdir(parents=True)
    return Store(tmp_path / "store")


@pytest.fixture
def called(store, monkeypatch, capsys):
    """A function that calls the command; it gives the exit code, what was printed, and what was asked for."""

    def call(*words, done=COMPUTED):
        asked = []

        def renewed(folder, stage, master, own):
            stage("told")
            asked.append((folder, master, own))
            return done

        monkeypatch.setattr(ingest, "renewed", renewed)
        monkeypatch.setattr(
            orchestrate_spark.load,
            "load_metrics",
            lambda folder, form: {"summary": pyarrow.Table.from_pylist(ROWS)},
        )
        monkeypatch.setattr(pipeline, "own_metrics", lambda given: [OWN[name] for name in given])
        code = main(["metrics", *words, "--store", str(store.path)])
        return code, *capsys.readouterr(), asked

    return call


OWN = {
    name: Own(name, f"{name}.py", "0", SimpleNamespace(name=f"of {name}", metrics={name: ()}))
    for name in ("battery", "broken")
}
COMPUTED = Computed(4)
FLAW = errors.Flaw("broken.py", 3, "raises KeyError", "mend it")


def shown(out: str) -> list[list[str]]:
    return [re.split(r" {2,}", line.strip()) for line in out.splitlines() if line.strip()]


def test_the_totals_of_each_cell(called, store):
    code, out, _, asked = called("exp", "--master", "spark://h")
    assert code == 0 and asked == [(store.path / "exp", "spark://h", None)]
    head, _, *rows = shown(out)
    assert head == ["cell", "metric", "key", "n", "mean", "95\u00a0% CI low", "high"]
    assert rows == [
        ["A", "events_lost", "total", "3", "1.5", "1.25", "1.75"],
        ["B", "events_lost", "total", "1,200", "0", "1.25", "1.75"],
    ]


def test_everything_about_some_metrics(called):
    code, out, *_ = called("exp", "--only", "delay_ms, battery", "--csv")
    assert code == 0 and out.splitlines() == [
        "cell,metric,key,n,mean,ci_low,ci_high",
        "A,delay_ms,p50,3,1.5,1.25,1.75",
        "A,delay_ms,mean,1,1.5,,",
        "A,battery,P1,3,2.8812345,1.25,1.75",
    ]
    code, out, err, _ = called("exp", "--only", "delay_s,other")
    assert (code, out) == (9, "")
    assert "no metric delay_s, other; there are: battery, delay_ms, events_lost" in err or "delay_ms" in err


def test_as_plain_values(called):
    code, out, *_ = called("exp", "--json")
    assert out == json.dumps(json.loads(out), indent=2) + "\n"
    heads = ("cell", "metric", "key", "n", "mean", "ci_low", "ci_high")
    assert code == 0 and json.loads(out) == [{name: ROWS[at][name] for name in heads} for at in (2, 3)]
    assert main(["metrics", "exp", "--json", "--csv"]) == 2, "they exclude each other"


def test_metrics_of_the_user_s_own_are_shown_alone(called):
    code, out, _, asked = called("exp", "--metric", "battery", done=Computed(4, own=("of battery",)))
    assert code == 0 and asked[0][2] == [OWN["battery"]]
    assert [line[:3] for line in shown(out)[2:]] == [["A", "battery", "P1"]]


def test_one_that_fails_is_named_after_the_others(called):
    done = Computed(4, own=("of battery",), failed=(FLAW,))
    code, out, err, _ = called("exp", "--metric", "battery", "--metric", "broken", done=done)
    assert code == 3 and [line[:2] for line in shown(out)[2:]] == [["A", "battery"]]
    assert "broken.py:3: raises KeyError\n    mend it" in err
    only = ("exp", "--metric", "broken", "--only", "broken")
    code, out, err, _ = called(*only, done=Computed(4, failed=(FLAW,)))
    assert code == 3 and len(shown(out)) == 2, "it is known, though it has no values"


@pytest.mark.parametrize("form", ["--json", "--csv", None])
def test_what_was_computed_is_told_before_what_failed(called, in_one_file, form):
    """Also where both go to one file."""
    words = ("--metric", "battery", "--metric", "broken", *([form] if form else []))
    done = Computed(4, own=("of battery",), failed=(FLAW,))
    (code, *_), text = in_one_file(lambda: called("exp", *words, done=done))
    assert code == 3 and text.index("2.88") < text.index("broken.py:3")


def test_without_logs_what_is_there_is_shown(called):
    assert called("exp", done=None)[:2] == called("exp")[:2]


def test_no_own_metric_is_wanted(called):
    assert called("exp", "--metric", "battery", "--no-own")[3][0][2] == []


def test_errors_of_the_tables_are_ours(called, monkeypatch):
    assert called("exp")[0] == 0

    def none(*_):
        raise errors.NoRuns("no metrics in it")

    monkeypatch.setattr(orchestrate_spark.load, "load_metrics", none)
    assert main(["metrics", "exp"]) == 9


def test_an_experiment_that_is_not_there(called):
    code, _, err, asked = called("exq")
    assert code == 9 and "no experiment 'exq'" in err and not asked
    assert called("no/name")[0] == 2


SCENARIO = (
    "experiment: exp\ntopology: {shape: chain, publishers: 2}\napplication: {name: aggregation}\n"
    "duration: 10 s\nseeds: 1\nmetrics: [./mine.py]\n"
)


@pytest.mark.parametrize("name", ["chain.yaml", "chain.yml", "chain"])
def test_a_scenario_names_its_experiment_and_metrics(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    for file in ("mine.py", "other.py"):
        (tmp_path / file).write_text('FAMILY = "found when it is run"\n')
    (tmp_path / name).write_text(SCENARIO)
    experiment, given = metrics._named(SimpleNamespace(experiment=name, metric=["other.py", "installed"]))
    assert (experiment, [Path(one).name for one in given]) == ("exp", ["mine.py", "other.py", "installed"])


def test_a_name_is_no_file_and_a_metric_s_file_must_be_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert metrics._named(SimpleNamespace(experiment="exp", metric=["x"])) == ("exp", ["x"])
    with pytest.raises(
        NoSuchThing, match=r"^a.py: no such file\n    name a Python file or an installed metric$"
    ):
        metrics._named(SimpleNamespace(experiment="exp", metric=["a.py"]))
    with pytest.raises(NoSuchThing):
        metrics._named(SimpleNamespace(experiment="none.yaml", metric=[]))
