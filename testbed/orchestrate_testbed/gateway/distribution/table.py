# SPDX-License-Identifier: Apache-2.0
"""The table of one node of a system that distributes data: its tasks, and the proxies of its values."""

from __future__ import annotations

from dataclasses import asdict, dataclass

# Numbered from 1 on (contiki-apps/middleware/distribution). last: the step at whose end a target can read.
SOURCE, STEP, LAST, TARGET, LOAD = KINDS = ("source", "step", "last", "target", "load")


@dataclass(frozen=True)
class NodeTask:
    """A task of a node; times in us.

    `number`: in the whole system, from 1 on. `priority`: larger is more urgent. `source`: of a step that time
    releases, the number of the source whose newest value it takes; 0: it is released by a value, or needs
    none. `validity`: of what a target reads.
    """

    name: str
    kind: str
    number: int
    priority: int
    period: int
    release: int
    deadline: int
    execution: int
    source: int = 0
    validity: int = 0

    @property
    def timed(self) -> bool:
        """Whether time releases it, and no value."""
        return self.kind not in (STEP, LAST) or self.source != 0


@dataclass(frozen=True)
class Link:
    """A proxy: when the task `origin` of this node ends, its value goes to `to` on `node` (from 0 on).

    If that is another node, it goes over `network` with that priority.
    """

    origin: int
    to: int
    node: int
    network: str = ""
    priority: int = 0


@dataclass(frozen=True)
class NodeTable:
    """One node's."""

    name: str
    tasks: tuple[NodeTask, ...]
    links: tuple[Link, ...]


def plain(table: NodeTable) -> dict:
    """Return a table in JSON's types."""
    return asdict(table)


def read(found: dict) -> NodeTable:
    """Return the table of what `plain` gave."""
    return NodeTable(
        found["name"],
        tuple(NodeTask(**one) for one in found["tasks"]),
        tuple(Link(**one) for one in found["links"]),
    )
