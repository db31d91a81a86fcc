# SPDX-License-Identifier: Apache-2.0
"""The metrics of the pipeline as a reader sees them: title, unit, scale and how each is drawn.

A new metric is one line here; one that isn't listed still appears, under its own name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Shown:
    """`scale` from the table's unit to the shown one. `kind`: total (one number a run), node, histogram, quantiles,
    cumulative (histogram by upper bound), table (a column a key), or hidden. `by_node`: keys beside "total" are nodes and
    get a figure of their own. `by`: what the keys of one of the user's own are called."""

    title: str
    unit: str
    scale: float = 1.0
    decimals: int = 0
    kind: str = "total"
    meaning: str = ""
    by_node: bool = False
    by: str = ""  # what the keys are, where they are not nodes and publishers
    apart: bool = False  # shown in a section of its own only
    least: float = 0.0  # that it can be, in the table's unit; of most metrics none is negative

    open: bool = False  # nothing is known of what it can be: one's own that is no share

    @property
    def bounds(self) -> tuple[float, float]:
        """What is possible, in the table's unit."""
        return self.least, 1.0 if self.unit == "%" and not self.open else math.inf

    @property
    def percent(self) -> str:
        """For the head of a column."""
        return f"{self.title}, %" if self.unit == "%" else self.title


@dataclass(frozen=True)
class Own:
    """What a metric of the user's own says of itself (orchestrate_spark.metrics.model.Family)."""

    unit: str
    meaning: str
    histogram: bool


METRICS: dict[str, Shown] = {
    "events_transmitted": Shown("Transmitted events", "events", meaning=
                                "event messages handed to the MAC by all nodes; an aggregate counts once"),
    "reduction": Shown("Reduction by aggregation", "%", 100, 1, least=-math.inf, meaning=
                       "1 − transmitted ÷ transmitted of the same seed in the same cell without aggregation"),
    "event_loss_rate": Shown("Event loss rate", "%", 100, 2, meaning=
                             "events that subscribers were owed and never got ÷ events that they were owed", by_node=True),
    "packet_loss_rate": Shown("Packet loss rate", "%", 100, 2, meaning=
                              "1 − event packets received by next hops ÷ event packets sent"),
    "events_published": Shown("Published events", "events"),
    "events_delivered": Shown("Delivered events", "events", meaning="individual events, the first delivery to each subscriber"),
    "events_lost": Shown("Lost events", "events", meaning="owed to a subscriber and never delivered to it"),
    "events_duplicated": Shown("Duplicated events", "events", meaning="individual events that reached a subscriber again"),
    "aggregates": Shown("Received event messages", "messages", meaning="event messages handed to subscribers"),
    "full_aggregates": Shown("Full aggregates", "messages", meaning=
                             "event messages handed to subscribers that hold every publisher"),
    "aggregated_share": Shown("Share of events that came aggregated", "%", 100, 1, meaning=
                              "individual events that came with another one ÷ all that came, repeated ones included"),
    "packets_sent": Shown("Packets sent", "packets", kind="node"),
    "packets_received": Shown("Packets received", "packets", kind="node"),
    "energy_mj": Shown("Transceiver's energy", "mJ", 1, 0, "node", "from the time in each state and its current"),
    "aggregate_size": Shown("Events per received message", "messages", kind="histogram"),
    "delay_ms": Shown("Delivery delay", "ms", kind="quantiles"),
    "delay_histogram": Shown("Delivery delay, cumulative", "events", kind="cumulative"),
    "forwarded": Shown("Why stored events were forwarded", "events", kind="table", meaning=
                       "by what ended the merge function's hold"),
    "dropped": Shown("Dropped frames", "frames", kind="table", meaning="by reason, all motes together"),
    "state_s": Shown("Time in radio states", "s", kind="hidden"),
    "delivery_ratio": Shown("Delivery ratio by window", "%", 100, 1, kind="hidden"),
    "recovery_renewals": Shown("Recovery after a mote's death", "renewals", 1, 2, by_node=True, by="subscriber", meaning=
                               "until the delivery ratio is back to 90 % of that before, in steps of half a renewal"),
    "context_switches": Shown("Context switches, modelled", "switches", apart=True),
    "samples_taken": Shown("Samples taken", "samples", apart=True),
    "blackboard_bytes_high_water": Shown("Blackboard's array", "bytes", kind="node", apart=True),
    "cpu_energy_mj": Shown("CPU energy, modelled", "mJ", 1, 2, "node", "of the microcontroller", apart=True),
    "cpu_share": Shown("Share of the CPU, modelled", "%", 100, 1, kind="hidden"),
    "thread_stack_bytes": Shown("Stack in use", "bytes", kind="hidden"),
    "notification_delay_ms": Shown("Notification delay, modelled", "ms", 1, 2, kind="hidden"),
    "notification_misses": Shown("Missed notification deadlines, modelled", "notifications", apart=True),
    "notification_miss_rate": Shown("Missed notification deadlines, modelled", "%", 100, 2, apart=True),
    "counted_errors": Shown("Errors of threads and blackboard", "errors", kind="table", meaning=
                            "each has a defined result; by counter, all motes together"),
    "malformed_lines": Shown("Malformed log lines", "lines", kind="hidden"),
    "clock_jumps": Shown("Clock jumps in logs", "lines", kind="hidden"),
}


def shown(metric: str, keys: list[str], own: Mapping[str, Own]) -> Shown:
    """How a metric is shown; of one that is not listed the keys tell its kind, and `own` its unit and meaning."""
    if metric in METRICS:
        return METRICS[metric]
    told = own.get(metric, Own("", "", False))
    kind = "histogram" if told.histogram else "total" if "total" in keys else "node"
    unit, scale = ("%", 100) if told.unit == "share" else (told.unit, 1)
    return Shown(metric.replace("_", " ").capitalize(), unit, scale, 3, kind, told.meaning, kind == "total" and len(keys) > 1, "key",
                 least=0.0 if told.unit == "share" else -math.inf, open=told.unit != "share")


def order(metric: str) -> int:
    """Its place in a report: as above, others behind."""
    return list(METRICS).index(metric) if metric in METRICS else len(METRICS)
