# SPDX-License-Identifier: Apache-2.0
"""How a session is asked for: on this machine, on a cluster, under spark-submit, and when one is running.

Stand-ins take the places of PySpark's builder and of the JVM.
"""

from __future__ import annotations

import os
import sys
import warnings
from types import SimpleNamespace

import pytest
from orchestrate_spark import session
from orchestrate_spark.errors import NoMaster


class Builder:
    """PySpark's builder, as far as it is used; `error`: what Spark says instead of a session."""

    def __init__(self):
        self.asked: dict = {}
        self.error = None
        self.made = SimpleNamespace(stop="ends it")

    def appName(self, name):
        self.asked["app"] = name
        return self

    def master(self, url):
        self.asked["master"] = url
        return self

    def config(self, key, value):
        self.asked[key] = value
        return self

    def getOrCreate(self):
        self.asked["port"] = os.environ.get("PYSPARK_GATEWAY_PORT")
        if self.error is not None:
            raise self.error
        return self.made


@pytest.fixture
def spark(monkeypatch):
    """The builder; what was done beside it is in its `heard`."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    builder = Builder()
    builder.heard = heard = []

    def gateway(*given):
        heard.append(("gateway", *given))
        os.environ.update(PYSPARK_GATEWAY_PORT="4711", PYSPARK_GATEWAY_SECRET="secret")

    monkeypatch.setattr(SparkSession, "builder", builder)
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.setattr(session, "_gateway", gateway)
    monkeypatch.setattr(session, "_keep_quiet", lambda: heard.append("quiet"))
    monkeypatch.setattr(session.atexit, "register", lambda what: heard.append(("at exit", what)))
    for name in ("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    return builder


def left() -> list[str]:
    return [name for name in ("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET") if name in os.environ]


@pytest.mark.parametrize("cores", [3, None])
def test_a_session_on_this_machine(spark, monkeypatch, cores):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0: range(5)}[process])
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    made, url = session.session(cores, memory="3g"), f"local[{cores or 5},4]"
    assert made is spark.made
    assert spark.heard == ["quiet", ("gateway", "3g", url, True)]
    wanted = {"app": "orchestrate", "master": url, "port": "4711"}
    assert spark.asked == wanted | session._settings(cores or 5, url, True)
    assert left() == [], "a process that it starts has its own"
    assert os.environ["PYSPARK_PYTHON"] == sys.executable


def test_what_pyspark_says_of_pandas_is_not_shown_at_each_call(spark):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        session.session(2)
        warnings.warn("PySpark does not yet fully support pandas 3", FutureWarning, stacklevel=1)
        warnings.warn("another", FutureWarning, stacklevel=1)
    assert [str(one.message) for one in told] == ["another"]


def test_a_session_on_a_cluster_for_long_jobs(spark):
    session.session(2, "spark://h:1", short_jobs=False)
    assert spark.asked["master"] == "spark://h:1" and "spark.driver.host" not in spark.asked
    assert "spark.sql.codegen.wholeStage" not in spark.asked
    assert spark.heard[1] == ("gateway", "2g", "spark://h:1", False)


def test_a_gateway_that_is_there_is_taken(spark, monkeypatch):
    from pyspark import SparkContext

    monkeypatch.setattr(SparkContext, "_gateway", "there")
    session.session(2)
    assert [one for one in spark.heard if one[0] == "gateway"] == [] and spark.asked["port"] is None


@pytest.mark.parametrize("master", [None, "spark://h:1"])
def test_under_spark_submit_the_application_has_its_master_and_settings(spark, monkeypatch, master):
    for name in ("PORT", "SECRET"):
        monkeypatch.setenv(f"PYSPARK_GATEWAY_{name}", "given")
    session.session(2, master)
    assert spark.heard == ["quiet", ("at exit", "ends it")]
    assert spark.asked.get("master") == master and spark.asked["port"] == "given"
    settings = set(spark.asked) - {"app", "master", "port"}
    assert settings and all(name.startswith("spark.sql.") for name in settings)
    assert len(left()) == 2, "they are not ours to take away"


def test_a_session_that_is_running_is_given_at_once(spark, monkeypatch):
    from pyspark.sql import SparkSession

    assert not session.running()
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: "running")
    assert session.running() and session.session(9, "spark://other") == "running"
    assert spark.asked == {} and spark.heard == ["quiet"]


def test_without_a_master_the_gateway_s_secret_is_gone_too(spark):
    from py4j.protocol import Py4JJavaError

    said = SimpleNamespace(_target_id="o1", getMessage=lambda: "All masters are unresponsive\nat java")
    spark.error = Py4JJavaError("failed", said)
    with pytest.raises(NoMaster, match="^no Spark session at spark://h:1: All masters are unresponsive\n"):
        session.session(2, "spark://h:1")
    assert left() == []
