# SPDX-License-Identifier: Apache-2.0
"""SLIP (RFC 1055), as tunslip6 and Contiki's border routers speak it at a serial line."""

from __future__ import annotations

END, ESC, ESC_END, ESC_ESC = 0xC0, 0xDB, 0xDC, 0xDD
LONGEST = 2000  # bytes of a frame; tunslip6 drops what is longer

_END = bytes([END])
_MEANT = {ESC_END: END, ESC_ESC: ESC}


def encode(frame: bytes) -> bytes:
    """Return the bytes that carry a frame, with the END behind it."""
    stuffed = frame.replace(bytes([ESC]), bytes([ESC, ESC_ESC]))
    return stuffed.replace(_END, bytes([ESC, ESC_END])) + _END


class Decoder:
    """Takes bytes as they come and returns the frames that they complete; `too_long` counts dropped ones."""

    def __init__(self) -> None:
        """Begin between two frames."""
        self.too_long = 0
        self._frame = bytearray()
        self._escaped = False

    @property
    def begun(self) -> bytes:
        """What has come of the next frame; of a mote that speaks no SLIP, all that it printed first."""
        return bytes(self._frame)

    def take(self, data: bytes) -> list[bytes]:
        """Return the frames that end in these bytes, without empty ones."""
        frames = []
        for byte in data:
            if byte == END:
                if len(self._frame) > LONGEST:
                    self.too_long += 1
                elif self._frame:
                    frames.append(bytes(self._frame))
                self._frame.clear()
                self._escaped = False
            elif byte == ESC and not self._escaped:
                self._escaped = True
            elif len(self._frame) <= LONGEST:  # of what is longer nothing more is kept
                self._frame.append(_MEANT.get(byte, byte) if self._escaped else byte)
                self._escaped = False
        return frames
