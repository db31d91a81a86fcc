# SPDX-License-Identifier: Apache-2.0
"""What went wrong in a run: frames dropped on motes, by reason, and lines of the log that are damaged."""

from __future__ import annotations

from pyspark.sql import DataFrame

from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, sums, text, unpivot

REASONS = {
    "mac_channel_access_failure": "channel-access", "mac_collision": "collision", "queue_dropped": "queue",
    "pool_exhausted": "pool", "no_route": "no-route", "packets_malformed": "malformed",
    "packets_off_topology": "off-topology", "radio_missed_contending": "contending", "radio_buffer_overflow": "buffer",
    "radio_no_ack": "no-ack",
}


def rows(inputs: Inputs) -> DataFrame:
    return unpivot(sums(inputs.motes, *REASONS), *(("dropped", text(reason), name) for name, reason in REASONS.items())
                   ).union(unpivot(inputs.runs, ("malformed_lines", text(TOTAL), "malformed"),
                                 ("clock_jumps", text(TOTAL), "clock_jumps")))


FAMILY = Family("faults", rows, {
    "dropped": ("frames", "frames dropped by all motes, by reason (" + ", ".join(REASONS.values()) + ")", "-"),
    "malformed_lines": ("lines", "lines of the run's log that do not fit the format", "-"),
    "clock_jumps": ("lines", "lines of the run's log whose time is before the line's before, or after the log's end", "-"),
})
