# SPDX-License-Identifier: Apache-2.0
"""What the event loops of a session share: clock, host, limits, what is open, and how the program failed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from types import FrameType
from typing import TYPE_CHECKING

from orchestrator.features.virtual_time import faults
from orchestrator.features.virtual_time.clock import US, Clock
from orchestrator.features.virtual_time.host import Host
from orchestrator.features.virtual_time.limit import Limit

if TYPE_CHECKING:
    from orchestrator.features.virtual_time.transport import SimulatedTransport
    from orchestrator.live import Live

_GRACE_US = 60 * US  # for cleaning up, after which the program is ended again


class World:
    """The surroundings of a program; session.Session explains the settings."""

    def __init__(
        self,
        simulation: Live,
        *,
        names: Mapping[str, str],
        baud: int,
        until_s: float | None,
        patience_s: float,
        limit_s: float,
        hard: bool,
    ) -> None:
        """Make the surroundings; nothing happens yet. ValueError: a setting is none."""
        if baud < 1:
            raise ValueError(f"a baud rate is at least 1, not {baud}")
        self.simulation = simulation
        self.names = dict(names)
        self.baud = baud
        self.clock = Clock(simulation)
        self.host = Host(self._soon)
        self.until_us = None if until_s is None else round(until_s * US)
        self.patience_us = round(patience_s * US)
        self.limit = Limit(limit_s, self._stuck, hard)
        self._limit_s = limit_s
        self._open: dict[asyncio.AbstractEventLoop, list[SimulatedTransport]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None  # the latest one
        self._failure: Exception | None = None
        self._raised = False

    def begun(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take note of a new loop."""
        self._loop = loop
        self._open[loop] = []

    def opened(self, loop: asyncio.AbstractEventLoop, transport: SimulatedTransport) -> None:
        """Take note of what is to be closed with the loop."""
        self._open[loop] = [each for each in self._open[loop] if not each.is_closing()]
        self._open[loop].append(transport)

    def leave(self, loop: asyncio.AbstractEventLoop) -> None:
        """Close what a loop has left open."""
        for transport in self._open.pop(loop, ()):
            transport.abort()

    @property
    def hears_something(self) -> bool:
        """Whether something that a mote does could reach the program."""
        lines = any(not each.is_closing() for opened in self._open.values() for each in opened)
        return lines or not self.host.idle

    def fail(self, failure: Exception, cause: BaseException | None = None) -> None:
        """End the program with this failure at its next step; the first one counts."""
        if self._failure is None:
            failure.__cause__ = cause
            self._failure = failure

    def ended_by(self, failure: Exception) -> Exception:
        """Return this failure to be raised; the first one counts."""
        self.fail(failure)
        self._raised = True
        return failure

    def check(self) -> None:
        """Raise the failure that ended the program, once: it may clean up then."""
        if self._failure is not None and not self._raised:
            self._raised = True
            raise self._failure

    def time_is_up(self) -> Exception:
        """Return the failure of a program at its last simulated time; it may clean up after that."""
        ends = faults.seconds(self.until_us)
        self.until_us += _GRACE_US
        return self.ended_by(
            faults.TimeIsUp(f"the program was still running at {ends} of simulated time, where it ends")
        )

    def _stuck(self, frame: FrameType | None) -> None:
        if (inner := faults.programs_frame(frame)) is None and self._loop is not None:
            where = faults.waiting(self._loop)
        else:
            where = faults.place(inner)
        failure = faults.Stuck(
            f"the program did not return to its event loop in {self._limit_s:g} s of real time, at "
            f"{faults.seconds(self.clock.now_us)} of simulated time: {where}\n"
            "    while it computes or blocks, simulated time stands still: use asyncio.sleep(), or a larger "
            "time limit"
        )
        self.ended_by(failure)  # the interruption is on its way

    def _soon(self, action: Callable[[], None]) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon(action)
