# SPDX-License-Identifier: Apache-2.0
"""Computes what threads used of a mote: its CPU, their stacks, and the microcontroller's energy.

The times are modelled: computing takes the simulated time that the firmware declares (cpu_use), and none
elsewhere.
"""

from __future__ import annotations

from functools import reduce
from operator import add

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.energy_model import MCU_MA, SUPPLY_V
from orchestrate_spark.metrics.model import Family, Inputs, Metric, named, unpivot


def rows(inputs: Inputs) -> F.DataFrame:
    """Compute the metrics of threads."""
    of_mote = F.Window.partitionBy("run_id", "mote")
    threads = named(inputs, inputs.table("threads")).withColumn("mote_us", F.sum("cpu_us").over(of_mote))
    with_threads = inputs.motes.join(
        threads.select("run_id", "mote").distinct(), on=["run_id", "mote"], how="left_semi"
    )
    key = F.concat_ws("/", "node", F.replace("name", F.lit("/"), F.lit("_")))
    energy = reduce(
        add, (F.col("states")[state] * (ma * SUPPLY_V * 1e-6) for state, ma in MCU_MA.items())
    )  # null if the time in one of the states is
    return unpivot(
        threads,
        ("cpu_share", key, F.try_divide("cpu_us", "mote_us")),
        ("thread_stack_bytes", key, F.nullif("stack_used", F.lit(0))),
    ).union(unpivot(with_threads, ("cpu_energy_mj", F.col("node"), energy)))


FAMILY = Family(
    "threads",
    rows,
    {
        "cpu_share": Metric(
            "share",
            "simulated time that the thread used the CPU / that of all the mote's threads, the idle one "
            "included; modelled; key: node/thread",
            title="Share of the CPU, modelled",
            kind="hidden",
            decimals=1,
            needs="thr",
            place=270,
        ),
        "thread_stack_bytes": Metric(
            "bytes",
            "the most bytes of the thread's stack that were ever in use; key: node/thread",
            title="Stack in use",
            kind="hidden",
            better="lower",
            needs="thr",
            place=280,
        ),
        "cpu_energy_mj": Metric(
            "mJ",
            "energy of the node's microcontroller, of nodes with threads, by the currents below; modelled",
            title="CPU energy, modelled",
            kind="node",
            better="lower",
            decimals=2,
            needs="thr nrg",
            meaning="of the microcontroller",
            apart=True,
            place=260,
            step=100,
        ),
    },
    of=("threads",),
)
