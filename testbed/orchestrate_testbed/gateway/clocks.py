# SPDX-License-Identifier: Apache-2.0
"""The gateway's two clocks, and the name of the boot from which the monotonic clock counts.

The monotonic clock stamps the motes' output, because nobody sets it. It begins anew when the machine boots;
`boot()` tells the boots apart. On a gateway of a virtual testbed, a file says how far both clocks are off
(Off).
"""

from __future__ import annotations

import mmap
import os
import struct
import time
from typing import NamedTuple

VARIABLE = "ORCHESTRATE_VIRTUAL_CLOCK"  # the environment variable with that file's path


class Off(NamedTuple):
    """How far a virtual gateway's clocks are off: an offset at `since_us`, and a drift from then on."""

    wall_us: int
    monotonic_us: int
    drift_ppm: float
    since_us: int  # of the real monotonic clock

    def gained(self, now_us: int) -> int:
        """Return by how much the clocks have gained since then, us."""
        return round((now_us - self.since_us) * self.drift_ppm / 1e6)

    def pack(self) -> bytes:
        """Return the file's content."""
        return _OFF.pack(*self)

    @classmethod
    def unpack(cls, content: bytes) -> Off:
        """Return what the file says."""
        return cls(*_OFF.unpack_from(content))


_OFF = struct.Struct("<qqdq")
_NONE = Off(0, 0, 0.0, 0)


def _map() -> mmap.mmap | None:
    path = os.environ.get(VARIABLE)
    if not path:
        return None
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), _OFF.size, access=mmap.ACCESS_READ)


_mapped = _map()


def _off() -> Off:
    return _NONE if _mapped is None else Off.unpack(_mapped)


def monotonic_us() -> int:
    """Return the time of CLOCK_MONOTONIC, which NTP may slew but never sets."""
    now, off = time.monotonic_ns() // 1000, _off()
    return now + off.monotonic_us + off.gained(now)


def wall_us() -> int:
    """Return the time since 1970, as the gateway believes it to be."""
    off = _off()
    return time.time_ns() // 1000 + off.wall_us + off.gained(time.monotonic_ns() // 1000)


def boot() -> str:
    """Return a name of the boot that the monotonic clock counts from; empty where the kernel doesn't say."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read(64).strip()
    except OSError:
        return ""
