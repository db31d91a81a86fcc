# SPDX-License-Identifier: Apache-2.0
"""A mote's place in the configured topology, as EEPROM images hold it."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.topology.connectivity import network, route_hops, subscriber
from orchestrator.topology.model import Layout, Node


class Routes:
    """A mote's place in the configured topology: its next hop, children, depth, and routes through it."""

    def __init__(self, placed: Layout):
        nodes = network(placed)
        self.root = subscriber(placed).mote
        self.ids = [node.mote for node in placed.nodes]
        self.at = {mote: number for number, mote in enumerate(self.ids)}
        self.depth = route_hops(nodes, self.root)
        self.deepest = max(0, *self.depth.values())
        publishers = [node.mote for node in placed.nodes if node.role == "publisher"]
        self.index = {mote: number for number, mote in enumerate(publishers, 1)}
        self.children: dict[int, list[int]] = {mote: [] for mote in self.ids}
        for node in nodes:
            if node.parent:
                self.children[node.parent].append(node.mote)
        self.through = self._passing(nodes, self.depth, 1)
        self.second_through = dict.fromkeys(self.ids, 0)
        if any(node.topic == 2 for node in nodes):
            others = tuple(replace(node, parent=node.second or node.parent) for node in nodes)
            self.second_through = self._passing(others, route_hops(others, self.root), 2)
            for node in nodes:
                if node.second:
                    self.children[node.second].append(node.mote)

    def _passing(self, nodes: tuple[Node, ...], hops: dict[int, int], topic: int) -> dict[int, int]:
        """Mote -> how many of a topic's publishers' routes pass it, itself included."""
        through = dict.fromkeys(self.ids, 0)
        # Children before parents, so that each mote's count is complete when it is added to its next hop's.
        for node in sorted(nodes, key=lambda node: -hops[node.mote]):
            through[node.mote] += node.mote in self.index and node.topic == topic
            if node.parent:
                through[node.parent] += through[node.mote]
        return through

    def of(self, node: Node) -> dict:
        children, at = self.children[node.mote], self.at[node.mote]
        return {
            "role": node.role,
            "id": node.mote,
            "index": self.index.get(node.mote, 0),
            "parent": node.parent,
            "children": children,
            "neighbours": [hop for hop in (node.parent, node.second) if hop] + children,
            "topic": node.topic,
            "second_parent": node.second,
            "second_through": self.second_through[node.mote],
            "publishers_through": self.through[node.mote],
            "depth": max(self.depth.get(node.mote, 0), 0),
            "deepest": self.deepest,
            "motes": self.ids[:at]
            + self.ids[at + 1 :],  # a copy is faster than a filter, and 10,000 motes ask
        }
