# SPDX-License-Identifier: Apache-2.0
"""Gateways of a deployment, and the delays of their lines and connections. Times are in us."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from orchestrator.engines.deployment import Partners

PUSH = 12  # the instruction to push, of section 3.4


@dataclass(frozen=True)
class Delays:
    """The delays between a base station and another gateway.

    `uart_rate`: bit/s of the serial line. `usb_latency_us`: of the latency timer in the mote's USB chip (0:
    none). `forwarder_us`: of the serial forwarder, for a frame. `processing_us`: of the gateway's routing,
    for a message. `queue`: messages that wait for the routing, and for the serial line. `tcp_us`: of a
    message between gateways. `nagle`: whether a socket holds a message back until the one before is
    acknowledged, which the other end does `delayed_ack_us` after it came.
    """

    uart_rate: int
    usb_latency_us: int
    forwarder_us: int
    processing_us: int
    queue: int
    tcp_us: int
    nagle: bool
    delayed_ack_us: int


@dataclass(frozen=True)
class Gateways(Partners):
    """Gateway k of 1 to n has the k-th base station (a mote's id); `parents`: gateway -> its parent.

    `readings`: of the event service thesis's contradictions, by option. `commands`: the lines that the
    instructor's user types, (us, line), `apart_us` at least between two. `drawn_us`: the seed draws how much
    later than that the second and further suppliers are told to push, less than this (0: no later).
    `success_line`: what the mote
    `instructor` prints at the end. `patience_us`: after so long without a gateway the tree of a testbed is
    made without it (0: never; in a simulation gateways don't fail). `renewal_us`: how often motes renew
    what they have registered (0: never).
    """

    simulated_by: ClassVar[str] = "orchestrator.features.event_service.cosimulation:CoSimulation"
    runs_on_gateways: ClassVar[bool] = True
    why_not: ClassVar[tuple[str, str]] = ("gateways beside them", "use `engine: embedded`")

    base_stations: tuple[int, ...]
    parents: Mapping[int, int]
    instructor: int
    commands: tuple[tuple[int, str], ...]
    apart_us: int
    delays: Delays
    readings: Mapping[str, str]
    success_line: str
    timeout_us: int
    patience_us: int = 0
    renewal_us: int = 0
    drawn_us: int = 0

    def of_seed(self, seed: int) -> Gateways:
        """Return the gateways of one seed, which draws when suppliers are told to push (`phase: drawn`).

        Simulated clocks are exact, so suppliers would keep one phase in all readings: where it is a multiple
        of the interval, they push at the same time for ever.
        """
        if self.drawn_us == 0:
            return self
        draw, commands, pushing = random.Random(f"phase {seed}"), [], False
        for at, line in self.commands:
            pushes = line.split("-")[2] == str(PUSH)
            late = draw.randrange(self.drawn_us) if pushing and pushes else 0
            pushing |= pushes
            earliest = commands[-1][0] + self.apart_us if commands else 0
            commands.append((max(at + late, earliest), line))
        return replace(self, commands=tuple(commands))
