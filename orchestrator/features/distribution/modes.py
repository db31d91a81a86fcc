# SPDX-License-Identifier: Apache-2.0
"""Judges changes, while a system runs, between modes that are known beforehand (section 6).

During the change, the tasks of both modes may be there at once; a task of both modes goes on, with the
shorter of its two deadlines. If all that is schedulable, the change is possible at any time: no target of
both modes reads outdated data, and no deadline is missed. If it isn't, the old mode has to end first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from orchestrator.features.distribution.model import System
from orchestrator.features.distribution.readings import Reading
from orchestrator.features.distribution.schedulability import busy_window, end_to_end
from orchestrator.features.distribution.schedulability.end_to_end import Bound
from orchestrator.features.distribution.schedulability.verdict import Verdict, verdict
from orchestrator.features.distribution.tasks import Task, by_deadline
from orchestrator.features.distribution.utilisation import overloaded


@dataclass(frozen=True)
class Change:
    """The result for a change from one mode to another.

    `together`: bounds while the tasks of both are there; empty if a mode itself isn't schedulable, or if a
    resource (listed in `overloaded`) would have more work than time. `pause`: how long the old mode's last
    jobs may take, us.
    """

    before: Verdict
    after: Verdict
    together: list[Bound]
    overloaded: tuple[str, ...]
    pause: int

    @property
    def at_once(self) -> bool:
        """Whether the change is possible at any time, without a pause."""
        return bool(self.together) and all(bound.held for bound in self.together)

    @property
    def possible(self) -> bool:
        """Whether both modes are schedulable, so that at least a change with a pause is possible."""
        return self.before.schedulable and self.after.schedulable


def change(before: System, after: System, reading: Reading) -> Change:
    """Judge a change from one mode to another."""
    old, new = verdict(before, reading), verdict(after, reading)
    if not (old.schedulable and new.schedulable):
        return Change(old, new, [], (), 0)
    both = _both(old.tasks, new.tasks)
    too_much = overloaded(both)
    # Offsets hold within a mode only, so that only bounds without offsets are computed.
    together = [] if too_much else end_to_end.bounds(both, busy_window.response)
    return Change(old, new, together, too_much, max(task.deadline for task in old.tasks))


def _both(old: list[Task], new: list[Task]) -> list[Task]:
    """Return the tasks of both modes. A task that differs in anything but its deadline is there twice."""
    merged: dict[tuple, Task] = {}
    names: dict[tuple[str, str], str] = {}  # (mode, task) -> the task's name among both
    for mode, mode_tasks in (("", old), (" (new)", new)):
        for task in mode_tasks:
            after = names.get((mode, task.after), "")
            same = (task.name, task.resource, task.period, task.release, task.execution, after)
            if same in merged:
                earlier = merged[same]
                merged[same] = replace(earlier, deadline=min(earlier.deadline, task.deadline))
                names[mode, task.name] = earlier.name
                continue
            taken = any(task.name == other.name for other in merged.values())
            name = task.name + mode if taken else task.name
            names[mode, task.name] = name
            merged[same] = replace(task, name=name, after=after)
    return by_deadline(list(merged.values()))
