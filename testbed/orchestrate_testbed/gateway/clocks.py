# SPDX-License-Identifier: Apache-2.0
"""The gateway's two clocks, and what tells one run of the monotonic clock from the next.

The monotonic clock stamps what motes say: nobody sets it. It begins anew when the machine boots, which
`boot()` tells.
"""

from __future__ import annotations

import time


def monotonic_us() -> int:
    """Of CLOCK_MONOTONIC, which NTP may slew but never sets."""
    return time.monotonic_ns() // 1000


def wall_us() -> int:
    """Since 1970, as the gateway believes it to be."""
    return time.time_ns() // 1000


def boot() -> str:
    """A name of the boot that the monotonic clock counts from; empty where the kernel doesn't say."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read(64).strip()
    except OSError:
        return ""
