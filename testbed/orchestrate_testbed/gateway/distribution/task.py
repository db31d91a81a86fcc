# SPDX-License-Identifier: Apache-2.0
"""One task as a process: it waits for its release, computes, and passes values on by the event channel."""

from __future__ import annotations

import gc
import json
import os
import random
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from orchestrate_testbed.gateway.distribution.channel import Channel, Value
from orchestrate_testbed.gateway.distribution.clock import Clock, real_us
from orchestrate_testbed.gateway.distribution.table import SOURCE, TARGET, NodeTask

TIMESTAMPNS = 35  # SO_TIMESTAMPNS and SCM_TIMESTAMPNS of Linux: the kernel says when a datagram arrived
_TIMESPEC = struct.Struct("@ll")
_HEADER = struct.Struct("<I")  # the job's number
GRACE_US = 30_000_000  # for the last value of a step to come
LOWEST = 10  # SCHED_FIFO's priority of the least urgent task
CAUSES = ("host", "network", "code")


@dataclass
class Run:
    """What a task's process needs. `inboxes`: of tasks on this node, by number, and of others by (node,
    number): addresses. `dependents`: the steps of this node that take a source's newest value.
    """

    task: NodeTask
    channel: Channel
    clock: Clock
    inbox: socket.socket
    inboxes: dict
    dependents: tuple
    start: int
    duration: int
    shortest: float
    seed: str
    realtime: bool
    said: Callable[[dict], None]


def prepared(inbox: socket.socket) -> None:
    """Have the kernel say when datagrams arrive."""
    inbox.setsockopt(socket.SOL_SOCKET, TIMESTAMPNS, 1)


def run(one: Run) -> None:
    """Run all jobs; what was logged is handed over at the end, so that it disturbs nothing."""
    gc.disable()
    if one.realtime:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(LOWEST + one.task.priority))
    work = _Work(one)
    work.run()
    for line in work.log:
        one.said(line)


class _Work:
    def __init__(self, one: Run):
        self._run, self._task = one, one.task
        self._chance = random.Random(one.seed)
        self._out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._newest: Value | None = None
        self.log: list[dict] = []

    def run(self) -> None:
        """Until the system's end."""
        task, one = self._task, self._run
        number = 0
        while True:
            if task.timed:
                release = number * task.period + task.release
                if release >= one.duration:
                    return
                self._sleep_until(one.start + release)
                self._job(number, release, one.start + release, self._newest_value())
                number += 1
                continue
            got = self._next_value()
            if got is None:
                return
            job, value, came = got
            release = job * task.period + task.release
            self._job(job, release, came, value)
            if release + task.period >= one.duration:
                return

    def _sleep_until(self, at: int) -> None:
        left = at - self._run.clock.now()
        while left > 0:
            time.sleep(left / 1e6)
            left = at - self._run.clock.now()

    def _job(self, number: int, release: int, ready: int, value: Value | None) -> None:
        """One job. `ready`: when it could begin, reference time."""
        task, one = self._task, self._run
        cpu = time.thread_time_ns()
        self._compute()
        now = one.clock.now()
        response = now - one.start - release
        if value is not None:
            waited = max(0, now - ready - task.execution)
            value = replace(value, host=min(value.host + waited, 2**32 - 1))
        if task.kind == SOURCE:
            value = Value(now, one.clock.error or 0)
            for step in one.dependents:
                self._send(step, None, number, value)
        elif task.kind == TARGET:
            self._used(number, value)
        if task.kind != TARGET and value is not None:
            for proxy in one.channel.push(task.number, number, value):
                self._send(proxy.to, proxy.node, number, replace(value, sent=real_us()))
        spent = (time.thread_time_ns() - cpu) // 1000
        self.log.append(
            {
                "at": now - one.start,
                "job": [task.name, task.kind, number, release, response, task.deadline],
                "cause": self._cause(response, now - ready, spent, value),
            }
        )

    def _compute(self) -> None:
        """Use the processor for the job's execution time, as much of it as this process gets."""
        task = self._task
        least = int(task.execution * self._run.shortest)
        until = time.thread_time_ns() + 1000 * self._chance.randint(least, task.execution)
        while time.thread_time_ns() < until:
            pass

    def _cause(self, response: int, own: int, spent: int, value: Value | None) -> str:
        """Return what took a late job the longest beyond its execution: the host, by not running it (or by
        running more urgent tasks), the network, or our own code.
        """
        task = self._task
        if response <= task.deadline:
            return ""
        code = max(0, spent - task.execution) + (value.code if value else 0)
        took = (max(value.host if value else 0, own - spent), value.network if value else 0, code)
        return CAUSES[took.index(max(took))]

    def _used(self, number: int, value: Value | None) -> None:
        task, one = self._task, self._run
        if value is None:
            self.log.append({"at": one.clock.now() - one.start, "none": task.name})
            return
        error = value.error + (one.clock.error or 0)
        now = one.clock.now()
        self.log.append(
            {
                "at": now - one.start,
                "age": [task.name, number, now - value.stamp + error, error, task.validity],
            }
        )

    # --- values

    def _send(self, to: int, node: int | None, job: int, value: Value) -> None:
        address = self._run.inboxes[to if node is None else (node, to)]
        self._out.sendto(_HEADER.pack(job) + value.packed(), address)

    def _received(self) -> tuple[int, Value, int] | None:
        """Return a value, its job and when it came, reference time; None if there is none."""
        try:
            data, extra, _, _ = self._run.inbox.recvmsg(256, 64)
        except (BlockingIOError, socket.timeout):  # noqa: UP041 (for Python 3.7)
            return None
        job = _HEADER.unpack_from(data)[0]
        value = Value.unpacked(data[_HEADER.size :])
        came = real_us()
        for level, kind, content in extra:
            if (level, kind) == (socket.SOL_SOCKET, TIMESTAMPNS):
                seconds, nanoseconds = _TIMESPEC.unpack_from(content)
                came = seconds * 1_000_000 + nanoseconds // 1000
        on_the_way = max(0, came - value.sent) if value.sent else 0
        value = replace(value, network=min(value.network + on_the_way, 2**32 - 1))
        return job, value, self._run.clock.now() - max(0, real_us() - came)

    def _newest_value(self) -> Value | None:
        """Of all that came: the one that was updated last."""
        self._run.inbox.setblocking(False)
        got = self._received()
        while got is not None:
            if self._newest is None or got[1].stamp >= self._newest.stamp:
                self._newest = got[1]
            got = self._received()
        return self._newest

    def _next_value(self) -> tuple[int, Value, int] | None:
        """Return the next value that comes; None if the last one doesn't."""
        one = self._run
        until = one.start + one.duration + GRACE_US
        left, got = until - one.clock.now(), None
        while left > 0 and got is None:
            one.inbox.settimeout(left / 1e6)
            got = self._received()
            left = until - one.clock.now()
        return got


def line(said: dict) -> bytes:
    """Return what a task logged, as a line."""
    return json.dumps(said, separators=(",", ":")).encode("ascii") + b"\n"
