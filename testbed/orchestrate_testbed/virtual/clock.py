# SPDX-License-Identifier: Apache-2.0
"""Sets a virtual gateway's clocks wrong, by a file that its daemon maps (gateway/clocks.py)."""

from __future__ import annotations

import os
import time
from pathlib import Path

from orchestrate_testbed.gateway.clocks import Off


def write(path: Path, wall_us: int = 0, drift_ppm: float | None = None) -> None:
    """Let the wall clock jump, and set by how much both clocks run fast (None: no change).

    The monotonic clock never jumps.
    """
    now = time.monotonic_ns() // 1000
    before = Off.unpack(path.read_bytes()) if path.exists() else Off(0, 0, 0.0, now)
    gained = before.gained(now)
    after = Off(
        before.wall_us + gained + wall_us,
        before.monotonic_us + gained,
        before.drift_ppm if drift_ppm is None else drift_ppm,
        now,
    )
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.pwrite(descriptor, after.pack(), 0)  # in place: it is mapped
    finally:
        os.close(descriptor)


def read(path: Path) -> Off:
    """Return the setting in force."""
    return Off.unpack(path.read_bytes())
