# SPDX-License-Identifier: Apache-2.0
"""Of which runs of a round tables and reports are made, and by which call."""

from orchestrator.errors import Fault
from orchestrator.execution.progress import Listener
from orchestrator.features.campaigns.begin import Wanted
from orchestrator.features.campaigns.load import load
from orchestrator.features.campaigns.model import Shard, State
from orchestrator.features.campaigns.run import Drain
from orchestrator.runs.model import Outcome
from tests import needs
from tests.features.campaigns.calls import go

needs.a_compiler()


def made_of_rounds(monkeypatch, **answers):
    """Stand-ins for tables, metrics and reports: which runs they were asked for, by experiment."""
    asked = []

    def results(experiment, metrics, store, run_ids, *, page, master, file, told):
        asked.append((experiment, len(run_ids), page, master))
        return answers.get(experiment, (None, (), ()))

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
    go(campaign, store, metrics=True, shard=Shard(2, 3), listener=Listener(say=said.append))
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
