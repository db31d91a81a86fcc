# SPDX-License-Identifier: Apache-2.0
"""A full tree of `depth` levels below the subscriber, in which every inner node has `fan-out` children.

The levels are rings: a subtree keeps its sector, and each ring is so far out that its longest link has the
length `spacing`. Publishers come first in the mote ids, then relays, each level by level.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.topology.model import Layout, Node
from orchestrator.topology.shape import Shape, choice, limit_motes, millimetres, spacing, subscriber
from orchestrator.vocabulary.parameters import Parameter

_CUT = 0.002  # metres that cutting both ends of a link to millimetres can add to it


@dataclass(frozen=True)
class _Place:
    level: int
    x: float
    y: float
    parent: int  # index in the list of places, -1 for the root


def _places(depth: int, fan_out: int, longest: float) -> list[_Place]:
    """Return the nodes below the root, level by level."""
    places: list[_Place] = []
    sectors = [(-1, 0.0, 2 * math.pi)]  # (parent's index, middle, width)
    radius = 0.0
    for level in range(1, depth + 1):
        width = sectors[0][2]
        # The outermost child of a sector lies this far from its parent's direction.
        offset = 0.0 if level == 1 else width / 2 * (1 - 1 / fan_out)
        link = longest if level == 1 else max(longest - _CUT, longest / 2)
        across = radius * math.sin(offset)
        radius = radius * math.cos(offset) + math.sqrt(max(link**2 - across**2, 0.0))
        below = []
        for parent, middle, width in sectors:
            share = width / fan_out
            for child in range(fan_out):
                # The first ring starts at angle 0, deeper children stand symmetrically about their parent's
                # direction.
                angle = share * child if level == 1 else middle - width / 2 + share * (child + 0.5)
                below.append((len(places), angle, share))
                places.append(_Place(level, radius * math.cos(angle), radius * math.sin(angle), parent))
        sectors = below
    return places


def layout(parameters: Mapping[str, Any], range_m: float) -> Layout:
    """Place a tree, level by level, with the subscriber at its root."""
    depth, fan_out = parameters["depth"], parameters["fan-out"]
    total = depth if fan_out == 1 else (fan_out ** (depth + 1) - fan_out) // (fan_out - 1)
    limit_motes(total + 1)
    places = _places(depth, fan_out, parameters["spacing"])
    publishes = [place.level == depth or parameters["inner"] == "publisher" for place in places]
    order = sorted(range(len(places)), key=lambda index: (not publishes[index], index))
    mote = {index: position + 2 for position, index in enumerate(order)} | {-1: 1}
    nodes = [subscriber()]
    publishers = sum(publishes)
    for index in order:
        place, number = places[index], mote[index] - 1
        name, role = (f"P{number}", "publisher") if publishes[index] else (f"R{number - publishers}", "relay")
        x, y = millimetres(place.x), millimetres(place.y)
        nodes.append(Node(mote[index], name, role, x, y, mote[place.parent]))
    return Layout("tree", tuple(nodes))


SHAPE = Shape(
    "tree",
    "the subscriber is the root, every inner node forwards for its children",
    (
        Parameter("depth", "int", 2, 1, 100, help="levels below the subscriber"),
        Parameter("fan-out", "int", 2, 1, 1000, help="children of every inner node"),
        spacing(30.0, "length of the longest link of a level"),
        choice("inner", "publisher", "relay", help="what inner nodes are"),
    ),
    layout,
)
