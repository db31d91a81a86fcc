# SPDX-License-Identifier: Apache-2.0
"""The subscriptions of an experiment, from the metrics' keys: `node/event/subscriber thread/deadline`."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.report.data import Results
from orchestrator.statistics.estimates import Estimate

DELAY, MISSES, RATE = "notification_delay_ms", "notification_misses", "notification_miss_rate"


@dataclass(frozen=True)
class Subscription:
    """A subscription to an event of a node's blackboard, and the delays of its notifications.

    `deadline_ms`: None for none. `delay`: ms, by mean, max and, for traced runs, p05, p50 and p95.
    """

    cell: str
    node: str
    event: str
    thread: str
    deadline_ms: float | None
    delay: dict[str, Estimate]
    misses: Estimate
    rate: Estimate

    @property
    def due(self) -> str:
        """The deadline in words."""
        return "none" if self.deadline_ms is None else f"{self.deadline_ms:g} ms"


def of_cell(results: Results, cell: str) -> list[Subscription]:
    """Return the subscriptions of a cell by node, event and subscriber."""
    keys: dict[str, dict[str, Estimate]] = {}
    for key in results.keys(DELAY, cell):
        base, _, which = key.rpartition("/")
        keys.setdefault(base, {})[which] = results.estimate(cell, DELAY, key)
    subscriptions = []
    for base, delay in keys.items():
        node, event, who, deadline = base.rsplit("/", 3)
        subscriptions.append(
            Subscription(
                cell,
                node,
                event,
                who.partition(" ")[2],
                None if deadline == "none" else float(deadline.removesuffix(" ms")),
                delay,
                results.estimate(cell, MISSES, base),
                results.estimate(cell, RATE, base, 100),
            )
        )
    return subscriptions
