# SPDX-License-Identifier: Apache-2.0
"""Counts the aggregates that the subscriber received, by size, and why stored events were forwarded.

Sizes are those of the aggregation paper's section 6.2, reasons those of its section 5.2.2.
"""

from __future__ import annotations

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, Metric, counter, unpivot

REASONS = ("timeout", "full", "contained", "frame")


def rows(inputs: Inputs) -> F.DataFrame:
    """Compute the metrics of aggregation."""
    sizes = inputs.aggregates.groupBy("run_id", "contributors").agg(F.sum("count").alias("messages"))
    messages, contributors = F.col("messages"), F.col("contributors")
    full = F.coalesce(F.sum(F.when(contributors == F.col("publishers"), messages)), F.lit(0))
    total = (
        _whole_runs(inputs, sizes)
        .groupBy("run_id")
        .agg(
            F.coalesce(F.sum(messages), F.lit(0)).alias("messages"),
            F.when(F.max("publishers") > 0, full).alias("full"),
            F.sum(contributors * messages).alias("events"),
            F.sum(F.when(contributors >= 2, contributors * messages).otherwise(0)).alias("inside"),
        )
    )
    return (
        unpivot(sizes, ("aggregate_size", contributors.cast("string"), messages))
        .union(
            unpivot(
                total,
                ("aggregates", F.lit(TOTAL), messages),
                ("full_aggregates", F.lit(TOTAL), F.col("full")),
                ("aggregated_share", F.lit(TOTAL), F.try_divide("inside", "events")),
            )
        )
        .union(
            unpivot(
                inputs.totals,
                *(("forwarded", F.lit(reason), counter(f"forward_{reason}")) for reason in REASONS),
            )
        )
    )


def _whole_runs(inputs: Inputs, sizes: F.DataFrame) -> F.DataFrame:
    """Return the sizes of the runs with a subscriber; a run that received nothing has one row of nulls.

    A run without records `agg` received nothing only if the subscribers' own counters say so, and if the
    application prints the record at all.
    """
    subscribers = inputs.motes.where(F.col("role") == "subscriber")
    handed = subscribers.groupBy("run_id", "publishers").agg(
        F.sum(counter("events_delivered")).alias("handed")
    )
    name = F.coalesce(F.get_json_object("parameters", "$.application.name"), F.lit(""))
    applications = inputs.runs.select("run_id", name.alias("application"))
    prints = (
        sizes.select("run_id")
        .distinct()
        .join(F.broadcast(applications), on="run_id", how="inner")
        .select("application")
        .distinct()
    )
    runs_that_print = applications.join(F.broadcast(prints), on="application", how="inner")
    return (
        handed.join(F.broadcast(runs_that_print), on="run_id", how="inner")
        .join(sizes, on="run_id", how="left")
        .where(F.col("messages").isNotNull() | (F.col("handed") == 0))
    )


FAMILY = Family(
    "aggregation",
    rows,
    {
        "aggregate_size": Metric(
            "messages",
            "event messages the subscriber received, by contributors (1: a single event)",
            "Figure 7d, section 6.2",
            title="Events per received message",
            kind="histogram",
            needs="agg",
            by="the number of events that it holds",
            axis="events in the message",
            place=150,
        ),
        "aggregates": Metric(
            "messages",
            "event messages the subscriber received",
            "section 6.2",
            title="Received event messages",
            kind="total",
            needs="agg",
            meaning="event messages handed to subscribers",
            place=90,
        ),
        "full_aggregates": Metric(
            "messages",
            "of these, with as many contributors as the network has publishers",
            "section 6.2",
            title="Full aggregates",
            kind="total",
            better="higher",
            needs="node agg",
            meaning="event messages handed to subscribers that hold every publisher",
            place=100,
            column=80,
        ),
        "aggregated_share": Metric(
            "share",
            "individual events that came with another one / all that came, repeated ones included",
            "Figure 7d, section 6.2",
            title="Share of events that came aggregated",
            kind="total",
            better="higher",
            decimals=1,
            needs="agg",
            meaning="individual events that came with another one ÷ all that came, repeated ones included",
            place=110,
            column=70,
        ),
        "forwarded": Metric(
            "events",
            "stored events forwarded by all nodes, by reason (" + ", ".join(REASONS) + ")",
            "section 5.2.2",
            title="Why stored events were forwarded",
            kind="table",
            needs=" ".join(f"cnt,forward_{reason}" for reason in REASONS),
            meaning="by what ended the merge function's hold",
            place=180,
        ),
    },
    printed="aggregates",
)
