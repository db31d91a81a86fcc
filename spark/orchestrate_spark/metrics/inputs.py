# SPDX-License-Identifier: Apache-2.0
"""Reads from an experiment's tables what the families take, for chosen runs only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from orchestrate_spark import embedded
from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import Inputs, collected_map
from orchestrate_spark.metrics.owed import owed
from orchestrate_spark.paths import plain
from orchestrate_spark.tables import COLUMNS, every, schema

COUNTER, STATE, NODE = "counter", "state", "node"


def read(
    spark: F.SparkSession,
    folder: Path,
    run_ids: Sequence[str] | None,
    scratch: Path | None = None,
    batches: Sequence[str] | None = None,
) -> Inputs:
    """Read the tables of these runs from an experiment's folder, as what metrics are made from.

    `run_ids`: None for all runs that are there. `batches`: the names of the files to read in each table's
    folder, None for all.
    What several families take is computed once: Apache Spark keeps it in memory and on the disk (`persist`).
    The embedded engine, which keeps nothing, gets it as Parquet files in the folder `scratch`.
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    chosen = None
    if run_ids is not None:
        chosen = spark.createDataFrame(pa.table({"run_id": pa.array(run_ids, pa.string())}))

    def stored(name: str) -> F.DataFrame:
        if name not in every():
            raise ValueError(f"no table named {name}; there are: {', '.join(every())}")
        wanted, place = from_arrow_schema(schema(name)), (folder / "tables" / name).resolve()
        files = [place] if batches is None else [place / f"{batch}.parquet" for batch in batches]
        if name not in COLUMNS:  # a batch of which no run has what its source reads has no file of it
            files = [file for file in files if any(file.glob("*.parquet")) or file.is_file()]
        if not files:
            return spark.createDataFrame([], wanted)
        rows = spark.read.schema(wanted).parquet(*map(plain, files))
        return rows if chosen is None else rows.join(F.broadcast(chosen), on="run_id", how="left_semi")

    def table(name: str) -> F.DataFrame:
        return stored(name).drop("experiment", "cell", "seed")

    def kept(name: str, frame: F.DataFrame) -> F.DataFrame:
        if scratch is None or not embedded.is_connect(spark):
            return frame.persist()
        place = plain(scratch.absolute() / name)
        frame.write.parquet(place)
        return spark.read.schema(frame.schema).parquet(place)

    motes = kept("motes", _motes(table("counters"), table("states"), table("nodes"), table("motes")))
    return Inputs(
        kept("runs", stored("runs")),
        motes,
        kept("totals", _totals(motes)),
        table("deliveries"),
        table("aggregates"),
        table("delays"),
        table("events"),
        kept("owed", owed(table("events"), table("motes"))),
        table,
    )


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
            collected_map("name", "value", F.col("of") == of).alias(name)
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
    return summed.groupBy("run_id").agg(collected_map("name", "value").alias("counters"))
