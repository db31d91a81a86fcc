# SPDX-License-Identifier: Apache-2.0
"""A chain that turns back in its middle, so that its last publishers stand near the subscriber.

It has two rows, one hop apart, and half the length of a chain. The next hops are the same as in a chain; who
hears and disturbs whom differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.topology.model import Layout
from orchestrator.topology.shape import MOST_MOTES, Shape, publisher, spacing, subscriber
from orchestrator.vocabulary.parameters import Parameter


def layout(parameters: Mapping[str, Any], range_m: float) -> Layout:
    """Place a chain that turns back beside itself, in two rows."""
    gap, count = parameters["spacing"], parameters["publishers"]
    turn = (count + 2) // 2  # of the subscriber and the publishers, so many stand in the first row

    def place(n: int) -> tuple[float, float]:
        return (n * gap, 0.0) if n < turn else ((2 * turn - 1 - n) * gap, gap)

    publishers = (publisher(n, *place(n), parent=n) for n in range(1, count + 1))
    return Layout("folded-chain", (subscriber(), *publishers))


SHAPE = Shape(
    "folded-chain",
    "a chain that turns back in its middle, in two rows",
    (
        Parameter("publishers", "int", 5, 1, MOST_MOTES - 1, help="how many"),
        spacing(5.0, "distance of neighbours, and of the rows"),
    ),
    layout,
)
