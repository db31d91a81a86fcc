# SPDX-License-Identifier: Apache-2.0
"""The SLIP line of a border router, with tunslip6's part in its protocol.

The router asks for its prefix (`?P`) until it is answered (`!P` and eight bytes). What else isn't IPv6 is
text, or nothing that anybody understands.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from ipaddress import IPv6Interface

from orchestrator.features.virtual_time import packets, slip
from orchestrator.features.virtual_time.clock import Clock
from orchestrator.features.virtual_time.uart import Uart

LONGEST_QUEUE = 64 * 1024  # bytes that wait for the line; what is more is lost, as behind a TUN device

_PRINTABLE = frozenset(string.printable.encode() + b"\0")


class SlipLink:
    """A border router's line; packets take the time that a UART needs for them."""

    def __init__(
        self, clock: Clock, mote: int, address: IPv6Interface, baud: int, take: Callable[[bytes], None]
    ) -> None:
        """Listen to the mote, whose prefix is that of `address`; `take` gets each IPv6 packet."""
        self.mote = mote
        self.address = address
        self.asked = False  # for its prefix
        self._not_understood = 0
        self.lost = 0  # packets that found the queue full
        self._text = b""  # that it printed last, between frames
        self._clock, self._take = clock, take
        self._frames = slip.Decoder()
        self._uart = Uart(clock, mote, baud)
        clock.hear(mote, self._hear)

    @property
    def unreadable(self) -> int:
        """How many frames were no packet, no text and no question, or too long for any of them."""
        return self._not_understood + self._frames.too_long

    @property
    def last_text(self) -> str:
        """The last line that the mote printed, apart from frames."""
        text = (self._frames.begun or self._text).decode("utf-8", "replace")
        return next((line for line in reversed(text.splitlines()) if line.strip()), "")

    def close(self) -> None:
        """Leave the line; what waits is not sent any more."""
        self._uart.clear()
        self._clock.leave(self.mote)

    def send(self, frame: bytes) -> None:
        """Send a frame as soon as those before it are through."""
        if self._uart.waiting > LONGEST_QUEUE:
            self.lost += 1
        else:
            self._uart.send(slip.encode(frame))

    def _hear(self, data: bytes) -> None:
        for frame in self._frames.take(data):
            if packets.looks_like_one(frame):
                self._take(frame)
            elif frame.startswith(b"?P"):
                self.asked = True
                self.send(b"!P" + self.address.network.network_address.packed[:8])
            elif frame.startswith(b"!M"):
                pass  # its link-layer address, which nobody here asks for
            elif _PRINTABLE.issuperset(frame):
                self._text = frame
            else:
                self._not_understood += 1
