# SPDX-License-Identifier: Apache-2.0
"""Sums what motes with threads and a blackboard counted: switches, samples, memory, and handled errors."""

from __future__ import annotations

from orchestrate_spark import functions as F
from orchestrate_spark.log_format import COUNTERS
from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, Metric, counter, unpivot

WORD = 4  # bytes
_USUAL = (
    "blackboard_commands",
    "blackboard_publications",
    "blackboard_notifications",
    "blackboard_words_used",
    "blackboard_words",
)
ERRORS = tuple(
    name for name in COUNTERS if name.startswith(("blackboard_", "threads_")) and name not in _USUAL
)


def rows(inputs: Inputs) -> F.DataFrame:
    """Compute the metrics of the blackboard."""
    counted = ("context_switches", "samples_taken")
    return unpivot(
        inputs.motes,
        *((name, F.col("node"), counter(name)) for name in counted),
        ("blackboard_bytes_high_water", F.col("node"), counter("blackboard_words_used") * WORD),
    ).union(
        unpivot(
            inputs.totals,
            *((name, F.lit(TOTAL), counter(name)) for name in counted),
            *(("counted_errors", F.lit(name), counter(name)) for name in ERRORS),
        )
    )


FAMILY = Family(
    "blackboard",
    rows,
    {
        "context_switches": Metric(
            "switches",
            "from one thread of the node to another, the idle one included; modelled",
            title="Context switches, modelled",
            kind="total",
            better="lower",
            needs="cnt,context_switches",
            apart=True,
            place=230,
            step=90,
        ),
        "samples_taken": Metric(
            "samples",
            "readings that the node's applications took of its sensors",
            title="Samples taken",
            kind="total",
            needs="cnt,samples_taken",
            apart=True,
            place=240,
            step=80,
        ),
        "blackboard_bytes_high_water": Metric(
            "bytes",
            "the most of the blackboard's array that was ever in use at once",
            "blackboard, section 2.4",
            title="Blackboard's array",
            kind="node",
            better="lower",
            needs="cnt,blackboard_words_used",
            apart=True,
            place=250,
        ),
        "counted_errors": Metric(
            "errors",
            "of threads and blackboard, that motes counted, all of them; key: the counter",
            title="Errors of threads and blackboard",
            kind="table",
            better="lower",
            meaning="each has a defined result; by counter, all motes together",
            place=320,
        ),
    },
)
