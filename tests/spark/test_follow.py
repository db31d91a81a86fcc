# SPDX-License-Identifier: Apache-2.0
"""How far Spark's jobs are, as told while they run; and how far the metrics are."""

from __future__ import annotations

import time

from orchestrate_spark import follow
from orchestrate_spark.jobs import metrics as job


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

    def statusTracker(self):
        return self

    def getJobIdsForGroup(self, group=None):
        return list(self.jobs)

    def getJobInfo(self, number):
        return type("Job", (), {"stageIds": self.jobs[number]})

    def getStageInfo(self, number):
        return self.stages.get(number)


def test_tasks_of_all_jobs_since_it_began_are_told(monkeypatch):
    monkeypatch.setattr(follow, "_EVERY_S", 0.001)
    session, told = Session(), []
    with follow.followed(session, lambda *far: told.append(far)):
        session.jobs |= {2: (1, 2), 3: (2, 7)}
        while not told:
            time.sleep(0.001)
    assert set(told) == {(2, 7)}  # a stage that two jobs share once, the job before not


def test_a_status_that_does_not_answer_is_no_news(monkeypatch):
    monkeypatch.setattr(follow, "_EVERY_S", 0.001)
    session, told = Session(), []
    session.stages = None
    with follow.followed(session, lambda *far: told.append(far)):
        session.jobs[2] = (1,)
        time.sleep(0.02)
    assert told == []


def test_metrics_tell_how_many_families_are_planned():
    told = []
    assert list(job._counted("abc", lambda *far: told.append(far))) == ["a", "b", "c"]
    assert told == [(done, 3, "families planned") for done in range(3)]
