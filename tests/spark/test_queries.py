# SPDX-License-Identifier: Apache-2.0
"""A query reads a store's tables, and nothing else reaches the engine, whichever it is."""

import pytest
from orchestrate_spark.errors import WrongQuery
from orchestrate_spark.stores import OpenStore


class Asked(Exception):
    """The engine was reached."""


def ask(query, folder):
    def engine():
        raise Asked

    OpenStore(folder, ("chain",), engine).sql(query)


@pytest.mark.parametrize(
    "query",
    [
        "drop table per_run",
        "create table mine as select 1",
        "with a as (select 1) insert into runs select * from a",
        "from runs insert into a select 1 insert into b select 2",
        "set spark.sql.shuffle.partitions = 1",
        "add jar 'x.jar'",
        "execute immediate 'drop table runs'",
        "select 1; drop table runs",
        "select java_method('java.lang.System', 'exit', 1)",
        "select system.builtin.`Reflect`('java.lang.System', 'exit', 1)",
        "select try_reflect('java.lang.System', 'exit', 1)",
        "select * from (select transform(cell) using 'sh -c id' as (x string) from runs)",
        "from runs map cell using 'cat' as b",
        "select * from csv.`/etc/passwd`",
        "select * from identifier('csv.`/etc/passwd`')",
        "select * from read_parquet('/tmp/x')",
        "select " + "(" * 5000,
        "selekt 1",
    ],
)
def test_more_than_a_query_is_refused_before_the_engine_sees_it(query, tmp_path):
    with pytest.raises(WrongQuery):
        ask(query, tmp_path)


@pytest.mark.parametrize(
    "query",
    [
        "select cell, avg(value) from per_run where metric = 'reduction' group by cell order by cell",
        "with a as (select * from runs) select * from a join nodes using (run_id) -- reflect",
        "(select 'reflect(1)' as a) union all (values ('drop table runs'))",
        "select filter(events, x -> x > 1), transform(events, x -> x + 1) from jobs",
        "select percentile_approx(value, 0.5), count(*) filter (where value > 1) from per_run;",
        "values (1), (2)",
    ],
)
def test_a_query_reaches_the_engine(query, tmp_path, monkeypatch):
    monkeypatch.setattr(OpenStore, "frame", lambda self, name: self.session)
    with pytest.raises(Asked):
        ask(query, tmp_path)
