# SPDX-License-Identifier: Apache-2.0
"""Time in the radio's states and the energy that the transceiver takes by energy_model.py's table."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from orchestrate_spark.metrics.energy_model import CURRENT_MA, STATES, SUPPLY_V
from orchestrate_spark.metrics.model import Family, Inputs, named, row, unpivot


def rows(inputs: Inputs) -> DataFrame:
    states = named(inputs, inputs.states)
    times = unpivot(states, row("state_s", F.concat("node", F.lit("/"), "state"), F.col("state_us") / 1e6))
    spent = states.groupBy("run_id", "node").agg(*(
        F.sum(F.when(F.col("state") == state, F.col("state_us"))).alias(state) for state in STATES))
    # us * mA * V = nJ; 1e-6 makes it mJ
    energy = reduce(lambda a, b: a + b, (
        F.coalesce(state, F.lit(0)) * F.lit(CURRENT_MA[radio] * SUPPLY_V * 1e-6) for state, radio in STATES.items()))
    known = reduce(lambda a, b: a | b, (F.col(state).isNotNull() for state in STATES))
    return times.unionByName(unpivot(spent, row("energy_mj", F.col("node"), F.when(known, energy))))


FAMILY = Family("energy", rows, {
    "energy_mj": ("mJ", "energy of the node's transceiver over the measured time, by the currents below", "-"),
    "state_s": ("s", "time in a state of energest over the measured time; key: node/state", "-"),
})
