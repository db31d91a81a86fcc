# SPDX-License-Identifier: Apache-2.0
"""The interface of the simulation for code that runs beside the motes, in lock-step with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Line(Protocol):
    """A mote's output."""

    time_us: int
    mote: int
    text: bytes


class Simulation(Protocol):
    """A simulation under way, as orchestrator.engines.embedded.live.Live is one."""

    now_us: int

    def advance(self, until_us: int, stop_on_output: bool = True) -> Sequence[Line]:
        """Let everything before `until_us` happen, up to the first line of a listened mote."""

    def listen(self, mote: int, wanted: bool = True) -> None:
        """Return the mote's lines by advance()."""

    def write(self, mote: int, data: bytes) -> None:
        """Pass bytes to a mote's serial port."""

    def note(self, source: int, text: str) -> None:
        """Add a line to the log."""
