# SPDX-License-Identifier: Apache-2.0
"""Individual events by publisher: published, delivered, lost, duplicated (the aggregation paper's
Figure 7g, section 6.4). The paper may count an event that arrives twice as two; here an event is delivered once."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql.functions import broadcast, expr

from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, text, unpivot


def rows(inputs: Inputs) -> DataFrame:
    """A publisher is a mote with an index. With several subscribers each is owed every event."""
    got = inputs.deliveries.groupBy("run_id", expr("publisher as index")).agg(
        expr("sum(events) as delivered"), expr("sum(duplicates) as duplicated"))
    each = inputs.motes.where("index > 0").join(broadcast(got), ["run_id", "index"], "left").selectExpr(
        "run_id", "node", "coalesce(c['events_published'], 0) as published", "coalesce(delivered, 0) as delivered",
        "coalesce(duplicated, 0) as duplicated",
        "coalesce(c['events_published'], 0) * greatest(subscribers, 1) as owed")
    both = each.groupingSets([["run_id", "node"], ["run_id"]], "run_id", "node").agg(*(
        expr(f"sum({name}) as {name}") for name in ("published", "delivered", "duplicated", "owed")))
    node = f"coalesce(node, {text(TOTAL)})"
    return unpivot(both, ("events_published", node, "published"), ("events_delivered", node, "delivered"),
                   ("events_lost", node, "owed - delivered"), ("events_duplicated", node, "duplicated"),
                   ("event_loss_rate", node, "(owed - delivered) / nullif(owed, 0)"))


FAMILY = Family("events", rows, {
    "events_published": ("events", "individual events the publisher's application published", "section 5.2"),
    "events_delivered": ("events", "individual events that reached a subscriber, the first time each", "section 6.4"),
    "events_lost": ("events", "published, times subscribers, less delivered", "section 6.4"),
    "events_duplicated": ("events", "individual events that reached a subscriber again", "section 6.4"),
    "event_loss_rate": ("share", "lost / (published times subscribers)", "Figure 7g, section 6.4"),
})
