# SPDX-License-Identifier: Apache-2.0
"""A random geometric graph: nodes drawn uniformly over a rectangle until they are connected within the range.

Positions are drawn from a separate seed, so that all runs of a scenario have the same layout. The first
connected draw is taken. The search is given up after TRIES draws, because near the density at which such
graphs fall apart hardly any draw is connected.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from orchestrator.topology.connectivity import routed
from orchestrator.topology.model import Layout
from orchestrator.topology.shape import FAR, MOST_MOTES, Shape, choice, publisher, subscriber
from orchestrator.vocabulary.parameters import Parameter
from orchestrator.vocabulary.units import LENGTH, show

TRIES = 100
_MOST_DRAWN = 100_000  # nodes over all draws, so that a search that is given up takes seconds, not minutes


def layout(parameters: Mapping[str, Any], range_m: float) -> Layout:
    """Draw positions until all nodes are connected. Raises ValueError."""
    if isinstance(range_m, tuple):
        raise ValueError(
            "random-geometric places its nodes by the radio's range, which measured links do not have"
        )  # noqa: TRY004 - as for all that does not go together
    count, width, height = parameters["publishers"], parameters["width"], parameters["height"]
    # random() is the one draw whose sequence Python guarantees for a seed across versions.
    draw = random.Random(parameters["layout-seed"]).random
    tries = max(1, min(TRIES, _MOST_DRAWN // count))
    for _ in range(tries):
        first = {"corner": (0.0, 0.0), "centre": (width / 2, height / 2)}.get(parameters["subscriber"])
        root = first or (draw() * width, draw() * height)
        nodes = (
            subscriber(*root),
            *(publisher(n, draw() * width, draw() * height) for n in range(1, count + 1)),
        )
        candidate = routed(Layout("random-geometric", nodes), range_m)
        if all(node.parent for node in candidate.nodes[1:]):
            return candidate
    area = f"{show(width, LENGTH)} x {show(height, LENGTH)}"
    raise ValueError(f"none of {tries} random layouts of {count + 1} nodes on {area} is connected at a range "
                     "of "
                     f"{show(range_m, LENGTH)} (smaller width and height, a larger radio.range "
                     "or more publishers help)")  # fmt: skip


SHAPE = Shape(
    "random-geometric",
    "strewn at random over a rectangle by a seed of its own, connected over the range",
    (
        Parameter("publishers", "int", 25, 1, MOST_MOTES - 1, help="how many"),
        Parameter("width", "length", 150.0, 0.01, FAR, help="of the rectangle"),
        Parameter("height", "length", 150.0, 0.01, FAR, help="of the rectangle"),
        choice("subscriber", "corner", "centre", "random", help="where the subscriber stands"),
        Parameter("layout-seed", "int", 1, 0, 2**31 - 1, help="other seed, other layout"),
    ),
    layout,
)
