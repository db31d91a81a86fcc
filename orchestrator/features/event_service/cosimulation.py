# SPDX-License-Identifier: Apache-2.0
"""Motes and gateways in lock-step: the simulation stands still while a gateway's code runs.

All times are simulated; the same deployment and seed give the same bytes. The caller hands the simulation in
(an engine's `Live`): it gives what base stations print and takes what is written to their serial ports.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from orchestrate_testbed.gateway.event_service.controller import Controller, Instruct
from orchestrate_testbed.gateway.event_service.member import Connect
from orchestrate_testbed.gateway.event_service.readings import Readings
from orchestrate_testbed.gateway.event_service.topology import Tree

from orchestrator.features.event_service.gateway import Gateway
from orchestrator.features.event_service.lines import Connection
from orchestrator.features.event_service.model import Gateways
from orchestrator.partners.agenda import Agenda
from orchestrator.partners.simulation import Simulation

_ROUND_TRIPS_TO_CONNECT = 2  # of half a round trip each: SYN, and its answer


class CoSimulation:
    """One run. `simulation.now_us` is the only clock."""

    def __init__(self, simulation: Simulation, gateways: Gateways, seed: int):
        self._simulation, self._spec = simulation, gateways
        self._agenda = Agenda(self._now)
        self._at = self._agenda.at
        readings = Readings(**gateways.readings)
        self.controller = Controller(Tree(len(gateways.base_stations), dict(gateways.parents)), readings)
        draw = random.Random(seed)  # phases of the USB chips' timers: nobody starts them together
        self.gateways = {
            node: Gateway(
                node,
                readings,
                gateways.delays,
                draw.randrange(max(1, gateways.delays.usb_latency_us)),
                self._at,
                self._now,
                partial(simulation.write, base),
                self._log(node, base),
                gateways.renewal_us,
            )
            for node, base in enumerate(gateways.base_stations, 1)
        }
        self._node_of = {base: node for node, base in enumerate(gateways.base_stations, 1)}

    def run(self) -> bool:
        """Return whether the run came to its end; the gateways' counters are in the log then."""
        spec, simulation = self._spec, self._simulation
        for mote in {*spec.base_stations, spec.instructor}:
            simulation.listen(mote)
        for time_us, line in spec.commands:
            self._at(time_us, partial(simulation.write, spec.instructor, line.encode()))
        for node in self.gateways:
            self._at(node * spec.delays.tcp_us, self._connects(node))
        wanted = spec.success_line.encode()
        while simulation.now_us < spec.timeout_us:
            for line in simulation.advance(self._agenda.next(spec.timeout_us)):
                if line.mote == spec.instructor and wanted in line.text:
                    self._notes()
                    return True
                if line.mote in self._node_of:
                    self.gateways[self._node_of[line.mote]].printed(line.text)
            self._agenda.do_due()
        self._notes()
        return False

    def _now(self) -> int:
        return self._simulation.now_us

    def _log(self, node: int, base: int) -> Callable[[str], None]:
        return lambda text: self._simulation.note(base, f"gateway {node}: {text}")

    # --- the tree's formation

    def _connects(self, node: int) -> Callable[[], None]:
        """IDs are given in the order of connection, which is that of the base stations here."""
        return lambda: self._heard(self.controller.connected(str(node)))

    def _soon(self, delays: int, act: Callable[[], None]) -> None:
        self._at(self._now() + delays * self._spec.delays.tcp_us, act)

    def _heard(self, outputs: Sequence[Any]) -> None:
        for output in outputs:
            if isinstance(output, Instruct):
                self._soon(1, lambda instruction=output: self._instruct(instruction))

    def _instruct(self, instruction: Instruct) -> None:
        self._formation(instruction.node, self.gateways[instruction.node].member.told(instruction.relation))

    def _formation(self, node: int, outputs: Sequence[Any]) -> None:
        for output in outputs:
            if isinstance(output, Connect):
                self._soon(_ROUND_TRIPS_TO_CONNECT, lambda parent=output.parent: self._join(node, parent))
            else:
                self._soon(1, lambda: self._heard(self.controller.established(node)))

    def _join(self, node: int, parent: int) -> None:
        pairs = ((node, parent), (parent, node))
        connections = {
            (here, there): Connection(
                self._spec.delays, self._at, partial(self.gateways[there].received, here)
            )
            for here, there in pairs
        }
        for here, there in pairs:
            self.gateways[here].sockets[there] = connections[here, there]
        for here, there in pairs:
            self.gateways[here].connected(there, connections[here, there])
            self._formation(here, self.gateways[here].member.connected(there))

    # --- the last lines of the log

    def _notes(self) -> None:
        waits = self.controller.waiting()
        for node, base in enumerate(self._spec.base_stations, 1):
            for line in self.gateways[node].last_words():
                self._simulation.note(base, line)
        if waits:
            root = self._spec.base_stations[0]
            self._simulation.note(root, f"the tree of gateways was not formed: {waits}")
