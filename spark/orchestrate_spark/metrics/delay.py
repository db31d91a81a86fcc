# SPDX-License-Identifier: Apache-2.0
"""Delivery delay, from an event's publication to its first delivery at a subscriber.

Motes count delays in buckets, each at most an eighth wide of its upper end; a quantile is the upper end of the bucket
it falls in, so it is never too small and at most an eighth too large. The mean is exact where motes print
`delay_total_ms`, else the buckets' upper ends stand for their delays.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from orchestrate_spark.metrics.model import Family, Inputs, row, unpivot

QUANTILES = {"p05": 0.05, "p50": 0.50, "p95": 0.95}


def rows(inputs: Inputs) -> DataFrame:
    buckets = inputs.delays.groupBy("run_id", "upper_ms").agg(F.sum("count").alias("count")).where("count > 0")
    running = Window.partitionBy("run_id").orderBy("upper_ms").rowsBetween(Window.unboundedPreceding, 0)
    whole = Window.partitionBy("run_id")
    ranked = buckets.withColumn("rank", F.sum("count").over(running)).withColumn("n", F.sum("count").over(whole))
    exact = inputs.counters.where("name = 'delay_total_ms'").groupBy("run_id").agg(F.sum("value").alias("exact"))
    found = ranked.groupBy("run_id").agg(
        F.first("n").alias("n"), F.sum(F.col("upper_ms") * F.col("count")).alias("rough"),
        *(F.min(F.when(F.col("rank") >= share * F.col("n"), F.col("upper_ms"))).alias(name)
          for name, share in QUANTILES.items()),
    ).join(exact, "run_id", "left")
    mean = F.coalesce("exact", "rough") / F.col("n")
    return unpivot(buckets, row("delay_histogram", F.col("upper_ms").cast("string"), F.col("count"))).unionByName(
        unpivot(found, *(row("delay_ms", name, F.col(name)) for name in QUANTILES), row("delay_ms", "mean", mean)))


FAMILY = Family("delay", rows, {
    "delay_ms": ("ms", "delivery delay of individual events: quantiles p05, p50, p95, and mean", "section 6.5"),
    "delay_histogram": ("events", "individual events delivered after at most upper_ms (the key) and more than the key before",
                        "section 6.5"),
}, fill=("delay_histogram",))
