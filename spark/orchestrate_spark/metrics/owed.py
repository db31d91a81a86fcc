# SPDX-License-Identifier: Apache-2.0
"""What subscribers were owed, and what they got, by the records `sub`, `pub`, `dlv` and `die`.

A subscriber is owed each event that was published on a subject after it subscribed to it, and before it died itself; one that
boots again is owed what is published from its new subscription on.
Several subscribers of a subject are owed the event once each.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql.functions import broadcast, expr

from orchestrate_spark.metrics.model import text

DEATH = text("die")


def owed(events: DataFrame, motes: DataFrame) -> DataFrame:
    """run_id, mote and node (of the subscriber), subject, renewal_ms, publisher, source (its node's name), sequence,
    published_us, delivered_us (the first time; null: never) and arrivals. `motes`: run_id, mote, name.
    """
    names = broadcast(motes.selectExpr("run_id", "mote", "name"))

    def named(rows: DataFrame, column: str) -> DataFrame:
        return rows.join(names, ["run_id", "mote"], "left").withColumn(column, expr("coalesce(name, concat('mote ', mote))")).drop("name")

    died = events.where(f"kind = {DEATH}").groupBy("run_id", "mote").agg(expr("collect_list(time_us) as deaths"))
    wanted = named(events.where("kind = 'sub'").groupBy("run_id", "mote", "subject").agg(
        expr("collect_list(time_us) as begins"), expr("max(value) as renewal_ms")).join(broadcast(died), ["run_id", "mote"], "left"), "node")
    got = events.where("kind = 'dlv'").selectExpr("run_id", "mote", "subject", "time_us", "inline(events)").groupBy(
        "run_id", "mote", "subject", "publisher", "sequence").agg(expr("min(time_us) as delivered_us"), expr("count(*) as arrivals"))
    published = named(events.where("kind = 'pub'").select("run_id", "mote", "subject", "publisher", "sequence", "time_us"), "source").selectExpr(
        "run_id", "subject", "publisher", "source", "sequence", "time_us as published_us")
    return published.join(broadcast(wanted), ["run_id", "subject"]).where(
        "exists(begins, b -> b <= published_us and not exists(coalesce(deaths, cast(array() as array<bigint>)), d -> d >= b and d <= published_us))").join(
        got, ["run_id", "mote", "subject", "publisher", "sequence"], "left").select(
        "run_id", "mote", "node", "subject", "renewal_ms", "publisher", "source", "sequence", "published_us", "delivered_us", "arrivals")


def without_index(rows: DataFrame, motes: DataFrame) -> DataFrame:
    """Of runs in which no mote says by `node` that it is a publisher: the others' counts are the motes' own (`from`, `dly`)."""
    return rows.join(broadcast(motes.where("index > 0").select("run_id").distinct()), "run_id", "left_anti")
