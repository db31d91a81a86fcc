# SPDX-License-Identifier: Apache-2.0
"""Runs on executors give the same store as without a cluster, whatever is lost on the way. The executors are
stood in for by this process; tests/spark/test_cluster.py has real ones.
"""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from orchestrate_spark.executors import digest

from orchestrator.errors import MissingTool, Unsupported, WrongUsage
from orchestrator.execution import cluster, pipeline, remote
from orchestrator.execution.cluster import Cluster
from orchestrator.execution.execute import Effort
from orchestrator.runs.model import Outcome, RunResult
from orchestrator.runs.store import Store
from orchestrator.scenario.load import load
from tests import needs

RESULT = RunResult(Outcome.FAILED, 5, 0.25, 7, 9, ("a line",))


class Shared:
    def __init__(self, value: bytes):
        self.value = value


class Executors:
    """Each group in this process, sent as it would be. `lose`: every task is done again, as if its executor
    had been lost after its runs, and its answers with it.
    """

    cores = 2

    def __init__(self, lose: bool = False):
        self.code, self.lose, self.groups, self.shared = digest(remote.contents()), lose, [], 0

    def share(self, content: bytes) -> Shared:
        self.shared += 1
        return Shared(content)

    def run(self, work, groups, shared):
        self.groups += groups
        groups = pickle.loads(pickle.dumps(groups))
        answers = []
        for group in groups:
            if self.lose:
                list(work(group, shared))
            answers += work(group, shared)
        return pickle.loads(pickle.dumps(answers))

    def stop(self):
        pass


@pytest.fixture
def on(monkeypatch):
    """A function that makes a cluster of these executors."""

    def made(executors: Executors, through: str | None = None) -> Cluster:
        found = Cluster("spark://nowhere:7077", through)
        monkeypatch.setattr(found, "executors", lambda: executors)
        return found

    return made


def logs(store: Path) -> dict[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in sorted(store.glob("trial/runs/*/COOJA.testlog"))}


@pytest.mark.parametrize("lose", [False, True])
def test_the_same_store_as_without_a_cluster(scenario_file, tmp_path, on, lose):
    needs.a_compiler()
    scenario = load(scenario_file(3))
    pipeline.run(scenario, tmp_path / "here", Effort(2), report=False)
    executors = Executors(lose)
    done = pipeline.run(scenario, tmp_path / "there", cluster=on(executors), report=False)
    assert logs(tmp_path / "there") == logs(tmp_path / "here") and done.summary.made == 6
    assert done.summary.failures == [] and Store(tmp_path / "there").verify("trial") == []
    assert [len(group) for group in executors.groups] == [1] * 6  # their time was not known yet
    assert executors.shared == 2  # the engine, and the firmware that both cells have
    assert list((tmp_path / "there" / cluster.FOLDER).iterdir()) == []
    again = pipeline.run(scenario, tmp_path / "there", cluster=on(Executors()), report=False)
    assert again.summary.made == 0


def test_a_campaigns_round_is_made_there_as_well(scenario_file, tmp_path, on):
    from orchestrator.features.campaigns import run as campaigns
    from orchestrator.features.campaigns.load import load as load_campaign
    from orchestrator.features.campaigns.model import State

    needs.a_compiler()
    scenario = scenario_file(2)
    file = tmp_path / "nights.yaml"
    file.write_text(
        f"campaign: nights\nseeds: 1..2\nparts: [{{scenario: {scenario.name}, experiment: trial}}]\n"
    )
    executors = Executors()
    options = campaigns.Options(metrics=False, cluster=on(executors))
    made = campaigns.run(load_campaign(file), tmp_path / "there", options)
    assert made.state is State.COMPLETE and made.summary.made == 4 and len(executors.groups) == 4
    pipeline.run(load(scenario), tmp_path / "here", Effort(2), report=False)
    assert logs(tmp_path / "there") == logs(tmp_path / "here")
    assert options.spark() == "spark://nowhere:7077"
    assert campaigns.Options(master="local[1]").spark() == "local[1]"
    assert campaigns.Options(cluster=Cluster("spark://nowhere:7077", "s3://b")).spark() is None


def test_runs_that_are_short_go_many_at_a_time(tmp_path, on, monkeypatch):
    class Engine:
        name, kernel, plain = "embedded", Path(__file__), False

        def prepare(self, say=None):
            pass

        def version(self):
            return "1"

    class Quick(Executors):
        def run(self, work, groups, shared):
            self.groups += groups
            return [remote.Answer(sent.key, 0.1, result=RESULT) for group in groups for sent in group]

    executors, done = Quick(), []
    engine = cluster.ClusterEngine(Engine(), lambda: executors, str(tmp_path))
    one = cluster.Job(None, 0, {}, tmp_path / "log")
    engine.run((replace(one, seed=seed) for seed in range(400)), lambda job, result: done.append(job.seed))
    assert sorted(done) == list(range(400))
    sizes = [len(group) for group in executors.groups]
    assert sizes[:12] == [1] * 12 and max(sizes) == 20 and sum(sizes) == 400  # 2 s of 0.1 s each


def test_an_engine_that_cannot_be_sent_is_refused(tmp_path):
    with pytest.raises(Unsupported, match="--engine embedded"):
        Cluster("spark://nowhere:7077").engines({"cooja": SimpleNamespace(name="cooja")}, tmp_path)


def test_a_worker_with_another_version_says_so():
    remote.same_code(Executors().code)
    with pytest.raises(MissingTool, match="another version of orchestrate.*\n.*no run was made"):
        remote.same_code("0" * 16)
    (answer,) = remote.worker("", False, "", "0" * 16)([remote.Sent("key", None)], {})
    assert isinstance(answer.error, MissingTool)


def test_options_that_exclude_each_other():
    import argparse

    from orchestrator.cli.spark_options import cluster as chosen

    none = argparse.Namespace(master=None, on=None, through=None)
    assert chosen(none) is None
    for wrong in ({"through": "s3://b"}, {"on": "spark://a:1", "master": "spark://b:1"}):
        with pytest.raises(WrongUsage):
            chosen(argparse.Namespace(**{**vars(none), **wrong}))
    assert chosen(argparse.Namespace(master=None, on="spark://a:1", through="s3://b")).through == "s3://b"
