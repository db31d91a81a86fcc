# SPDX-License-Identifier: Apache-2.0
"""Computes delivery before and after a mote dies, by subscriber and window, and how soon it recovers.

A window is half a renewal of the subscriber's interest; windows are counted from the first death. This needs
runs whose trace says who subscribed to what (`sub`) and that a mote died (`die`). An event counts in the
window in which it was published, for each subscriber that is owed it (owed.py).
"""

from __future__ import annotations

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import Family, Inputs, Metric, each_and_all, unpivot
from orchestrate_spark.metrics.owed import deaths_in

RECOVERED = 0.9  # share of the delivery ratio before the death from which it counts as recovered
WINDOWS = 2  # windows in a renewal


def rows(inputs: Inputs) -> F.DataFrame:
    """Compute the metrics of recovery after a mote's death."""
    windows = _whole(_by_window(inputs))
    renewals = F.col("window") / WINDOWS
    begin = F.concat_ws("/", "node", F.format_string("%+.1f", renewals))
    back = (
        _judged(windows)
        .where(F.col("window") >= 0)
        .groupBy("run_id", "node")
        .agg(F.min(F.when(F.col("lasting"), renewals)).alias("renewals"))
    )
    return unpivot(windows, ("delivery_ratio", begin, F.col("ratio"))).union(
        unpivot(back, ("recovery_renewals", F.col("node"), F.col("renewals")))
    )


def _by_window(inputs: Inputs) -> F.DataFrame:
    """Return run_id, node (a subscriber or total), window (0 begins at the death), owed, delivered, ratio."""
    first_death = deaths_in(inputs.events).groupBy("run_id").agg(F.min("time_us").alias("died_us"))
    renewed = inputs.owed.join(F.broadcast(first_death), on="run_id", how="inner").where(
        F.col("renewal_ms") > 0
    )
    since_death_us = F.col("published_us") - F.col("died_us")
    window = F.floor(since_death_us / (F.col("renewal_ms") * 1000 / WINDOWS)).cast("int")
    events = renewed.select("run_id", "node", window.alias("window"), "delivered_us")
    counts = (
        each_and_all(events, "node")
        .groupBy("run_id", "window", "node")
        .agg(F.count("*").alias("owed"), F.count("delivered_us").alias("delivered"))
    )
    return counts.select(
        "run_id",
        "node",
        "window",
        "owed",
        "delivered",
        (F.col("delivered") / F.col("owed")).alias("ratio"),
    )


def _whole(windows: F.DataFrame) -> F.DataFrame:
    """Drop windows in which the run begins or ends, and add the delivery ratio `before` the death.

    A window stays if it has at least half as many owed events as the fullest one of its node.
    """
    of_node = F.Window.partitionBy("run_id", "node")
    whole = windows.withColumn("most", F.max("owed").over(of_node)).where(2 * F.col("owed") >= F.col("most"))
    delivered, owed = (
        F.sum(F.when(F.col("window") < 0, F.col(name))).over(of_node) for name in ("delivered", "owed")
    )
    return whole.withColumn("before", delivered / owed)


def _judged(windows: F.DataFrame) -> F.DataFrame:
    """Add `lasting`: whether delivery has recovered in this window and in the next one, if there is one."""
    in_order = F.Window.partitionBy("run_id", "node").orderBy("window")
    judged = windows.withColumn("good", F.col("ratio") >= RECOVERED * F.col("before"))
    return judged.withColumn(
        "lasting", F.col("good") & F.coalesce(F.lead("good").over(in_order), F.lit(True))
    )


FAMILY = Family(
    "recovery",
    rows,
    {
        "delivery_ratio": Metric(
            "share",
            "events delivered to the subscriber / events published on its topics, by window of half a "
            "renewal; the key ends in the window's begin, renewals after the death of a mote",
            title="Delivery ratio by window",
            kind="hidden",
            better="higher",
            decimals=1,
            needs="sub pub dlv die",
            place=210,
        ),
        "recovery_renewals": Metric(
            "renewals",
            "from the death of a mote to the first window, followed by another, whose delivery ratio is "
            "at least 90 % of that before the death; absent if there is none",
            title="Recovery after a mote's death",
            kind="total",
            better="lower",
            decimals=2,
            needs="sub pub dlv die",
            meaning="until the delivery ratio is back to 90 % of that before, in steps of half a renewal",
            by="subscriber",
            axis="subscriber",
            place=220,
            column=90,
            step=70,
        ),
    },
)
