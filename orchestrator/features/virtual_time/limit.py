# SPDX-License-Identifier: Apache-2.0
"""The limit on the real time that a program may take while simulated time stands still."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

_AGAIN_S = 1.0  # a program that swallows the interruption gets the next one
_HARD = 4.0  # times the limit, of processor time: for code that Python can't interrupt


class Interrupted(KeyboardInterrupt):
    """Interrupts a program as Ctrl-C does: no `except Exception` takes it."""


class Limit:
    """Interrupts what computes or blocks for too long; only in the main thread, as signals come there."""

    def __init__(self, limit_s: float, exceeded: Callable[[FrameType | None], None], hard: bool) -> None:
        """Call `exceeded` with the frame at work, then raise Interrupted there.

        `hard`: also end this process (by SIGPROF) if it computes on for three more times of the limit.
        """
        self._limit_s = limit_s
        self._exceeded = exceeded
        self._hard = hard
        self._active = threading.current_thread() is threading.main_thread()
        self._runs = False
        self._before: Any = None

    def __enter__(self) -> Limit:
        """Take over SIGALRM."""
        if self._active:
            self._before = signal.signal(signal.SIGALRM, self._interrupt)
            if self._hard:
                signal.signal(signal.SIGPROF, signal.SIG_DFL)
        return self

    def __exit__(self, *_: object) -> None:
        self.rest()
        if self._active:
            signal.signal(signal.SIGALRM, self._before)

    def begin(self) -> None:
        """Begin the program's turn, unless it has begun already."""
        if self._active and not self._runs:
            self._runs = True
            signal.setitimer(signal.ITIMER_REAL, self._limit_s, _AGAIN_S)
            if self._hard:
                signal.setitimer(signal.ITIMER_PROF, self._limit_s * _HARD)

    def rest(self) -> None:
        """End the program's turn: for the simulation its own limits are in force."""
        if self._active and self._runs:
            self._runs = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            if self._hard:
                signal.setitimer(signal.ITIMER_PROF, 0)

    def _interrupt(self, _number: int, frame: FrameType | None) -> None:
        if self._runs:
            self._exceeded(frame)
            raise Interrupted
