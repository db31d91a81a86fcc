# SPDX-License-Identifier: Apache-2.0
"""Simulates the schedule: all tasks of a system, on nodes that preempt and networks that don't.

It also tells what each target then reads.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from orchestrator.features.distribution.model import System
from orchestrator.features.distribution.tasks import STEP, TRANSMISSION, Task, last_of

Execution = Callable[[Task, int], int]


@dataclass
class Job:
    """One run of a task; times in us from the system's start. `nominal`: its path's release."""

    task: Task
    number: int
    nominal: int
    left: int
    released: int = -1
    started: int = -1
    ended: int = -1

    @property
    def response(self) -> int:
        """From its path's release to its end."""
        return self.ended - self.nominal

    @property
    def late(self) -> bool:
        """Whether it missed its deadline."""
        return self.response > self.task.deadline


@dataclass(frozen=True)
class Read:
    """A target's reading of its object. Times are us.

    Between `begins` and `ends` it used the value that was updated at `stamp`; None if there was no value yet.
    """

    target: str
    begins: int
    ends: int
    stamp: int | None

    @property
    def age(self) -> int | None:
        """The value's age when the target began to use it."""
        return None if self.stamp is None else self.begins - self.stamp

    @property
    def oldest(self) -> int | None:
        """The value's age when the target had used it."""
        return None if self.stamp is None else self.ends - self.stamp


@dataclass(frozen=True)
class Schedule:
    """A simulated schedule. `jobs`: those that ended, by task."""

    jobs: dict[str, list[Job]]

    def worst(self, task: str) -> int | None:
        """Return the longest response time of a task."""
        return max((job.response for job in self.jobs[task]), default=None)

    def completions(self, tasks: Sequence[Task], distribution: str) -> list[tuple[int, int]]:
        """Return (nominal release, time from it to the end of the last task) for a distribution's periods."""
        ends: dict[int, list[int]] = {}
        last = last_of(list(tasks), distribution)
        for task in last:
            for job in self.jobs[task.name]:
                ends.setdefault(job.nominal, []).append(job.ended)
        return [(at, max(there) - at) for at, there in sorted(ends.items()) if len(there) == len(last)]

    def reads(self, system: System, tasks: Sequence[Task]) -> list[Read]:
        """Return what each target read, in the order of targets and time."""
        all_reads = []
        for distribution in system.distributions.values():
            source = self.jobs[system.source(distribution).name]
            updates = [job.ended for job in source]
            for target in distribution.targets:
                there = self._deliveries(tasks, distribution.name, target, updates)
                times = [at for at, _ in there]
                for job in self.jobs[target]:
                    place = bisect_right(times, job.started)
                    all_reads.append(
                        Read(target, job.started, job.ended, there[place - 1][1] if place else None)
                    )
        return all_reads

    def _deliveries(
        self, tasks: Sequence[Task], distribution: str, target: str, updates: list[int]
    ) -> list[tuple[int, int]]:
        """Return (time, stamp) of a target's values; a path takes the newest value as it begins."""
        mine = [task for task in tasks if distribution in task.of and task.kind in (STEP, TRANSMISSION)]
        if not mine:
            return [(at, at) for at in updates]
        by_name = {task.name: task for task in mine}
        last = next(task for task in last_of(mine, distribution, target))
        first = last
        while first.after:
            first = by_name[first.after]
        begun = {job.nominal: job.started for job in self.jobs[first.name]}
        deliveries = []
        for job in self.jobs[last.name]:
            place = bisect_right(updates, begun[job.nominal])
            if place:
                deliveries.append((job.ended, updates[place - 1]))
        return sorted(deliveries)


@dataclass
class _Resource:
    preemptive: bool
    ready: list[tuple[int, int, Job]] = field(default_factory=list)
    running: Job | None = None
    since: int = 0
    turn: int = 0


def worst_case(task: Task, number: int) -> int:
    """Return the worst-case execution time of a job, us."""
    return task.execution


def simulate(tasks: Iterable[Task], until: int, execution: Execution = worst_case) -> Schedule:
    """Run all jobs that are released from time 0 to `until` (us) to their ends.

    At time 0 there is neither data nor work. `execution(task, number)`: the time that a job takes, us.
    """
    tasks = list(tasks)
    after: dict[str, list[Task]] = {}
    for task in tasks:
        if task.after:
            after.setdefault(task.after, []).append(task)
    resources = {task.resource: _Resource(task.preemptive) for task in tasks}
    jobs: dict[str, list[Job]] = {task.name: [] for task in tasks}
    events: list[tuple[int, int, int, str]] = []  # (time, 0: an end, 1: a release; turn or place, name)
    for place, task in enumerate(tasks):
        if not task.after and task.release < until:
            heappush(events, (task.release, 1, place, task.name))
    numbers = dict.fromkeys(jobs, 0)

    def release(task: Task, number: int, nominal: int, now: int) -> None:
        resource = resources[task.resource]
        job = Job(task, number, nominal, execution(task, number), released=now)
        heappush(resource.ready, (-task.priority, number, job))
        touched.add(task.resource)

    while events:
        now = events[0][0]
        touched: set[str] = set()
        while events and events[0][0] == now:
            _, kind, mark, name = heappop(events)
            if kind == 1:
                task = tasks[mark]
                number = numbers[name]
                numbers[name] += 1
                release(task, number, now, now)
                if now + task.period < until:
                    heappush(events, (now + task.period, 1, mark, name))
                continue
            resource = resources[name]
            if mark != resource.turn or resource.running is None:
                continue  # it was preempted since
            job, resource.running = resource.running, None
            job.ended = now
            jobs[job.task.name].append(job)
            touched.add(name)
            for task in after.get(job.task.name, ()):
                release(task, job.number, job.nominal, now)
        for name in sorted(touched):
            _dispatch(name, resources[name], now, events)
    for done in jobs.values():
        done.sort(key=lambda job: job.number)
    return Schedule(jobs)


def _dispatch(name: str, resource: _Resource, now: int, events: list[tuple[int, int, int, str]]) -> None:
    """Let the most urgent job run."""
    running = resource.running
    if running is not None:
        if not resource.preemptive or not resource.ready or resource.ready[0][0] >= -running.task.priority:
            return
        running.left -= now - resource.since
        heappush(resource.ready, (-running.task.priority, running.number, running))
    if not resource.ready:
        return
    job = heappop(resource.ready)[2]
    job.started = now if job.started < 0 else job.started
    resource.running, resource.since = job, now
    resource.turn += 1
    heappush(events, (now + job.left, 0, resource.turn, name))
