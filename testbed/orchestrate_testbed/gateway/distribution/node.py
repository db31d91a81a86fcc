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

from orchestrate_testbed.gateway import protocol
from orchestrate_testbed.gateway.clocks import boot
from orchestrate_testbed.gateway.distribution import task as tasks
from orchestrate_testbed.gateway.distribution.clock import Clock
from orchestrate_testbed.gateway.distribution.member import Member
from orchestrate_testbed.gateway.distribution.table import NodeTable, NodeTask, read
from orchestrate_testbed.gateway.distribution.work import Course

ASK_S = 0.05  # between two questions until the start
GIVE_UP_S = 120.0  # for the others to come
LOOK_S = 1.0  # between two looks at the clocks while the system runs, and two questions
MOST_DATAGRAM = 2048


class NotTogether(Exception):
    """The nodes didn't find each other."""


class Abandoned(Exception):
    """Whoever started the node closed its standard input, or ended."""


class Node:
    """One node of a system, as `settings` describe it.

    They are table, node (from 0 on), peers (of all nodes, [host, port] of their control sockets), duration
    (us), shortest (of an execution's worst case), seed, realtime, drift_ppm (of the nodes' clocks), place
    (from 0 on, among the nodes of this machine: each has a processor of its own if there are enough).
    """

    def __init__(self, settings: dict, control: socket.socket):
        self.settings, self.control = settings, control
        node = settings["node"]
        self.peers = [tuple(one) for one in settings["peers"]]
        self.table: NodeTable = read(settings["table"])
        self.clock = Clock(node == 0, drift_ppm=settings["drift_ppm"])
        self.sockets = {one.number: self._inbox() for one in self.table.tasks}
        self.inboxes: dict = {number: one.getsockname() for number, one in self.sockets.items()}
        self.member = Member(self.table, node, len(self.peers), self.clock, self.inboxes)

    def _inbox(self) -> socket.socket:
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.bind((self.control.getsockname()[0], 0))
        tasks.prepared(made)
        return made

    def gather(self) -> None:
        """Until all nodes know each other and the begin. Raises NotTogether."""
        until = time.monotonic() + GIVE_UP_S
        while not self.member.together:
            if time.monotonic() > until:
                raise NotTogether("the other nodes did not come")
            self._say(self.member.says())
            asked = time.monotonic() + ASK_S
            while select.select([self.control], [], [], max(0.0, asked - time.monotonic()))[0]:
                self._hear()
        self.inboxes.update(self.member.addresses)

    def _say(self, said: list) -> None:
        for node, message in said:
            try:
                self.control.sendto(json.dumps(message).encode("ascii"), self.peers[node])
            except OSError:
                pass  # it is said again, and nodes that never hear of each other end

    def _hear(self) -> None:
        """Take a message of another node; one of anybody else is dropped."""
        content, address = self.control.recvfrom(MOST_DATAGRAM)
        now = self.clock.own()
        if address not in self.peers:
            return
        try:
            said = protocol.record(content)
        except ValueError:
            said = None
        self._say(self.member.heard(said, now))

    # --- the system runs

    def run(self) -> list[dict]:
        """All tasks as processes; return what they logged. They end with this process."""
        pipes = []
        me = os.getpid()
        for one in self.table.tasks:
            reading, writing = os.pipe()
            pid = os.fork()
            if pid == 0:
                tasks.dies_with(me)
                os.close(reading)
                os._exit(self._task(one, writing))
            os.close(writing)
            pipes.append((pid, reading))
        found = self._collect([reading for _, reading in pipes])
        for pid, _ in pipes:
            os.waitpid(pid, 0)
        malformed = self.member.malformed + sum(one.get("malformed", 0) for one in found)
        found.append(
            {
                "steps": self.clock.steps,
                "error": self.clock.error,
                "exchanges": self.clock.exchanges,
                "malformed": malformed,
            }
        )
        return found

    def _task(self, one: NodeTask, writing: int) -> int:
        """In the child: run it. Returns the exit code."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        settings = self.settings
        course = Course(
            self.member.start or 0,
            settings["duration"],
            settings["shortest"],
            f"{settings['seed']}-{one.name}",
        )
        dependents = tuple(each.number for each in self.table.tasks if each.source == one.number)
        with os.fdopen(writing, "wb") as out:
            tasks.run(
                tasks.Run(
                    one,
                    self.member.channel,
                    self.clock,
                    self.sockets[one.number],
                    self.inboxes,
                    dependents,
                    course,
                    settings["realtime"],
                    lambda said: out.write(tasks.line(said)),
                )
            )
        return 0

    def _collect(self, pipes: list[int]) -> list[dict]:
        """Until all tasks have ended. Raises Abandoned when nobody is there any more who started the node."""
        content = {reading: b"" for reading in pipes}
        left = set(pipes)
        due = time.monotonic()
        while left:
            wait = max(0.0, due + LOOK_S - time.monotonic())
            for ready in select.select([*left, self.control, sys.stdin], [], [], wait)[0]:
                if ready is self.control:
                    self._hear()
                elif ready is sys.stdin:
                    raise Abandoned("whoever started this node is gone")
                else:
                    more = os.read(ready, 1 << 16)
                    content[ready] += more
                    if not more:
                        left.discard(ready)
                        os.close(ready)
            if time.monotonic() >= due + LOOK_S:
                due = time.monotonic()
                self.clock.look()
                self._say(self.member.question())
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


def address_here() -> str:
    """Return this gateway's address as its own sshd knows it, which other gateways reach it at.

    Raises NotTogether.
    """
    words = os.environ.get("SSH_CONNECTION", "").split()
    if len(words) != 4 or ":" in words[2]:
        raise NotTogether("SSH_CONNECTION has no IPv4 address of this gateway")
    return words[2]


def main(by_ssh: bool = False) -> int:
    """Run the node of the settings on standard input, which stays open for as long as the node is wanted.

    Its first line out says where it listens and on which machine it is. `by_ssh`: it listens where its sshd
    does, else on the loopback.
    """
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            control.bind((address_here() if by_ssh else "127.0.0.1", 0))
            return _main(control)
    except (NotTogether, Abandoned, OSError) as error:
        print(json.dumps({"fault": str(error)}), flush=True)
        return 1


def _main(control: socket.socket) -> int:
    refused = allowed()
    cpus = sorted(os.sched_getaffinity(0))
    said = {"control": control.getsockname(), "boot": boot(), "processors": len(cpus), "refused": refused}
    print(json.dumps(said), flush=True)
    settings = json.loads(sys.stdin.readline() or "null")
    if settings is None:
        raise Abandoned("no settings came")
    settings["realtime"] = settings["realtime"] and not refused
    os.sched_setaffinity(0, {cpus[settings["place"] % len(cpus)]})
    node = Node(settings, control)
    node.gather()
    for record in node.run():
        sys.stdout.write(tasks.line(record).decode())
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
