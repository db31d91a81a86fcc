# SPDX-License-Identifier: Apache-2.0
"""Reads from an experiment's tables what the families take, for chosen runs only."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import Inputs
from orchestrate_spark.metrics.owed import owed
from orchestrate_spark.tables import COLUMNS, schema

MANY_RUNS = 1_000  # below this, one more job costs about what it saves
COUNTER, STATE, NODE = "counter", "state", "node"


def read(spark: F.SparkSession, folder: Path, run_ids: Sequence[str]) -> Inputs:
    """Read the tables of these runs from an experiment's folder, as what metrics are made from."""
    from pyspark.sql.pandas.types import from_arrow_schema

    chosen = spark.createDataFrame(pa.table({"run_id": pa.array(run_ids, pa.string())}))

    def stored(name: str) -> F.DataFrame:
        if name not in COLUMNS:
            raise ValueError(f"no table named {name}; there are: {', '.join(COLUMNS)}")
        rows = spark.read.schema(from_arrow_schema(schema(name))).parquet(
            str((folder / "tables" / name).resolve())
        )
        return rows.join(F.broadcast(chosen), on="run_id", how="left_semi")

    def table(name: str) -> F.DataFrame:
        return stored(name).drop("experiment", "cell", "seed")

    motes = _motes(table("counters"), table("states"), table("nodes"), table("motes")).persist()
    return Inputs(
        stored("runs").persist(),
        motes,
        _totals(motes).persist(),
        table("deliveries"),
        table("aggregates"),
        table("delays"),
        table("events"),
        owed(table("events"), table("motes")).persist(),
        table,
    )


@contextmanager
def summed_meanwhile(inputs: Inputs, runs: int) -> Iterator[None]:
    """Sum the counters of many runs, which most families take, while their plans keep only one core busy."""
    if runs < MANY_RUNS:
        yield
        return

    def summed() -> None:
        with suppress(Exception):  # the job that needs the sums will say what is wrong
            inputs.totals.count()

    thread = threading.Thread(target=summed, name="spark-totals", daemon=True)
    thread.start()
    yield
    thread.join()


def _motes(
    counters: F.DataFrame, states: F.DataFrame, nodes: F.DataFrame, layout: F.DataFrame
) -> F.DataFrame:
    """Return `motes` of Inputs: one row for each mote."""
    # All that motes said is one frame, so that one exchange by run serves this grouping and those that
    # follow.
    said = (
        counters.select("run_id", "mote", F.lit(COUNTER).alias("of"), "name", "value")
        .union(states.select("run_id", "mote", F.lit(STATE), "state", "state_us"))
        .union(nodes.select("run_id", "mote", F.lit(NODE), "role", "index"))
        .repartition("run_id")
    )

    def only(of: str, value: F.Column) -> F.Column:
        return F.when(F.col("of") == of, value)

    by_mote = said.groupBy("run_id", "mote").agg(
        *(
            F.map_from_entries(F.collect_list(only(of, F.struct("name", "value")))).alias(name)
            for name, of in (("counters", COUNTER), ("states", STATE))
        ),
        F.max(only(NODE, F.col("name"))).alias("said_role"),
        F.coalesce(F.max(only(NODE, F.col("value"))), F.lit(0)).alias("index"),
    )
    placed = layout.select("run_id", "mote", "name", F.col("role").alias("planned_role"))
    motes = by_mote.join(F.broadcast(placed), on=["run_id", "mote"], how="left").select(
        "run_id",
        "mote",
        F.coalesce("name", F.concat(F.lit("mote "), "mote")).alias("node"),
        F.coalesce("said_role", "planned_role").alias("role"),
        "index",
        "counters",
        "states",
    )
    of_run = F.Window.partitionBy("run_id")
    return motes.select(
        "*",
        F.count_if(F.col("index") > 0).over(of_run).alias("publishers"),
        F.count_if(F.col("role") == "subscriber").over(of_run).alias("subscribers"),
    )


def _totals(motes: F.DataFrame) -> F.DataFrame:
    """Sum once for all families: a sum of its own in each would cost Spark a plan and an exchange."""
    summed = (
        motes.select("run_id", F.explode("counters").alias("name", "value"))
        .groupBy("run_id", "name")
        .agg(F.sum("value").alias("value"))
    )
    return summed.groupBy("run_id").agg(
        F.map_from_entries(F.collect_list(F.struct("name", "value"))).alias("counters")
    )
