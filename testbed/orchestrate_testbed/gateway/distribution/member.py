# SPDX-License-Identifier: Apache-2.0
"""One node among the others, without I/O: what it says to them and makes of what they say.

Consumers subscribe, clocks are aligned with the first node's, and that one says when the system begins. While
the system runs, nodes go on asking for the reference time. What is said are messages of plain values; whoever
has the node carries them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from orchestrate_testbed.gateway.distribution.channel import Channel
from orchestrate_testbed.gateway.distribution.clock import Clock
from orchestrate_testbed.gateway.distribution.table import TARGET, NodeTable

LEAST_ANSWERS = 20  # of the reference's clock, until a node is ready
LEAD_US = 1_000_000  # from the last node's readiness to the system's begin
Said = tuple  # (node, message)


class Member:
    """Node `node` (from 0 on) of `nodes`. `inboxes`: where values for its tasks are to be sent, by number.

    `begins`: when the system begins, reference time, if that was settled beforehand. `motes`: the nodes that
    are motes; they take part in nothing but the alignment of clocks.
    """

    def __init__(
        self,
        table: NodeTable,
        node: int,
        nodes: int,
        clock: Clock,
        inboxes: Mapping[int, Any],
        begins: int | None = None,
        motes: Collection[int] = (),
    ):
        self.node, self.clock, self.start = node, clock, begins
        self.channel = Channel(table, node, nodes, motes)
        self.addresses: dict = {}  # (node, task) -> where its values go
        self.malformed = 0
        self._others, self._settled = nodes - 1, begins is not None
        consumers = [one.number for one in table.tasks if not one.timed or one.kind == TARGET]
        self._requests = [
            (
                to,
                {
                    "say": "request",
                    "event": request.event,
                    "node": node,
                    "inbox": inboxes[int(request.event)],
                },
            )
            for to, request in self.channel.subscribe(consumers)
            if to not in motes
        ]
        self._ready: set[int] = set()
        self._told: set[int] = set()

    @property
    def together(self) -> bool:
        """Whether this node knows all that it needs, and the first one that the others do."""
        if self._settled:
            return self.channel.complete() and self.clock.error is not None
        return self.start is not None and (self.node != 0 or len(self._told) == self._others)

    def question(self) -> list[Said]:
        """Return the question for the reference time; the first node has none."""
        return [(0, {"say": "clock", "asked": self.clock.own(), "node": self.node})] if self.node else []

    def says(self) -> list[Said]:
        """Return what the node says, again and again until the system begins: what was lost comes again."""
        found = [*self._requests, *self.question()]
        if self._settled:
            return found
        if self.node:
            if self.clock.exchanges >= LEAST_ANSWERS and self.channel.complete():
                found.append((0, {"say": "ready", "node": self.node}))
        elif self.channel.complete() and len(self._ready) == self._others:
            if self.start is None:
                self.start = self.clock.now() + LEAD_US
            found += [(node, {"say": "start", "at": self.start}) for node in sorted(self._ready)]
        return found

    def heard(self, said: Any, now: int) -> list[Said]:
        """Take what another node said, at `now` of the own clock; return what is answered.

        A message that is none of these is counted.
        """
        try:
            return self._heard(said, now)
        except (KeyError, TypeError, ValueError, OverflowError):
            self.malformed += 1
            return []

    def _heard(self, said: Any, now: int) -> list[Said]:
        what = said["say"]
        if what == "request":
            node, task = self._other(said["node"]), int(said["event"])
            self.channel.requested(node, str(task))
            inbox = said["inbox"]
            self.addresses[node, task] = tuple(inbox) if isinstance(inbox, list) else inbox
        elif what == "clock":
            return [
                (self._other(said["node"]), {"say": "time", "asked": said["asked"], "now": self.clock.now()})
            ]
        elif what == "time":
            self.clock.answered(int(said["asked"]), int(said["now"]), now)
        elif what == "ready":
            self._ready.add(self._other(said["node"]))
        elif what == "start" and self.node:
            self.start = int(said["at"])
            return [(0, {"say": "began", "node": self.node})]
        elif what == "began":
            self._told.add(self._other(said["node"]))
        else:
            raise ValueError(f"{what!r} is nothing that nodes say")
        return []

    def _other(self, node: Any) -> int:
        if not isinstance(node, int) or not 0 <= node <= self._others or node == self.node:
            raise ValueError(f"{node!r} is no other node")
        return node
