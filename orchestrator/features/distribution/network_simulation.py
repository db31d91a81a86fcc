# SPDX-License-Identifier: Apache-2.0
"""Networks between the nodes of a system that distributes data, in lock-step with the motes.

Nodes may be gateways, which run their own code here.

A frame that a mote writes to its serial line takes its network for the delay that the system's file says. A
network has one transmission at a time. Of those that wait the most urgent is next; one that has begun is not
interrupted: as the analysis has it. Questions for the reference time and their answers take the shortest
delay beside all that.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from functools import partial

from orchestrate_testbed.gateway.distribution import frames
from orchestrate_testbed.gateway.distribution.channel import Value

from orchestrator.features.distribution.partners import Networks
from orchestrator.features.distribution.process_node import Carrier, ProcessNode
from orchestrator.frames.codec import NotAFrame, decode
from orchestrator.partners.agenda import Agenda, At, Now
from orchestrator.partners.simulation import Simulation


class Network:
    """One network; `at(time, act)` has the clock call."""

    def __init__(self, delay_us: int, at: At, now: Now):
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

    def __init__(self, simulation: Simulation, spec: Networks, seed: int):
        self._simulation, self._spec = simulation, spec
        self._agenda = agenda = Agenda(lambda: simulation.now_us)
        self._networks = {name: Network(delay, agenda.at, agenda.now) for name, delay in spec.delays.items()}
        self._least = min(spec.delays.values(), default=0)
        self._number = 0
        self._ended = False
        self._gateways: dict[int, ProcessNode] = {}  # by their number among the motes
        processes = spec.gateways
        if processes is not None:
            draw = random.Random(seed)
            for place in processes.tables:
                boots = draw.randrange(max(1, processes.boots))
                mote, nodes = spec.motes[place], len(spec.motes)
                carrier = Carrier(
                    partial(self.value, mote), partial(self.message, mote), partial(simulation.note, mote)
                )
                self._gateways[mote] = ProcessNode(
                    place, nodes, processes, agenda, carrier, boots, self._least, seed
                )
                if place == 0:
                    agenda.at(boots + processes.begins + processes.ends, self._end)

    def run(self) -> bool:
        """Return whether the run came to its end; the gateways' counters are in the log then."""
        spec, simulation = self._spec, self._simulation
        for mote in spec.motes:
            if mote not in self._gateways:
                simulation.listen(mote)
        wanted = spec.success_line.encode()
        while simulation.now_us < spec.timeout_us and not self._ended:
            for line in simulation.advance(self._agenda.next(spec.timeout_us)):
                if line.mote == spec.motes[0] and wanted in line.text:
                    self._ended = True
                elif line.text.startswith(b"#"):
                    self._written(line.text)
            self._agenda.do_due()
        for mote, gateway in self._gateways.items():
            for text in gateway.last_words():
                simulation.note(mote, text)
        return self._ended

    def _end(self) -> None:
        """End the run, as the first node does, which is a gateway."""
        self._ended = True

    # --- what motes write

    def _written(self, line: bytes) -> None:
        """Take a frame that a mote wrote to its serial line."""
        try:
            frame = decode(bytes.fromhex(line[1:].decode("ascii")))
        except (NotAFrame, ValueError):
            frame = {}
        to = frame.get("next_hop")
        if frame.get("frame") != "distributed" or to not in self._spec.motes:
            self._simulation.note(self._spec.motes[0], "a line that is no frame of a node was lost")
            return
        sent, gateway = self._simulation.now_us, self._gateways.get(to)

        def arrive() -> None:
            if gateway is not None:
                gateway.read(line, sent)
            else:
                self._simulation.write(to, line + b"\n")

        if frame["kind"] == frames.VALUE:
            self._carry(frame["task"], arrive)
        else:
            self._soon(arrive)

    def _soon(self, arrive: Callable[[], None]) -> None:
        self._agenda.at(self._agenda.now() + self._least, arrive)

    def _carry(self, task: int, arrive: Callable[[], None]) -> None:
        """Carry a value to a task of another node."""
        if task in self._spec.links:
            network, priority = self._spec.links[task]
            self._networks[network].send(priority, arrive)
        else:
            self._simulation.note(self._spec.motes[0], f"no network leads to task {task}")

    # --- what gateways send

    def value(self, sender: int, to: int, node: int, job: int, value: Value) -> None:
        """Carry a value of the gateway `sender` to a task of a node: as it is, or in a frame to a mote."""
        mote = self._spec.motes[node]
        gateway = self._gateways.get(mote)
        if gateway is not None:
            self._carry(to, lambda: gateway.take(to, job, value))
        else:
            self._carry(to, self._to_mote(sender, mote, frames.of_value(to, job, value)))

    def message(self, sender: int, node: int, content: dict) -> None:
        """Carry a gateway's message to a node."""
        mote = self._spec.motes[node]
        gateway = self._gateways.get(mote)
        if gateway is not None:
            self._soon(lambda: gateway.heard(content))
        else:
            self._soon(self._to_mote(sender, mote, frames.of_message(content)))

    def _to_mote(self, sender: int, mote: int, frame: frames.Frame) -> Callable[[], None]:
        self._number += 1
        line = frames.line(frame, sender, mote, self._number)
        return lambda: self._simulation.write(mote, line + b"\n")
