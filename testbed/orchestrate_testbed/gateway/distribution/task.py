# SPDX-License-Identifier: Apache-2.0
"""One task as a process, in real time: what work.py waits for, by the host's clock, processor and sockets."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from orchestrate_testbed.gateway.distribution.channel import Channel, Value
from orchestrate_testbed.gateway.distribution.clock import Clock
from orchestrate_testbed.gateway.distribution.table import NodeTask
from orchestrate_testbed.gateway.distribution.work import (
    Compute,
    Course,
    Received,
    Sleep,
    Surroundings,
    Work,
)

TIMESTAMPNS = 35  # SO_TIMESTAMPNS and SCM_TIMESTAMPNS of Linux: the kernel says when a datagram arrived
_PDEATHSIG = 1  # PR_SET_PDEATHSIG of Linux
_TIMESPEC = struct.Struct("@ll")
_HEADER = struct.Struct("<I")  # the job's number
LOWEST = 10  # SCHED_FIFO's priority of the least urgent task


@dataclass
class Run:
    """What a task's process needs.

    `inboxes`: of tasks on this node, by number, and of others by (node, number): addresses. `dependents`: the
    steps of this node that take a source's newest value.
    """

    task: NodeTask
    channel: Channel
    clock: Clock
    inbox: socket.socket
    inboxes: dict
    dependents: tuple
    course: Course
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
    process = Process(one)
    steps = Work(one.task, one.dependents, one.channel, one.clock, one.course, process).run()
    answer = None
    try:
        while True:
            answer = process.wait(steps.send(answer))
    except StopIteration:
        pass
    process.close()
    for line in process.log:
        one.said(line)
    if process.malformed:
        one.said({"malformed": process.malformed})


def dies_with(parent: int) -> None:
    """Have the kernel end this process when its parent has ended, however that happens."""
    ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before
        os._exit(1)


class Process(Surroundings):
    """The present process, as a task's surroundings."""

    def __init__(self, one: Run):
        self._run, self._clock = one, one.clock
        self._out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.log: list[dict] = []
        self.malformed = 0

    def close(self) -> None:
        self._out.close()

    def wait(self, wanted: Any) -> Any:
        """Do what the task waits for; return the answer."""
        if isinstance(wanted, Sleep):
            return self._sleep(wanted.until)
        if isinstance(wanted, Compute):
            return self._compute(wanted.us)
        return self._receive(wanted.until)

    def _sleep(self, until: int) -> None:
        left = until - self._clock.now()
        while left > 0:
            time.sleep(left / 1e6)
            left = until - self._clock.now()

    def _compute(self, us: int) -> None:
        """Use as much of the processor as this process gets."""
        until = time.thread_time_ns() + 1000 * us
        while time.thread_time_ns() < until:
            pass

    def _receive(self, until: int) -> Received | None:
        left, got = until - self._clock.now(), None
        while left > 0 and got is None:
            self._run.inbox.settimeout(left / 1e6)
            found = self._next()
            got = found[0] if found else None
            left = until - self._clock.now()
        return got

    # --- surroundings

    def arrived(self) -> list[Received]:
        self._run.inbox.setblocking(False)
        made: list[Received] = []
        found = self._next()
        while found is not None:
            made += found
            found = self._next()
        return made

    def send(self, to: int, node: int | None, job: int, value: Value) -> None:
        address = self._run.inboxes[to if node is None else (node, to)]
        self._out.sendto(_HEADER.pack(job) + value.packed(), address)

    def spent(self) -> int:
        return time.thread_time_ns() // 1000

    def said(self, record: dict) -> None:
        self.log.append(record)

    def _next(self) -> list[Received] | None:
        """Return what the next datagram has, nothing if it is no value; None if there is none."""
        try:
            data, extra, _, _ = self._run.inbox.recvmsg(256, 64)
        except (BlockingIOError, socket.timeout):  # noqa: UP041 (for Python 3.7)
            return None
        try:
            job = _HEADER.unpack_from(data)[0]
            value = Value.unpacked(data[_HEADER.size :])
        except (struct.error, ValueError):
            self.malformed += 1
            return []
        came = self._clock.now() - max(0, _kernel_us() - _stamped(extra))
        on_the_way = max(0, came - value.sent) if value.sent else 0
        value = replace(value, network=min(value.network + on_the_way, 2**32 - 1))
        return [Received(job, value, came)]


def _kernel_us() -> int:
    """Return the clock by which the kernel stamps what arrives, us."""
    return time.time_ns() // 1000


def _stamped(extra: list) -> int:
    """Return when the kernel took a datagram in, us."""
    for level, kind, content in extra:
        if (level, kind) == (socket.SOL_SOCKET, TIMESTAMPNS):
            seconds, nanoseconds = _TIMESPEC.unpack_from(content)
            return seconds * 1_000_000 + nanoseconds // 1000
    return _kernel_us()


def line(said: dict) -> bytes:
    """Return what a task logged, as a line."""
    return json.dumps(said, separators=(",", ":")).encode("ascii") + b"\n"
