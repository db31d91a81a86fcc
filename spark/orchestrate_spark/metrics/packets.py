# SPDX-License-Identifier: Apache-2.0
"""Packets sent and received by each node's routing layer (the aggregation paper's Figures 7a to 7c, section 6.1),
and the packets lost on the way to the next hop (Figure 7h, section 6.4)."""

from __future__ import annotations

from pyspark.sql import DataFrame

from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, sums, text, unpivot


def rows(inputs: Inputs) -> DataFrame:
    per_node = unpivot(inputs.motes, ("packets_sent", "node", "c['packets_sent']"),
                       ("packets_received", "node", "c['packets_received']"))
    # Diffusion sends an event again where it isn't acknowledged: what is lost is not the difference.
    total = sums(inputs.motes, "events_transmitted", "event_packets_received", "interests_received").where(
        "interests_received is null")
    return per_node.union(unpivot(total, (
        "packet_loss_rate", text(TOTAL), "1 - event_packets_received / nullif(events_transmitted, 0)")))


FAMILY = Family("packets", rows, {
    "packets_sent": ("packets", "frames the node's routing layer handed to the MAC", "Figures 7a to 7c, section 6.1"),
    "packets_received": ("packets",
                         "frames the node's routing layer accepted from its neighbours", "Figures 7a to 7c, section 6.1"),
    "packet_loss_rate": ("share",
                         "1 - event packets accepted by next hops / event packets handed to the MAC, all nodes",
                         "Figure 7h, section 6.4"),
})
