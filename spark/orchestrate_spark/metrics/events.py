# SPDX-License-Identifier: Apache-2.0
"""Individual events by publisher: published, delivered, lost, duplicated (the paper's section 6.4)."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, counter, named, row, unpivot


def rows(inputs: Inputs) -> DataFrame:
    """A publisher is a mote with an index. With several subscribers each is owed every event."""
    nodes = inputs.nodes.select("run_id", "mote", "role", "index")
    subscribers = nodes.where("role = 'subscriber'").groupBy("run_id").agg(F.count("*").alias("subscribers"))
    publishers = named(inputs, nodes.where("index > 0")).join(
        counter(inputs, "events_published"), ["run_id", "mote"], "left").join(
        F.broadcast(subscribers), "run_id", "left")
    got = inputs.deliveries.groupBy("run_id", F.col("publisher").alias("index")).agg(
        F.sum("events").alias("delivered"), F.sum("duplicates").alias("duplicated"))
    each = publishers.join(got, ["run_id", "index"], "left").select(
        "run_id", "node", F.coalesce("events_published", F.lit(0)).alias("published"),
        F.coalesce("delivered", F.lit(0)).alias("delivered"), F.coalesce("duplicated", F.lit(0)).alias("duplicated"),
        (F.coalesce("events_published", F.lit(0)) * F.coalesce("subscribers", F.lit(1))).alias("owed"))
    total = each.groupBy("run_id").agg(*(F.sum(name).alias(name) for name in (
        "published", "delivered", "duplicated", "owed"))).withColumn("node", F.lit(TOTAL))
    lost = F.col("owed") - F.col("delivered")
    return unpivot(
        each.unionByName(total),
        row("events_published", F.col("node"), F.col("published")),
        row("events_delivered", F.col("node"), F.col("delivered")),
        row("events_lost", F.col("node"), lost),
        row("events_duplicated", F.col("node"), F.col("duplicated")),
        row("event_loss_rate", F.col("node"), F.when(F.col("owed") > 0, lost / F.col("owed"))),
    )


FAMILY = Family("events", rows, {
    "events_published": ("events", "individual events the publisher's application published", "section 5.2"),
    "events_delivered": ("events", "individual events that reached a subscriber, the first time each", "section 6.4"),
    "events_lost": ("events", "published, times subscribers, less delivered", "section 6.4"),
    "events_duplicated": ("events", "individual events that reached a subscriber again", "section 6.4"),
    "event_loss_rate": ("share", "lost / (published times subscribers)", "section 6.4"),
})
