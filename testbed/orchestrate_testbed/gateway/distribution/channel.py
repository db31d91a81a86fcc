# SPDX-License-Identifier: Apache-2.0
"""The event channel of one node, on the event service's tables.

Each proxy is an event that is named by the task that gets it. Consumers subscribe; their requests go to all
nodes, which hear each other directly, so that nobody passes them on. What a supplier pushes goes to each
consumer's proxy in turn, as in Figure 5 of the paper.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
from dataclasses import dataclass

from orchestrate_testbed.gateway.distribution.table import NodeTable
from orchestrate_testbed.gateway.event_service.messages import (
    SUBSCRIBE,
    Push,
    Registration,
    Request,
    ToBaseStation,
)
from orchestrate_testbed.gateway.event_service.router import Router

_VALUE = struct.Struct("<QIQIII")


@dataclass(frozen=True)
class Value:
    """A value that is distributed, with its age and what its path took.

    `stamp`: when it was updated, us of reference time. `error`: by how much that is wrong at most. `sent`:
    when it was handed to the network, reference time; 0 of a value that wasn't. Then what its path has taken
    so far beyond its executions, us: by the network, by our own code, and by waiting for the processor.
    """

    stamp: int
    error: int
    sent: int = 0
    network: int = 0
    code: int = 0
    host: int = 0

    def packed(self) -> bytes:
        """As an event's data."""
        return _VALUE.pack(self.stamp, self.error, self.sent, self.network, self.code, self.host)

    @classmethod
    def unpacked(cls, data: bytes) -> Value:
        """From an event's data. Raises ValueError."""
        if len(data) != _VALUE.size:
            raise ValueError(f"a value has {_VALUE.size} bytes, not {len(data)}")
        return cls(*_VALUE.unpack(data))


@dataclass(frozen=True)
class Proxy:
    """Where a value goes: to a task on this node (`node` None), or on another one."""

    to: int
    node: int | None
    push: Push


class Channel:
    """The channel of node `node` (from 0 on) of `nodes`.

    `motes`: the nodes that are motes; their tables are in their firmware and no request comes of them, so
    that this node subscribes for their consumers.
    """

    def __init__(self, table: NodeTable, node: int, nodes: int, motes: Collection[int] = ()):
        self._links, self._node = table.links, node
        self._router = Router()
        for other in range(nodes):
            if other != node:
                self._router.connected(other)
        for link in table.links:
            if link.node in motes:
                self.requested(link.node, str(link.to))

    def subscribe(self, consumers: list[int]) -> list[tuple[int, Request]]:
        """Tasks of this node get values: the requests that go to other nodes."""
        found = []
        for task in consumers:
            for output in self._router.registered(Registration(SUBSCRIBE, task, str(task))):
                found.append((output.neighbour, output.message))
        return found

    def requested(self, node: int, event: str) -> None:
        """Another node requests an event. It has told all others itself."""
        self._router.requested(node, Request(event))

    def complete(self) -> bool:
        """Whether everybody who is to get values of this node's tasks has subscribed."""
        return all(self._proxies(link.to, b"") for link in self._links)

    def push(self, origin: int, job: int, value: Value) -> list[Proxy]:
        """Return the proxies to which the value of an ended task goes, the most urgent first."""
        mine = sorted(
            (link for link in self._links if link.origin == origin), key=lambda link: -link.priority
        )
        return [proxy for link in mine for proxy in self._proxies(link.to, value.packed(), job)]

    def _proxies(self, to: int, data: bytes, job: int = 0) -> list[Proxy]:
        push = Push(str(to), self._node, job, data)
        return [
            Proxy(to, None if isinstance(output, ToBaseStation) else output.neighbour, push)
            for output in self._router.pushed(push)
        ]
