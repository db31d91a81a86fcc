# SPDX-License-Identifier: Apache-2.0
"""A grid of rows x columns, on which every node but the subscriber publishes.

Next hops are searched over the radio's range.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.topology.connectivity import routed
from orchestrator.topology.model import Layout, Node
from orchestrator.topology.shape import MOST_MOTES, Shape, choice, limit_motes, publisher, spacing, subscriber
from orchestrator.vocabulary.parameters import Parameter

PARAMETERS = (
    Parameter("rows", "int", 3, 1, MOST_MOTES, help="nodes down"),
    Parameter("columns", "int", 3, 1, MOST_MOTES, help="nodes across"),
    spacing(40.0, "distance of neighbours in a row and in a column"),
    choice("subscriber", "corner", "centre", help="the place of the subscriber"),
)


def points(parameters: Mapping[str, Any]) -> list[tuple[float, float]]:
    """Return positions in metres: the subscriber's first, the others row by row. Raises ValueError."""
    rows, columns, gap = parameters["rows"], parameters["columns"], parameters["spacing"]
    limit_motes(rows * columns)
    if rows * columns < 2:
        raise ValueError(
            "one row with one column has room for the subscriber only; a publisher is needed as well"
        )
    centre = (rows // 2) * columns + columns // 2 if parameters["subscriber"] == "centre" else 0
    places = [(column * gap, row * gap) for row in range(rows) for column in range(columns)]
    return [places[centre], *places[:centre], *places[centre + 1 :]]


def nodes_at(places: list[tuple[float, float]]) -> tuple[Node, ...]:
    """Make a subscriber at the first place and publishers at the others."""
    return (subscriber(*places[0]), *(publisher(n, x, y) for n, (x, y) in enumerate(places[1:], 1)))


def layout(parameters: Mapping[str, Any], range_m: float) -> Layout:
    """Place the nodes on a grid; next hops are searched."""
    return routed(Layout("grid", nodes_at(points(parameters))), range_m)


SHAPE = Shape("grid", "rows x columns, next hops by breadth-first search over the range", PARAMETERS, layout)
