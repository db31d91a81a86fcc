# SPDX-License-Identifier: Apache-2.0
"""Gateways of a deployment, and the delays of their lines and connections. Times are in us."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrate_testbed.gateway.distribution.table import NodeTable


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
class Gateways:
    """Gateway k of 1 to n has the k-th base station (a mote's id); `parents`: gateway -> its parent.

    `readings`: of the event service thesis's contradictions, by option. `commands`: the lines that the
    instructor's user types, (us, line), `apart_us` at least between two. `drawn_us`: the seed draws how much
    later than that the second and further suppliers are told to push, less than this (0: no later).
    `success_line`: what the mote
    `instructor` prints at the end. `patience_us`: after so long without a gateway the tree of a testbed is
    made without it (0: never; in a simulation gateways don't fail). `renewal_us`: how often motes renew
    what they have registered (0: never).
    """

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


@dataclass(frozen=True)
class Processes:
    """The nodes of a system that distributes data which are gateways; times in us.

    `tables`: of each, by its place (from 0 on). `begins`: when the system begins, reference time; jobs are
    released for `duration`. `ends`: when the first node ends the run, from the begin. `shortest`: an
    execution takes between this share of its worst case and all of it. `asks`: between two questions for the
    reference time. `boots`: gateways boot at random times before that.
    """

    tables: Mapping[int, NodeTable]
    begins: int
    duration: int
    ends: int
    shortest: float
    asks: int
    boots: int


@dataclass(frozen=True)
class Networks:
    """Modelled networks between the nodes of a system that distributes data, and the nodes that are gateways.

    `delays`: of a transmission, by network. `links`: number of the task that gets a value -> network and
    priority of its transmission, larger is more urgent. `motes`: of the nodes; a gateway has the number of
    the mote in its place, which does nothing. `success_line`: what the first node says at the end.
    """

    delays: Mapping[str, int]
    links: Mapping[int, tuple[str, int]]
    motes: tuple[int, ...]
    success_line: str
    timeout_us: int
    gateways: Processes | None = None
