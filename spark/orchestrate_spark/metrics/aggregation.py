# SPDX-License-Identifier: Apache-2.0
"""What the subscriber received: aggregates and their sizes (the paper's section 6.3), and why stored events were
forwarded (section 5.2.2)."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, row, unpivot

REASONS = ("timeout", "full", "contained", "frame")


def rows(inputs: Inputs) -> DataFrame:
    publishers = inputs.nodes.where("index > 0").groupBy("run_id").agg(F.countDistinct("index").alias("publishers"))
    sizes = inputs.aggregates.groupBy("run_id", "contributors").agg(F.sum("count").alias("count"))
    known = publishers.join(sizes, "run_id", "left")  # a run that received nothing has zeros
    events = F.col("contributors") * F.col("count")
    total = known.groupBy("run_id").agg(
        F.coalesce(F.sum("count"), F.lit(0)).alias("messages"),
        F.coalesce(F.sum(F.when(F.col("contributors") == F.col("publishers"), F.col("count"))), F.lit(0)).alias("full"),
        F.sum(events).alias("events"), F.sum(F.when(F.col("contributors") >= 2, events).otherwise(0)).alias("inside"))
    share = F.when(F.col("events") > 0, F.col("inside") / F.col("events"))
    forwarded = inputs.counters.where(F.col("name").startswith("forward_")).groupBy("run_id", "name").agg(
        F.sum("value").alias("value"))
    return unpivot(sizes, row("aggregate_size", F.col("contributors").cast("string"), F.col("count"))).unionByName(
        unpivot(total, row("aggregates", TOTAL, F.col("messages")), row("full_aggregates", TOTAL, F.col("full")),
                row("aggregated_share", TOTAL, share))).unionByName(
        unpivot(forwarded, row("forwarded", F.expr("substring(name, 9)"), F.col("value"))))


FAMILY = Family("aggregation", rows, {
    "aggregate_size": ("messages", "event messages the subscriber received, by contributors (1: a single event)",
                       "section 6.3"),
    "aggregates": ("messages", "event messages the subscriber received", "section 6.3"),
    "full_aggregates": ("messages", "of these, with as many contributors as the network has publishers", "section 6.3"),
    "aggregated_share": ("share", "individual events that came with another one / all that came, repeated ones included",
                         "section 6.3"),
    "forwarded": ("messages", "stored events forwarded by all nodes, by reason (" + ", ".join(REASONS) + ")",
                  "section 5.2.2"),
}, fill=("aggregate_size",))
