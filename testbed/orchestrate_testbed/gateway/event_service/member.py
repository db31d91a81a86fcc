# SPDX-License-Identifier: Apache-2.0
"""A gateway's part in forming the tree (section 5.1): connect to the parent, wait for children, answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from orchestrate_testbed.gateway.event_service.messages import Relation


@dataclass(frozen=True)
class Connect:
    """Open a connection to the parent."""

    parent: int
    address: str


@dataclass(frozen=True)
class Established:
    """Answer the controller: all connections of this gateway are established."""

    node: int


Output = Union[Connect, Established]  # noqa: UP007 (for Python 3.7)


class Member:
    """One gateway. Children may connect before it has been told that they are its children."""

    def __init__(self) -> None:
        self.relation: Relation | None = None
        self._connected: set[int] = set()
        self._answered = False

    @property
    def established(self) -> bool:
        """Whether all of its connections are established."""
        return self.relation is not None and self._wanted() <= self._connected

    def told(self, relation: Relation) -> list[Output]:
        """Note that the controller told this gateway its place."""
        self.relation = relation
        self._answered = False
        outputs: list[Output] = []
        if relation.parent is not None and relation.parent not in self._connected:
            assert relation.parent_address is not None
            outputs.append(Connect(relation.parent, relation.parent_address))
        return outputs + self._answer()

    def connected(self, neighbour: int) -> list[Output]:
        """Note that the connection to the parent, or from a child, is established."""
        self._connected.add(neighbour)
        return self._answer()

    def lost(self, neighbour: int) -> list[Output]:
        """Note that a connection broke: the parent is called again, a child is waited for."""
        self._connected.discard(neighbour)
        relation = self.relation
        if relation is None or neighbour != relation.parent:
            return []
        assert relation.parent_address is not None
        return [Connect(relation.parent, relation.parent_address)]

    def expects(self, neighbour: int) -> bool:
        """Whether the tree has a connection to that gateway, as far as this one was told."""
        return self.relation is None or neighbour in self._wanted()

    def _wanted(self) -> set[int]:
        assert self.relation is not None
        parent = self.relation.parent
        return {*self.relation.children, *(() if parent is None else (parent,))}

    def _answer(self) -> list[Output]:
        if self._answered or not self.established:
            return []
        self._answered = True
        assert self.relation is not None
        return [Established(self.relation.node)]
