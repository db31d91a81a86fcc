# SPDX-License-Identifier: Apache-2.0
"""The delays between a base station and its gateway, and between two gateways."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from orchestrator.features.event_service.model import Delays

BITS_PER_BYTE = 10  # a start bit, eight of data, a stop bit
FRAMING = 5  # bytes of TinyOS's serial protocol around a frame: as in event-service-output.h
SECOND = 1_000_000


def bytes_on_line(line: bytes) -> int:
    """How many bytes a frame's line (`#` and hexadecimal) represents on the serial line."""
    return (len(line) - 1) // 2 + FRAMING


class SerialLine:
    """One direction of a serial line: frames go out one after the other."""

    def __init__(self, rate: int):
        self._rate = rate
        self._free_at = 0

    def takes(self, line: bytes) -> int:
        """Return the time for a frame in us, rounded up."""
        return -(-bytes_on_line(line) * BITS_PER_BYTE * SECOND // self._rate)

    def ends(self, now_us: int, line: bytes) -> int:
        """Return when the last bit of a frame ends that is written now."""
        self._free_at = max(now_us, self._free_at) + self.takes(line)
        return self._free_at


class LatencyTimer:
    """When the mote's USB chip passes bytes on: `phase_us` after the start, then each `period_us`.

    That it passes a full buffer (62 bytes) on earlier isn't modelled.
    """

    def __init__(self, period_us: int, phase_us: int = 0):
        self._period, self._phase = period_us, phase_us

    def after(self, time_us: int) -> int:
        """When the gateway gets bytes that were complete at that time."""
        if not self._period:
            return time_us
        return time_us + (self._phase - time_us) % self._period


class Connection:
    """One direction of a TCP connection; `at(time, act)` has the clock call, `arrive` gets the messages."""

    def __init__(
        self, delays: Delays, at: Callable[[int, Callable[[], None]], None], arrive: Callable[[Any], None]
    ):
        self._delays, self._at, self._arrive = delays, at, arrive
        self._held: deque[Any] = deque()
        self._unacknowledged = False

    def send(self, now_us: int, message: Any) -> None:
        """Send a message that is written to the socket now."""
        self._held.append(message)
        if not (self._delays.nagle and self._unacknowledged):
            self._transmit(now_us)

    def _transmit(self, now_us: int) -> None:
        segment = tuple(self._held)
        self._held.clear()
        arrives = now_us + self._delays.tcp_us
        self._at(arrives, lambda: self._arrived(segment))
        if self._delays.nagle:
            self._unacknowledged = True
            acknowledged = arrives + self._delays.delayed_ack_us + self._delays.tcp_us
            self._at(acknowledged, lambda: self._acknowledged(acknowledged))

    def _arrived(self, segment: tuple[Any, ...]) -> None:
        for message in segment:
            self._arrive(message)

    def _acknowledged(self, now_us: int) -> None:
        self._unacknowledged = False
        if self._held:
            self._transmit(now_us)
