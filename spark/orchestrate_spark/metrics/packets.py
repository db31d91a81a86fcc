# SPDX-License-Identifier: Apache-2.0
"""Counts packets sent and received by each node's routing layer, and those lost on the way to the next hop.

Source: the aggregation paper's Figures 7a to 7c (section 6.1) and Figure 7h (section 6.4).
"""

from __future__ import annotations

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, Metric, counter, unpivot


def rows(inputs: Inputs) -> F.DataFrame:
    """Compute the metrics of packets."""
    per_node = unpivot(
        inputs.motes, *((name, F.col("node"), counter(name)) for name in ("packets_sent", "packets_received"))
    )
    # The difference is not a loss in diffusion, which sends an event again if it isn't acknowledged, nor in
    # the event service, whose deliveries have a next hop for each branch with consumers, nor in PushDPC,
    # whose broadcasts reach all neighbours.
    sent_once = inputs.totals.where(
        counter("interests_received").isNull()
        & counter("registrations_sent").isNull()
        & counter("pushes_sent").isNull()
    )
    lost = 1 - F.try_divide(counter("event_packets_received"), counter("events_transmitted"))
    return per_node.union(unpivot(sent_once, ("packet_loss_rate", F.lit(TOTAL), lost)))


FAMILY = Family(
    "packets",
    rows,
    {
        "packets_sent": Metric(
            "packets",
            "frames the node's routing layer handed to the MAC",
            "Figures 7a to 7c, section 6.1",
            title="Packets sent",
            kind="node",
            better="lower",
            needs="cnt,packets_sent",
            place=120,
            step=50,
            expected=70,
        ),
        "packets_received": Metric(
            "packets",
            "frames the node's routing layer accepted from its neighbours",
            "Figures 7a to 7c, section 6.1",
            title="Packets received",
            kind="node",
            needs="cnt,packets_received",
            place=130,
            expected=80,
        ),
        "packet_loss_rate": Metric(
            "share",
            "1 - event packets accepted by next hops / event packets handed to the MAC, all nodes",
            "Figure 7h, section 6.4",
            title="Packet loss rate",
            kind="total",
            better="lower",
            decimals=2,
            needs="cnt,events_transmitted cnt,event_packets_received",
            meaning="1 − event packets received by next hops ÷ event packets sent",
            place=40,
            column=40,
            step=40,
            expected=90,
        ),
    },
)
