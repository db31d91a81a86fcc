# SPDX-License-Identifier: Apache-2.0
"""The reference time on a node, by Cristian's method as on motes (contiki-apps/middleware/distribution), and
steps of the host's real-time clock.
"""

from __future__ import annotations

import time

STEP_US = 1000  # between two looks at the clocks


def monotonic_us() -> int:
    """Return the node's own clock, which never steps."""
    return time.monotonic_ns() // 1000


def real_us() -> int:
    """Return the host's real-time clock, by which the kernel stamps what arrives."""
    return time.time_ns() // 1000


class Clock:
    """`reference`: this node's clock is the reference time."""

    def __init__(self, reference: bool):
        self.offset = 0
        self.error: int | None = 0 if reference else None
        self.exchanges = 0
        self.steps = 0
        self._ahead = real_us() - monotonic_us()

    def now(self) -> int:
        """Return the reference time, us."""
        return monotonic_us() + self.offset

    def answered(self, asked: int, answered: int, now: int) -> None:
        """Take an answer that arrived at `now` of the own clock: at `asked` it was requested, `answered` is
        the reference's time.
        """
        error = (now - asked + 1) // 2
        self.exchanges += 1
        if self.error is None or error <= self.error:
            self.offset = answered + (now - asked) // 2 - now
            self.error = error

    def look(self) -> bool:
        """Whether the real-time clock has stepped since the last look; the tasks go by another one."""
        ahead = real_us() - monotonic_us()
        stepped = abs(ahead - self._ahead) > STEP_US
        self._ahead = ahead
        self.steps += stepped
        return stepped
