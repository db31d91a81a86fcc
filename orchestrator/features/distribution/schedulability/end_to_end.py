# SPDX-License-Identifier: Apache-2.0
"""Computes response times over nodes and networks, by an analysis of single resources.

Where the end of a task releases the next one, the lateness of that end is the next one's jitter. Jitter and
response times are computed again until nothing changes (Tindell and Clark, 1994, Holistic Schedulability
Analysis for Distributed Hard Real-Time Systems).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf

from orchestrator.features.distribution.tasks import Task

# Jobs in a busy window; a task gets no bound where nearly all of the time is used.
_MOST_JOBS = 10_000
Analysis = Callable[[Task, Sequence[Task], dict[str, int]], int | None]


@dataclass(frozen=True)
class Bound:
    """A bound. `response`: the longest time from the path's release to the task's end; None for no bound."""

    task: Task
    response: int | None

    @property
    def held(self) -> bool:
        """Whether the deadline is held."""
        return self.response is not None and self.response <= self.task.deadline


def bounds(tasks: Iterable[Task], analysis: Analysis, held: bool = False) -> list[Bound]:
    """Return a bound for each task, by an analysis of single resources.

    `held`: it is only asked whether deadlines are held; if one isn't, not all bounds are returned. Releases
    of different paths may coincide in any way: offsets are not used, so that the bounds hold even where the
    clocks of nodes differ.
    """
    tasks = list(tasks)
    by_name = {task.name: task for task in tasks}
    resources: dict[str, list[Task]] = {}
    for task in tasks:
        resources.setdefault(task.resource, []).append(task)
    for there in resources.values():
        there.sort(key=lambda task: -task.priority)
    earliest = {task.name: _earliest(task, by_name) for task in tasks}
    jitter = {task.name: 0 for task in tasks}
    response: dict[str, int | None] = dict.fromkeys(by_name, 0)
    changed = set(resources)
    while changed:
        for resource in sorted(changed):
            for task in resources[resource]:  # the most urgent first
                if response[task.name] is not None:
                    bound = _bound(task, resources[resource], jitter, earliest, response, analysis)
                    response[task.name] = bound
                    if held and (bound is None or bound > task.deadline):
                        return [Bound(task, None)]
        changed = set()
        for task in tasks:  # in a file's order a path's tasks follow each other
            if not task.after or response[task.name] is None:
                continue
            before = response[task.after]
            if before is None:
                response[task.name] = None
            elif before - earliest[task.name] != jitter[task.name]:
                jitter[task.name] = before - earliest[task.name]
            else:
                continue
            changed.add(task.resource)
    return [Bound(task, response[task.name]) for task in tasks]


def _bound(
    task: Task,
    resource: Sequence[Task],
    jitter: dict[str, int],
    earliest: dict[str, int],
    response: dict[str, int | None],
    analysis: Analysis,
) -> int | None:
    """None also if a more urgent task has no bound: how often it interferes isn't known then."""
    if any(response[other.name] is None for other in resource if other.priority > task.priority):
        return None
    if jitter[task.name] >= task.period or _busy(task, resource, jitter) > _MOST_JOBS * task.period:
        return None
    found = analysis(task, resource, jitter)
    if found is None or earliest[task.name] + found > task.period:
        return None
    return earliest[task.name] + found


def _busy(task: Task, resource: Sequence[Task], jitter: dict[str, int]) -> float:
    """Return the longest possible busy window of a task and more urgent ones, us."""
    left, work = 1.0, 0.0
    for other in resource:
        if other.priority >= task.priority:
            left -= other.execution / other.period
            work += other.execution * (1 + jitter[other.name] / other.period)
    blocking = 0 if task.preemptive else max(other.execution for other in resource)
    return (work + blocking) / left if left > 1e-9 else inf


def _earliest(task: Task, by_name: dict[str, Task]) -> int:
    """Return the shortest time from a path's release to that of a task in it, us.

    Transmissions always take their full time, while executions may take less than their worst case.
    """
    time = 0
    while task.after:
        task = by_name[task.after]
        time += 0 if task.preemptive else task.execution
    return time
