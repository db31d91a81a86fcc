# SPDX-License-Identifier: Apache-2.0
"""Says how long the processors of emulated motes were active and asleep, and what energy that takes.

The source is the record of the air (sources/air): the engine counts the modes of an MSP430, so any firmware
has these metrics. Currents are those of the scenario's platform: cpu while it is active, lpm in LPM0 to LPM2,
in which some of its high-frequency clock generator is on (SLAU049, 2.3), deep_lpm in LPM3 and LPM4.
"""

from __future__ import annotations

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.channel import radio_times, time_where
from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, Metric, unpivot, with_names

CURRENTS = {
    "cpu_ma": ("active",),
    "lpm_ma": ("lpm0", "lpm1", "lpm2"),
    "deep_lpm_ma": ("lpm3", "lpm4"),
}


def rows(inputs: Inputs) -> F.DataFrame:
    """Compute the metrics of processors."""
    modes, radios, motes = (inputs.table(name) for name in ("processor_modes", "radio_states", "motes"))
    chosen = F.broadcast(inputs.table("platforms").where("chosen"))

    # us x mA x V = nJ; null if the platform has no current for a mode in which a mote was
    def mj(parts: list[tuple[F.Column, str]]) -> F.Column:
        of_all = F.lit(0.0)
        for us, current in parts:
            of_all = of_all + F.when(us > 0, us * F.col(current)).otherwise(0.0)
        return of_all * F.col("volts") / 1000000

    processors = (
        modes.groupBy("run_id", "mote")
        .agg(*(time_where(F.col("mode").isin(*some)).alias(f"{name}_us") for name, some in CURRENTS.items()))
        .join(chosen, on="run_id")
        .select("run_id", "mote", mj([(F.col(f"{name}_us"), name) for name in CURRENTS]).alias("mcu"))
    )
    transceivers = (
        radio_times(radios)
        .join(chosen, on="run_id")
        .select(
            "run_id",
            "mote",
            mj([(F.col(f"{name}_us"), f"{name}_ma") for name in ("transmit", "listen")]).alias("radio"),
        )
    )
    whole = processors.join(transceivers, on=["run_id", "mote"], how="left").select(
        "run_id", "mote", "mcu", (F.col("mcu") + F.coalesce("radio", F.lit(0.0))).alias("board")
    )
    runs = whole.groupBy("run_id").agg(F.avg("mcu").alias("mcu"), F.avg("board").alias("board"))
    counted = modes.groupBy("run_id", "mode").agg(F.avg("time_us").alias("us"))
    return (
        unpivot(
            with_names(whole, motes, "node"),
            ("mcu_energy_mj", F.col("node"), F.col("mcu")),
            ("board_energy_mj", F.col("node"), F.col("board")),
        )
        .union(
            unpivot(
                runs,
                ("mcu_energy_mj", F.lit(TOTAL), F.col("mcu")),
                ("board_energy_mj", F.lit(TOTAL), F.col("board")),
            )
        )
        .union(unpivot(counted, ("mcu_mode_s", F.col("mode"), F.col("us") / 1000000)))
    )


FAMILY = Family(
    "processors",
    rows,
    {
        "board_energy_mj": Metric(
            "mJ",
            "the energy that an emulated mote's transceiver (as mote_energy_mj has it) and microcontroller "
            "(mcu_energy_mj) take; the total is the mean over all emulated motes",
            title="Energy of a mote's radio and microcontroller",
            kind="total",
            better="lower",
            decimals=1,
            meaning="transceiver and microcontroller, mean over all emulated motes",
            place=11,
        ),
        "mcu_energy_mj": Metric(
            "mJ",
            "the energy that an emulated mote's microcontroller takes from its boot to the end of the run, "
            "with the currents of the scenario's platform (`air: {platform: ...}`, by default cc2420): cpu "
            "while it is active, interrupts included, lpm in LPM0 to LPM2, deep_lpm in LPM3 and LPM4; the "
            "total is the mean over all emulated motes",
            title="Energy of a mote's microcontroller",
            kind="total",
            better="lower",
            decimals=1,
            meaning="microcontroller only, mean over all emulated motes",
            place=12,
        ),
        "mcu_mode_s": Metric(
            "s",
            "the time that an emulated mote's microcontroller is active or in LPM0 to LPM4, from its boot to "
            "the end of the run, the mean over all emulated motes",
            title="Time in the microcontroller's modes",
            kind="table",
            decimals=2,
            by="mode",
            axis="mode",
            meaning="of a mote's microcontroller",
            place=28,
        ),
    },
    of=("processor_modes",),
)
