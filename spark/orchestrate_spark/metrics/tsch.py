# SPDX-License-Identifier: Apache-2.0
"""TSCH: when motes associate with the network, and how the cells of the schedule are used.

The source is the record of the air (sources/air/tsch.py says what is derived and how).
"""

from __future__ import annotations

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, Metric, unpivot, with_names

UNKNOWN = "?"


def rows(inputs: Inputs) -> F.DataFrame:
    """Compute the metrics of TSCH."""
    motes, known, cells = (inputs.table(name) for name in ("motes", "tsch_motes", "tsch_cells"))
    associated = known.where("associated_us is not null").select(
        "run_id", "mote", (F.col("associated_us") / 1000000).alias("s")
    )
    latest = associated.groupBy("run_id").agg(F.max("s").alias("s"))
    here = known.select("run_id").distinct()
    there = known.where("coordinator or associated_us is not null").select(
        "run_id", "mote", F.lit(1).alias("there")
    )
    left = (
        motes.select("run_id", "mote")
        .join(here, on="run_id")
        .join(there, on=["run_id", "mote"], how="left")
        .groupBy("run_id")
        .agg(F.sum(F.when(F.col("there").isNull(), 1).otherwise(0)).alias("motes"))
    )
    numbers = [
        F.coalesce(F.col(name).cast("string"), F.lit(UNKNOWN))
        for name in ("timeslot", "channel_offset", "slotframe")
    ]
    key = F.format_string("%s, %s of %s", *numbers)
    frames = F.col("beacons") + F.col("broadcast") + F.col("unicast")
    return (
        unpivot(with_names(associated, motes, "node"), ("tsch_association_s", F.col("node"), F.col("s")))
        .union(unpivot(latest, ("all_associated_s", F.lit(TOTAL), F.col("s"))))
        .union(unpivot(left, ("not_associated", F.lit(TOTAL), F.col("motes"))))
        .union(
            unpivot(
                cells,
                ("tsch_cell_frames", key, frames),
                ("tsch_cell_use", key, F.try_divide("slots", "occurrences")),
            )
        )
    )


FAMILY = Family(
    "tsch",
    rows,
    {
        "tsch_association_s": Metric(
            "s",
            "until a mote of a TSCH network that is no coordinator has received an enhanced beacon",
            title="Time to associate",
            kind="node",
            better="lower",
            decimals=1,
            place=35,
        ),
        "all_associated_s": Metric(
            "s",
            "until the last of the motes that associated with a TSCH network has received an enhanced beacon",
            title="Time until all have associated",
            kind="total",
            better="lower",
            decimals=1,
            place=35,
            column=15,
        ),
        "not_associated": Metric(
            "motes",
            "motes of a TSCH network that are no coordinator and received no enhanced beacon",
            title="Motes without association",
            kind="total",
            better="lower",
            place=35,
        ),
        "tsch_cell_frames": Metric(
            "frames",
            "frames by TSCH cell, without acknowledgements; a cell is named `timeslot, channel offset of "
            "slotframe's length`, with `?` for what can't be derived",
            title="Frames by TSCH cell",
            kind="hidden",
            by="TSCH cell",
            axis="timeslot, channel offset of slotframe's length",
        ),
        "tsch_cell_use": Metric(
            "share",
            "time slots of a TSCH cell with a frame / how often the cell came up, from the first frame on",
            title="Use of TSCH cells",
            kind="hidden",
            decimals=3,
            by="TSCH cell",
            axis="timeslot, channel offset of slotframe's length",
        ),
    },
    of=("tsch_motes",),
)
