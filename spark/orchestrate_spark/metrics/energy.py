# SPDX-License-Identifier: Apache-2.0
"""Time in the radio's states and the energy that the transceiver takes by energy_model.py's table."""

from __future__ import annotations

from pyspark.sql import DataFrame

from orchestrate_spark.metrics.energy_model import CURRENT_MA, STATES, SUPPLY_V
from orchestrate_spark.metrics.model import Family, Inputs, unpivot


def rows(inputs: Inputs) -> DataFrame:
    times = inputs.motes.selectExpr("run_id", "node", "explode(s) as (state, us)")
    # us * mA * V = nJ; 1e-6 makes it mJ
    energy = " + ".join(f"coalesce(s['{state}'], 0) * {CURRENT_MA[radio] * SUPPLY_V * 1e-6!r}D"
                        for state, radio in STATES.items())
    known = " or ".join(f"s['{state}'] is not null" for state in STATES)
    return unpivot(times, ("state_s", "concat(node, '/', state)", "us / 1e6D")).union(
        unpivot(inputs.motes, ("energy_mj", "node", f"if({known}, {energy}, null)")))


FAMILY = Family("energy", rows, {
    "energy_mj": ("mJ", "energy of the node's transceiver over the measured time, by the currents below", "-"),
    "state_s": ("s", "time in a state of energest over the measured time; key: node/state", "-"),
})
