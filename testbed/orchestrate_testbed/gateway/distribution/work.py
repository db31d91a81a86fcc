# SPDX-License-Identifier: Apache-2.0
"""One task, without I/O: it says what it waits for, computes, and passes values on by the event channel.

`Work.run` is a generator. It yields what the task waits for, and whoever runs it sends the answer: a process
of its own in real time (task.py), or a simulation's clock.
"""

from __future__ import annotations

import random
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from orchestrate_testbed.gateway.distribution.channel import Channel, Value
from orchestrate_testbed.gateway.distribution.clock import Clock
from orchestrate_testbed.gateway.distribution.table import SOURCE, TARGET, NodeTask

GRACE_US = 30_000_000  # for the last value of a step to come
CAUSES = ("host", "network", "code")
_MOST = 2**32 - 1


class Sleep(NamedTuple):
    """Wait until that reference time."""

    until: int


class Compute(NamedTuple):
    """Use the processor for so many us."""

    us: int


class Receive(NamedTuple):
    """Wait for a value, until that reference time at most; the answer is a Received or None."""

    until: int


class Received(NamedTuple):
    """A value that came for a task. `came`: when, reference time."""

    job: int
    value: Value
    came: int


class Surroundings:
    """What a task needs of whoever runs it."""

    def arrived(self) -> list[Received]:
        """Return all values that came since the last call, without waiting."""
        raise NotImplementedError

    def send(self, to: int, node: int | None, job: int, value: Value) -> None:
        """Send a value to a task on this node (`node` None), or on another one."""
        raise NotImplementedError

    def spent(self) -> int:
        """Return how long the task has used the processor so far, us."""
        raise NotImplementedError

    def said(self, record: dict) -> None:
        """Take what the task logs (records.py)."""
        raise NotImplementedError


@dataclass(frozen=True)
class Course:
    """When the system begins (reference time) and how long jobs are released, us.

    `shortest`: an execution takes between this share of its worst case and all of it. `seed`: of these
    executions.
    """

    start: int
    duration: int
    shortest: float
    seed: str


class Work:
    """One task. `dependents`: the steps of this node that take its newest value, if it is a source."""

    def __init__(
        self,
        task: NodeTask,
        dependents: tuple,
        channel: Channel,
        clock: Clock,
        course: Course,
        around: Surroundings,
    ):
        self._task, self._dependents = task, dependents
        self._channel, self._clock, self._course, self._around = channel, clock, course, around
        self._chance = random.Random(course.seed)
        self._newest: Value | None = None

    def run(self) -> Generator[Any, Any, None]:
        """Run all jobs."""
        return self._by_time() if self._task.timed else self._by_values()

    def _by_time(self) -> Generator[Any, Any, None]:
        task, course = self._task, self._course
        number, release = 0, task.release
        while release < course.duration:
            yield Sleep(course.start + release)
            yield from self._job(number, release, course.start + release, self._newest_value())
            number, release = number + 1, release + task.period

    def _by_values(self) -> Generator[Any, Any, None]:
        task, course = self._task, self._course
        release = -task.period
        while release + task.period < course.duration:
            got = yield Receive(course.start + course.duration + GRACE_US)
            if got is None:
                return
            release = got.job * task.period + task.release
            yield from self._job(got.job, release, got.came, got.value)

    def _job(self, number: int, release: int, ready: int, value: Value | None) -> Generator[Any, Any, None]:
        """One job. `ready`: when it could begin, reference time."""
        task, course = self._task, self._course
        before = self._around.spent()
        yield Compute(self._chance.randint(int(task.execution * course.shortest), task.execution))
        spent = self._around.spent() - before
        now = self._clock.now()
        response, own = now - course.start - release, now - ready
        cause = self._cause(response, own, spent, value)
        if value is not None:
            host, _, code = self._took(own, spent, value)
            value = replace(value, host=min(host, _MOST), code=min(code, _MOST))
        if task.kind == SOURCE:
            value = Value(now, self._clock.error or 0)
            for step in self._dependents:
                self._around.send(step, None, number, value)
        elif task.kind == TARGET:
            self._used(number, value, now)
        if task.kind != TARGET and value is not None:
            for proxy in self._channel.push(task.number, number, value):
                self._around.send(proxy.to, proxy.node, number, replace(value, sent=now))
        job = [task.name, task.kind, number, release, response, task.deadline]
        self._around.said({"at": now - course.start, "job": job, "cause": cause})

    def _took(self, own: int, spent: int, value: Value | None) -> tuple:
        """Return what the path has taken beyond its executions, this job included: us by each of CAUSES."""
        before = (value.host, value.network, value.code) if value is not None else (0, 0, 0)
        return before[0] + max(0, own - spent), before[1], before[2] + max(0, spent - self._task.execution)

    def _cause(self, response: int, own: int, spent: int, value: Value | None) -> str:
        """Return what took a late job's path the longest beyond its executions; "" of a job in time.

        It is the host, by not running it (or by running more urgent tasks), the network, or our own code.
        """
        if response <= self._task.deadline:
            return ""
        took = self._took(own, spent, value)
        return CAUSES[took.index(max(took))]

    def _used(self, number: int, value: Value | None, now: int) -> None:
        task, at = self._task, now - self._course.start
        if value is None:
            self._around.said({"at": at, "none": task.name})
            return
        error = value.error + (self._clock.error or 0)
        age = [task.name, number, now - value.stamp + error, error, task.validity]
        self._around.said({"at": at, "age": age})

    def _newest_value(self) -> Value | None:
        """Of all that came: the one that was updated last."""
        for got in self._around.arrived():
            if self._newest is None or got.value.stamp >= self._newest.stamp:
                self._newest = got.value
        return self._newest
