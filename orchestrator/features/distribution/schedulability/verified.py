# SPDX-License-Identifier: Apache-2.0
"""Computes response times on one resource by `response-time-analysis`, whose analyses PROSA has verified."""

from __future__ import annotations

from collections.abc import Sequence

from response_time_analysis import fp
from response_time_analysis.model import (
    WCET,
    Deadline,
    FullyNonPreemptive,
    FullyPreemptive,
    IdealProcessor,
    PeriodicWithJitter,
    Priority,
    TaskSet,
)
from response_time_analysis.model import Task as Analysed

from orchestrator.features.distribution.tasks import Task

# The library counts arrivals with ceil(x / period) in floating point, which is exact up to here (us).
_HORIZON = 2**50


def response(task: Task, resource: Sequence[Task], jitter: dict[str, int]) -> int | None:
    """Return the longest time in us from a task's release without jitter to its end; None without a bound.

    `resource`: all tasks on it. No two have the same priority, so that none equals another: the library would
    take equal ones for one. `jitter`: by task, less than its period.
    """
    analysed = {other.name: _analysed(other, jitter[other.name]) for other in resource}
    solution = fp.rta(TaskSet(tuple(analysed.values())), analysed[task.name], IdealProcessor(), _HORIZON)
    if not solution.bound_found() or solution.search_space is None:
        return None
    # The n-th release in a busy window is due n periods after the first, which is late by the jitter.
    return max(
        jitter[task.name] + offset + bound - number * task.period
        for number, (offset, _, bound) in enumerate(solution.search_space)
        if bound is not None
    )


def _analysed(task: Task, jitter: int) -> Analysed:
    preemption = FullyPreemptive if task.preemptive else FullyNonPreemptive
    return Analysed(
        PeriodicWithJitter(task.period, jitter),
        preemption(WCET(task.execution)),
        Deadline(task.deadline),
        Priority(task.priority),
    )
