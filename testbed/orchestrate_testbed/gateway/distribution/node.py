# SPDX-License-Identifier: Apache-2.0
"""One node of a system in real time, with its settings as a line of JSON on standard input.

Nodes find each other by datagrams: consumers subscribe, clocks are aligned with the first node's, and that
says when the system begins. Then each task is a process of its own. What they logged comes out at the end, as
lines of JSON.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Sequence

from orchestrate_testbed.gateway.distribution import task as tasks
from orchestrate_testbed.gateway.distribution.channel import Channel
from orchestrate_testbed.gateway.distribution.clock import Clock, monotonic_us
from orchestrate_testbed.gateway.distribution.table import TARGET, NodeTable, NodeTask, read

ASK_S = 0.05  # between two questions until the start
LEAST_ANSWERS = 20  # of the reference's clock
LEAD_US = 1_000_000  # from the last node's readiness to the system's begin
GIVE_UP_S = 120.0  # for the others to come
LOOK_S = 1.0  # between two looks at the clocks while the system runs


class NotTogether(Exception):
    """The nodes didn't find each other."""


class Node:
    """`settings`: table, node (from 0 on), peers (of all nodes, [host, port] of their control sockets),
    duration (us), shortest (of an execution's worst case), seed, cpu (to run on; None: any), realtime.
    """

    def __init__(self, settings: dict, control: socket.socket):
        self.settings, self.control = settings, control
        self.node: int = settings["node"]
        self.peers = [tuple(one) for one in settings["peers"]]
        self.table: NodeTable = read(settings["table"])
        self.channel = Channel(self.table, self.node, len(self.peers))
        self.clock = Clock(self.node == 0)
        self.sockets = {one.number: self._inbox() for one in self.table.tasks}
        self.inboxes: dict = {number: one.getsockname() for number, one in self.sockets.items()}
        self.start: int | None = None
        self._ready: set[int] = set()
        self._told: set[int] = set()

    def _inbox(self) -> socket.socket:
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.bind((self.control.getsockname()[0], 0))
        tasks.prepared(made)
        return made

    def gather(self) -> None:
        """Until all nodes know each other and the begin. Raises NotTogether."""
        consumers = [one.number for one in self.table.tasks if not one.timed or one.kind == TARGET]
        requests = self.channel.subscribe(consumers)
        until = time.monotonic() + GIVE_UP_S
        while not (self.start is not None and (self.node or len(self._told) == len(self.peers) - 1)):
            if time.monotonic() > until:
                raise NotTogether("the other nodes did not come")
            for node, request in requests:
                address = self.inboxes[int(request.event)]
                self._say(
                    node, {"say": "request", "event": request.event, "node": self.node, "inbox": address}
                )
            self._step()
            self._hear(ASK_S)

    def _step(self) -> None:
        if self.node:
            self._say(0, {"say": "clock", "asked": monotonic_us(), "node": self.node})
            if self.clock.exchanges >= LEAST_ANSWERS and self.channel.complete():
                self._say(0, {"say": "ready", "node": self.node})
        elif self.channel.complete() and len(self._ready) == len(self.peers) - 1:
            if self.start is None:
                self.start = self.clock.now() + LEAD_US
            for node in self._ready:
                self._say(node, {"say": "start", "at": self.start})

    def _say(self, node: int, said: dict) -> None:
        self.control.sendto(json.dumps(said).encode("ascii"), self.peers[node])

    def _hear(self, wait_s: float) -> None:
        until = time.monotonic() + wait_s
        while select.select([self.control], [], [], max(0.0, until - time.monotonic()))[0]:
            content, address = self.control.recvfrom(2048)
            now = monotonic_us()
            if address in self.peers:
                self._heard(json.loads(content), now)

    def _heard(self, said: dict, now: int) -> None:
        what = said["say"]
        if what == "request":
            self.channel.requested(said["node"], said["event"])
            self.inboxes[said["node"], int(said["event"])] = tuple(said["inbox"])
        elif what == "clock":
            answer = {"say": "time", "asked": said["asked"], "now": self.clock.now()}
            self._say(said["node"], answer)
        elif what == "time":
            self.clock.answered(said["asked"], said["now"], now)
        elif what == "ready":
            self._ready.add(said["node"])
        elif what == "start":
            self.start = said["at"]
            self._say(0, {"say": "began", "node": self.node})
        elif what == "began":
            self._told.add(said["node"])

    # --- the system runs

    def run(self) -> list[dict]:
        """All tasks as processes; return what they logged."""
        pipes = []
        for one in self.table.tasks:
            reading, writing = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(reading)
                os._exit(self._task(one, writing))
            os.close(writing)
            pipes.append((pid, reading))
        found = self._collect(dict((reading, pid) for pid, reading in pipes))
        for pid, _ in pipes:
            os.waitpid(pid, 0)
        found.append(
            {"steps": self.clock.steps, "error": self.clock.error, "exchanges": self.clock.exchanges}
        )
        return found

    def _task(self, one: NodeTask, writing: int) -> int:
        """In the child: run it. Returns the exit code."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        settings = self.settings
        with os.fdopen(writing, "wb") as out:
            tasks.run(
                tasks.Run(
                    one,
                    self.channel,
                    self.clock,
                    self.sockets[one.number],
                    self.inboxes,
                    tuple(each.number for each in self.table.tasks if each.source == one.number),
                    self.start or 0,
                    settings["duration"],
                    settings["shortest"],
                    f"{settings['seed']}-{one.name}",
                    settings["realtime"],
                    lambda said: out.write(tasks.line(said)),
                )
            )
        return 0

    def _collect(self, open_pipes: dict[int, int]) -> list[dict]:
        content = {reading: b"" for reading in open_pipes}
        left = set(open_pipes)
        looked = time.monotonic()
        while left:
            wait = max(0.0, looked + LOOK_S - time.monotonic())
            for reading in select.select(list(left), [], [], wait)[0]:
                more = os.read(reading, 1 << 16)
                content[reading] += more
                if not more:
                    left.discard(reading)
                    os.close(reading)
            if time.monotonic() >= looked + LOOK_S:
                looked = time.monotonic()
                self.clock.look()
        return [json.loads(line) for one in content.values() for line in one.splitlines()]


def allowed() -> str:
    """Why real-time priorities are refused here, "" if they are allowed."""
    before = os.sched_getscheduler(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError as error:
        return str(error.strerror or error)
    os.sched_setscheduler(0, before, os.sched_param(0))
    return ""


def main(lines: Sequence[str] | None = None) -> int:
    """Run the node of the settings on standard input; its first line out is its control socket's address."""
    control = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    control.bind(("127.0.0.1", 0))
    print(json.dumps({"control": control.getsockname()}), flush=True)
    settings = json.loads(sys.stdin.readline())
    if settings["cpu"] is not None:
        os.sched_setaffinity(0, {settings["cpu"]})
    node = Node(settings, control)
    try:
        node.gather()
    except NotTogether as error:
        print(json.dumps({"fault": str(error)}), flush=True)
        return 1
    for said in node.run():
        print(json.dumps(said, separators=(",", ":")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
