# SPDX-License-Identifier: Apache-2.0
"""The log of a mote on the gateway's disk: its output as it came, with the gateway's clocks.

A log consists of segments, files `MOTE.NUMBER.log`: each start of the daemon begins a new one. Segments only
grow, so the part of one that was fetched stays right, whatever a crash left at its end. A segment is a
sequence
of

    @MONOTONIC_US WALL_US LENGTH LF  LENGTH bytes  LF     bytes of the mote, read together at that time
    !MONOTONIC_US WALL_US {JSON} LF                       what happened to the port or to the log
"""

from __future__ import annotations

import json
import os
import re

from orchestrate_testbed.gateway import clocks
from orchestrate_testbed.gateway.disk import FULL, Disk

MOST_WAITING = 1 << 20  # bytes in memory while the disk is full
SEGMENT = re.compile(r"(.+)\.(\d{1,6})\.log\Z")


class MoteLog:
    """One segment that is being written.

    Bytes that the disk doesn't take wait in memory; beyond that they are counted.
    """

    def __init__(self, folder: str, mote: str, disk: Disk):
        numbers = [number for one, number, _ in segments(folder) if one == mote]
        self.number = max(numbers, default=0) + 1
        self.path = os.path.join(folder, f"{mote}.{self.number}.log")
        self.bytes = self.lines = 0  # of the mote
        self.lost_bytes = self.lost_lines = 0  # in all
        self.error = ""
        self._disk = disk
        self._waiting = []
        self._waiting_bytes = 0
        self._gap = None
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        self._descriptor = os.open(self.path, flags, 0o600)

    def chunk(self, content: bytes) -> None:
        """Log bytes that were just read from the mote."""
        mono, wall = clocks.monotonic_us(), clocks.wall_us()
        lines = content.count(b"\n")
        self.bytes += len(content)
        self.lines += lines
        record = b"@%d %d %d\n%b\n" % (mono, wall, len(content), content)
        if self._waiting_bytes + len(record) > MOST_WAITING:
            self._lose(mono, len(content), lines)
        else:
            self._put(record)

    def note(self, **what: object) -> None:
        """Log an event between the bytes of the mote."""
        text = json.dumps(what, separators=(",", ":"), sort_keys=True).encode("ascii")
        self._put(b"!%d %d %b\n" % (clocks.monotonic_us(), clocks.wall_us(), text))

    def flush(self) -> None:
        """Write the waiting bytes, as far as the disk takes them."""
        while self._waiting:
            content = b"".join(self._waiting)
            try:
                written = self._disk.write(self._descriptor, content)
            except OSError as error:
                self.error = error.strerror if error.errno in FULL else f"{error.strerror} (the log)"
                self._waiting = [content]
                return
            self._waiting = [content[written:]] if written < len(content) else []
            self._waiting_bytes = len(content) - written
        self.error = ""
        if self._gap is not None:
            since, lost, lines = self._gap
            self._gap = None
            self.note(event="lost", bytes=lost, lines=lines, since_us=since)

    def close(self) -> int:
        """End the segment. Returns how many bytes are lost because the disk doesn't take them."""
        self.flush()
        os.close(self._descriptor)
        return self._waiting_bytes + (self._gap[1] if self._gap else 0)

    def _put(self, record: bytes) -> None:
        self._waiting.append(record)
        self._waiting_bytes += len(record)
        if not self.error:
            self.flush()

    def _lose(self, now: int, lost: int, lines: int) -> None:
        since, before, lines_before = self._gap or (now, 0, 0)
        self._gap = (since, before + lost, lines_before + lines)
        self.lost_bytes += lost
        self.lost_lines += lines


def segments(folder: str) -> list:
    """Return (mote, number, size) of the segments of all motes, in order."""
    found = []
    for each in os.listdir(folder):
        match = SEGMENT.match(each)
        if match:
            size = os.stat(os.path.join(folder, each), follow_symlinks=False).st_size
            found.append((match.group(1), int(match.group(2)), size))
    return sorted(found)


def open_segment(folder: str, mote: str, number: int) -> int:
    """Open a segment for reading."""
    path = os.path.join(folder, f"{mote}.{number}.log")
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
