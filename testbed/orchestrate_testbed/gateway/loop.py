# SPDX-License-Identifier: Apache-2.0
"""One loop for everything that the daemon waits for: ports, sockets, tools and times."""

from __future__ import annotations

import heapq
import itertools
import selectors
import time
import traceback
from typing import Callable


def now_us() -> int:
    """For waiting. It isn't the clock that stamps logs, which somebody may break in a virtual testbed."""
    return time.monotonic_ns() // 1000


class Loop:
    """Calls functions when files are ready or times have come.

    Between two passes lies at least the `tick`, in which the kernel collects what motes send: the work grows
    with the number of passes, not of bytes. What comes after a pause is read at once.
    """

    def __init__(self):
        self._selector = selectors.DefaultSelector()
        self._times = []
        self._order = itertools.count()
        self._stopped = False
        self.tick_us = 0
        self.failures: list[str] = []  # of what was called; the last ones

    def watch(self, file, read: Callable | None = None, write: Callable | None = None) -> None:  # noqa: ANN001
        """Calls `read` or `write` when that is possible; neither: the file is left alone from now on."""
        events = (selectors.EVENT_READ if read else 0) | (selectors.EVENT_WRITE if write else 0)
        known = file in self._selector.get_map()
        if events and known:
            self._selector.modify(file, events, (read, write))
        elif events:
            self._selector.register(file, events, (read, write))
        elif known:
            self._selector.unregister(file)

    def after(self, delay_us: int, call: Callable) -> list:
        """Calls once, later; the answer is for `cancel`."""
        entry = [now_us() + delay_us, next(self._order), call]
        heapq.heappush(self._times, entry)
        return entry

    def cancel(self, entry: list) -> None:
        """The call is not made."""
        entry[2] = None

    def stop(self) -> None:
        """`run` returns after this pass."""
        self._stopped = True

    def run(self) -> None:
        """Until `stop`."""
        while not self._stopped:
            began = now_us()
            self.turn()
            left = self.tick_us - (now_us() - began)
            if left > 0 and not self._stopped:
                time.sleep(left / 1e6)

    def turn(self, longest_us: int = 60 * 1000 * 1000) -> None:
        """One pass: waits for the first thing that happens, then does all that is due."""
        wait = longest_us
        if self._times:
            wait = min(wait, max(0, self._times[0][0] - now_us()))
        for key, events in self._selector.select(wait / 1e6):
            for number, event in enumerate((selectors.EVENT_READ, selectors.EVENT_WRITE)):
                # What was called before in this pass may have changed what is watched.
                current = self._selector.get_map().get(key.fd)
                call = key.data[number] if current is not None else None
                if events & event and call and call == current.data[number]:
                    self._call(call, key.fileobj)
        now = now_us()
        while self._times and self._times[0][0] <= now:
            call = heapq.heappop(self._times)[2]
            if call is not None:
                self._call(call)

    def _call(self, function: Callable, file=None) -> None:  # noqa: ANN001
        """An error nobody foresaw is kept for the alarms, and costs the one file that it came from."""
        try:
            function()
        except Exception as error:
            self.failures = [*self.failures[-9:], f"{type(error).__name__}: {error}"]
            traceback.print_exc()
            if file is not None:
                self.watch(file)

    def close(self) -> None:
        """Gives the selector back."""
        self._selector.close()
