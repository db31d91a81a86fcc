# SPDX-License-Identifier: Apache-2.0
"""Computes the time in the radio's states and, by energy_model.py's currents, the transceiver's energy."""

from __future__ import annotations

from functools import reduce
from operator import add

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.energy_model import CURRENT_MA, STATES, SUPPLY_V
from orchestrate_spark.metrics.model import Family, Inputs, Metric, unpivot


def rows(inputs: Inputs) -> F.DataFrame:
    """Compute the metrics of energy."""
    times = inputs.motes.select("run_id", "node", F.explode("states").alias("state", "state_us"))
    in_state = {state: F.col("states")[state] for state in STATES}
    # us * mA * V = nJ; 1e-6 makes it mJ
    energy = reduce(
        add,
        (
            F.coalesce(in_state[state], F.lit(0)) * (CURRENT_MA[radio] * SUPPLY_V * 1e-6)
            for state, radio in STATES.items()
        ),
    )
    known = F.coalesce(*in_state.values()).isNotNull()
    return unpivot(times, ("state_s", F.concat_ws("/", "node", "state"), F.col("state_us") / 1e6)).union(
        unpivot(inputs.motes, ("energy_mj", F.col("node"), F.when(known, energy)))
    )


FAMILY = Family(
    "energy",
    rows,
    {
        "energy_mj": Metric(
            "mJ",
            "energy of the node's transceiver over the measured time, by the currents below",
            title="Transceiver's energy",
            kind="node",
            better="lower",
            needs="nrg",
            meaning="from the time in each state and its current",
            place=140,
            step=60,
            expected=110,
        ),
        "state_s": Metric(
            "s",
            "time in a state of energest over the measured time; key: node/state",
            title="Time in radio states",
            kind="hidden",
            needs="nrg",
            place=200,
        ),
    },
)
