# SPDX-License-Identifier: Apache-2.0
"""Computes from the trace how old the newest value is that a subscriber has of each publisher.

The values are events of other motes, or what a subscriber of a mote's blackboard is notified of. The age is
the time since the publication of the newest one that the subscriber got; an older one that comes later
changes nothing. It is observed from a publisher's first delivery to its last one. A lost event makes it grow
until the next one arrives, which a delay does not show.
"""

from __future__ import annotations

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import Family, Inputs, Metric, each_and_all, exact_sum, named, unpivot
from orchestrate_spark.metrics.owed import EVENT


def rows(inputs: Inputs) -> F.DataFrame:
    """Compute the ages at subscribers."""
    spans = _spans(inputs)
    runs = (
        each_and_all(spans, "node")
        .groupBy("run_id", "node")
        .agg(
            (exact_sum("area") / F.sum("span_us") / 1000).alias("mean_ms"),
            (F.max("peak_us") / 1000).alias("peak_ms"),
        )
    )
    return unpivot(runs, ("age_mean_ms", F.col("node"), "mean_ms"), ("age_peak_ms", F.col("node"), "peak_ms"))


def _spans(inputs: Inputs) -> F.DataFrame:
    """Return a row for the time from each delivery to the next one of the same publisher.

    Columns: run_id, node, span_us (its length), peak_us (the age just before the next delivery), and area
    (the integral of the age over that time, us * us).
    """
    one = F.Window.partitionBy("run_id", "mote", "subject", "source", "publisher")
    in_order = one.orderBy("delivered_us", "published_us")
    until_now = in_order.rowsBetween(F.Window.unboundedPreceding, F.Window.currentRow)
    deliveries = _deliveries(inputs).select(
        "run_id",
        "node",
        F.col("delivered_us").cast("double").alias("begins"),
        F.lead("delivered_us").over(in_order).cast("double").alias("ends"),
        F.max("published_us").over(until_now).cast("double").alias("newest"),
    )
    begin, end = F.col("begins") - F.col("newest"), F.col("ends") - F.col("newest")
    return deliveries.where(F.col("ends").isNotNull()).select(
        "run_id",
        "node",
        (end - begin).alias("span_us"),
        end.alias("peak_us"),
        ((end * end - begin * begin) / 2).alias("area"),
    )


def _deliveries(inputs: Inputs) -> F.DataFrame:
    """Return what reached whom, with the times of publication and delivery.

    Of events: what subscribers were owed if motes say that they subscribe, else all that was delivered; and
    notifications of blackboards.
    """
    columns = ("run_id", "mote", "node", "subject", "source", "publisher", "published_us", "delivered_us")
    owed = inputs.owed.where(F.col("delivered_us").isNotNull()).select(*columns)
    events = inputs.events.join(
        F.broadcast(inputs.events.where(F.col("kind") == "sub").select("run_id").distinct()),
        on="run_id",
        how="left_anti",
    )
    published = named(inputs, events.where(F.col("kind") == "pub")).select(
        "run_id", *EVENT, F.col("node").alias("source"), F.col("time_us").alias("published_us")
    )
    arrived = (
        named(inputs, events.where(F.col("kind") == "dlv").drop("publisher", "sequence"))
        .select("run_id", "mote", "node", "subject", "time_us", F.inline("events"))
        .groupBy("run_id", "mote", "node", *EVENT)
        .agg(F.min("time_us").alias("delivered_us"))
    )
    unasked = arrived.join(published, on=["run_id", *EVENT], how="inner").select(*columns)
    notified = named(inputs, inputs.table("execution").where(F.col("kind") == "ntf")).select(
        "run_id",
        "mote",
        "node",
        F.col("event").cast("string").alias("subject"),
        F.col("node").alias("source"),
        F.col("subscriber").alias("publisher"),
        (F.col("time_us") - F.col("delay_us")).alias("published_us"),
        F.col("time_us").alias("delivered_us"),
    )
    return owed.union(unasked).union(notified)


FAMILY = Family(
    "ages",
    rows,
    {
        "age_mean_ms": Metric(
            "ms",
            "age of the newest event that the subscriber has of a publisher, since its publication: mean "
            "over the time from the first delivery to the last",
            title="Age of data",
            kind="total",
            better="lower",
            decimals=1,
            needs="pub dlv or ntf",
            meaning="mean over time of the newest event's age",
            by="subscriber",
            axis="subscriber",
            place=173,
        ),
        "age_peak_ms": Metric(
            "ms",
            "the largest age of the newest event that the subscriber has of a publisher, before the next one "
            "arrives",
            title="Largest age of data",
            kind="total",
            better="lower",
            decimals=1,
            needs="pub dlv or ntf",
            meaning="the newest event's largest age before the next one",
            by="subscriber",
            axis="subscriber",
            place=176,
        ),
    },
    of=("events", "execution"),
)
