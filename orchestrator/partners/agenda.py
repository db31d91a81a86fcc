# SPDX-License-Identifier: Apache-2.0
"""Pending events beside the motes, in the order of simulated time."""

from __future__ import annotations

import heapq
from collections.abc import Callable

At = Callable[[int, Callable[[], None]], None]
Now = Callable[[], int]


class Agenda:
    """`now()`: the simulated time, us."""

    def __init__(self, now: Now):
        self.now = now
        self._events: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0

    def at(self, time_us: int, act: Callable[[], None]) -> None:
        """Have the clock call `act`; acts of the same time happen in the order of their requests."""
        self._count += 1
        heapq.heappush(self._events, (max(time_us, self.now()), self._count, act))

    def next(self, latest_us: int) -> int:
        """Return when the next act is due, `latest_us` at the latest."""
        return min(self._events[0][0], latest_us) if self._events else latest_us

    def do_due(self) -> None:
        """Handle all events that are due."""
        while self._events and self._events[0][0] <= self.now():
            heapq.heappop(self._events)[2]()
