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
    found = [_task(one, SOURCE, (one.object,)) for one in system.sources.values()]
    paths: dict[str, Task] = {}
    for one in system.distributions.values():
        for task in _path(system, one, reading, deadlines[one.name]):
            before = paths.get(task.name)
            paths[task.name] = (
                task
                if before is None
                else replace(before, deadline=min(before.deadline, task.deadline), of=(*before.of, *task.of))
            )
    found += paths.values()
    found += [_task(one, TARGET, (one.object,)) for one in system.targets.values()]
    found += [_task(one, LOAD, ()) for one in system.loads.values()]
    return by_deadline(found)


def by_deadline(found: Sequence[Task]) -> list[Task]:
    """Return tasks with deadline-monotonic priorities; with equal deadlines the first one wins."""
    order = sorted(range(len(found)), key=lambda place: (found[place].deadline, place))
    ranks = {place: len(order) - rank for rank, place in enumerate(order)}
    return [replace(task, priority=ranks[place]) for place, task in enumerate(found)]


def _task(one: Source | Target | Load, kind: str, of: tuple[str, ...]) -> Task:
    return Task(one.name, kind, one.node, *astuple(one.timing), of=of, part=one.name)


def _path(system: System, one: Distribution, reading: Reading, deadline: int) -> Iterator[Task]:
    """Yield the tasks of one distribution, each after the one that releases it."""
    source = system.source(one).timing
    common = {
        "period": source.period,
        "release": reading.released(source),
        "deadline": deadline,
        "of": (one.name,),
    }
    split = next((at for at, name in enumerate(one.path) if system.steps[name].each_target), len(one.path))
    begin = system.source(one).node, "", system.source(one).name
    shared = yield from _hops(system, one, one.path[:split], "", begin, common)
    for target in one.targets:
        yield from _hops(system, one, (*one.path[split:], ""), target, shared, common)


def _hops(
    system: System,
    one: Distribution,
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
            sent, way, cost = f"{part}>{own}", f"{part}>{name or target}", system.networks[one.network]
            yield Task(sent, TRANSMISSION, one.network, execution=cost, after=after, part=way, **common)
            after = sent
        if step:
            yield Task(own, STEP, there, execution=step.execution, after=after, part=name, **common)
            after = own
        node, part = there, own
    return node, after, part


def last_of(found: list[Task], distribution: str, target: str = "") -> list[Task]:
    """Return the tasks at whose ends a distribution is complete: those that release no other task of it."""
    mine = [task for task in found if distribution in task.of and task.kind in (STEP, TRANSMISSION)]
    followed = {task.after for task in mine}
    return [
        task for task in mine if task.name not in followed and (not target or task.target in ("", target))
    ]
