# SPDX-License-Identifier: Apache-2.0
"""What threads used of a mote: its CPU, their stacks, and the microcontroller's energy.

Modelled: computing takes the simulated time that the firmware says (cpu_use), and none elsewhere.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from orchestrate_spark.metrics.energy_model import MCU_MA, SUPPLY_V
from orchestrate_spark.metrics.model import Family, Inputs, named, unpivot

KEY = "concat(node, '/', replace(name, '/', '_'))"


def rows(inputs: Inputs) -> DataFrame:
    threads = named(inputs, inputs.table("threads")).selectExpr(
        "run_id", "mote", "node", "name", "cpu_us", "stack_used", "sum(cpu_us) over (partition by run_id, mote) as all_us")
    energy = " + ".join(f"s['{state}'] * {ma * SUPPLY_V * 1e-6!r}D" for state, ma in MCU_MA.items())  # null if one is
    computing = inputs.motes.join(threads.select("run_id", "mote").distinct(), ["run_id", "mote"], "left_semi")
    return unpivot(threads, ("cpu_share", KEY, "cpu_us / nullif(all_us, 0)"),
                   ("thread_stack_bytes", KEY, "nullif(stack_used, 0)")).union(
        unpivot(computing, ("cpu_energy_mj", "node", energy)))


FAMILY = Family("threads", rows, {
    "cpu_share": ("share", "simulated time that the thread used the CPU / that of all the mote's threads, the idle one included; "
                  "modelled; key: node/thread", "-"),
    "thread_stack_bytes": ("bytes", "the most bytes of the thread's stack that were ever in use; key: node/thread", "-"),
    "cpu_energy_mj": ("mJ", "energy of the node's microcontroller, of nodes with threads, by the currents below; modelled", "-"),
}, of=("threads",))
