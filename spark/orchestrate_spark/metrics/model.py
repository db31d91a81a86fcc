# SPDX-License-Identifier: Apache-2.0
"""What a metric is computed from and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame

TOTAL = "total"
COLUMNS = ("run_id", "metric", "key", "value")  # what a family gives: value is a double


@dataclass(frozen=True)
class Inputs:
    """The runs that count (one a cell and seed, ended well) and what their motes dumped after the run.

    `motes`: run_id, mote, node (its name), role, index (of a publisher, else 0), publishers (of its run),
    subscribers (of its run), c (map: counter -> value), s (map: state of energest -> us). One row a mote.
    `owed`: what subscribers were owed by the trace (metrics/owed.py), of runs whose motes say by `sub` what they want.
    `runs`, `deliveries`, `aggregates`, `delays`, `events`: the tables (orchestrate_spark.tables). `table(name)`: any of
    them, such as `records`, what applications of one's own print. All without experiment, cell and seed, but `runs`.
    """

    runs: DataFrame
    motes: DataFrame
    deliveries: DataFrame
    aggregates: DataFrame
    delays: DataFrame
    events: DataFrame
    owed: DataFrame
    table: Callable[[str], DataFrame]


@dataclass(frozen=True)
class Family:
    """Metrics computed together. `metrics`: name -> (unit, what it is, where the paper has it).

    `histograms`: names of which an absent key means zero; summaries count such runs as zeros. `of`: tables without whose
    rows it has nothing to say; where all of them are empty it is not asked, as each family costs Spark time.
    `below_zero`: shares that may be negative.
    """

    name: str
    rows: Callable[[Inputs], DataFrame]
    metrics: dict[str, tuple[str, str, str]]
    histograms: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    below_zero: tuple[str, ...] = ()


def unpivot(frame: DataFrame, *rows: tuple[str, str, str]) -> DataFrame:
    """(metric, key, value) -> one row of the result for each row of `frame`, which has run_id; key and value are SQL
    expressions. Values that are null are left out."""
    structs = ", ".join(
        f"struct('{metric}' as metric, {key} as key, cast({value} as double) as value)" for metric, key, value in rows)
    return frame.selectExpr("run_id", f"inline(array({structs}))").where("value is not null")


def text(value: str) -> str:
    """A string literal of SQL."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def named(inputs: Inputs, rows: DataFrame) -> DataFrame:
    """Rows of a table with the name of their mote, as `node`."""
    from pyspark.sql.functions import broadcast

    names = inputs.table("motes").selectExpr("run_id", "mote", "name as node_name")
    return rows.join(broadcast(names), ["run_id", "mote"], "left").selectExpr(
        "*", "coalesce(node_name, concat('mote ', mote)) as node").drop("node_name")


def sums(motes: DataFrame, *counters: str) -> DataFrame:
    """run_id and, of each counter, the sum over the run's motes; null if no mote printed it."""
    from pyspark.sql.functions import expr

    return motes.groupBy("run_id").agg(*(expr(f"sum(c['{name}']) as {name}") for name in counters))
