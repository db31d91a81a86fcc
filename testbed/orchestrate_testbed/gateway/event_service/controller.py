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
    """All connections of the tree are established."""


Output = Union[Instruct, Formed]  # noqa: UP007 (for Python 3.7)


class Controller:
    """Gateways get their IDs in the order in which they connect.

    Beyond the thesis, which assumes that no gateway fails (7.2): the tree is rebuilt without one that is
    `given_up`, and has it again when it is `back`.
    """

    def __init__(self, tree: Tree, readings: Readings = DEFAULTS):
        self.tree = tree
        self.readings = readings
        self.addresses: dict[int, str] = {}
        self._instructed: set[int] = set()
        self._established: set[int] = set()
        self._lost: set[int] = set()
        self._given_up: set[int] = set()
        self._parents = tree.without(set())
        self._told: dict[int, Relation] = {}

    @property
    def formed(self) -> bool:
        """Whether every gateway of the tree has said that its connections are established."""
        return len(self._established) == len(self._parents) > 0

    def connected(self, address: str) -> list[Output]:
        """Note that a gateway connected, and return what to send.

        Raises ValueError if the tree has no place for it.
        """
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
        """Note that a gateway has all of its connections.

        Raises ValueError for one that has not been told its place yet.
        """
        if node not in self._instructed:
            raise ValueError(f"gateway {node!r} answered before it was told its place")
        if node in self._established:
            return []
        self._established.add(node)
        return [Formed()] if self.formed else self._instruct()

    def lost(self, node: int) -> list[Output]:
        """Note that a gateway is gone; it begins again when it connects (`back`)."""
        self._lost.add(node)
        self._established.discard(node)
        self._instructed.discard(node)
        return []

    def given_up(self, node: int) -> list[Output]:
        """Give up a gateway that was gone for too long: the others make a tree without it."""
        if node not in self._lost or node in self._given_up:
            return []
        self._given_up.add(node)
        return self._rebuild()

    def back(self, node: int, address: str) -> list[Output]:
        """Note that a lost gateway has connected again, from this address, which its children are told."""
        self.addresses[node] = address
        self._lost.discard(node)
        self._given_up.discard(node)
        self._told.pop(node, None)
        return self._rebuild()

    def waiting(self) -> str:
        """Return what the formation still waits for, in words; empty when the tree is formed."""
        if self.formed:
            return ""
        missing = self.tree.size - len(self.addresses)
        if missing:
            return f"{missing} of {self.tree.size} gateways have not connected to the controller"
        parts = []
        for node in self._parents:
            if node in self._instructed and node not in self._established:
                part = f"gateway {node} has not answered"
                untold = [child for child in self._children(node) if child not in self._instructed]
                if untold:
                    told = ", ".join(map(str, untold))
                    part += (
                        f": it waits for {told} to connect, which the controller tells only after its answer"
                    )
                parts.append(part)
        return "; ".join(parts)

    def _rebuild(self) -> list[Output]:
        """Tell everybody whose place is another one now. Before all have connected there is no tree yet."""
        if len(self.addresses) < self.tree.size:
            return []
        self._parents = self.tree.without(self._given_up)
        moved = {node for node in self._parents if self._told.get(node) != self._relation(node)}
        self._instructed -= moved | self._given_up
        self._established -= moved | self._given_up
        return self._instruct()

    def _instruct(self) -> list[Output]:
        outputs: list[Output] = []
        for node in self._parents:
            if node in self._established or node in self._lost:
                continue
            if node not in self._instructed:
                self._instructed.add(node)
                self._told[node] = self._relation(node)
                outputs.append(Instruct(node, self._told[node]))
            if self.readings.formation == "as-written":
                break
        return outputs

    def _relation(self, node: int) -> Relation:
        parent = self._parents[node]
        address = None if parent is None else self.addresses[parent]
        return Relation(node, parent, address, self._children(node))

    def _children(self, node: int) -> tuple[int, ...]:
        return tuple(child for child, parent in self._parents.items() if parent == node)
