# SPDX-License-Identifier: Apache-2.0
"""The door for notebooks: SQL over the tables and metrics of a store."""

from __future__ import annotations

import pytest
from orchestrate_spark import open_store
from orchestrate_spark.errors import NoRuns, WrongQuery
from orchestrate_spark.load import load, load_metrics
from orchestrate_spark.stores import query_errors
from orchestrate_spark.tables import COLUMNS
from synthetic import Chain, write_experiment, write_run


def refused():
    raise AssertionError("this needs no Spark")


@pytest.mark.spark  # which makes them
def test_without_spark_it_knows_its_tables_and_which_runs_are_not_in_them(measured, tmp_path):
    store = open_store(measured.parent, spark=refused)
    assert store.experiments == (measured.name,) and store.unread() == {}
    assert store.tables()["per_run"]["value"] == "double" and set(COLUMNS) < set(store.tables())
    (tmp_path / "exp").mkdir()
    for part in ("runs", "tables", ".tables"):
        (tmp_path / "exp" / part).symlink_to(measured / part)
    (tmp_path / "bare").mkdir()
    (tmp_path / "exp" / "runs").unlink()
    write_run(tmp_path / "exp", Chain("new", 1), 1)
    store = open_store(tmp_path, spark=refused)
    assert store.experiments == ("exp",) and store.unread() == {"exp": 1}


def test_what_is_not_there_is_named(tmp_path):
    write_experiment(tmp_path / "exp", [Chain("A", 1)], range(1))
    with pytest.raises(NoRuns, match="no such store"):
        open_store(tmp_path / "none")
    with pytest.raises(NoRuns, match="no experiment in it has tables"):
        open_store(tmp_path)
    with pytest.raises(NoRuns, match="no tables of 'exp'; there are those of: none"):
        open_store(tmp_path, ["exp"])


@pytest.mark.spark
def test_sql_over_tables_and_metrics(measured, spark):
    store = open_store(measured.parent, spark=spark)
    rows = store.arrow(
        "select r.cell, count(*) n, max(p.value) top from RUNS r join per_run p using (run_id) "
        "where p.metric = 'malformed_lines' group by r.cell order by r.cell"
    ).to_pylist()
    per_run = load_metrics(measured)["per_run"]
    wanted = per_run[per_run.metric == "malformed_lines"].groupby("cell").value.agg(["count", "max"])
    assert [(row["cell"], row["n"], row["top"]) for row in rows] == list(wanted.itertuples(name=None))
    assert store.arrow("select * from runs", limit=3).num_rows == 3
    assert store.frame("counters").count() == len(load(measured)["counters"])
    with pytest.raises(WrongQuery, match="SELECT"):
        store.sql("show views")
    with pytest.raises(ValueError, match="no table named events2"):
        store.frame("events2")


@pytest.mark.spark
def test_a_query_that_is_wrong_says_so(measured, spark):
    store = open_store(measured.parent, spark=spark)
    for query in ("select sede from runs", "selekt 1", "select * from events2"):
        with pytest.raises(WrongQuery, match="sede|can be read|events2"):
            store.sql(query)


@pytest.mark.spark
def test_apache_spark_says_where_a_query_is_wrong(measured, apache):
    store = open_store(measured.parent, spark=apache)
    with pytest.raises(WrongQuery, match="(?s)`sede`.*`seed`.*line 1"):
        store.sql("select sede from runs")
    with pytest.raises(WrongQuery, match="(?i)by zero"):
        store.arrow("select 1 / (seed - seed) from runs")


def test_a_damaged_file_is_named():
    from orchestrate_spark.errors import TablesFailed
    from pyspark.errors import PySparkException

    with pytest.raises(TablesFailed, match=r"^/a/tables/runs/x.parquet: not a Parquet file"), query_errors():
        raise PySparkException(
            "Encountered error while reading file file:///a/tables/runs/x.parquet. SQLSTATE"
        )
