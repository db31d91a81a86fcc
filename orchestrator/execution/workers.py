# SPDX-License-Identifier: Apache-2.0
"""Threads that wait for engines and builds, and how they are ended."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_SHOW_EVERY_S = 0.2
_STOP_EVERY_S = 0.05
_STOP_MOST_S = 10.0


class Workers:
    """A set of worker threads, which is counted and not joined.

    An interrupted Thread.join of Python 3.11 takes a running thread for one that has ended.
    """

    def __init__(self) -> None:
        self._working = 0
        self._idle = threading.Condition()

    def start(self, count: int, work: Callable[[], None]) -> None:
        """Start `count` threads, each of which calls `work`."""
        for number in range(count):
            with self._idle:
                self._working += 1
            threading.Thread(target=self._live, args=(work,), name=f"worker-{number}", daemon=True).start()

    def run(
        self, count: int, work: Callable[[], None], show: Callable[[], None], stop: Callable[[], None]
    ) -> None:
        """Let threads work until all have ended, and call `show` now and then from this one.

        At an exception (Ctrl-C is one) they are ended by `stop`, and it is raised again.
        """
        try:
            self.start(count, work)
            while not self.idle(_SHOW_EVERY_S):
                show()
        except BaseException:
            self.end(stop)
            raise

    def idle(self, timeout_s: float) -> bool:
        """Wait up to `timeout_s` for all threads to end; say whether they have."""
        with self._idle:
            return self._idle.wait_for(lambda: self._working == 0, timeout_s)

    def end(self, stop: Callable[[], None]) -> None:
        """Call `stop` until all threads have ended.

        One call is not enough: a thread may be about to start an engine or a build. The time is limited
        because an interruption may have come after a thread was counted and before it was started.
        """
        until = time.monotonic() + _STOP_MOST_S
        stop()
        while not self.idle(_STOP_EVERY_S) and time.monotonic() < until:
            stop()

    def _live(self, work: Callable[[], None]) -> None:
        try:
            work()
        finally:
            with self._idle:
                self._working -= 1
                self._idle.notify_all()
