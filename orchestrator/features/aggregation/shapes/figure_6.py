# SPDX-License-Identifier: Apache-2.0
"""A star around a relay: publishers one hop from R1, R1 one hop from the subscriber.

Figure 6 of M. Schiefer, C. Steup and J. Kaiser (2013), "Real World Testing of Aggregation in
Publish/Subscribe Systems", section 5.1.3: the simplest topology that is no chain and can aggregate. The paper
draws several subscribers; here there is one. The positions are ours: publishers on a half circle, away from
the subscriber.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from orchestrator.topology.model import Layout
from orchestrator.topology.shape import Shape, publisher, relay, spacing, subscriber
from orchestrator.vocabulary.parameters import Parameter

MOST_PUBLISHERS = 120  # neighbours that the relay has to know


def layout(parameters: Mapping[str, Any], range_m: float) -> Layout:
    """Place the nodes of the aggregation paper's Figure 6."""
    gap, count = parameters["spacing"], parameters["publishers"]
    middle = count + 2
    angles = (math.radians(180 * n / (count + 1) - 90) for n in range(1, count + 1))
    publishers = (publisher(n, gap + gap * math.cos(angle), gap * math.sin(angle), parent=middle)
                  for n, angle in enumerate(angles, 1))  # fmt: skip
    return Layout("figure-6", (subscriber(), *publishers, relay(middle, 1, gap, 0.0, parent=1)))


SHAPE = Shape(
    "figure-6",
    "publishers around a relay that stands before the subscriber (the aggregation paper's Figure 6)",
    (
        Parameter("publishers", "int", 5, 1, MOST_PUBLISHERS, help="how many"),
        spacing(30.0, "length of every link"),
    ),
    layout,
)
