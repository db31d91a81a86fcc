# SPDX-License-Identifier: Apache-2.0
"""A mote's serial port on its gateway: a pseudo-terminal behind a link with a name that stays."""

from __future__ import annotations

import fcntl
import os
import termios
import tty
from pathlib import Path

from orchestrator.engines.embedded.mote_host.wire import Wire

MOST_WAITING = (
    4096  # bytes for the mote that are taken from a program: about what Linux keeps for a serial port
)
MOST_UNSENT = 1 << 20  # bytes that a mote has printed and its line hasn't carried; a UART would make it wait


class Port:
    """A mote's port. As with hardware, its output is lost while no program has the port open."""

    def __init__(self, link: Path, baud: int):
        self.link = link
        self.master = -1  # unplugged
        self.heard = self.unheard = self.overrun = (
            0  # bytes: read by a program; by none; faster than that reads
        )
        self._baud = baud
        self._out, self._in = Wire(baud), Wire(baud)
        self._open = False

    @property
    def plugged(self) -> bool:
        """Whether the device is there."""
        return self.master >= 0

    @property
    def on_the_line(self) -> int:
        """Bytes that the mote has printed and that the line hasn't carried yet."""
        return self._out.waiting

    @property
    def for_the_mote(self) -> int:
        """Bytes that a program has sent and the line hasn't carried yet."""
        return self._in.waiting

    def plug(self) -> None:
        """Make the device."""
        self.master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self.master, False)
        self.link.parent.mkdir(parents=True, exist_ok=True)
        draft = self.link.with_name(self.link.name + ".draft")
        draft.unlink(missing_ok=True)
        draft.symlink_to(os.ttyname(slave))
        draft.replace(self.link)
        os.close(slave)
        self._out, self._in = Wire(self._baud), Wire(self._baud)
        self._open = False

    def unplug(self) -> None:
        """Remove the device; programs that have it open notice."""
        if self.plugged:
            self.link.unlink(missing_ok=True)
            os.close(self.master)
            self.master = -1
            self.unheard += self._out.clear()

    def say(self, time_us: float, content: bytes) -> None:
        """Send what the mote printed at `time_us`."""
        room = max(0, MOST_UNSENT - self._out.waiting)
        self._out.put(time_us, content[:room])
        self.overrun += max(0, len(content) - room)

    def attend(self, now_us: float, is_open: bool, has_input: bool) -> bytes:
        """Pass on what the line has carried by now; return what it brings the mote.

        `is_open`: a program has the device open; `has_input`: it has sent something (both by poll()).
        """
        if self._open and not is_open:
            self._closed()
        self._open = is_open
        due = self._out.take(now_us) if self._out.waiting else b""
        if not is_open:
            self.unheard += len(due)
            return b""
        if due:
            self._write(due)
        if has_input and self._in.waiting < MOST_WAITING:
            self._in.put(now_us, self._read(MOST_WAITING - self._in.waiting))
        return self._in.take(now_us) if self._in.waiting else b""

    def _write(self, content: bytes) -> None:
        try:
            written = os.write(self.master, content)
        except OSError:  # full (EAGAIN), or closed in this moment
            written = 0
        self.heard += written
        self.overrun += len(content) - written

    def _read(self, most: int) -> bytes:
        try:
            return os.read(self.master, most)
        except OSError:
            return b""

    def _closed(self) -> None:
        """Note that the last program has closed the port: what was unread on either side is lost.

        A program that was killed leaves its exclusive use (TIOCEXCL) behind, which hardware would forget.
        """
        self._in.clear()
        try:
            slave = os.open(os.readlink(self.link), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError:
            self.unplug()
            self.plug()
            return
        try:
            termios.tcflush(slave, termios.TCIFLUSH)
            fcntl.ioctl(slave, termios.TIOCNXCL)
        finally:
            os.close(slave)
