# SPDX-License-Identifier: Apache-2.0
"""A chain: the subscriber at one end, P1 next to it, Pn at the other end.

It is the best case for aggregation: n publishers that publish once cause n(n+1)/2 transmissions without
aggregation and n with it (M. Schiefer, C. Steup and J. Kaiser, 2013, "Real World Testing of Aggregation in
Publish/Subscribe Systems", section 5.1, Figure 5). In the paper's experiments all motes are in mutual range
and the chain is configured (section 5.2.1); with a spacing of more than half the range it is a chain by
distance as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.topology.model import Layout
from orchestrator.topology.shape import MOST_MOTES, Shape, publisher, spacing, subscriber
from orchestrator.vocabulary.parameters import Parameter


def layout(parameters: Mapping[str, Any], range_m: float) -> Layout:
    """Place the subscriber and the publishers in a row."""
    gap = parameters["spacing"]
    publishers = (publisher(n, n * gap, 0.0, parent=n) for n in range(1, parameters["publishers"] + 1))
    return Layout("chain", (subscriber(), *publishers))


SHAPE = Shape(
    "chain",
    "the subscriber at one end, each publisher forwards for those behind it",
    (
        Parameter("publishers", "int", 5, 1, MOST_MOTES - 1, help="how many"),
        spacing(5.0, "distance of neighbours"),
    ),
    layout,
)
