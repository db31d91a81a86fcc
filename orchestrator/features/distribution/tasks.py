# SPDX-License-Identifier: Apache-2.0
"""Makes tasks of a system: what runs on each node, what each network transmits, and with which priorities.

A step runs once in each period of its distribution, and from the first step with `each-target` on once for
each target. Where two parts of a path are on different nodes, there is a transmission between them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace

from orchestrator.features.distribution.model import Distribution, Load, Source, System, Target
from orchestrator.features.distribution.readings import Reading

SOURCE, STEP, TRANSMISSION, TARGET, LOAD = "source", "step", "transmission", "target", "load"


@dataclass(frozen=True)
class Task:
    """A periodic task. Times are us.

    `after`: the task whose end releases it, in the same period; "" if time releases it. `release`: from the
    period's start; for a task in a path, that of the whole path. `deadline`: from that release. `priority`:
    larger is more urgent, and no two tasks of a system have the same. `of`: its distributions or, for a
    source or a target, its object. `part`: the entry of the file that it belongs to. `target`: the one target
    that it serves, "" for all.
    """

    name: str
    kind: str
    resource: str
    period: int
    release: int
    deadline: int
    execution: int
    after: str = ""
    of: tuple[str, ...] = ()
    part: str = ""
    target: str = ""
    priority: int = 0

    @property
    def preemptive(self) -> bool:
        """Whether more urgent tasks interrupt it; a transmission that has begun is not interrupted."""
        return self.kind != TRANSMISSION


def tasks(system: System, reading: Reading, deadlines: Mapping[str, int]) -> list[Task]:
    """Return all tasks with deadline-monotonic priorities; with equal deadlines the first in the file wins.

    `deadlines`: that of each distribution, from its release, us.
    """
    all_tasks = [_task(source, SOURCE, (source.object,)) for source in system.sources.values()]
    paths: dict[str, Task] = {}
    for distribution in system.distributions.values():
        for task in _path(system, distribution, reading, deadlines[distribution.name]):
            before = paths.get(task.name)
            paths[task.name] = (
                task
                if before is None
                else replace(before, deadline=min(before.deadline, task.deadline), of=(*before.of, *task.of))
            )
    all_tasks += paths.values()
    all_tasks += [_task(target, TARGET, (target.object,)) for target in system.targets.values()]
    all_tasks += [_task(load, LOAD, ()) for load in system.loads.values()]
    return by_deadline(all_tasks)


def by_deadline(all_tasks: Sequence[Task]) -> list[Task]:
    """Return tasks with deadline-monotonic priorities; with equal deadlines the first one wins."""
    order = sorted(range(len(all_tasks)), key=lambda place: (all_tasks[place].deadline, place))
    ranks = {place: len(order) - rank for rank, place in enumerate(order)}
    return [replace(task, priority=ranks[place]) for place, task in enumerate(all_tasks)]


def _task(timed: Source | Target | Load, kind: str, of: tuple[str, ...]) -> Task:
    return Task(timed.name, kind, timed.node, *astuple(timed.timing), of=of, part=timed.name)


def _path(system: System, distribution: Distribution, reading: Reading, deadline: int) -> Iterator[Task]:
    """Yield the tasks of one distribution, each after the one that releases it."""
    source = system.source(distribution).timing
    common = {
        "period": source.period,
        "release": reading.released(source),
        "deadline": deadline,
        "of": (distribution.name,),
    }
    split = next(
        (at for at, name in enumerate(distribution.path) if system.steps[name].each_target),
        len(distribution.path),
    )
    begin = system.source(distribution).node, "", system.source(distribution).name
    shared = yield from _hops(system, distribution, distribution.path[:split], "", begin, common)
    for target in distribution.targets:
        yield from _hops(system, distribution, (*distribution.path[split:], ""), target, shared, common)


def _hops(
    system: System,
    distribution: Distribution,
    names: tuple[str, ...],
    target: str,
    before: tuple[str, str, str],
    common: dict,
) -> Generator[Task, None, tuple[str, str, str]]:
    """Yield the tasks of these steps, and the transmissions to their nodes.

    `target`: the only one that needs them, "" for steps of all; the step "" stands for the target itself.
    `before`: the node, task and part of the path that come before; return those at the end.
    """
    node, after, part = before
    common = {**common, "target": target}
    for name in names:
        step = system.steps[name] if name else None
        there = step.node if step else system.targets[target].node
        own = "/".join(filter(None, (name, target)))
        if there != node:
            sent, way, cost = (
                f"{part}>{own}",
                f"{part}>{name or target}",
                system.networks[distribution.network],
            )
            yield Task(
                sent, TRANSMISSION, distribution.network, execution=cost, after=after, part=way, **common
            )
            after = sent
        if step:
            yield Task(own, STEP, there, execution=step.execution, after=after, part=name, **common)
            after = own
        node, part = there, own
    return node, after, part


def last_of(all_tasks: list[Task], distribution: str, target: str = "") -> list[Task]:
    """Return the tasks at whose ends a distribution is complete: those that release no other task of it."""
    mine = [task for task in all_tasks if distribution in task.of and task.kind in (STEP, TRANSMISSION)]
    followed = {task.after for task in mine}
    return [
        task for task in mine if task.name not in followed and (not target or task.target in ("", target))
    ]
