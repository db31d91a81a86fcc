# SPDX-License-Identifier: Apache-2.0
"""The run-time tables of a system's nodes: tasks with priorities, and the proxies of their values.

The run times on motes and gateways take it in this form.
"""

from __future__ import annotations

from collections.abc import Sequence

from orchestrate_testbed.gateway.distribution.table import LAST, Link, NodeTable, NodeTask

from orchestrator.features.distribution.deadlines import deadlines
from orchestrator.features.distribution.model import System
from orchestrator.features.distribution.readings import Reading
from orchestrator.features.distribution.tasks import STEP, TARGET, TRANSMISSION, Task, last_of, tasks

MOST_TASKS = 255  # of a system: numbers have eight bits


class CannotRun(ValueError):
    """The system has no deadlines, or is too large for the run time."""


def node_tables(system: System, reading: Reading) -> list[NodeTable]:
    """Return the table of each node, in the file's order. Raises CannotRun."""
    results = deadlines(system, reading)
    if none := [result.distribution.name for result in results if result.deadline is None]:
        raise CannotRun(f"{', '.join(none)} can't keep data valid, however quick it is")
    latest = {result.distribution.name: result.deadline for result in results}
    built = tables_of(system, tasks(system, reading, latest))  # type: ignore[arg-type]
    if sum(len(table.tasks) for table in built) > MOST_TASKS:
        raise CannotRun(f"it has more than {MOST_TASKS} tasks")
    return built


def tables_of(system: System, analysed: Sequence[Task]) -> list[NodeTable]:
    """Return the tables of a system whose tasks are known."""
    return _Tables(system, analysed).made()


class _Tables:
    """A transmission is no task of a node, but a proxy.

    Where it begins or ends a path, a step that takes no time stands for its end on the node.
    """

    def __init__(self, system: System, analysed: Sequence[Task]):
        self.system = system
        self.by_name = {task.name: task for task in analysed}
        self.last = {
            task.name
            for distribution in system.distributions
            for task in last_of(list(analysed), distribution)
        }
        self.nodes: dict[str, list[Task]] = {name: [] for name in system.nodes}
        self.ends: dict[str, str] = {}  # transmission -> the step that stands for its end
        for task in analysed:
            if task.kind != TRANSMISSION:
                self.nodes[task.resource].append(task)
            elif not task.after:
                source = system.source(system.distributions[task.of[0]])
                self.nodes[source.node].append(task)
            elif task.name in self.last:
                self.nodes[system.targets[task.target].node].append(task)
        self.numbers = {
            task.name: number
            for number, task in enumerate((task for there in self.nodes.values() for task in there), 1)
        }
        self.home = {task.name: node for node, there in self.nodes.items() for task in there}
        on_networks: dict[str, list[Task]] = {}
        for task in sorted(analysed, key=lambda task: task.priority):
            if task.kind == TRANSMISSION:
                on_networks.setdefault(task.resource, []).append(task)
        self.on_network = {
            task.name: place for there in on_networks.values() for place, task in enumerate(there, 1)
        }

    def made(self) -> list[NodeTable]:
        places = {name: place for place, name in enumerate(self.system.nodes)}
        links: dict[str, list[Link]] = {name: [] for name in self.nodes}
        for origin, to, by in self._flows():
            here, there = self.home[origin], self.home[to]
            network, priority = (by.resource, self.on_network[by.name]) if by is not None else ("", 0)
            links[here].append(
                Link(self.numbers[origin], self.numbers[to], places[there], network, priority)
                if here != there
                else Link(self.numbers[origin], self.numbers[to], places[there])
            )
        return [NodeTable(name, tuple(self._ranked(name)), tuple(links[name])) for name in self.nodes]

    def _flows(self) -> list[tuple[str, str, Task | None]]:
        """(task, task that gets its value, transmission between them)."""
        flows = []
        for task in self.by_name.values():
            if task.kind not in (STEP, TRANSMISSION) or not task.after:
                continue
            before = self.by_name[task.after]
            if task.kind == STEP:
                by = before if before.kind == TRANSMISSION else None
                origin = before.name if by is None or not by.after else by.after
                flows.append((origin, task.name, by))
            elif task.name in self.last:
                flows.append((task.after, task.name, task))
        for distribution in self.system.distributions.values():
            for target in distribution.targets:
                last = last_of(list(self.by_name.values()), distribution.name, target)
                origin = last[0].name if last else self.system.source(distribution).name
                by = last[0] if last and last[0].kind == TRANSMISSION and not last[0].after else None
                flows.append((origin, target, by))
        return flows

    def _ranked(self, node: str) -> list[NodeTask]:
        there = self.nodes[node]
        ranks = {
            task.name: rank for rank, task in enumerate(sorted(there, key=lambda task: task.priority), 1)
        }
        return [self._task(task, ranks[task.name]) for task in there]

    def _task(self, task: Task, priority: int) -> NodeTask:
        kind = task.kind if task.kind not in (STEP, TRANSMISSION) else STEP
        if task.name in self.last and not (task.kind == TRANSMISSION and not task.after):
            kind = LAST
        source = 0
        if kind in (STEP, LAST) and not task.after:
            source = self.numbers[self.system.source(self.system.distributions[task.of[0]]).name]
        return NodeTask(
            task.name,
            kind,
            self.numbers[task.name],
            priority,
            task.period,
            task.release,
            task.deadline,
            0 if task.kind == TRANSMISSION else task.execution,
            source,
            self.system.objects[task.of[0]] if task.kind == TARGET else 0,
        )
