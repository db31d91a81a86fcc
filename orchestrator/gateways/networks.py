# SPDX-License-Identifier: Apache-2.0
"""Networks between the nodes of a system that distributes data, in lock-step with the motes.

A frame that a node writes to its serial line takes its network for the delay that the system's file says. A
network has one transmission at a time. Of those that wait the most urgent is next; one that has begun is not
interrupted: as the analysis has it. Questions for the reference time and their answers take the shortest
delay beside all that.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

from orchestrator.frames.codec import NotAFrame, decode
from orchestrator.gateways.cosimulation import Simulation
from orchestrator.gateways.model import Networks

_VALUE = 1  # of frames.yaml: a value, no clock's question or answer


class Network:
    """One network; `at(time, act)` has the clock call."""

    def __init__(self, delay_us: int, at: Callable[[int, Callable[[], None]], None], now: Callable[[], int]):
        self._delay, self._at, self._now = delay_us, at, now
        self._waiting: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0
        self._busy = False

    def send(self, priority: int, arrive: Callable[[], None]) -> None:
        """Send a frame now."""
        self._count += 1
        heapq.heappush(self._waiting, (-priority, self._count, arrive))
        # What is handed over at the same time is compared before one of them begins.
        self._at(self._now(), self._next)

    def _next(self) -> None:
        if self._busy or not self._waiting:
            return
        self._busy = True
        arrive = heapq.heappop(self._waiting)[2]

        def ended() -> None:
            self._busy = False
            arrive()
            self._next()

        self._at(self._now() + self._delay, ended)


class NetworkSimulation:
    """One run. `simulation.now_us` is the only clock."""

    def __init__(self, simulation: Simulation, spec: Networks):
        self._simulation, self._spec = simulation, spec
        self._events: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0
        self._networks = {name: Network(delay, self._at, self._now) for name, delay in spec.delays.items()}
        self._least = min(spec.delays.values(), default=0)

    def run(self) -> bool:
        """Return whether the run came to its end."""
        spec, simulation = self._spec, self._simulation
        for mote in spec.motes:
            simulation.listen(mote)
        wanted = spec.success_line.encode()
        while simulation.now_us < spec.timeout_us:
            until = min(self._events[0][0] if self._events else spec.timeout_us, spec.timeout_us)
            for line in simulation.advance(until):
                if line.mote == spec.motes[0] and wanted in line.text:
                    return True
                if line.text.startswith(b"#"):
                    self._written(line.text)
            self._do_due()
        return False

    def _do_due(self) -> None:
        while self._events and self._events[0][0] <= self._simulation.now_us:
            heapq.heappop(self._events)[2]()

    def _now(self) -> int:
        return self._simulation.now_us

    def _at(self, time_us: int, act: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._events, (max(time_us, self._simulation.now_us), self._count, act))

    def _written(self, line: bytes) -> None:
        """Take a frame that a node wrote to its serial line."""
        try:
            frame = decode(bytes.fromhex(line[1:].decode("ascii")))
        except (NotAFrame, ValueError):
            frame = {}
        to = frame.get("next_hop")
        if frame.get("frame") != "distributed" or to not in self._spec.motes:
            self._simulation.note(self._spec.motes[0], "a line that is no frame of a node was lost")
            return

        def arrive() -> None:
            self._simulation.write(to, line + b"\n")

        if frame["kind"] != _VALUE:
            self._at(self._now() + self._least, arrive)
        elif frame["task"] in self._spec.links:
            network, priority = self._spec.links[frame["task"]]
            self._networks[network].send(priority, arrive)
        else:
            self._simulation.note(self._spec.motes[0], f"no network leads to task {frame['task']}")
