# SPDX-License-Identifier: Apache-2.0
"""What a metric is computed from and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

TOTAL = "total"
ROW = ("run_id", "metric", "key", "value")  # what a family gives: value is a double


@dataclass(frozen=True)
class Inputs:
    """The tables (orchestrate_spark.tables), of the runs that count only: one a cell and seed, ended well.

    `runs` has one row a run; `motes` names motes; the others hold what motes dumped after the run.
    """

    runs: DataFrame
    motes: DataFrame
    nodes: DataFrame
    counters: DataFrame
    deliveries: DataFrame
    aggregates: DataFrame
    delays: DataFrame
    states: DataFrame


@dataclass(frozen=True)
class Family:
    """Metrics computed together. `metrics`: name -> (unit, what it is, where the paper has it).

    `fill`: names whose absent key means zero (histograms); every run gets each key of its cell.
    """

    name: str
    rows: Callable[[Inputs], DataFrame]
    metrics: dict[str, tuple[str, str, str]]
    fill: tuple[str, ...] = ()


def row(metric: str, key: Column | str, value: Column) -> Column:
    """One metric's value as a struct for `unpivot`."""
    key = F.lit(key) if isinstance(key, str) else key
    return F.struct(F.lit(metric).alias("metric"), key.alias("key"), value.cast("double").alias("value"))


def unpivot(frame: DataFrame, *rows: Column) -> DataFrame:
    """Each row of `frame` (which has run_id) becomes one row a struct; values that are null are left out."""
    return frame.select("run_id", F.inline(F.array(*rows))).where("value is not null").select(*ROW)


def counter(inputs: Inputs, *names: str) -> DataFrame:
    """run_id, mote, and one column a counter; null where a mote did not print it."""
    return inputs.counters.where(F.col("name").isin(*names)).groupBy("run_id", "mote").agg(
        *(F.sum(F.when(F.col("name") == name, F.col("value"))).alias(name) for name in names))


def named(inputs: Inputs, frame: DataFrame) -> DataFrame:
    """With the column `node`, the mote's name in its run; a mote that no layout knows is `mote N`."""
    names = inputs.motes.select("run_id", "mote", F.col("name").alias("node"))
    number = F.concat(F.lit("mote "), F.col("mote").cast("string"))
    return frame.join(F.broadcast(names), ["run_id", "mote"], "left").withColumn("node", F.coalesce("node", number))
