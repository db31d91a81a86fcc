# SPDX-License-Identifier: Apache-2.0
"""A simulation's clock as all in virtual time share it: who hears which mote, and what is due when."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.live import Live, Output

US = 1_000_000  # in a second


class Clock:
    """Lets a simulation go on, and does what is due at a time. Times are in us, as those of Live."""

    def __init__(self, simulation: Live) -> None:
        """Take over the steps of a simulation; from now on only the clock calls its advance()."""
        self._simulation = simulation
        self._takers: dict[int, Callable[[bytes], None]] = {}
        self._due: list[tuple[int, int, Callable[[], None]]] = []
        self._order = count()  # of what is due at the same time
        self.others: list[Output] = []  # of motes that nobody here hears, and the caller listens to

    @property
    def now_us(self) -> int:
        """The present time."""
        return self._simulation.now_us

    def hear(self, mote: int, taker: Callable[[bytes], None]) -> None:
        """Call `taker` with the bytes that the mote prints. ValueError: its line is taken, or no mote."""
        if mote not in self._simulation.motes:
            raise ValueError(f"there is no mote {mote}")
        if mote in self._takers:
            raise ValueError(f"the serial line of mote {mote} is taken already")
        self._simulation.listen(mote, "bytes")
        self._takers[mote] = taker

    def leave(self, mote: int) -> None:
        """Give the mote's line back."""
        if self._takers.pop(mote, None) and mote in self._simulation.motes:
            self._simulation.listen(mote, "lines")  # as live.open() does

    def write(self, mote: int, data: bytes) -> None:
        """Pass bytes to the mote's serial line, now; to a mote that is gone they are lost."""
        if mote in self._simulation.motes:
            self._simulation.write(mote, data)

    def at(self, time_us: int, action: Callable[[], None]) -> None:
        """Do this at that time, before the simulation's own events of that time."""
        heapq.heappush(self._due, (time_us, next(self._order), action))

    def step(self, until_us: int) -> None:
        """Go on to `until_us`, or to the first output or action before. Raises SimulationEnded."""
        if self._due:
            until_us = min(until_us, self._due[0][0])
        if until_us > self.now_us:
            for output in self._simulation.advance(until_us):
                if taker := self._takers.get(output.mote):
                    taker(output.text)
                else:
                    self.others.append(output)
        while self._due and self._due[0][0] <= self.now_us:
            heapq.heappop(self._due)[2]()
