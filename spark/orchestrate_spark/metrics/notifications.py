# SPDX-License-Identifier: Apache-2.0
"""Computes how soon the blackboard's subscribers are notified, and the share of missed deadlines.

The mean, the largest delay and the misses are what the motes counted; quantiles need a trace. The times are
modelled, like those of metrics/threads.py.
"""

from __future__ import annotations

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import (
    QUANTILES,
    Family,
    Inputs,
    Metric,
    each_and_all,
    named,
    quantile,
    unpivot,
)

ZEROS = r"\.?0+$"  # at the end of a text with a decimal point


def rows(inputs: Inputs) -> F.DataFrame:
    """Compute the metrics of notifications."""
    counted = named(inputs, inputs.table("subscriptions")).withColumn("subscription", _subscription())
    due = (
        each_and_all(counted.where(F.col("deadline_us") > 0), "subscription")
        .groupBy("run_id", "subscription")
        .agg(F.sum("missed").alias("missed"), F.sum("notified").alias("notified"))
    )
    notifications = inputs.table("execution").where(F.col("kind") == "ntf")
    traced = (
        named(inputs, notifications)
        .groupBy("run_id", _subscription().alias("subscription"))
        .agg(F.array_sort(F.collect_list("delay_us")).alias("delays_us"))
    )

    def key(which: str) -> F.Column:
        return F.concat_ws("/", "subscription", F.lit(which))

    largest_us = F.when(F.col("notified") > 0, F.col("max_us"))
    of = F.col("subscription")
    return (
        unpivot(
            counted,
            ("notification_delay_ms", key("mean"), F.try_divide("total_us", "notified") / 1000),
            ("notification_delay_ms", key("max"), largest_us / 1000),
        )
        .union(
            unpivot(
                traced,
                *(
                    ("notification_delay_ms", key(name), quantile("delays_us", share) / 1000)
                    for name, share in QUANTILES.items()
                ),
            )
        )
        .union(
            unpivot(
                due,
                ("notification_misses", of, F.col("missed")),
                ("notification_miss_rate", of, F.try_divide("missed", "notified")),
            )
        )
    )


def _subscription() -> F.Column:
    """Return the key node/event/subscriber/deadline, where the subscriber's number has its thread behind it.

    The application names threads; a `/` in a name becomes `_`.
    """
    thread = F.replace("thread", F.lit("/"), F.lit("_"))
    # by way of a decimal: texts of large doubles differ between engines
    deadline_ms = F.regexp_replace(
        (F.col("deadline_us") / 1000).cast("decimal(20,3)").cast("string"), ZEROS, ""
    )
    deadline = F.when(F.col("deadline_us") > 0, F.concat(deadline_ms, F.lit(" ms"))).otherwise("none")
    return F.concat_ws("/", "node", "event", F.concat_ws(" ", "subscriber", thread), deadline)


FAMILY = Family(
    "notifications",
    rows,
    {
        "notification_delay_ms": Metric(
            "ms",
            "from a publication to the blackboard until the subscriber's thread runs: mean and max, of "
            "traced runs quantiles p05, p50, p95; key: node/event/subscriber/deadline/which; modelled",
            "blackboard, section 6.1",
            title="Notification delay, modelled",
            kind="hidden",
            better="lower",
            decimals=2,
            needs="nts",
            place=290,
        ),
        "notification_misses": Metric(
            "notifications",
            "those that came after more than the subscriber's deadline; key: "
            "node/event/subscriber/deadline, and total; modelled",
            "blackboard, section 6.1",
            title="Missed notification deadlines, modelled",
            kind="total",
            better="lower",
            needs="nts",
            by="subscription",
            apart=True,
            place=300,
        ),
        "notification_miss_rate": Metric(
            "share",
            "misses / notifications of subscribers with a deadline; modelled",
            "blackboard, section 6.1",
            title="Missed notification deadlines, modelled",
            kind="total",
            better="lower",
            decimals=2,
            needs="nts",
            by="subscription",
            apart=True,
            place=310,
        ),
    },
    of=("subscriptions", "execution"),
)
