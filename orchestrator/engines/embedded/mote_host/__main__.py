# SPDX-License-Identifier: Apache-2.0
"""Simulates the motes of a plan in real time, until it is asked to end or gets SIGTERM."""

from __future__ import annotations

import json
import os
import select
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from orchestrator.engines.embedded.live import Live, SimulationEnded, Stage
from orchestrator.engines.embedded.mote_host import plan as plans
from orchestrator.engines.embedded.mote_host.motes import Motes
from orchestrator.engines.embedded.mote_host.plan import Plan
from orchestrator.engines.embedded.mote_host.requests import LONGEST, act

LATE_US = 100_000  # the simulation is said to be late from here on
STEP_LIMIT_S = 2.0  # of processor time that a mote's code may compute without an end


def catching_up(since_us: int, now_us: int, step_us: int, sent_to: Callable[[], bool]) -> Iterator[int]:
    """Yield the times up to which to simulate, the last one now.

    While lines carry bytes to motes a late simulation goes on in steps: a mote would lose the bytes of a long
    time if they came at once, as its UART has little room.
    """
    while since_us + step_us < now_us and sent_to():
        since_us += step_us
        yield since_us
    yield now_us


class Host:
    """One simulation, paced by the monotonic clock in steps."""

    def __init__(self, plan: Plan, live: Live):
        self._plan = plan
        self._live = live
        self._motes = Motes(plan, live)
        self._began_ns = time.monotonic_ns()
        self._behind_us = self._latest_us = self._late_steps = self._steps = 0
        self._ends = False
        self._selector = selectors.DefaultSelector()
        # Before anybody can see by the socket that we run.
        signal.signal(signal.SIGTERM, lambda *_: self.end())
        signal.signal(signal.SIGINT, lambda *_: self.end())
        self._listening = socket.socket(socket.AF_UNIX)
        plan.socket.unlink(missing_ok=True)
        self._listening.bind(os.fspath(plan.socket))
        self._listening.listen(64)
        self._listening.setblocking(False)
        self._selector.register(self._listening, selectors.EVENT_READ)
        self._answers: list[tuple[socket.socket, dict]] = []
        self._asked: dict[socket.socket, bytes] = {}

    def run(self) -> None:
        """Go on until it ends."""
        while not self._ends:
            self._step()
            next_us = (self._live.now_us // self._plan.step_us + 1) * self._plan.step_us
            self._serve(max(0.0, (next_us - self._elapsed_us()) / 1e6))

    def end(self) -> None:
        """End after the present step."""
        self._ends = True

    def status(self) -> dict:
        """Say how the simulation keeps up, and what the motes do."""
        used = os.times()
        return {
            "pid": os.getpid(),
            "now_us": self._live.now_us,
            "steps": self._steps,
            "late_steps": self._late_steps,
            "behind_us": self._behind_us,
            "most_behind_us": self._latest_us,
            "cpu_s": used.user + used.system,
            "kernel_cpu_s": self._live.cpu_s(),
            "motes": self._motes.status(),
        }

    def _elapsed_us(self) -> int:
        return (time.monotonic_ns() - self._began_ns) // 1000

    def _step(self) -> None:
        now = self._elapsed_us()
        self._behind_us = max(0, now - self._live.now_us - self._plan.step_us)
        self._latest_us = max(self._latest_us, self._behind_us)
        self._late_steps += self._behind_us > LATE_US
        self._steps += 1
        for until in catching_up(self._live.now_us, now, self._plan.step_us, self._motes.sent_to):
            self._motes.said(self._live.advance(until, stop_on_output=False))
            self._motes.fell()
            self._pass_bytes(until)
        self._answer()

    def _pass_bytes(self, now: int) -> None:
        ports = select.poll()
        by_file = {}
        for mote in self._motes.all.values():
            if mote.port.plugged:
                by_file[mote.port.master] = mote
                ports.register(mote.port.master, select.POLLIN)
        seen = dict(ports.poll(0))
        for file, mote in by_file.items():
            events = seen.get(file, 0)
            content = mote.port.attend(now, not events & select.POLLHUP, bool(events & select.POLLIN))
            if content or mote.incoming:
                self._motes.heard(mote, content)

    def _serve(self, wait_s: float) -> None:
        for key, _ in self._selector.select(wait_s):
            if key.fileobj is self._listening:
                connection, _ = self._listening.accept()
                connection.setblocking(False)
                self._asked[connection] = b""
                self._selector.register(connection, selectors.EVENT_READ)
            else:
                self._read(key.fileobj)

    def _read(self, connection: socket.socket) -> None:
        try:
            part = connection.recv(LONGEST)
        except OSError:
            part = b""
        line = self._asked[connection] + part
        if not part or len(line) > LONGEST:
            self._forget(connection)
            return
        *lines, self._asked[connection] = line.split(b"\n")
        for line in lines:
            if b'"end"' in line:
                self._ends = True
                self._answers.append((connection, {"ok": True}))
            else:
                self._answers.append((connection, act(line, self._motes, self.status)))

    def _answer(self) -> None:
        """Answer requests after the step in which they took effect."""
        answers, self._answers = self._answers, []
        for connection, answer in answers:
            try:
                connection.sendall(json.dumps(answer).encode() + b"\n")
            except OSError:
                self._forget(connection)

    def _forget(self, connection: socket.socket) -> None:
        if self._asked.pop(connection, None) is not None:
            self._selector.unregister(connection)
            connection.close()

    def close(self) -> None:
        """Answer those who wait, and remove the devices and the socket."""
        self._answer()
        for mote in self._motes.all.values():
            mote.port.unplug()
        self._plan.socket.unlink(missing_ok=True)


def main(path: Path) -> int:
    """Return the exit code."""
    plan = plans.read(path)
    stage = Stage(plan.medium, plan.seed, plan.log, step_limit_s=STEP_LIMIT_S, contain=True)
    with Live(stage) as live:
        host = Host(plan, live)
        try:
            host.run()
        except SimulationEnded as ended:
            print(f"the simulation of the motes ended: {ended}", file=sys.stderr, flush=True)
            return 1
        finally:
            host.close()
        live.end()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
