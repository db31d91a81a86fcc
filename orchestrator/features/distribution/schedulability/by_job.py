# SPDX-License-Identifier: Apache-2.0
"""Computes bounds that use the releases, for each job of a superperiod of the whole system.

The analyses of end_to_end.py let all releases coincide. Here a more urgent job delays another one only if
both can be under way at the same time, and jobs of one path never delay each other. So the bounds are
shorter; they hold if the clocks of all nodes agree.

The result is the smallest set of times that agree with each other. They are bounds: at the first time at
which a job exceeded its own, all other jobs would still be within theirs, and these allow for no such delay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from math import lcm

from orchestrator.features.distribution.schedulability.end_to_end import Bound
from orchestrator.features.distribution.tasks import Task

MOST_JOBS = 20_000  # jobs of a superperiod; with more, the bounds by job are not computed


@dataclass(eq=False)
class _Job:
    """A job of a task. Times are us from the superperiod's start.

    `nominal`: its path's release. `first`, `latest`: the earliest and latest times at which it is released.
    `ends`: by when it has ended.
    """

    task: Task
    nominal: int
    first: int
    latest: int
    ends: int
    relatives: frozenset[_Job]  # those before it in its path
    next: list[_Job] = field(default_factory=list)


def superperiod(tasks: Iterable[Task]) -> int:
    """Return the time after which the whole system repeats itself, us."""
    return lcm(*(task.period for task in tasks))


def jobs(tasks: Iterable[Task]) -> int:
    """Return how many jobs a superperiod has."""
    tasks = list(tasks)
    repeats = superperiod(tasks)
    return sum(repeats // task.period for task in tasks)


def bounds(tasks: Iterable[Task], held: bool = False) -> list[Bound]:
    """Return a bound for each task; None for all if one bound exceeds the task's period.

    `held`: it is only asked whether deadlines are held; then None also if one bound exceeds a deadline.
    """
    tasks = list(tasks)
    repeats = superperiod(tasks)
    rows = _rows(tasks, repeats)
    resources: dict[str, _Resource] = {}
    for row in rows:
        resources.setdefault(row.task.resource, _Resource()).rows.append(row)
    by_task = {row.task.name: row for row in rows}
    jobs = [job for row in rows for job in row.jobs]
    # The most urgent first: they wait for few, and others for them.
    urgency = {job: (-job.task.priority, place) for place, job in enumerate(jobs)}
    waiting, heap = set(jobs), [(urgency[job], job) for job in jobs]
    heapify(heap)
    while heap:
        job = heappop(heap)[1]
        waiting.discard(job)
        resource = resources[job.task.resource]
        ends = resource.ends(job)
        if ends - job.nominal > (job.task.deadline if held else job.task.period):
            return [Bound(task, None) for task in tasks]  # nothing is known of the jobs that it delays
        if ends == job.ends:
            continue
        job.ends = ends
        row = by_task[job.task.name]
        row.spread = max(row.spread, ends - job.first)
        for after in job.next:
            after.latest = ends
        for other in {*job.next, *resource.delayed_by(job)} - waiting:
            waiting.add(other)
            heappush(heap, (urgency[other], other))
    worst: dict[str, int] = {}
    for job in jobs:
        worst[job.task.name] = max(worst.get(job.task.name, 0), job.ends - job.nominal)
    return [Bound(task, worst[task.name]) for task in tasks]


def _rows(tasks: list[Task], repeats: int) -> list[_Row]:
    """Return all jobs of a superperiod, with the times that they would have if nothing delayed them."""
    rows: dict[str, _Row] = {}
    for task in tasks:  # in the file's order, a task comes after the one that releases it
        mine = []
        for place in range(repeats // task.period):
            first = latest = nominal = place * task.period + task.release
            relatives: frozenset[_Job] = frozenset()
            if task.after:
                earlier = rows[task.after].jobs[place]
                # An execution may take next to no time; a transmission always takes its full time.
                first = earlier.first + (0 if earlier.task.preemptive else earlier.task.execution)
                latest, relatives = earlier.ends, earlier.relatives | {earlier}
            job = _Job(task, nominal, first, latest, latest + task.execution, relatives)
            if task.after:
                earlier.next.append(job)
            mine.append(job)
        rows[task.name] = _Row(task, mine, max(job.ends - job.first for job in mine))
    return list(rows.values())


@dataclass(eq=False)
class _Row:
    """The jobs of a task in a superperiod, in order. `spread`: the longest that one can be under way."""

    task: Task
    jobs: list[_Job]
    spread: int

    def overlapping(self, begins: int, until: int) -> Iterator[tuple[_Job, int]]:
        """Yield jobs released before `until` that end after `begins`, with the shift of their times."""
        zero, period, count = self.jobs[0].first, self.task.period, len(self.jobs)
        number = (begins - self.spread - zero) // period
        while zero + number * period < until:
            turn, place = divmod(number, count)
            job, shift = self.jobs[place], turn * count * period
            if job.ends + shift > begins:
                yield job, shift
            number += 1


class _Resource:
    """The jobs on a node or network."""

    def __init__(self):
        self.rows: list[_Row] = []

    def delayed_by(self, job: _Job) -> Iterator[_Job]:
        """Yield the jobs that this one may delay."""
        for row in self.rows:
            if row.task.priority < job.task.priority or not job.task.preemptive:
                for other, _ in row.overlapping(job.first, job.ends):
                    if other is not job:
                        yield other

    def ends(self, job: _Job) -> int:
        """Return by when a job has ended, by the present times of the others."""
        mine = job.task
        if mine.preemptive:
            return self._settled(job, job.latest + mine.execution, 0)
        # Once begun, a transmission is not delayed: only its first instant waits for others, and for one less
        # urgent transmission that has begun before.
        blocking = 0
        for row in self.rows:
            if row.task.priority < mine.priority:
                for other, shift in row.overlapping(job.first, job.latest):
                    if not _in_turn(other, shift, job):
                        blocking = max(blocking, other.task.execution - 1)
        return self._settled(job, job.latest + blocking + 1, 0) - 1 + mine.execution

    def _settled(self, job: _Job, work: int, until: int) -> int:
        """Return the first time by which `work` and all that is more urgent and released before is done."""
        while until != work + (more := self._more(job, until)):
            until = work + more
            if until - job.nominal > 2 * job.task.period:
                break
        return until

    def _more(self, job: _Job, until: int) -> int:
        return sum(
            other.task.execution
            for row in self.rows
            if row.task.priority > job.task.priority
            for other, shift in row.overlapping(job.first, until)
            if not _in_turn(other, shift, job)
        )


def _in_turn(other: _Job, shift: int, job: _Job) -> bool:
    """Return whether one of two jobs comes before the other in a path, so that they never overlap."""
    return not shift and (other in job.relatives or job in other.relatives)
