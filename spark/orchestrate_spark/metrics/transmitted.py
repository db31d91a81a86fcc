# SPDX-License-Identifier: Apache-2.0
"""Event messages sent, and how much fewer they are with aggregation (the aggregation paper's
Figures 7e and 7f, section 6.3)."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql.functions import broadcast, expr

from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, sums, text, unpivot


def rows(inputs: Inputs) -> DataFrame:
    """A run with aggregation is compared with the run of the same seed and the same parameters without it."""
    total = sums(inputs.motes, "events_transmitted").join(
        broadcast(inputs.runs.select("run_id", "experiment", "pair", "seed", "aggregate")), "run_id")
    keys = ["experiment", "pair", "seed"]
    # Several cells may have the same parameters under other names: one of them is enough to compare with.
    plain = total.where("not aggregate").groupBy(*keys).agg(expr("min(events_transmitted) as plain"))
    compared = total.join(broadcast(plain), keys, "left")
    return unpivot(inputs.motes, ("events_transmitted", "node", "c['events_transmitted']")).union(
        unpivot(compared, ("events_transmitted", text(TOTAL), "events_transmitted"),
                ("reduction", text(TOTAL), "if(aggregate, 1 - events_transmitted / nullif(plain, 0), null)")))


FAMILY = Family("transmitted", rows, {
    "events_transmitted": ("messages",
                           "event messages handed to the MAC; an aggregate counts once", "Figures 7e and 7f, section 6.3"),
    "reduction": ("share",
                  "1 - transmitted / transmitted in the run of the same seed and parameters without aggregation",
                  "section 6.3"),
}, below_zero=("reduction",))
