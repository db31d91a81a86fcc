# SPDX-License-Identifier: Apache-2.0
"""Computes response times on one resource by the busy window.

Source: Tindell and Clark, 1994, Holistic Schedulability Analysis for Distributed Hard Real-Time Systems. This
is a second analysis beside the verified one, with integers only. It is faster, so sensitivity uses it.
"""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.features.distribution.tasks import Task


def response(task: Task, resource: Sequence[Task], jitter: dict[str, int]) -> int | None:
    """Return the same as verified.response."""
    above = [
        (other.execution, other.period, jitter[other.name])
        for other in resource
        if other.priority > task.priority
    ]
    own = jitter[task.name]
    # A less urgent transmission that has begun is not interrupted: all of it but its first instant blocks.
    blocking = max(
        (
            other.execution - 1
            for other in resource
            if other.priority < task.priority and not other.preemptive
        ),
        default=0,
    )
    window = _settled(blocking, [*above, (task.execution, task.period, own)], 1)
    # Once begun, a transmission is not delayed: only its first instant waits for others.
    rest = 0 if task.preemptive else task.execution - 1
    worst, number, begun = 0, 0, 1
    while number * task.period - own < window:
        begun = _settled(blocking + (number + 1) * task.execution - rest, above, begun)
        worst = max(worst, own + begun + rest - number * task.period)
        number += 1
    return worst


def _settled(work: int, others: Sequence[tuple[int, int, int]], least: int) -> int:
    """Return the shortest time that is long enough for `work` and for all that is released within it."""
    while True:
        needed = work + sum(cost * -(-(least + late) // period) for cost, period, late in others)
        if needed <= least:
            return least
        least = needed
