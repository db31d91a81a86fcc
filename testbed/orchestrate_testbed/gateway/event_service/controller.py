# SPDX-License-Identifier: Apache-2.0
"""The controller (the PC of section 5.1): it waits for the gateways on port 8000 and makes a tree of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from orchestrate_testbed.gateway.event_service.messages import Relation
from orchestrate_testbed.gateway.event_service.readings import DEFAULTS, Readings
from orchestrate_testbed.gateway.event_service.topology import Tree

PORT = 8000  # section 4.1


@dataclass(frozen=True)
class Instruct:
    """Tell the gateway with this ID its place in the tree."""

    node: int
    relation: Relation


@dataclass(frozen=True)
class Formed:
    """All connections of the tree stand."""


Output = Union[Instruct, Formed]  # noqa: UP007 (for Python 3.7)


class Controller:
    """Gateways get their IDs in the order in which they connect."""

    def __init__(self, tree: Tree, readings: Readings = DEFAULTS):
        self.tree = tree
        self.readings = readings
        self.addresses: dict[int, str] = {}
        self._instructed: set[int] = set()
        self._established: set[int] = set()

    @property
    def formed(self) -> bool:
        """Whether every gateway has said that its connections stand."""
        return len(self._established) == self.tree.size

    def connected(self, address: str) -> list[Output]:
        """A gateway connected. Raises ValueError if the tree has no place for it."""
        if len(self.addresses) == self.tree.size:
            raise ValueError(
                f"the topology file has {self.tree.size} gateways, and all of them are there: another one "
                "connected, correct the file's first line"
            )
        self.addresses[len(self.addresses) + 1] = address
        if len(self.addresses) < self.tree.size:
            return []
        return self._instruct()

    def established(self, node: int) -> list[Output]:
        """A gateway has all of its connections. Raises ValueError of one that was told nothing yet."""
        if node not in self._instructed:
            raise ValueError(f"gateway {node!r} answered before it was told its place")
        if node in self._established:
            return []
        self._established.add(node)
        return [Formed()] if self.formed else self._instruct()

    def lost(self, node: int) -> list[Output]:
        """A gateway is gone and starts anew when it connects (`back`)."""
        self._established.discard(node)
        self._instructed.discard(node)
        return []

    def back(self, node: int, address: str) -> list[Output]:
        """A gateway that was lost connected again, from this address; its children learn it too."""
        self.addresses[node] = address
        self._instructed -= {node, *self.tree.children(node)}
        self._established -= {node, *self.tree.children(node)}
        return self._instruct()

    def waiting(self) -> str:
        """What the formation waits for, in words; empty when the tree is formed."""
        if self.formed:
            return ""
        missing = self.tree.size - len(self.addresses)
        if missing:
            return f"{missing} of {self.tree.size} gateways have not connected to the controller"
        parts = []
        for node in self._order():
            if node in self._instructed and node not in self._established:
                part = f"gateway {node} has not answered"
                untold = [child for child in self.tree.children(node) if child not in self._instructed]
                if untold:
                    told = ", ".join(map(str, untold))
                    part += (
                        f": it waits for {told} to connect, which the controller tells only after its answer"
                    )
                parts.append(part)
        return "; ".join(parts)

    def _order(self) -> list[int]:
        return self.tree.from_root()

    def _instruct(self) -> list[Output]:
        outputs: list[Output] = []
        for node in self._order():
            if node in self._established:
                continue
            if node not in self._instructed:
                self._instructed.add(node)
                outputs.append(Instruct(node, self._relation(node)))
            if self.readings.formation == "as-written":
                break
        return outputs

    def _relation(self, node: int) -> Relation:
        parent = self.tree.parent(node)
        address = None if parent is None else self.addresses[parent]
        return Relation(node, parent, address, self.tree.children(node))
