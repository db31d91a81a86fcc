# SPDX-License-Identifier: Apache-2.0
"""One gateway that is a node of a system, in virtual time, with a modelled processor and networks.

It runs orchestrate_testbed.gateway.distribution.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from orchestrate_testbed.gateway.distribution import frames, records
from orchestrate_testbed.gateway.distribution.channel import Value
from orchestrate_testbed.gateway.distribution.clock import Clock
from orchestrate_testbed.gateway.distribution.member import Member
from orchestrate_testbed.gateway.distribution.work import Course, Received, Surroundings, Work
from orchestrate_testbed.gateway.event_service.frames import NotAFrame

from orchestrator.features.distribution.partners import Processes
from orchestrator.features.distribution.processor import Processor, Thread
from orchestrator.partners.agenda import Agenda

ASK_US = 100_000  # between two questions until the start
SOONER_US = 300_000  # so long before the begin a node has to be ready, as a mote


class Carrier(NamedTuple):
    """The transport of a gateway's messages.

    `value(to, node, job, value)` carries a value to a task of another node, `message(node, said)` what nodes
    say to each other; `log(text)` adds a line to the run's log.
    """

    value: Callable[[int, int, int, Value], None]
    message: Callable[[int, dict], None]
    log: Callable[[str], None]


class ProcessNode:
    """Node `node` (from 0 on) of `nodes`.

    `boots`: when it has power, simulated time, us. `least`: us of the shortest transmission.
    """

    def __init__(
        self,
        node: int,
        nodes: int,
        spec: Processes,
        agenda: Agenda,
        carrier: Carrier,
        boots: int,
        least: int,
        seed: int,
    ):
        self._table, self._spec, self._agenda, self._carrier = spec.tables[node], spec, agenda, carrier
        self._seed = seed
        self.clock = Clock(node == 0, lambda: agenda.now() - boots, agenda.now, least)
        motes = {other for other in range(nodes) if other not in spec.tables}
        inboxes = {task.number: task.number for task in self._table.tasks}
        self.member = Member(self._table, node, nodes, self.clock, inboxes, spec.begins, motes)
        self._processor = Processor(agenda, self._left)
        self._inboxes: dict[int, _Inbox] = {}
        self._said: list[dict] = []
        self._boots = boots
        agenda.at(boots, self._asks)

    def _left(self, time: int) -> int:
        return time - self.clock.now()

    # --- among the others

    def _asks(self) -> None:
        """Talk with the others until the node can begin."""
        if self.member.together and self._left(self._spec.begins) <= SOONER_US:
            self._begin()
        elif self.clock.own() > 2 * self._spec.begins:
            self._carrier.log("distribution: the other nodes did not come")
        else:
            self._say(self.member.says())
            self._agenda.at(self._agenda.now() + ASK_US, self._asks)

    def _asks_again(self) -> None:
        self._say(self.member.question())
        if self._left(self._spec.begins + self._spec.duration) > 0:
            self._agenda.at(self._agenda.now() + self._spec.asks, self._asks_again)

    def _say(self, messages: list) -> None:
        for node, message in messages:
            self._carrier.message(node, message)

    def heard(self, message: dict) -> None:
        """Take what another gateway said."""
        if self._agenda.now() >= self._boots:
            self._say(self.member.heard(message, self.clock.own()))

    def read(self, line: bytes, sent_us: int) -> None:
        """Take a frame's line of a mote, which the network took at that simulated time."""
        try:
            frame = frames.read(line)
        except NotAFrame:
            self.member.malformed += 1
            return
        if frame.kind != frames.VALUE:
            self.heard(frames.message(frame, self.clock))
            return
        sent = self.clock.now() - (self._agenda.now() - sent_us)
        self.take(frame.task, self._job(frame), frames.value(frame, self.clock, sent))

    def _job(self, frame: frames.Frame) -> int:
        """Return the number of the path's job whose value is in a frame."""
        task = next((task for task in self._table.tasks if task.number == frame.task), None)
        if task is None:
            return frame.job  # which nobody takes
        return frames.job(frame, (self.clock.now() - self._spec.begins - task.release) // task.period)

    # --- its tasks

    def _begin(self) -> None:
        spec = self._spec
        for task in self._table.tasks:
            course = Course(spec.begins, spec.duration, spec.shortest, f"{self._seed}-{task.name}")
            inbox = self._inboxes[task.number] = _Inbox(self)
            after = tuple(other.number for other in self._table.tasks if other.source == task.number)
            work = Work(task, after, self.member.channel, self.clock, course, inbox)
            inbox.thread = self._processor.start(task.priority, work.run(), inbox.next)
        self._asks_again()

    def take(self, task: int, job: int, value: Value) -> None:
        """Take a value for one of its tasks that has just arrived."""
        inbox = self._inboxes.get(task)
        if inbox is None:
            self.member.malformed += 1
            return
        now = self.clock.now()
        if value.sent:
            value = replace(value, network=value.network + max(0, now - value.sent))
        inbox.take(Received(job, value, now))

    def send(self, to: int, node: int | None, job: int, value: Value) -> None:
        """Send a value of a task on its way."""
        if node is None:
            self.take(to, job, value)
        else:
            self._carrier.value(to, node, job, value)

    def say(self, record: dict) -> None:
        """Log a task's message."""
        self._said.append(record)
        text = records.text(record)
        if text is not None:
            self._carrier.log(text)

    def last_words(self) -> list[str]:
        """Return its lines at the end of the log."""
        node = {
            "steps": self.clock.steps,
            "error": self.clock.error if self.clock.error is not None else 2**32 - 1,
            "exchanges": self.clock.exchanges,
            "malformed": self.member.malformed,
        }
        return records.counters(self._said, node)

    def came(self, thread: Thread) -> None:
        """Note that a value came for a task."""
        self._processor.came(thread)


class _Inbox(Surroundings):
    """A task's surroundings."""

    def __init__(self, node: ProcessNode):
        self._node = node
        self._waiting: deque[Received] = deque()
        self.thread: Thread | None = None

    def take(self, got: Received) -> None:
        self._waiting.append(got)
        if self.thread is not None:
            self._node.came(self.thread)

    def next(self) -> Received | None:
        return self._waiting.popleft() if self._waiting else None

    def arrived(self) -> list[Received]:
        waiting = list(self._waiting)
        self._waiting.clear()
        return waiting

    def send(self, to: int, node: int | None, job: int, value: Value) -> None:
        self._node.send(to, node, job, value)

    def spent(self) -> int:
        return self.thread.spent if self.thread is not None else 0

    def said(self, record: dict) -> None:
        self._node.say(record)
