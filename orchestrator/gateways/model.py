# SPDX-License-Identifier: Apache-2.0
"""Gateways of a deployment, and what their lines and connections take. Times in us."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Delays:
    """What is between a base station and another gateway.

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

    `readings`: of the event service thesis's contradictions, by option. `commands`: what the instructor's
    user types, (us, line). `success_line`: what the mote `instructor` prints at the end.
    """

    base_stations: tuple[int, ...]
    parents: Mapping[int, int]
    instructor: int
    commands: tuple[tuple[int, str], ...]
    delays: Delays
    readings: Mapping[str, str]
    success_line: str
    timeout_us: int
