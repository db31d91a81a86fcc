# SPDX-License-Identifier: Apache-2.0
"""Settings of a session, and what is made of what Spark says: of a query, a master, a Ctrl-C, a lost cluster.
No session is started.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import sys
import threading
from types import SimpleNamespace

import pyarrow as pa
import pytest
from orchestrate_spark import follow, functions, jvm, load, open_store, session, stores
from orchestrate_spark.errors import NoRuns, TablesFailed, WrongQuery, by_ctrl_c
from orchestrate_spark.stores import OpenStore

# --- settings


@pytest.mark.parametrize(
    ("cores", "url", "short", "partitions"),
    [(1, "local[1,4]", True, "1"), (8, "local[8,4]", True, "8"), (64, "spark://h:1", False, "8")],
)
def test_settings_of_a_session(cores, url, short, partitions):
    made = session._settings(cores, url, short)
    local = url.startswith("local")
    assert made.get("spark.sql.shuffle.partitions") == (partitions if local else None)
    assert made.get("spark.default.parallelism") == (str(cores) if local else None)
    assert made["spark.sql.adaptive.enabled"] == ("false" if local else "true")
    del made["spark.sql.adaptive.enabled"]
    common = {key: value for key, value in session.COMMON.items() if key != "spark.sql.adaptive.enabled"}
    assert common.items() <= made.items()
    assert (session.LOCAL.items() <= made.items()) == url.startswith("local")
    assert made.get("spark.sql.codegen.wholeStage") == ("false" if short else None)


@pytest.mark.parametrize(("url", "local"), [("local[2,4]", True), ("spark://h:1", False)])
def test_a_gateway_is_started_where_pyspark_looks_for_it(monkeypatch, tmp_path, url, local):
    """A local one listens on this machine's loopback, unless the user says where."""
    heard = []
    monkeypatch.setattr(jvm, "find_java", lambda: "java")
    monkeypatch.setattr(jvm, "need_loopback", lambda: heard.append("loopback"))
    monkeypatch.setattr(jvm, "start_gateway", lambda *given: heard.append(given) or (4711, "secret"))
    monkeypatch.setattr(session.tempfile, "mkdtemp", lambda prefix: str(tmp_path / prefix))
    with monkeypatch.context() as patch:
        for name in ("SPARK_LOCAL_IP", "PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET"):
            patch.setenv(name, "")
            patch.delenv(name)
        session._gateway("3g", url, True)
        assert os.environ.get("SPARK_LOCAL_IP") == ("127.0.0.1" if local else None)
        assert session.submitted() and os.environ["PYSPARK_GATEWAY_PORT"] == "4711"
        assert os.environ["PYSPARK_GATEWAY_SECRET"] == "secret"
    assert heard == ["loopback", ("java", "3g", tmp_path / "orchestrate-spark-", True)]


def test_a_master_that_takes_no_application_is_named():
    said = SimpleNamespace(java_exception=SimpleNamespace(getMessage=lambda: "All masters\nat java"))
    assert str(session._no_master("spark://h:1", said)) == (
        "no Spark session at spark://h:1: All masters\n    correct --master (local[2], spark://HOST:7077), "
        "and see that the master is up; what Spark says of it: ORCHESTRATE_SPARK_LOG=warn before the same "
        "command"
    )


def ours(_signal, _frame):
    raise AssertionError


@pytest.mark.parametrize("shell", ["none", "shell", "notebook", "thread"])
def test_ctrl_c_stays_the_command_s_but_a_shell_keeps_spark_s(monkeypatch, shell):
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.delattr(sys, "ps1", raising=False)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    if shell == "shell":
        monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    if shell == "notebook":
        monkeypatch.setitem(sys.modules, "ipykernel", None)
    if shell == "thread":
        monkeypatch.setattr(session.threading, "current_thread", lambda: None)
    try:
        with session._our_ctrl_c():
            signal.signal(signal.SIGINT, ours)
        assert signal.getsignal(signal.SIGINT) is (before if shell == "none" else ours)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("rows", "inside"),
    [
        (5, {session.FACTORY: "NO_CODEGEN"}),
        (session.MANY_ROWS, {}),
        (
            session.BIG,
            {
                "spark.sql.adaptive.enabled": "true",
                "spark.sql.optimizer.disableHints": "true",
                "spark.sql.codegen.wholeStage": "true",
                "spark.sql.shuffle.partitions": "64",
            },
        ),
    ],
)
def test_spark_plans_for_the_number_of_rows(rows, inside):
    before = {name: "as before" for name in inside}
    values = dict(before)
    conf = SimpleNamespace(get=lambda name, default: values.get(name, default), set=values.__setitem__)
    made = SimpleNamespace(conf=conf, sparkContext=SimpleNamespace(defaultParallelism=64))
    with pytest.raises(KeyError), session.fitted(made, rows):
        assert values == inside
        raise KeyError
    assert values == before


@pytest.mark.parametrize(("loud", "level"), [(False, 100), (True, 0)])
def test_what_is_raised_is_not_printed_as_well_unless_it_is_asked_for(monkeypatch, loud, level):
    from pyspark.logger import PySparkLogger

    logger = logging.Logger("SQLQueryContextLogger")
    monkeypatch.setattr(PySparkLogger, "getLogger", lambda name: logger)
    monkeypatch.setattr(logging, "getLogger", lambda name=None: logger)
    monkeypatch.setenv("ORCHESTRATE_SPARK_LOG", "warn")
    if not loud:
        monkeypatch.delenv("ORCHESTRATE_SPARK_LOG")
    session._keep_quiet()
    assert logger.level == level and logger.filters == [session._not_an_interrupt]


def test_an_error_is_by_ctrl_c_if_one_was_handled_before():
    def raised(*kinds):
        error = None
        for kind in kinds:
            new = kind()
            new.__context__ = error
            error = new
        return error

    assert by_ctrl_c(raised(KeyboardInterrupt)) and by_ctrl_c(raised(KeyboardInterrupt, OSError, ValueError))
    assert not by_ctrl_c(raised(OSError, ValueError)) and not by_ctrl_c(None)
    one, other = OSError(), ValueError()
    one.__context__, other.__context__ = other, one
    assert not by_ctrl_c(one), "errors that lead to each other have an end, too"


def test_spark_is_imported_when_a_function_is_used():
    with pytest.raises(AttributeError, match="^__path__$"):
        functions.__path__  # noqa: B018 - what an import looks for
    assert functions.Window.__name__ == "Window" and functions.col.__module__.startswith("pyspark.sql")


# --- a lost cluster


def cluster(monkeypatch, *times, executors=1, answers=False):
    """What is known of a cluster at these times, s; at the first it is seen."""
    clock = iter(times)
    monkeypatch.setattr(follow, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(follow, "master_answers", lambda url: answers)
    status = SimpleNamespace(getExecutorMemoryStatus=lambda: SimpleNamespace(size=lambda: executors))
    context = SimpleNamespace(master="spark://h:1", _jsc=SimpleNamespace(sc=lambda: status))
    return follow._Cluster(SimpleNamespace(sparkContext=context))


AGAIN = "\n    what was finished is kept; start it again, then run the same command again"


@pytest.mark.parametrize(
    ("waited", "answers", "why"),
    [
        (29.9, False, ""),
        (30, False, "the cluster spark://h:1 is lost: neither its master nor an executor answers"),
        (30, True, ""),
        (600, True, ""),
        (
            600.1,
            True,
            "the cluster spark://h:1 has given no executor for 10 minutes: no worker has cores and memory "
            "left",
        ),
    ],
)
def test_when_a_cluster_is_given_up(monkeypatch, waited, answers, why):
    found = cluster(monkeypatch, 5.0, 5.0 + waited, answers=answers)
    assert found.lost() == bool(why) and found.why == (why + AGAIN if why else "")


def test_an_executor_that_comes_begins_the_time_anew(monkeypatch):
    found = cluster(monkeypatch, 0, 100, executors=2)
    assert not found.lost() and found._seen == 100


@pytest.mark.parametrize("url", ["spark://HOST:PORT", "spark://[127.0.0.1]:PORT", "spark://HOST:1,HOST:PORT"])
def test_a_master_that_answers(url):
    with socket.socket() as master:  # it has the port, so that nobody else gets it, before it listens
        master.bind(("127.0.0.1", 0))
        there = url.replace("HOST", "127.0.0.1").replace("PORT", str(master.getsockname()[1]))
        assert not follow.master_answers(there) and not follow.master_answers("spark://")
        master.listen()
        assert follow.master_answers(there)


def test_without_a_listener_and_a_cluster_nobody_watches():
    before = threading.active_count()
    context = SimpleNamespace(master="local[2]")
    with follow.followed(SimpleNamespace(sparkContext=context)):
        assert threading.active_count() == before


# --- queries


def store(tmp_path, spark=lambda: pytest.fail("no session is needed"), names=("exp",)) -> OpenStore:
    return OpenStore(tmp_path, names, spark)


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        (
            "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column `x`. SQLSTATE: 42703; line 1",
            ["A column `x`.; line 1"],
        ),
        (
            "one\n\n== SQL (line 1) ==\nselect x\n-------^\nthree\nfour",
            ["one", "select x", "-------^"],
        ),
        ("one\ntwo", ["one"]),
        ("", ["ValueError"]),
    ],
)
def test_what_is_wrong_with_a_query(said, lines):
    assert stores._lines(ValueError(said)) == lines


@pytest.mark.parametrize("kind", ["AnalysisException", "ParseException", "PySparkException"])
def test_errors_of_a_query_are_ours(kind):
    from pyspark import errors

    with pytest.raises(WrongQuery, match="^one\n    select$"), stores.query_errors():
        raise getattr(errors, kind)("one\n== SQL ==\nselect")
    with pytest.raises(WrongQuery if kind != "PySparkException" else TablesFailed), stores.query_errors():
        raise getattr(errors, kind)("while reading file:///a/b.parquet: broken")


def test_runs_that_are_in_no_tables_are_counted(tmp_path):
    for experiment, batches, damaged in (("exp", {"b": {"runs": {"a": ""}}}, ["c"]), ("all", {}, [])):
        (tmp_path / experiment / "tables").mkdir(parents=True)
        index = {"batches": batches, "damaged": damaged}
        (tmp_path / experiment / "tables" / "index.json").write_text(json.dumps(index))
    for place in (
        "runs/a/manifest.json",
        "runs/b/manifest.json",
        "runs/c/manifest.json",
        "runs/d/other.json",
    ):
        (tmp_path / "exp" / place).parent.mkdir(parents=True)
        (tmp_path / "exp" / place).touch()
    (tmp_path / "exp" / "logs" / "e").mkdir(parents=True)
    (tmp_path / "exp" / "logs" / "e" / "source.json").touch()
    assert store(tmp_path, names=("exp", "all")).unread() == {"exp": 2}


def test_a_store_says_where_it_is(tmp_path):
    assert repr(store(tmp_path, names=("a", "b"))) == f"<store {tmp_path}: a, b>"
    with pytest.raises(ValueError, match="^no table named other; there are: runs, "):
        store(tmp_path).frame("other")


def test_experiments_are_opened_once_each_in_the_order_in_which_they_are_named(tmp_path, monkeypatch):
    for name in ("a", "b", "c"):
        (tmp_path / name / "tables").mkdir(parents=True)
    (tmp_path / "d").mkdir()
    assert open_store(tmp_path).experiments == ("a", "b", "c")
    opened = open_store(str(tmp_path), ["c", "a", "c"], master="spark://h")
    assert opened.experiments == ("c", "a") and opened.path == tmp_path
    asked = []
    monkeypatch.setattr(
        session, "session", lambda master: SimpleNamespace(newSession=lambda: asked.append(master) or "own")
    )
    assert (opened.session, opened.session, asked) == ("own", "own", ["spark://h"])
    with pytest.raises(NoRuns, match=r"no tables of 'd'; there are those of: a, b, c\n"):
        open_store(tmp_path, ["a", "d"])
    import orchestrate_spark

    with pytest.raises(AttributeError, match="^module 'orchestrate_spark' has no attribute 'more'$"):
        orchestrate_spark.more  # noqa: B018


class Frame:
    """A Spark DataFrame that notes what is asked of it."""

    def __init__(self, name, heard):
        self.name, self.heard = name, heard

    def createOrReplaceTempView(self, name):
        self.heard.append(("view", name, self.name))

    def limit(self, count):
        return Frame(f"{self.name} limit {count}", self.heard)

    def toArrow(self):
        return self.name


def test_a_query_s_tables_are_views_that_are_made_once(tmp_path, monkeypatch):
    heard: list = []
    (tmp_path / "exp" / "tables" / "runs").mkdir(parents=True)
    (tmp_path / "exp" / "tables" / "runs" / "a.parquet").touch()
    made = SimpleNamespace(
        newSession=lambda: made,
        sparkContext=SimpleNamespace(master="local"),
        sql=lambda query: heard.append(("sql", query)) or Frame("result", heard),
        createDataFrame=lambda rows, wanted: Frame("empty", heard),
        read=SimpleNamespace(
            schema=lambda wanted: SimpleNamespace(parquet=lambda *there: Frame(" ".join(there), heard))
        ),
    )
    opened = store(tmp_path, lambda: made)
    assert opened.arrow("select * from RUNS join per_run using (run_id)") == "result"
    assert opened.arrow("select * from RUNS", limit=3) == "result limit 3"
    views = sorted(one for one in heard if one[0] == "view")
    assert views == [
        ("view", "RUNS", str(tmp_path / "exp" / "tables" / "runs")),
        ("view", "per_run", "empty"),
    ]


# --- loading


def test_forms_of_a_table():
    import pandas as pd
    import polars as pl

    table = pa.table({"a": [1, 2]})
    assert load._as(table, "arrow") is table
    assert isinstance(load._as(table, "polars"), pl.DataFrame)
    assert isinstance(load._as(table, "pandas"), pd.DataFrame)
    for door in (load.load, load.load_metrics):
        with pytest.raises(ValueError, match="^as_ is one of pandas, polars, arrow, not 'csv'$"):
            door("there", "csv")


def test_metrics_that_are_not_there_and_tables_that_are_none(tmp_path):
    with pytest.raises(NoRuns) as raised:
        load.load_metrics(tmp_path)
    assert str(raised.value) == (
        f"{tmp_path}: no metrics in it\n"
        "    compute them first, with `orchestrate ingest EXPERIMENT --metrics`"
    )
    for kind, door in (("metrics", load.load_metrics), ("tables", load.load)):
        name = {"metrics": "per_run", "tables": "runs"}[kind]
        (tmp_path / kind / name).mkdir(parents=True)
        assert all(table.empty for table in door(tmp_path).values())
        (tmp_path / kind / name / "a.parquet").write_bytes(b"PAR1")
        with pytest.raises(
            TablesFailed, match=f"(?s)^{tmp_path / kind / name}: .*which makes damaged {kind} anew$"
        ):
            door(tmp_path)


def test_a_log_alone_has_its_name_and_seed(tmp_path):
    (tmp_path / "mine.log").write_text("Random seed: 12\n1\tID:1\thello\n")
    (run,) = load.load(tmp_path / "mine.log", "arrow", ["runs"])["runs"].to_pylist()
    assert (run["experiment"], run["cell"], run["run_id"], run["seed"]) == ("", "mine", "", 12)
    (tmp_path / "COOJA.testlog").write_text("1\tID:1\thello\n")
    for where in (tmp_path, tmp_path / "COOJA.testlog"):
        assert load.load(where, "arrow", ["runs"])["runs"]["seed"].to_pylist() == [0]
    source = {"experiment": "e", "cell": "c", "seed": 5}
    (tmp_path / "source.json").write_text(json.dumps(source))
    for where in (tmp_path, tmp_path / "source.json"):
        (run,) = load.load(where, "arrow", ["runs"])["runs"].to_pylist()
        assert (run["experiment"], run["cell"], run["seed"]) == ("e", "c", 5)


def test_no_such_place(tmp_path):
    with pytest.raises(NoRuns) as raised:
        load.load(str(tmp_path))
    assert str(raised.value) == (
        f"{tmp_path}: no run, no log and no ingested experiment\n"
        "    name a run folder, a log, or an experiment's folder after `orchestrate ingest`"
    )
