# SPDX-License-Identifier: Apache-2.0
"""The reference time on a node, by Cristian's method, and steps of the host's real-time clock.

Motes use the same method (contiki-apps/middleware/distribution).
"""

from __future__ import annotations

import mmap
import struct
from typing import Callable

from orchestrate_testbed.gateway import clocks

STEP_US = 1000  # between two looks at the clocks, and between two answers of the reference
DRIFT_PPM = 100  # by how much two hosts' oscillators differ at most: crystals are good for 50 ppm each
# Offset, error, when it was learnt; whether anything was. There are two, and a byte says which one counts, so
# that a process never reads one that another is writing.
_KNOWN = struct.Struct("<qqq?")


class Clock:
    """The clock of a node. What it learns is in memory that processes share which are forked later.

    `reference`: this node's clock is the reference time. `least`: us of the shortest way of a question or an
    answer. `drift_ppm`: by so much an answer becomes worse with time; 0 where all nodes have one clock.
    """

    def __init__(
        self,
        reference: bool,
        own: Callable[[], int] | None = None,
        real: Callable[[], int] | None = None,
        least: int = 0,
        drift_ppm: int = 0,
    ):
        self.own, self.real = own or clocks.monotonic_us, real or clocks.wall_us
        self.exchanges = 0
        self.steps = 0
        self._least, self._drift_ppm = least, drift_ppm
        self._reference = reference
        self._shared = mmap.mmap(-1, mmap.PAGESIZE)
        if reference:
            self._learn(0, 0, 0)
        self._ahead = self.real() - self.own()

    @property
    def offset(self) -> int:
        """Return by how much the reference time is ahead of the own clock, us; 0 if that isn't known."""
        return self._known()[0]

    @property
    def error(self) -> int | None:
        """Return by how much the reference time is wrong at most, us; None if it isn't known."""
        _, error, learnt, known = self._known()
        if not known:
            return None
        return 0 if self._reference else error + self._drift(self.own() - learnt)

    def now(self) -> int:
        """Return the reference time, us."""
        return self.own() + self.offset

    def answered(self, asked: int, answered: int, now: int) -> None:
        """Take the reference's time `answered`, requested at `asked` and here at `now` of the own clock.

        One that contradicts what is known means that a clock stepped.
        """
        waited = now - asked
        error = (max(0, waited - 2 * self._least) + 1) // 2
        offset = answered + waited // 2 - now
        before = self.error
        self.exchanges += 1
        if before is not None and abs(offset - self.offset) > error + before + STEP_US:
            self.steps += 1
            before = None
        if before is None or error <= before:
            self._learn(offset, error, now)

    def look(self) -> bool:
        """Whether the real-time clock has stepped since the last look; the tasks go by another one."""
        ahead = self.real() - self.own()
        stepped = abs(ahead - self._ahead) > STEP_US
        self._ahead = ahead
        self.steps += stepped
        return stepped

    def _drift(self, passed: int) -> int:
        return -(-max(0, passed) * self._drift_ppm // 1_000_000)

    def _known(self) -> tuple:
        return _KNOWN.unpack_from(self._shared, 1 + self._shared[0] * _KNOWN.size)

    def _learn(self, offset: int, error: int, now: int) -> None:
        other = 1 - self._shared[0]
        _KNOWN.pack_into(self._shared, 1 + other * _KNOWN.size, offset, error, now, True)
        self._shared[0] = other
