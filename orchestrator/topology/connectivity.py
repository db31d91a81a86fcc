# SPDX-License-Identifier: Apache-2.0
"""The graph of a layout: who hears whom, hop counts, degree, and next hops by breadth-first search.

`reach` is a range in metres or measured links. Two nodes are linked if their distance is at most the range,
as in Cooja's UDGM at full power, or if links with ratios above 0 exist in both directions. The control node
is left out: it is not part of a topology.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, replace

from orchestrator.scenario.model import Link
from orchestrator.topology.model import Layout, Node

Reach = float | tuple[Link, ...]


@dataclass(frozen=True)
class Connectivity:
    """The connections of a layout's nodes.

    `range_m`: metres; None for measured links. `routed`: whether next hops are configured. `hops`: mote ->
    hops to the subscriber along the next hops or, if none are configured, to the nearest subscriber on the
    shortest way; -1 without a way. `shortest`: mote -> hops of the shortest way over the range graph (-1 for
    none), which may be fewer than those of a configured route. `degree`: mote -> number of motes in range.
    `broken`: motes with a next hop out of range, that of a second topic included. `connected`: whether every
    mote has a way to the subscriber over the range graph, and no link of a route is broken.
    """

    range_m: float | None
    routed: bool
    connected: bool
    hops: dict[int, int]
    shortest: dict[int, int]
    degree: dict[int, int]
    broken: tuple[int, ...]


def distance(first: Node, other: Node) -> float:
    """Return the distance of two nodes in the plane, in metres."""
    return math.sqrt((first.x - other.x) ** 2 + (first.y - other.y) ** 2)


def network(layout: Layout) -> tuple[Node, ...]:
    """Return the nodes without the control node."""
    return tuple(node for node in layout.nodes if node.role != "control")


def ratios(nodes: tuple[Node, ...], links: tuple[Link, ...]) -> dict[tuple[int, int], float]:
    """Return the ratio of reception by (source, destination) for links between these nodes, without zeros."""
    motes = {node.name: node.mote for node in nodes}
    return {
        (motes[link.source], motes[link.destination]): link.ratio
        for link in links
        if link.ratio > 0 and link.source in motes and link.destination in motes
    }


def neighbours(nodes: tuple[Node, ...], reach: Reach) -> dict[int, list[Node]]:
    """Return the nodes that are linked with each mote, in the order of their ids."""
    if not isinstance(reach, tuple):
        return _in_range(nodes, reach)
    by_mote = {node.mote: node for node in nodes}
    linked: dict[int, list[Node]] = {node.mote: [] for node in nodes}
    by_pair = ratios(nodes, reach)
    for first, other in sorted(by_pair):
        if (other, first) in by_pair:
            linked[first].append(by_mote[other])
    return linked


def _in_range(nodes: tuple[Node, ...], range_m: float) -> dict[int, list[Node]]:
    """Return `neighbours` at a range; only nodes of adjacent squares are compared, for 10,000 motes."""
    side = max(range_m, 1e-3)
    squares: dict[tuple[int, int], list[Node]] = {}
    for node in nodes:
        squares.setdefault((math.floor(node.x / side), math.floor(node.y / side)), []).append(node)
    linked = {}
    for node in nodes:
        column, row = math.floor(node.x / side), math.floor(node.y / side)
        near = [
            other
            for across in (-1, 0, 1)
            for down in (-1, 0, 1)
            for other in squares.get((column + across, row + down), ())
            if other.mote != node.mote and distance(node, other) <= range_m
        ]
        linked[node.mote] = sorted(near, key=lambda other: other.mote)
    return linked


def _breadth_first(linked: dict[int, list[Node]], *roots: int) -> dict[int, int]:
    hops = dict.fromkeys(roots, 0)
    queue = deque(roots)
    while queue:
        mote = queue.popleft()
        for other in linked[mote]:
            if other.mote not in hops:
                hops[other.mote] = hops[mote] + 1
                queue.append(other.mote)
    return hops


def routed(layout: Layout, reach: Reach) -> Layout:
    """Return the layout with a next hop for every node that has none.

    A next hop is one hop nearer to the subscriber; of several, the nearest in metres (over links: the one
    with the best product of ratios in both directions), then the one with the lowest id. It is 0 if no route
    exists.
    """
    nodes = network(layout)
    root = subscriber(layout).mote
    linked = neighbours(nodes, reach)
    hops = _breadth_first(linked, root)
    by_pair = ratios(nodes, reach) if isinstance(reach, tuple) else {}

    def cost(node: Node, other: Node) -> float:
        if isinstance(reach, tuple):
            return -by_pair[node.mote, other.mote] * by_pair[other.mote, node.mote]
        return distance(node, other)

    def next_hop(node: Node) -> int:
        if node.parent or node.mote == root or node.mote not in hops:
            return node.parent
        nearer = [other for other in linked[node.mote] if hops[other.mote] == hops[node.mote] - 1]
        return min(nearer, key=lambda other: (cost(node, other), other.mote)).mote

    motes = {node.mote for node in nodes}
    return replace(
        layout,
        nodes=tuple(
            replace(node, parent=next_hop(node)) if node.mote in motes else node for node in layout.nodes
        ),
    )


def next_hops(node: Node) -> tuple[int, ...]:
    """Return a node's next hop, and that of the second topic's events if it is another one."""
    return tuple(hop for hop in (node.parent, node.second) if hop)


def subscriber(layout: Layout) -> Node:
    """Return the first subscriber, or the first node if nobody subscribes."""
    return next((node for node in layout.nodes if node.role == "subscriber"), layout.nodes[0])


def route_hops(nodes: tuple[Node, ...], root: int) -> dict[int, int]:
    """Return each mote's hops to the root along the next hops; -1 if these end elsewhere or form a circle."""
    parents = {node.mote: node.parent for node in nodes}
    hops = {root: 0}
    for start in parents:
        way: dict[int, None] = {}  # in the order of passing
        mote = start
        while mote in parents and mote not in hops and mote not in way:
            way[mote] = None
            mote = parents[mote]
        base = hops.get(mote, -1)
        for count, passed in enumerate(reversed(way), 1):
            hops[passed] = base + count if base >= 0 else -1
    return {mote: hops[mote] for mote in parents}


def connectivity(layout: Layout, reach: Reach) -> Connectivity:
    """Compute which nodes are connected, their hops to the subscriber, and their degrees."""
    nodes = network(layout)
    root = subscriber(layout).mote
    linked = neighbours(nodes, reach)
    way = any(node.parent for node in nodes)
    subscribers = [node.mote for node in nodes if node.role == "subscriber"]
    reached = _breadth_first(linked, root) if way else _breadth_first(linked, *(subscribers or [root]))
    broken = tuple(
        node.mote for node in nodes if not {*next_hops(node)} <= {other.mote for other in linked[node.mote]}
    )
    shortest = {node.mote: reached.get(node.mote, -1) for node in nodes}
    hops = route_hops(nodes, root) if way else shortest
    return Connectivity(
        range_m=None if isinstance(reach, tuple) else reach,
        routed=way,
        connected=len(_breadth_first(linked, root)) == len(nodes)
        and not broken
        and all(count >= 0 for count in hops.values()),
        hops=hops,
        shortest=shortest,
        degree={node.mote: len(linked[node.mote]) for node in nodes},
        broken=broken,
    )
