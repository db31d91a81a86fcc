# SPDX-License-Identifier: Apache-2.0
"""Packets sent and received by each node's routing layer (the paper's Figures 7a and 7b, section 6.1), and the packets
lost on the way to the next hop."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, counter, named, row, unpivot


def rows(inputs: Inputs) -> DataFrame:
    motes = named(inputs, counter(inputs, "packets_sent", "packets_received"))
    per_node = unpivot(motes, row("packets_sent", F.col("node"), F.col("packets_sent")),
                       row("packets_received", F.col("node"), F.col("packets_received")))
    sums = inputs.counters.where(F.col("name").isin("events_transmitted", "event_packets_received")).groupBy(
        "run_id").agg(
        F.sum(F.when(F.col("name") == "events_transmitted", F.col("value"))).alias("sent"),
        F.sum(F.when(F.col("name") == "event_packets_received", F.col("value"))).alias("received"))
    lost = F.when(F.col("sent") > 0, 1 - F.col("received") / F.col("sent"))
    return per_node.unionByName(unpivot(sums, row("packet_loss_rate", TOTAL, lost)))


FAMILY = Family("packets", rows, {
    "packets_sent": ("packets", "frames the node's routing layer handed to the MAC", "Figure 7a, section 6.1"),
    "packets_received": ("packets", "frames the node's routing layer accepted from its neighbours", "Figure 7b, section 6.1"),
    "packet_loss_rate": ("share", "1 - event packets accepted by next hops / event packets handed to the MAC, all nodes",
                         "section 6.4"),
})
