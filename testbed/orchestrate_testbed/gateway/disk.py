# SPDX-License-Identifier: Apache-2.0
"""Limits how much may be written: the daemon has a quota, and the gateway's system keeps a reserve."""

from __future__ import annotations

import errno
import os

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Disk:
    """The part of the disk that logs may use.

    Beyond the quota or the reserve, writing fails as on a full disk.
    """

    def __init__(self, root: str, quota: int, reserve: int):
        self.root = root
        self.quota = quota  # bytes of all logs; 0: none
        self.reserve = reserve  # bytes that stay free
        self.used = 0
        self.free = 0
        self.look()

    def look(self) -> None:
        """Ask the file system for its free space; `write` counts it down until the next call."""
        found = os.statvfs(self.root)
        self.free = found.f_bavail * found.f_frsize

    def write(self, descriptor: int, content: bytes) -> int:
        """Write as much as there is room for."""
        room = self.free - self.reserve
        if self.quota:
            room = min(room, self.quota - self.used)
        if room <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = os.write(descriptor, content[:room])
        self.used += written
        self.free -= written
        return written

    def alarm(self) -> str:
        """Return a warning before the disk is full; empty while there is room."""
        if self.free <= 2 * self.reserve:
            return f"{self.free} bytes are free, of which {self.reserve} stay with the gateway's system"
        if self.quota and self.used > self.quota // 10 * 9:
            return f"the logs have {self.used} of their {self.quota} bytes"
        return ""
