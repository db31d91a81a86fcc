# SPDX-License-Identifier: Apache-2.0
"""Individual events by publisher: published, delivered, lost, duplicated (the aggregation paper's
Figure 7g, section 6.4). The paper may count an event that arrives twice as two; here an event is delivered once."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql.functions import broadcast, expr

from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, text, unpivot
from orchestrate_spark.metrics.owed import without_index

COUNTS = ("published", "delivered", "duplicated", "owed")


def rows(inputs: Inputs) -> DataFrame:
    both = _counted(inputs).unionByName(_traced(inputs)).groupingSets([["run_id", "node"], ["run_id"]], "run_id", "node").agg(*(
        # What one publisher's share is not known of is known of nobody's sum.
        expr(f"if(count({name}) = count(*), sum({name}), null) as {name}") for name in COUNTS))
    node = f"coalesce(node, {text(TOTAL)})"
    return unpivot(both, ("events_published", node, "published"), ("events_delivered", node, "delivered"),
                   ("events_lost", node, "owed - delivered"), ("events_duplicated", node, "duplicated"),
                   ("event_loss_rate", node, "(owed - delivered) / nullif(owed, 0)"))


def _counted(inputs: Inputs) -> DataFrame:
    """Of runs whose motes say their index by `node`; each subscriber is owed every event. Without a record `from` nothing
    was delivered only if the subscribers' own counters say so."""
    heard = inputs.deliveries.groupBy("run_id").agg(expr("true as heard"))
    handed = inputs.motes.where("role = 'subscriber'").groupBy("run_id").agg(expr("sum(c['events_delivered']) as handed"))
    got = inputs.deliveries.groupBy("run_id", expr("publisher as index")).agg(
        expr("sum(events) as delivered"), expr("sum(duplicates) as duplicated"))
    known = "if(heard or handed = 0, coalesce({0}, 0), null) as {0}"
    return inputs.motes.where("index > 0").join(broadcast(got), ["run_id", "index"], "left").join(
        broadcast(heard), "run_id", "left").join(broadcast(handed), "run_id", "left").selectExpr(
        "run_id", "node", "c['events_published'] as published", known.format("delivered"), known.format("duplicated"),
        "c['events_published'] * greatest(subscribers, 1) as owed")


def _traced(inputs: Inputs) -> DataFrame:
    """Of runs without, by the trace: `sub` says who is owed what."""
    subscribed = inputs.events.where("kind = 'sub'").select("run_id").distinct()
    published = without_index(inputs.events.where("kind = 'pub'").join(broadcast(subscribed), "run_id", "left_semi"), inputs.motes).join(
        broadcast(inputs.table("motes").selectExpr("run_id", "mote", "name")), ["run_id", "mote"], "left").groupBy(
        "run_id", expr("coalesce(name, concat('mote ', mote)) as node")).agg(expr("count(*) as published"))
    owed = inputs.owed.groupBy("run_id", expr("source as node")).agg(
        expr("count(delivered_us) as delivered"), expr("coalesce(sum(arrivals - 1), 0) as duplicated"), expr("count(*) as owed"))
    return published.join(owed, ["run_id", "node"], "left").selectExpr(
        "run_id", "node", "published", *(f"coalesce({name}, 0) as {name}" for name in COUNTS[1:]))


FAMILY = Family("events", rows, {
    "events_published": ("events", "individual events the publisher's application published", "section 5.2"),
    "events_delivered": ("events", "individual events that reached a subscriber, the first time each; of several subscribers, the "
                         "sum", "section 6.4"),
    "events_lost": ("events", "owed less delivered: each subscriber is owed the events on what it subscribed to (by `sub`, from "
                    "then to its own death), without records `sub` every event", "section 6.4"),
    "events_duplicated": ("events", "individual events that reached a subscriber again", "section 6.4"),
    "event_loss_rate": ("share", "lost / owed", "Figure 7g, section 6.4"),
})
