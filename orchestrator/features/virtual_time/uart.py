# SPDX-License-Identifier: Apache-2.0
"""Bytes on their way to a mote's serial line, at the speed of a UART."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from orchestrator.features.virtual_time.clock import US, Clock

_BITS_PER_BYTE = 10  # with one start and one stop bit
# Cooja motes take what has come at their next tick (1 ms), all of it; Contiki-NG's buffer has 2,048 bytes.
_AT_ONCE = 256


class Uart:
    """Sends bytes to a mote; each piece arrives as a whole, when its last byte has come."""

    def __init__(self, clock: Clock, mote: int, baud: int, sent: Callable[[], None] = lambda: None) -> None:
        """Begin with nothing to send. `sent` is called after each piece."""
        self.waiting = 0  # bytes
        self._clock, self._mote, self._baud, self._sent = clock, mote, baud, sent
        self._pieces: deque[bytes] = deque()

    def send(self, data: bytes) -> None:
        """Send bytes behind those that wait."""
        idle = not self._pieces
        self.waiting += len(data)
        self._pieces.extend(data[at : at + _AT_ONCE] for at in range(0, len(data), _AT_ONCE))
        if idle and self._pieces:
            self._begin()

    def clear(self) -> None:
        """Drop what waits, apart from the piece that is under way."""
        while len(self._pieces) > 1:
            self.waiting -= len(self._pieces.pop())

    def _begin(self) -> None:
        took_us = -(-len(self._pieces[0]) * _BITS_PER_BYTE * US // self._baud)
        self._clock.at(self._clock.now_us + took_us, self._end)

    def _end(self) -> None:
        piece = self._pieces.popleft()
        self.waiting -= len(piece)
        self._clock.write(self._mote, piece)
        if self._pieces:
            self._begin()
        self._sent()
