# SPDX-License-Identifier: Apache-2.0
"""Computes how much longer each execution may take, the others unchanged, before a deadline is missed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from orchestrator.features.distribution.schedulability.verdict import schedulable
from orchestrator.features.distribution.tasks import TRANSMISSION, Task
from orchestrator.features.distribution.utilisation import overloaded


@dataclass(frozen=True)
class Margin:
    """The margin of an execution or transmission time. Times are us.

    `most`: the longest time of `name` with which the system is schedulable.
    """

    name: str
    now: int
    most: int

    @property
    def factor(self) -> float:
        """The longest time as a multiple of the present one."""
        return self.most / self.now


def margins(tasks: Sequence[Task]) -> Iterator[Margin]:
    """Yield the margin of each source, step, network, target and load of a schedulable system."""
    seen = set()
    for task in tasks:
        name = _varied(task)
        if name not in seen:
            seen.add(name)
            yield Margin(name, task.execution, _most(tasks, name))


def together(tasks: Sequence[Task]) -> float:
    """Return the factor by which all execution and transmission times may grow at once, to a thousandth."""
    low, high = 1000, 1000 * min(task.deadline // task.execution + 1 for task in tasks)
    while high - low > 1:
        middle = (low + high) // 2
        if _fits([replace(task, execution=-(-task.execution * middle // 1000)) for task in tasks]):
            low = middle
        else:
            high = middle
    return low / 1000


def _varied(task: Task) -> str:
    return task.resource if task.kind == TRANSMISSION else task.part


def _most(tasks: Sequence[Task], name: str) -> int:
    """Return the longest time of `name` with which the system is schedulable, found by bisection.

    Bounds grow with executions. They need not grow with a network's delay, because that is also the least
    time that a transmission takes; the result is then schedulable, and one microsecond more isn't.
    """
    mine = [task for task in tasks if _varied(task) == name]
    low, high = mine[0].execution, min(task.deadline for task in mine) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if _fits([replace(task, execution=middle) if task in mine else task for task in tasks]):
            low = middle
        else:
            high = middle
    return low


def _fits(tasks: Sequence[Task]) -> bool:
    return not overloaded(tasks) and schedulable(tasks)
