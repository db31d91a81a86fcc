# SPDX-License-Identifier: Apache-2.0
"""One direction of a serial line, on which bytes take time."""

from __future__ import annotations

from collections import deque

BITS = 10  # of a byte: start, eight bits, stop


class Wire:
    """Holds bytes until the last of their bits is over. Times are in us."""

    def __init__(self, baud: int) -> None:
        self.waiting = 0  # bytes
        self._byte_us = BITS * 1e6 / baud
        self._free_at = 0.0  # when the last of the taken bytes ends
        self._queue: deque[tuple[float, bytes]] = deque()

    def put(self, time_us: float, content: bytes) -> None:
        """Add bytes that are there from `time_us` on."""
        if content:
            self._queue.append((time_us, content))
            self.waiting += len(content)

    def take(self, now_us: float) -> bytes:
        """Return the bytes that have come through by now."""
        through = []
        while self._queue:
            since, content = self._queue.popleft()
            start = max(self._free_at, since)
            count = min(len(content), int((now_us - start) / self._byte_us + 1e-6)) if now_us > start else 0
            if count:
                self._free_at = start + count * self._byte_us
                through.append(content[:count])
            if count < len(content):
                self._queue.appendleft((since, content[count:]))
                break
        self.waiting -= sum(map(len, through))
        return b"".join(through)

    def clear(self) -> int:
        """Forget the bytes under way; return how many they were."""
        lost, self.waiting = self.waiting, 0
        self._queue.clear()
        return lost
