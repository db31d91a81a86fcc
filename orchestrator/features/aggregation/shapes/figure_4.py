# SPDX-License-Identifier: Apache-2.0
"""The worst case for aggregation: every publisher has a separate route to the subscriber.

Figure 4 of M. Schiefer, C. Steup and J. Kaiser (2013), "Real World Testing of Aggregation in
Publish/Subscribe Systems", section 5.1.1: P1 sends over R1, P2 straight to S; R1 could merge both, at the
cost of one more packet from P2 to R1 and with the gain of one packet less from P2 to S. `chains` is the
extension drawn in grey: further chains of one publisher. The positions are ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from orchestrator.topology.model import Layout
from orchestrator.topology.shape import Shape, choice, millimetres, publisher, relay, spacing, subscriber
from orchestrator.vocabulary.parameters import Parameter


def layout(parameters: Mapping[str, Any], range_m: float) -> Layout:
    """Place the nodes of the aggregation paper's Figure 4."""
    gap, chains = parameters["spacing"], parameters["chains"]
    r1 = chains + 4  # publishers' motes are 2 to chains + 3
    # P2 stands as far from S as from R1 (60 degrees), slightly nearer so that cutting to millimetres keeps it
    # within range.
    second = 1 if parameters["flow"] == "disjoint" else r1
    nodes = [
        subscriber(),
        publisher(1, 2 * gap, 0.0, parent=r1),
        publisher(2, gap / 2, 0.86 * gap, parent=second),
    ]
    angles = [math.radians(120 + 180 * n / chains) for n in range(chains)]
    # Cut to millimetres before doubling, so that the outer link is no longer than the inner one.
    inner = [(millimetres(gap * math.cos(angle)), millimetres(gap * math.sin(angle))) for angle in angles]
    nodes += [publisher(n + 2, 2 * x, 2 * y, parent=r1 + n) for n, (x, y) in enumerate(inner, 1)]
    nodes.append(relay(r1, 1, gap, 0.0, parent=1))
    nodes += [relay(r1 + n, n + 1, x, y, parent=1) for n, (x, y) in enumerate(inner, 1)]
    return Layout("figure-4", tuple(nodes))


SHAPE = Shape(
    "figure-4",
    "ways that share no link, the worst case for aggregation (the aggregation paper's Figure 4)",
    (
        choice("flow", "disjoint", "joined", help="whether P2 sends straight to S or over R1"),
        Parameter("chains", "int", 0, 0, 100, help="further publishers, each behind a relay of its own"),
        spacing(30.0, "longest link"),
    ),
    layout,
)
