# SPDX-License-Identifier: Apache-2.0
"""Event messages sent, and how much fewer they are with aggregation (the paper's section 6.2)."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, counter, named, row, unpivot


def rows(inputs: Inputs) -> DataFrame:
    """A run with aggregation is compared with the run of the same seed and the same parameters without it."""
    motes = counter(inputs, "events_transmitted")
    total = motes.groupBy("run_id").agg(F.sum("events_transmitted").alias("sent"))
    runs = total.join(F.broadcast(inputs.runs), "run_id")
    keys = ["experiment", "pair", "seed"]
    # Several cells may have the same parameters under other names: one of them is enough to compare with.
    plain = runs.where("not aggregate").groupBy(*keys).agg(F.min("sent").alias("plain"))
    pairs = runs.where("aggregate").join(F.broadcast(plain), keys)
    reduction = F.when(F.col("plain") > 0, 1 - F.col("sent") / F.col("plain"))
    return unpivot(named(inputs, motes), row("events_transmitted", F.col("node"), F.col("events_transmitted"))).unionByName(
        unpivot(total, row("events_transmitted", TOTAL, F.col("sent")))).unionByName(
        unpivot(pairs, row("reduction", TOTAL, reduction)))


FAMILY = Family("transmitted", rows, {
    "events_transmitted": ("messages", "event messages handed to the MAC; an aggregate counts once", "section 6.2"),
    "reduction": ("share", "1 - transmitted / transmitted in the run of the same seed and parameters without aggregation",
                  "section 6.2"),
})
