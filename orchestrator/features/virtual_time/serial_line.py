# SPDX-License-Identifier: Apache-2.0
"""asyncio's transport for a mote's serial line."""

from __future__ import annotations

import asyncio
from typing import Any

from orchestrator.features.virtual_time.clock import Clock
from orchestrator.features.virtual_time.transport import SimulatedTransport
from orchestrator.features.virtual_time.uart import Uart

_HIGH, _LOW = 64 * 1024, 16 * 1024  # bytes that wait when writers are to pause, and may go on; asyncio's


class SerialTransport(SimulatedTransport, asyncio.Transport):
    """A mote's serial line: bytes come as the mote prints them, and go at the speed of a UART."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        clock: Clock,
        mote: int,
        baud: int,
        protocol: asyncio.Protocol,
    ) -> None:
        """Take the line. ValueError: somebody has it, or there is no such mote."""
        super().__init__(loop, protocol)
        self._clock, self._mote = clock, mote
        self._early: bytearray | None = bytearray()  # while reading is paused, or has not begun
        self._paused = False  # the protocol's writing
        self._limits = (_HIGH, _LOW)
        self._uart = Uart(clock, mote, baud, self._sent)
        clock.hear(mote, self._hear)

    def _hear(self, data: bytes) -> None:
        if self._early is not None:
            self._early += data
        else:
            self._loop.call_soon(self._pass, data)

    def _pass(self, data: bytes) -> None:
        if self._early is not None:
            self._early += data
        elif not self._closing:
            self._protocol.data_received(data)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return "mote": its number."""
        return self._mote if name == "mote" else default

    def is_reading(self) -> bool:
        """Say whether the protocol gets what comes."""
        return self._early is None and not self._closing

    def pause_reading(self) -> None:
        """Keep what comes until resume_reading()."""
        if self._early is None:
            self._early = bytearray()

    def resume_reading(self) -> None:
        """Pass on what came meanwhile."""
        self._resume()

    def _resume(self) -> None:
        early, self._early = self._early, None
        if early:
            self._loop.call_soon(self._pass, bytes(early))

    def write(self, data: bytes) -> None:
        """Send bytes to the mote."""
        if self._closing:
            return
        self._uart.send(bytes(data))
        if not self._paused and self._uart.waiting > self._limits[0]:
            self._paused = True
            self._protocol.pause_writing()

    def _sent(self) -> None:
        if self._paused and self._uart.waiting <= self._limits[1] and not self._closing:
            self._paused = False
            self._loop.call_soon(self._protocol.resume_writing)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Set when the protocol is to pause, and to go on."""
        high = (_HIGH if low is None else 4 * low) if high is None else high
        self._limits = (high, high // 4 if low is None else low)

    def get_write_buffer_limits(self) -> tuple[int, int]:
        """Return the limits, the lower one first."""
        return self._limits[1], self._limits[0]

    def get_write_buffer_size(self) -> int:
        """Return how many bytes wait."""
        return self._uart.waiting

    def can_write_eof(self) -> bool:
        """Return False: a serial line has no end."""
        return False

    def _leave(self) -> None:
        self._clock.leave(self._mote)

    def abort(self) -> None:
        """Give the line back; what waits is not sent any more."""
        self._uart.clear()
        self.close()
