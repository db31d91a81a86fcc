# SPDX-License-Identifier: Apache-2.0
"""The subscriptions of an experiment, from the keys of its metrics: `node/event/subscriber thread/deadline`
(spark/README.md).
"""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.report.data import Results
from orchestrator.statistics.estimates import Estimate

DELAY, MISSES, RATE = "notification_delay_ms", "notification_misses", "notification_miss_rate"


@dataclass(frozen=True)
class Subscription:
    """`deadline_ms`: None for none. `delay`: by mean, max and, of traced runs, p05, p50, p95, ms."""

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
        return "none" if self.deadline_ms is None else f"{self.deadline_ms:g} ms"


def of_cell(results: Results, cell: str) -> list[Subscription]:
    """In the order of node, event and subscriber."""
    keys: dict[str, dict[str, Estimate]] = {}
    for key in results.keys(DELAY, cell):
        base, _, which = key.rpartition("/")
        keys.setdefault(base, {})[which] = results.estimate(cell, DELAY, key)
    found = []
    for base, delay in keys.items():
        node, event, who, deadline = base.rsplit("/", 3)
        found.append(
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
    return found
