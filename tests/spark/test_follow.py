# SPDX-License-Identifier: Apache-2.0
"""How far Spark's jobs are, as told while they run; and how far the metrics are."""

from __future__ import annotations

import socket
import threading
import time
from types import SimpleNamespace

import pytest
from orchestrate_spark import follow
from orchestrate_spark.errors import SparkEnded

from tests.waiting import wait_until


class Stage:
    def __init__(self, done: int, tasks: int):
        self.numCompletedTasks, self.numTasks = done, tasks


class Session:
    """A status as Spark gives it: one job was over before, two run, and of one stage nothing is known any
    more.
    """

    def __init__(self):
        self.jobs = {1: (0,)}
        self.stages = {0: Stage(9, 9), 1: Stage(2, 3), 2: Stage(0, 4)}
        self.sparkContext = self
        self.master = "local[2]"
        self.executors, self.cancelled = 1, False  # the driver is one of them
        self.asked_of_stages = 0

    def statusTracker(self):
        return self

    def getJobIdsForGroup(self, group=None):
        return list(self.jobs)

    def getJobInfo(self, number):
        return type("Job", (), {"stageIds": self.jobs[number]})

    @property
    def _jsc(self):
        return self

    def sc(self):
        return self

    def getExecutorMemoryStatus(self):
        return self

    def size(self):
        return self.executors

    def cancelAllJobs(self):
        self.cancelled = True

    def getStageInfo(self, number):
        self.asked_of_stages += 1
        return self.stages.get(number)


def test_tasks_of_all_jobs_since_it_began_are_told(monkeypatch):
    monkeypatch.setattr(follow, "_EVERY_S", 0.001)
    session, told = Session(), []
    with follow.followed(session, lambda *far: told.append(far)):
        session.jobs |= {2: (1, 2), 3: (2, 7)}
        wait_until(lambda: told)
    assert set(told) == {(2, 7)}  # a stage that two jobs share once, the job before not


@pytest.mark.parametrize("stages", [None, {}], ids=["no answer", "not known any more"])
def test_a_status_that_does_not_answer_is_no_news(monkeypatch, stages):
    monkeypatch.setattr(follow, "_EVERY_S", 0.001)
    session, told = Session(), []
    session.stages = stages
    with follow.followed(session, lambda *far: told.append(far)):
        session.jobs[2] = (1,)
        wait_until(lambda: session.asked_of_stages > 1 or (stages is None and session.asked_of_stages))
    assert told == []


def waits(session: Session) -> None:
    """A job as the driver waits for it: until somebody cancels it."""
    while not session.cancelled:
        time.sleep(0.001)
    raise RuntimeError("Job 2 cancelled as part of cancellation of all jobs")


def test_a_cluster_without_master_and_executors_ends_its_jobs(monkeypatch):
    monkeypatch.setattr(follow, "_EVERY_S", 0.001)
    monkeypatch.setattr(follow, "LOST_S", 0)
    session = Session()
    with socket.socket() as gone:  # it has the port, so that nobody else gets it, and doesn't listen
        gone.bind(("127.0.0.1", 0))
        session.master = f"spark://127.0.0.1:{gone.getsockname()[1]}"
        with pytest.raises(SparkEnded, match="neither its master nor an executor"), follow.followed(session):
            waits(session)


def test_a_cluster_whose_master_gives_no_executor_ends_its_jobs_later(monkeypatch):
    monkeypatch.setattr(follow, "_EVERY_S", 0.001)
    monkeypatch.setattr(follow, "LOST_S", 0)
    monkeypatch.setattr(follow, "IDLE_S", 0)
    session = Session()
    with socket.create_server(("127.0.0.1", 0)) as master:
        session.master = f"spark://nowhere.invalid:1,127.0.0.1:{master.getsockname()[1]}"
        with pytest.raises(SparkEnded, match="given no executor"), follow.followed(session):
            waits(session)


def test_a_cluster_with_executors_is_left_alone(monkeypatch):
    monkeypatch.setattr(follow, "_EVERY_S", 0.001)
    monkeypatch.setattr(follow, "LOST_S", 0)
    session, told = Session(), []
    session.master, session.executors = "spark://127.0.0.1:1", 2
    with pytest.raises(ZeroDivisionError), follow.followed(session, lambda *far: told.append(far)):
        session.jobs[2] = (1,)
        wait_until(lambda: told)
        raise ZeroDivisionError  # its own error stays what it is
    assert not session.cancelled


def watchers() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "spark-progress"]


def test_who_watches_ends_with_the_jobs_and_keeps_no_process_from_ending(monkeypatch):
    """Also if it is telling something at that moment."""
    monkeypatch.setattr(follow, "_EVERY_S", 0.001)
    session, begun, told = Session(), threading.Event(), []

    def slowly(*far):
        begun.set()
        time.sleep(0.05)
        told.append(far)

    with follow.followed(session, slowly):
        session.jobs[2] = (1,)
        (watcher,) = watchers()
        assert watcher.daemon
        begun.wait()
    assert told and not watcher.is_alive() and watchers() == []


def test_a_cluster_is_watched_while_its_jobs_have_tasks_and_nobody_listens(monkeypatch):
    monkeypatch.setattr(follow, "_EVERY_S", 0.001)
    session = Session()
    session.master = "spark://127.0.0.1:1"
    asked, lost_after = [], []

    def lost(self):
        asked.append(self)
        self.why = "it is lost" if lost_after and len(asked) > lost_after[0] else ""
        return bool(self.why)

    monkeypatch.setattr(follow._Cluster, "lost", lost)
    with pytest.raises(SparkEnded, match="^it is lost$"), follow.followed(session):
        session.jobs[2] = (1,)
        wait_until(lambda: session.asked_of_stages)
        lost_after.append(len(asked) + 1)
        waits(session)
    assert len(asked) > lost_after[0]


def test_spark_is_asked_twice_a_second(monkeypatch):
    """And not before half of one is over: most jobs are."""
    waited, session = [], Session()

    class Over(threading.Event):
        def wait(self, timeout=None):
            waited.append(timeout)
            return super().wait()

    stand_in = SimpleNamespace(Event=Over, Thread=threading.Thread)
    monkeypatch.setattr(follow, "threading", stand_in)
    with follow.followed(session, lambda *far: None):
        wait_until(lambda: waited)
    assert waited == [0.5] and not session.asked_of_stages


def test_a_master_has_two_seconds_to_answer(monkeypatch):
    asked = []

    def refused(*given):
        asked.append(given)
        raise OSError

    monkeypatch.setattr(follow.socket, "create_connection", refused)
    assert not follow.master_answers("spark://one:7077,[::1]:7078")
    assert asked == [(("one", 7077), 2), (("::1", 7078), 2)]
