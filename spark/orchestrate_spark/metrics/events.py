# SPDX-License-Identifier: Apache-2.0
"""Counts individual events by publisher: published, delivered, lost, duplicated.

Source: the aggregation paper's Figure 7g and section 6.4. The paper may count an event that arrives twice as
two; here an event is delivered once.
"""

from __future__ import annotations

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import (
    Family,
    Inputs,
    Metric,
    counter,
    each_and_all,
    named,
    unpivot,
)

COUNTS = ("published", "delivered", "duplicated", "owed")


def rows(inputs: Inputs) -> F.DataFrame:
    """Compute the metrics of events."""
    counted = _counted(inputs)
    # A mote may say with `node` what it is and count nothing: then the trace is all that there is.
    known = counted.where(F.col("published").isNotNull() & F.col("delivered").isNotNull())
    traced = (
        inputs.events.where(F.col("kind") == "sub")
        .select("run_id")
        .distinct()
        .join(F.broadcast(known.select("run_id").distinct()), on="run_id", how="left_anti")
    )
    by_publisher = counted.join(F.broadcast(traced), on="run_id", how="left_anti").unionByName(
        _traced(inputs, traced)
    )
    # A sum is null if the value of one publisher is.
    both = (
        each_and_all(by_publisher, "node")
        .groupBy("run_id", "node")
        .agg(*(F.when(F.count(name) == F.count("*"), F.sum(name)).alias(name) for name in COUNTS))
    )
    node, lost = F.col("node"), F.col("owed") - F.col("delivered")
    return unpivot(
        both,
        ("events_published", node, F.col("published")),
        ("events_delivered", node, F.col("delivered")),
        ("events_lost", node, lost),
        ("events_duplicated", node, F.col("duplicated")),
        ("event_loss_rate", node, F.try_divide(lost, "owed")),
    )


def _counted(inputs: Inputs) -> F.DataFrame:
    """Return the counts of runs whose motes print `node`, in which each subscriber is owed every event.

    In a run without records `from`, nothing was delivered only if the subscribers' own counters say so.
    """
    arrived = inputs.deliveries.groupBy("run_id", F.col("publisher").alias("index")).agg(
        F.sum("events").alias("delivered"), F.sum("duplicates").alias("duplicated")
    )
    heard = inputs.deliveries.groupBy("run_id").agg(F.lit(True).alias("heard"))
    subscribers = inputs.motes.where(F.col("role") == "subscriber")
    handed = subscribers.groupBy("run_id").agg(F.sum(counter("events_delivered")).alias("handed"))
    publishers = inputs.motes.where(F.col("index") > 0)
    known = (
        publishers.join(F.broadcast(arrived), on=["run_id", "index"], how="left")
        .join(F.broadcast(heard), on="run_id", how="left")
        .join(F.broadcast(handed), on="run_id", how="left")
    )

    def or_none(name: str) -> F.Column:
        return F.when(F.col("heard") | (F.col("handed") == 0), F.coalesce(name, F.lit(0))).alias(name)

    published = counter("events_published")
    return known.select(
        "run_id",
        "node",
        published.alias("published"),
        or_none("delivered"),
        or_none("duplicated"),
        (published * F.greatest("subscribers", F.lit(1))).alias("owed"),
    )


def _traced(inputs: Inputs, runs: F.DataFrame) -> F.DataFrame:
    """Count events of these runs by their trace, in which `sub` says which events each subscriber is owed."""
    events = inputs.events.where(F.col("kind") == "pub").join(F.broadcast(runs), on="run_id", how="left_semi")
    published = named(inputs, events).groupBy("run_id", "node").agg(F.count("*").alias("published"))
    owed = inputs.owed.groupBy("run_id", F.col("source").alias("node")).agg(
        F.count("delivered_us").alias("delivered"),
        F.sum(F.col("arrivals") - 1).alias("duplicated"),
        F.count("*").alias("owed"),
    )
    return published.join(owed, on=["run_id", "node"], how="left").fillna(0)


_FROM_OR_TRACE = "node from or sub pub dlv"
_LOST = "node cnt,events_published from or sub pub dlv"

FAMILY = Family(
    "events",
    rows,
    {
        "events_published": Metric(
            "events",
            "individual events the publisher's application published",
            "section 5.2",
            title="Published events",
            kind="total",
            needs="node cnt,events_published or sub pub",
            place=50,
            column=10,
            expected=10,
        ),
        "events_delivered": Metric(
            "events",
            "individual events that reached a subscriber, the first time each; of several subscribers, the "
            "sum",
            "section 6.4",
            title="Delivered events",
            kind="total",
            better="higher",
            needs=_FROM_OR_TRACE,
            meaning="individual events, the first delivery to each subscriber",
            place=60,
            column=20,
            expected=20,
        ),
        "events_lost": Metric(
            "events",
            "owed less delivered: each subscriber is owed the events on what it subscribed to (by `sub`, "
            "from then to its own death), without records `sub` every event",
            "section 6.4",
            title="Lost events",
            kind="total",
            better="lower",
            needs=_LOST,
            meaning="owed to a subscriber and never delivered to it",
            place=70,
            expected=30,
        ),
        "events_duplicated": Metric(
            "events",
            "individual events that reached a subscriber again",
            "section 6.4",
            title="Duplicated events",
            kind="total",
            better="lower",
            needs=_FROM_OR_TRACE,
            meaning="individual events that reached a subscriber again",
            place=80,
            expected=50,
        ),
        "event_loss_rate": Metric(
            "share",
            "lost / owed",
            "Figure 7g, section 6.4",
            title="Event loss rate",
            kind="total",
            better="lower",
            decimals=2,
            needs=_LOST,
            meaning="events that subscribers were owed and never got ÷ events that they were owed",
            by="publisher",
            place=30,
            column=30,
            step=10,
            expected=40,
        ),
    },
)
