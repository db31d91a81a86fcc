# SPDX-License-Identifier: Apache-2.0
"""What the subscriber received: aggregates and their sizes (the aggregation paper's section 6.2), and why stored events
were forwarded (section 5.2.2)."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql.functions import broadcast, expr

from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, sums, text, unpivot

REASONS = ("timeout", "full", "contained", "frame")


def rows(inputs: Inputs) -> DataFrame:
    sizes = inputs.aggregates.groupBy("run_id", "contributors").agg(expr("sum(count) as count"))
    known = inputs.motes.where("role = 'subscriber'").groupBy("run_id", "publishers").agg(
        expr("sum(c['events_delivered']) as handed"))
    # No record `agg` is a zero only where the subscribers' own counters say that nothing was handed to them, of an
    # application that prints the record at all.
    applications = inputs.runs.selectExpr("run_id", "coalesce(get_json_object(parameters, '$.application.name'), '') as application")
    prints = sizes.select("run_id").distinct().join(broadcast(applications), "run_id").select("application").distinct()
    known = known.join(broadcast(applications.join(broadcast(prints), "application")), "run_id")
    total = known.join(sizes, "run_id", "left").where("count is not null or handed = 0").groupBy("run_id").agg(
        expr("coalesce(sum(count), 0) as messages"),
        expr("if(max(publishers) > 0, coalesce(sum(if(contributors = publishers, count, 0)), 0), null) as full"),
        expr("sum(contributors * count) as events"),
        expr("sum(if(contributors >= 2, contributors * count, 0)) as inside"))
    forwarded = sums(inputs.motes, *(f"forward_{reason}" for reason in REASONS))
    return unpivot(sizes, ("aggregate_size", "cast(contributors as string)", "count")).union(
        unpivot(total, ("aggregates", text(TOTAL), "messages"), ("full_aggregates", text(TOTAL), "full"),
                ("aggregated_share", text(TOTAL), "inside / nullif(events, 0)"))).union(
        unpivot(forwarded, *(("forwarded", text(reason), f"forward_{reason}") for reason in REASONS)))


FAMILY = Family("aggregation", rows, {
    "aggregate_size": ("messages", "event messages the subscriber received, by contributors (1: a single event)",
                       "Figure 7d, section 6.2"),
    "aggregates": ("messages", "event messages the subscriber received", "section 6.2"),
    "full_aggregates": ("messages", "of these, with as many contributors as the network has publishers", "section 6.2"),
    "aggregated_share": ("share", "individual events that came with another one / all that came, repeated ones included",
                         "Figure 7d, section 6.2"),
    "forwarded": ("messages", "stored events forwarded by all nodes, by reason (" + ", ".join(REASONS) + ")",
                  "section 5.2.2"),
}, histograms=("aggregate_size",))
