# SPDX-License-Identifier: Apache-2.0
"""Two publishers with parallel flows to the subscriber, or flows that meet early.

Figure 2 of M. Schiefer, C. Steup and J. Kaiser (2013), "Real World Testing of Aggregation in
Publish/Subscribe Systems": parallel flows can't be aggregated, though the nodes could be routed so that they
are. The positions are ours, the same for both flows; only next hops differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.topology.model import Layout
from orchestrator.topology.shape import Shape, choice, publisher, relay, spacing, subscriber

# Steps that keep every link, the crossing one too, below the spacing.
_STEP, _ASIDE = 0.8, 0.25


def layout(parameters: Mapping[str, Any], range_m: float) -> Layout:
    """Place the nodes of the aggregation paper's Figure 2."""
    gap = parameters["spacing"]
    step, aside = _STEP * gap, _ASIDE * gap
    crossing = 5 if parameters["flow"] == "merged" else 7
    return Layout("figure-2", (
        subscriber(),
        publisher(1, 3 * step, aside, parent=5),
        publisher(2, 3 * step, -aside, parent=crossing),
        relay(4, 1, step, aside, parent=1),
        relay(5, 2, 2 * step, aside, parent=4),
        relay(6, 3, step, -aside, parent=1),
        relay(7, 4, 2 * step, -aside, parent=6),
    ))  # fmt: skip


SHAPE = Shape(
    "figure-2",
    "two publishers two relays away, on parallel ways or on one that they share (the aggregation paper's "
    "Figure 2)",
    (
        choice("flow", "parallel", "merged", help="whether P2's way joins P1's at R2"),
        spacing(30.0, "longest link"),
    ),
    layout,
)
