# SPDX-License-Identifier: Apache-2.0
"""Boards of motes as in the event service thesis: each is a tree with its base station at the root.

Base stations are S (mote 1), S2, S3 and so on. A board has `depth` levels below its base station, and every
inner mote has `fan-out` children, so that the default is the thesis's tree of seven: 0-{1,2}, 1-{3,4},
2-{5,6}. Leaves are P1, P2 and so on, board by board; the motes between are relays R1, R2. Boards stand in
rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from orchestrator.topology.model import Layout, Node
from orchestrator.topology.shape import MOST_MOTES, Shape, limit_motes, millimetres, spacing
from orchestrator.vocabulary.parameters import Parameter

INCH = 0.0254  # metres


def places(depth: int, fan_out: int, longest: float) -> list[tuple[int, float, float]]:
    """Return a board's motes, level by level: (index of the parent, x, y) with the base station at 0, 0.

    A child stands beyond its parent, away from the base station, turned to a side of its own; every link has
    the length `longest`.
    """
    points = [(-1, 0.0, 0.0)]
    level = [(0, 0.0, 2 * math.pi)]  # index, direction, sector
    for number in range(depth):
        below = []
        for parent, direction, sector in level:
            share = sector / fan_out
            for child in range(fan_out):
                # The base station's children stand around it, others' before their parent.
                angle = share * child if number == 0 else direction - sector / 2 + share * (child + 0.5)
                _, x, y = points[parent]
                below.append((len(points), angle, min(share, math.pi * 2 / 3)))
                points.append((parent, x + longest * math.cos(angle), y + longest * math.sin(angle)))
        level = below
    return points


def layout(parameters: Mapping[str, Any], range_m: float) -> Layout:
    """Place the boards in rows of nearly equal length."""
    boards, depth, fan_out = parameters["boards"], parameters["depth"], parameters["fan-out"]
    each = depth + 1 if fan_out == 1 else (fan_out ** (depth + 1) - 1) // (fan_out - 1)
    limit_motes(boards * each)
    board = places(depth, fan_out, parameters["spacing"])
    first_leaf = len(board) - fan_out**depth
    across = math.ceil(math.sqrt(boards))
    pitch = parameters["board-spacing"]
    nodes: list[Node] = []
    counts = {"S": 0, "P": 0, "R": 0}
    for number in range(boards):
        base = len(nodes) + 1
        for index, (parent, x, y) in enumerate(board):
            kind, role = _kind(index, first_leaf)
            counts[kind] += 1
            name = "S" if kind == "S" and number == 0 else f"{kind}{counts[kind]}"
            nodes.append(
                Node(
                    base + index,
                    name,
                    role,
                    millimetres(x + pitch * (number % across)),
                    millimetres(y + pitch * (number // across)),
                    0 if parent < 0 else base + parent,
                )
            )
    return Layout("boards", tuple(nodes))


def _kind(index: int, first_leaf: int) -> tuple[str, str]:
    if index == 0:
        return "S", "subscriber"
    return ("P", "publisher") if index >= first_leaf else ("R", "relay")


SHAPE = Shape(
    "boards",
    "boards of motes, each a tree behind a gateway, as in the event service thesis",
    (
        Parameter("boards", "int", 1, 1, MOST_MOTES, help="how many; each has a base station and a gateway"),
        Parameter("depth", "int", 2, 1, 10, help="levels below a base station"),
        Parameter("fan-out", "int", 2, 1, 30, help="children of every inner mote"),
        spacing(9 * INCH, "length of every link of a board's tree"),
        Parameter(
            "board-spacing", "length", 1.5, 0.01, 100_000.0, help="between the base stations of two boards"
        ),
    ),
    layout,
)
