# SPDX-License-Identifier: Apache-2.0
"""The records that a metric is made from. `cnt,NAME` is a counter; ` or ` stands between records that do as well."""

from __future__ import annotations

_DELIVERED = "node from or sub pub dlv"
_LOST = "node cnt,events_published from or sub pub dlv"
_THREADS = "thr"
_NOTIFIED = "nts"

NEEDS: dict[str, str] = {
    "packets_sent": "cnt,packets_sent",
    "packets_received": "cnt,packets_received",
    "packet_loss_rate": "cnt,events_transmitted cnt,event_packets_received",
    "events_published": "node cnt,events_published or sub pub",
    "events_delivered": _DELIVERED,
    "events_lost": _LOST,
    "events_duplicated": _DELIVERED,
    "event_loss_rate": _LOST,
    "aggregate_size": "agg",
    "aggregates": "agg",
    "full_aggregates": "node agg",
    "aggregated_share": "agg",
    "forwarded": "cnt,forward_timeout cnt,forward_full cnt,forward_contained cnt,forward_frame",
    "events_transmitted": "cnt,events_transmitted",
    "reduction": "cnt,events_transmitted",
    "delay_ms": "dly or sub pub dlv",
    "delay_histogram": "dly or sub pub dlv",
    "energy_mj": "nrg",
    "state_s": "nrg",
    "delivery_ratio": "sub pub dlv die",
    "recovery_renewals": "sub pub dlv die",
    "cpu_share": _THREADS,
    "thread_stack_bytes": _THREADS,
    "cpu_energy_mj": "thr nrg",
    "notification_delay_ms": _NOTIFIED,
    "notification_misses": _NOTIFIED,
    "notification_miss_rate": _NOTIFIED,
    "context_switches": "cnt,context_switches",
    "samples_taken": "cnt,samples_taken",
    "blackboard_bytes_high_water": "cnt,blackboard_words_used",
}
