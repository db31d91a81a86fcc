# SPDX-License-Identifier: Apache-2.0
"""A cluster's session, and its lists of tasks: two are under way at once, and how they end."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest
from orchestrate_spark import executors
from orchestrate_spark.errors import NoMaster, SparkEnded

from orchestrator.errors import MissingTool
from orchestrator.execution import cluster, remote
from orchestrator.execution.cluster import Cluster
from orchestrator.runs.model import Outcome, RunResult
from tests.execution.test_cluster_engine import Executors
from tests.waiting import wait_until

RESULT = RunResult(Outcome.FAILED, 5, 0.25, 7, 9, ("a line",))


def test_a_cluster_s_session_is_started_once_and_ended(tmp_path, monkeypatch):
    from orchestrate_spark import session

    heard = []

    class Started:
        def __init__(self, session, contents):
            assert contents == remote.contents()
            heard.append(session)

        def close(self):
            heard.append("closed")

    monkeypatch.setattr(executors, "Executors", Started)
    monkeypatch.setattr(session, "session", lambda master: f"session on {master}")
    one = Cluster("spark://h")
    one.close()
    assert heard == [], "there is no session to end"
    assert one.executors() is one.executors() and heard == ["session on spark://h"]
    one.close()
    one.close()
    assert heard[1:] == ["closed"] and one.executors() is not None and len(heard) == 3

    def none(master):
        raise NoMaster("no master")

    monkeypatch.setattr(session, "session", none)
    with pytest.raises(MissingTool, match="^no master\n"):
        Cluster("spark://h").executors()


class Stub:
    """An engine that makes nothing here and notes what it is asked."""

    name, kernel, plain = "embedded", Path(__file__), False

    def __init__(self):
        self.prepared = []

    def prepare(self, say=None):
        self.prepared.append(say)

    def rules(self, written):
        return f"rules {written}"

    def version(self):
        return "1"

    def described(self):
        return {"engine": "stub"}


JOB = cluster.Job(None, 0, {}, Path("log"))


def jobs(count: int):
    return (replace(JOB, seed=seed) for seed in range(count))


class Waiting(Executors):
    """Each list of tasks waits for the test's word, a result or an error; `lists`: those under way."""

    def __init__(self):
        super().__init__()
        self.lists, self.stops = [], 0

    def run(self, work, groups, shared):
        self.lists.append(answer := Future())
        seen = answer.result()
        if isinstance(seen, Exception):
            raise seen
        return [remote.Answer(sent.key, 0.0, result=RESULT) for group in groups for sent in group]

    def stop(self):
        self.stops += 1
        for one in self.lists:
            if not one.done():
                one.set_result(SparkEnded("tasks were stopped"))


@pytest.fixture
def waiting(tmp_path):
    """Twenty jobs on such executors: these, the engine, the seeds that are done, and a function that waits
    for the end and raises the error.
    """
    there, own, done, ended = Waiting(), Stub(), [], Future()
    engine = cluster.ClusterEngine(own, lambda: there, str(tmp_path))

    def run():
        try:
            engine.run(jobs(20), lambda job, _: done.append(job.seed))
            ended.set_result(None)
        except BaseException as error:  # noqa: BLE001 - the test's own thread raises it
            ended.set_exception(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield there, engine, done, ended.result
    there.stop()
    thread.join()


def test_two_lists_of_tasks_are_under_way_at_once(waiting):
    there, _, done, ended = waiting
    for answered in range(4):  # of six runs each, three a core, and the last of two
        wait_until(lambda many=6 * answered: len(done) == many)
        under_way = min(4, answered + 2)
        wait_until(lambda many=under_way: len(there.lists) == many)
        there.lists[answered].set_result(None)
    ended()
    assert done == list(range(20)) and there.stops == 0


def test_if_a_list_fails_the_other_is_ended_and_the_error_is_ours(waiting):
    there, _, done, ended = waiting
    wait_until(lambda: len(there.lists) == 2)
    there.lists[0].set_result(SparkEnded("the cluster is lost"))
    with pytest.raises(MissingTool, match="^the cluster is lost\n    the runs are kept"):
        ended()
    assert there.stops == 1 and done == []


def test_an_end_that_was_asked_for_is_no_error(waiting):
    there, engine, done, ended = waiting
    wait_until(lambda: len(there.lists) == 2)
    engine.stop()
    ended()
    assert there.stops == 1 and done == [] and len(there.lists) == 2


def test_a_run_after_an_end_begins_anew(tmp_path):
    class Quick(Executors):
        def run(self, work, groups, shared):
            return [remote.Answer(sent.key, 0.0, result=RESULT) for group in groups for sent in group]

    own, done = Stub(), []
    engine = cluster.ClusterEngine(own, Quick, str(tmp_path))
    engine.stop()
    engine.run(jobs(3), lambda job, result: done.append((job.seed, result)))
    assert done == [(seed, RESULT) for seed in range(3)] and len(own.prepared) == 1
