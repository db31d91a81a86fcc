# SPDX-License-Identifier: Apache-2.0
"""Counts event messages sent, and how many fewer they are with aggregation.

Source: the aggregation paper's Figures 7e and 7f (section 6.3).
"""

from __future__ import annotations

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, Metric, counter, unpivot


def rows(inputs: Inputs) -> F.DataFrame:
    """Compare each run that aggregates with the run of the same seed and parameters that doesn't."""
    pairs = inputs.runs.select("run_id", "experiment", "pair", "seed", "aggregate")
    total = inputs.totals.select("run_id", counter("events_transmitted").alias("events_transmitted")).join(
        F.broadcast(pairs), on="run_id", how="inner"
    )
    keys = ["experiment", "pair", "seed"]
    # Several cells may have the same parameters under other names; one of them is enough to compare with.
    plain = total.where(~F.col("aggregate")).groupBy(*keys).agg(F.min("events_transmitted").alias("plain"))
    compared = total.join(F.broadcast(plain), on=keys, how="left")
    reduction = F.when(F.col("aggregate"), 1 - F.try_divide("events_transmitted", "plain"))
    return unpivot(inputs.motes, ("events_transmitted", F.col("node"), counter("events_transmitted"))).union(
        unpivot(
            compared,
            ("events_transmitted", F.lit(TOTAL), F.col("events_transmitted")),
            ("reduction", F.lit(TOTAL), reduction),
        )
    )


FAMILY = Family(
    "transmitted",
    rows,
    {
        "events_transmitted": Metric(
            "events",
            "event messages handed to the MAC; an aggregate counts once",
            "Figures 7e and 7f, section 6.3",
            title="Transmitted events",
            kind="total",
            better="lower",
            needs="cnt,events_transmitted",
            meaning="event messages handed to the MAC by all nodes; an aggregate counts once",
            place=10,
            column=50,
            step=30,
            expected=100,
        ),
        "reduction": Metric(
            "share",
            "1 - transmitted / transmitted in the run of the same seed and parameters without aggregation",
            "section 6.3",
            title="Reduction by aggregation",
            kind="total",
            better="higher",
            decimals=1,
            needs="cnt,events_transmitted",
            meaning="1 − transmitted ÷ transmitted of the same seed in the same cell without aggregation",
            least=None,
            place=20,
            column=60,
        ),
    },
    compared=("experiment", "pair", "seed"),
)
