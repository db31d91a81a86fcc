# SPDX-License-Identifier: Apache-2.0
"""How a growing folder is followed: what is asked of Spark's stream, which ingestions are told, and how it
ends. A stand-in takes the place of Structured Streaming; test_stream.py has it.
"""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from orchestrate_spark.errors import TablesFailed
from orchestrate_spark.jobs import stream
from orchestrate_spark.jobs.ingest import Ingested
from pyspark.errors import PySparkException


class Spark:
    """A session with a stream of these micro-batches (paths of manifests), which ends so: `failure` is what
    the query says of its end, `breaks` what waiting for it raises.
    """

    def __init__(self, batches=(), failure=None, breaks=None):
        self.asked: dict = {}
        self.heard: list = []
        self.batches, self.failure, self.breaks = list(batches), failure, breaks
        self.conf = SimpleNamespace(set=self._set)
        self.readStream = self.writeStream = self
        self.isActive = False

    def _set(self, key, value):
        self.asked[key] = value

    def format(self, name):
        self.asked["format"] = name
        return self

    def schema(self, told):
        self.asked["schema"] = told
        return self

    def option(self, key, value):
        self.asked[key] = value
        return self

    def load(self, path):
        self.asked["path"] = path
        return self

    def foreachBatch(self, work):
        self.work = work
        return self

    def trigger(self, **timing):
        self.asked["timing"] = timing
        return self

    def start(self):
        self.heard.append("started")
        self.isActive = True
        return self

    def awaitTermination(self, seconds):
        self.heard.append(seconds)
        if self.breaks is not None:
            raise self.breaks
        if not self.batches:
            self.isActive = False
            return
        rows = [SimpleNamespace(path=path) for path in self.batches.pop(0)]
        found = SimpleNamespace(select=lambda column: SimpleNamespace(collect=lambda: rows))
        try:
            self.work(found, 0)
        except BaseException as error:
            self.isActive, self.failure = False, PySparkException(f"in a batch: {error}")

    def exception(self):
        return self.failure

    def stop(self):
        self.heard.append("stopped")
        self.isActive = False


def done(added=(), damaged=()) -> Ingested:
    return Ingested(9, tuple(added), (), (), 1, tuple(damaged))


@pytest.fixture
def ingested(monkeypatch) -> list:
    """What was to be ingested: the runs that are named, or None for all; runs called `there` add nothing."""
    asked: list = []

    def ingest(folder, spark, arrived=None):
        asked.append(arrived)
        if arrived == ["bad"]:
            return done(damaged=["bad"])
        return done() if arrived in (None, ["there"]) else done(arrived)

    monkeypatch.setattr(stream, "ingest", ingest)
    return asked


def urls(*runs: str) -> list[str]:
    return [f"file:/store/exp/runs/{run}/manifest.json" for run in runs]


def test_what_is_asked_of_the_stream(tmp_path, ingested):
    spark, told = Spark(), []
    stream.follow(tmp_path / "exp", lambda: spark, told.append)
    folder = tmp_path / "exp"
    assert spark.asked == {
        "spark.sql.sources.parallelPartitionDiscovery.threshold": "1000000000",
        "format": "binaryFile",
        "schema": "path string, modificationTime timestamp, length long, content binary",
        "maxFileAge": "36500d",
        "path": str(folder / "runs" / "*" / "manifest.json"),
        "checkpointLocation": str(folder / ".follow"),
        "timing": {"processingTime": "10.0 seconds"},
    }
    assert spark.heard == ["started", 0.5], "it has ended by itself"
    assert (folder / "runs").is_dir() and ingested == told == [], "there are no runs yet"
    spark = Spark()
    stream.follow(folder, lambda: spark, told.append, every_s=0.25)
    assert spark.asked["timing"] == {"processingTime": "0.25 seconds"}
    stream.follow(folder, lambda: spark, told.append, once=True)
    assert spark.asked["timing"] == {"availableNow": True}


def with_a_run(tmp_path) -> Path:
    (tmp_path / "exp" / "runs" / "a").mkdir(parents=True)
    (tmp_path / "exp" / "runs" / "a" / "manifest.json").touch()
    return tmp_path / "exp"


def test_present_runs_are_told_first_then_those_that_come_and_change_anything(tmp_path, ingested):
    spark, told = Spark([urls("b", "c"), [], urls("there"), urls("bad")]), []
    stream.follow(with_a_run(tmp_path), lambda: spark, told.append)
    assert ingested == [None, ["b", "c"], ["there"], ["bad"]]
    assert told == [done(), done(["b", "c"]), done(damaged=["bad"])]


def test_it_ends_when_it_is_told_to(tmp_path, ingested):
    over, told = threading.Event(), []
    over.set()
    spark = Spark([urls("b")])
    stream.follow(with_a_run(tmp_path), lambda: spark, told.append, over=over)
    assert spark.heard == [] and told == [done()], "before it begins"
    over.clear()
    spark = Spark([urls("b"), urls("c")])
    stream.follow(tmp_path / "exp", lambda: spark, lambda one: one.added and over.set(), over=over)
    assert ingested[-1] == ["b"] and spark.heard == ["started", 0.5, "stopped"]


def test_what_fails_in_a_batch_is_raised_itself(tmp_path, ingested):
    def full(one):
        raise TablesFailed("no space left")

    spark = Spark([urls("b"), urls("c")])
    with pytest.raises(TablesFailed, match="^no space left$"):
        stream.follow(tmp_path / "exp", lambda: spark, full)
    assert ingested == [["b"]]


TORN = PySparkException("torn\nat java")


@pytest.mark.parametrize("ends", [{"failure": TORN}, {"breaks": TORN}])
def test_a_stream_that_ends_by_itself_says_what_to_do(tmp_path, ingested, ends):
    spark = Spark(**ends)
    with pytest.raises(TablesFailed) as raised:
        stream.follow(tmp_path / "exp", lambda: spark, pytest.fail)
    assert str(raised.value) == (
        f"{tmp_path / 'exp'}: the stream of its runs ended: torn\n    the tables are whole; remove "
        f"{tmp_path / 'exp' / '.follow'} if it is damaged, then follow again"
    )
    assert ("stopped" in spark.heard) == ("breaks" in ends)


def test_a_ctrl_c_while_it_waits_stops_the_stream(tmp_path, ingested):
    spark = Spark(breaks=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        stream.follow(tmp_path / "exp", lambda: spark, pytest.fail)
    assert spark.heard == ["started", 0.5, "stopped"]
