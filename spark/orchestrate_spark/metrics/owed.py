# SPDX-License-Identifier: Apache-2.0
"""Finds what subscribers were owed and what they got, by the records `sub`, `pub`, `dlv` and `die`.

A subscriber is owed each event that was published on a subject after it subscribed to it and before its own
death. If it boots again, it is owed what is published from its new subscription on. Each of several
subscribers is owed the event once.
"""

from __future__ import annotations

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import with_names

EVENT = ["subject", "publisher", "sequence"]


def owed(events: F.DataFrame, motes: F.DataFrame) -> F.DataFrame:
    """Return a row for each event and each subscriber that is owed it.

    Columns: run_id, mote and node (the subscriber's), subject, renewal_ms, publisher, source (its node's
    name), sequence, published_us, delivered_us (of the first delivery; null for none) and arrivals (their
    number). `motes` has run_id, mote and name.
    """
    deaths = deaths_in(events).groupBy("run_id", "mote").agg(F.collect_list("time_us").alias("deaths"))
    subscriptions = (
        events.where(F.col("kind") == "sub")
        .groupBy("run_id", "mote", "subject")
        .agg(F.collect_list("time_us").alias("begins"), F.max("value").alias("renewal_ms"))
    )
    subscribers = with_names(
        subscriptions.join(F.broadcast(deaths), on=["run_id", "mote"], how="left"), motes, "node"
    )
    published = with_names(
        events.where(F.col("kind") == "pub").select("run_id", "mote", *EVENT, "time_us"), motes, "source"
    ).select("run_id", "source", *EVENT, F.col("time_us").alias("published_us"))
    arrived = (
        events.where(F.col("kind") == "dlv")
        .select("run_id", "mote", "subject", "time_us", F.inline("events"))
        .groupBy("run_id", "mote", *EVENT)
        .agg(F.min("time_us").alias("delivered_us"), F.count("*").alias("arrivals"))
    )
    wanted = published.join(F.broadcast(subscribers), on=["run_id", "subject"], how="inner").where(
        _subscribed()
    )
    return wanted.join(arrived, on=["run_id", "mote", *EVENT], how="left").select(
        "run_id",
        "mote",
        "node",
        "subject",
        "renewal_ms",
        "publisher",
        "source",
        "sequence",
        "published_us",
        "delivered_us",
        "arrivals",
    )


def _subscribed() -> F.Column:
    """Return whether a subscription (`begins`) came before `published_us`, with no death between the two."""
    published_us, deaths = F.col("published_us"), F.coalesce("deaths", F.array().cast("array<bigint>"))
    return F.exists(
        "begins",
        lambda begin: (
            (begin <= published_us) & ~F.exists(deaths, lambda death: death.between(begin, published_us))
        ),
    )


def deaths_in(events: F.DataFrame) -> F.DataFrame:
    """Select the records of motes that die."""
    return events.where(F.col("kind") == "die")
