# SPDX-License-Identifier: Apache-2.0
"""One gateway in virtual time: orchestrate_testbed.gateway.event_service between modelled lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from orchestrate_testbed.gateway.event_service import frames
from orchestrate_testbed.gateway.event_service.counters import COUNTERS, last_words
from orchestrate_testbed.gateway.event_service.leases import Leases, words
from orchestrate_testbed.gateway.event_service.member import Member
from orchestrate_testbed.gateway.event_service.messages import (
    Delivery,
    Mismatch,
    Push,
    Registration,
    Request,
    ToBaseStation,
    ToLog,
)
from orchestrate_testbed.gateway.event_service.readings import Readings
from orchestrate_testbed.gateway.event_service.router import Router

from orchestrator.features.event_service.lines import Connection, LatencyTimer, SerialLine
from orchestrator.features.event_service.model import Delays


class Gateway:
    """One gateway in virtual time.

    `at(time, act)` has the clock call; `write(line)` is the base station's serial port, `say(text)` its log.
    `renewal_us`: how often motes renew their calls; 0: never.
    """

    def __init__(
        self,
        node: int,
        readings: Readings,
        delays: Delays,
        phase_us: int,
        at: Callable[[int, Callable[[], None]], None],
        now: Callable[[], int],
        write: Callable[[bytes], None],
        say: Callable[[str], None],
        renewal_us: int = 0,
    ):
        self.node = node
        self._leases = Leases(renewal_us)
        self.router, self.member = Router(readings), Member()
        self.sockets: dict[int, Connection] = {}
        self.counters = dict.fromkeys(COUNTERS, 0)
        self._delays, self._at, self._now, self._write = delays, at, now, write
        self._say = say
        self._up, self._down = SerialLine(delays.uart_rate), SerialLine(delays.uart_rate)
        self._usb = LatencyTimer(delays.usb_latency_us, phase_us)
        self._waiting = 0  # messages for the routing
        self._routing_free_at = 0
        self._writing = 0  # messages for the serial line
        self._number = 0
        if renewal_us:
            at(now() + renewal_us, self._forget)

    def last_words(self) -> list[str]:
        """Return its lines at the end of the log."""
        return last_words(self.node, self.counters, self.router)

    def connected(self, neighbour: int, connection: Connection) -> None:
        """Note that a connection to another gateway is established."""
        self.sockets[neighbour] = connection
        self._do(self.router.connected(neighbour))

    def printed(self, line: bytes) -> None:
        """Take a line that the base station has just printed."""
        if not line.startswith(b"#"):
            return
        ended = self._up.ends(self._now(), line)
        self._at(self._usb.after(ended) + self._delays.forwarder_us, lambda: self._from_uart(line))

    def received(self, neighbour: int, message: Request | Push | Mismatch) -> None:
        """Take a message that arrived from another gateway."""
        self.counters["gateway_tcp_received"] += 1
        self._route(lambda: self.router.received(neighbour, message))

    def _from_uart(self, line: bytes) -> None:
        try:
            message = frames.read(line)
        except frames.NotAFrame:
            message = None
        if isinstance(message, Registration):
            self.counters["gateway_uart_received"] += 1
            self._leases.came(message, self._now())
            self._route(lambda: self.router.registered(message))
        elif isinstance(message, Push):
            self.counters["gateway_uart_received"] += 1
            self._route(lambda: self.router.pushed(message))
        else:
            self.counters["gateway_uart_malformed"] += 1

    def _forget(self) -> None:
        """End the calls that nobody renewed."""
        for ended in self._leases.over(self._now()):
            self._say(words(ended))
            self._do(self.router.registered(ended))
        self._at(self._now() + self._leases.renewal_us, self._forget)

    def _route(self, act: Callable[[], list[Any]]) -> None:
        """Routes one message at a time; messages that find the queue full are lost."""
        if self._waiting >= self._delays.queue:
            self.counters["gateway_queue_full"] += 1
            return
        self._waiting += 1
        self._routing_free_at = max(self._now(), self._routing_free_at) + self._delays.processing_us

        def done() -> None:
            self._waiting -= 1
            self._do(act())

        self._at(self._routing_free_at, done)

    def _do(self, outputs: list[Any]) -> None:
        for output in outputs:
            if isinstance(output, ToBaseStation):
                self._deliver(output.delivery)
            elif isinstance(output, ToLog):
                self._say(output.text)
            else:
                self.counters["gateway_tcp_sent"] += 1
                self.sockets[output.neighbour].send(self._now(), output.message)

    def _deliver(self, delivery: Delivery) -> None:
        if self._writing >= self._delays.queue:
            self.counters["gateway_queue_full"] += 1
            return
        self._number += 1
        line = frames.line(delivery, self._number)
        self._writing += 1
        self.counters["gateway_uart_sent"] += 1

        def begin() -> None:
            self._at(self._down.ends(self._now(), line), written)

        def written() -> None:
            self._writing -= 1
            self._write(line)

        self._at(self._now() + self._delays.forwarder_us, begin)
