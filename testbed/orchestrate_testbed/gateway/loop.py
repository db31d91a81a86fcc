# SPDX-License-Identifier: Apache-2.0
"""One loop for everything that the daemon waits for: ports, sockets, tools and times."""

from __future__ import annotations

import heapq
import itertools
import selectors
import socket
import time
import traceback
from typing import Callable


def now_us() -> int:
    """Return the clock for waiting.

    It isn't the one that stamps logs, which a virtual testbed can set wrong.
    """
    return time.monotonic_ns() // 1000


class Loop:
    """Calls functions when files are ready or times have come.

    Two passes are at least a `tick` apart, in which the kernel collects what motes send, because the work
    grows with the number of passes, not of bytes. Bytes that come after a pause are read at once.
    """

    def __init__(self):
        self._selector = selectors.DefaultSelector()
        self._times = []
        self._order = itertools.count()
        self._stopped = False
        self.tick_us = 0
        self.failures: list[str] = []  # errors of called functions; the last ones

    def watch(
        self, file: socket.socket | int, read: Callable | None = None, write: Callable | None = None
    ) -> None:
        """Call `read` or `write` when that is possible; without both, the file is left alone from now on."""
        events = (selectors.EVENT_READ if read else 0) | (selectors.EVENT_WRITE if write else 0)
        known = file in self._selector.get_map()
        if events and known:
            self._selector.modify(file, events, (read, write))
        elif events:
            self._selector.register(file, events, (read, write))
        elif known:
            self._selector.unregister(file)

    def after(self, delay_us: int, call: Callable) -> list:
        """Call a function once, later; the result can be given to `cancel`."""
        entry = [now_us() + delay_us, next(self._order), call]
        heapq.heappush(self._times, entry)
        return entry

    def cancel(self, entry: list) -> None:
        """Cancel the call."""
        entry[2] = None

    def stop(self) -> None:
        """Let `run` return after this pass."""
        self._stopped = True

    def run(self) -> None:
        """Run passes until `stop`."""
        while not self._stopped:
            began = now_us()
            self.turn()
            left = self.tick_us - (now_us() - began)
            if left > 0 and not self._stopped:
                time.sleep(left / 1e6)

    def turn(self, longest_us: int = 60 * 1000 * 1000) -> None:
        """Make one pass: wait for the first thing that happens, then do all that is due."""
        wait = longest_us
        if self._times:
            wait = min(wait, max(0, self._times[0][0] - now_us()))
        for key, events in self._selector.select(wait / 1e6):
            for number, event in enumerate((selectors.EVENT_READ, selectors.EVENT_WRITE)):
                # An earlier call in this pass may have changed what is watched.
                current = self._selector.get_map().get(key.fd)
                call = key.data[number] if current is not None else None
                if events & event and call and call == current.data[number]:
                    self._call(call, key.fileobj)
        now = now_us()
        while self._times and self._times[0][0] <= now:
            call = heapq.heappop(self._times)[2]
            if call is not None:
                self._call(call)

    def _call(self, function: Callable, file: socket.socket | int | None = None) -> None:
        """Call a function.

        An unforeseen error is kept for the alarms, and only the file that it came from is given up.
        """
        try:
            function()
        except Exception as error:
            self.failures = [*self.failures[-9:], f"{type(error).__name__}: {error}"]
            traceback.print_exc()
            if file is not None:
                self.watch(file)

    def close(self) -> None:
        """Close the selector."""
        self._selector.close()
