# SPDX-License-Identifier: Apache-2.0
"""Counts what went wrong in a run: frames that motes dropped, by reason, and damaged lines of the log."""

from __future__ import annotations

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, Metric, counter, unpivot

REASONS = {
    "mac_channel_access_failure": "channel-access",
    "mac_collision": "collision",
    "queue_dropped": "queue",
    "pool_exhausted": "pool",
    "no_route": "no-route",
    "packets_malformed": "malformed",
    "packets_off_topology": "off-topology",
    "radio_missed_contending": "contending",
    "radio_buffer_overflow": "buffer",
    "radio_no_ack": "no-ack",
}


def rows(inputs: Inputs) -> F.DataFrame:
    """Compute the metrics of faults."""
    dropped = unpivot(
        inputs.totals, *(("dropped", F.lit(reason), counter(name)) for name, reason in REASONS.items())
    )
    return dropped.union(
        unpivot(
            inputs.runs,
            ("malformed_lines", F.lit(TOTAL), F.col("malformed")),
            ("clock_jumps", F.lit(TOTAL), F.col("clock_jumps")),
        )
    )


FAMILY = Family(
    "faults",
    rows,
    {
        "dropped": Metric(
            "frames",
            "frames dropped by all motes, by reason (" + ", ".join(REASONS.values()) + ")",
            title="Dropped frames",
            kind="table",
            better="lower",
            meaning="by reason, all motes together",
            place=190,
        ),
        "malformed_lines": Metric(
            "lines",
            "lines of the run's log that do not fit the format",
            title="Malformed log lines",
            kind="hidden",
            better="lower",
            place=330,
        ),
        "clock_jumps": Metric(
            "lines",
            "lines of the run's log whose time is before the line's before, or after the log's end",
            title="Clock jumps in logs",
            kind="hidden",
            better="lower",
            place=340,
        ),
    },
)
