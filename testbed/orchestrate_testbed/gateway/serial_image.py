# SPDX-License-Identifier: Apache-2.0
"""Sends a mote its image over its serial line, where no flashing tool can write it.

The lines are those of contiki-apps/middleware/identity/image-by-serial.h. `Sending` has no I/O; `Sent`
drives it in the daemon.
"""

from __future__ import annotations

import os
import re
import zlib
from typing import Callable

from orchestrate_testbed.gateway import serial_port
from orchestrate_testbed.gateway.daemon import Daemon
from orchestrate_testbed.gateway.loop import Loop
from orchestrate_testbed.gateway.protocol import Refusal

AT_ONCE = 40  # bytes of the image in a line: Contiki's serial line has room for 127 characters
LONGEST = 65535  # bytes of an image
AGAIN_US = 1000 * 1000  # after so long without an answer the last line is sent again
TRIES = 60  # of one line: a mote may take long to boot after it was flashed
BEGINS = 3  # a mote that has started anew, or stored something else, is sent the image again
MOST_LINE = 1024  # bytes of a mote's line that are looked at
_ANSWER = re.compile(rb"image (ok|stored|no) ([\x20-\x7e]{1,60})$")


class Sending:
    """One image on its way. `line` is the next line to send; `failure` and `done` say how it ended."""

    def __init__(self, image: bytes):
        self.image = image
        self.crc = zlib.crc32(image)
        self.done, self.failure = False, ""
        self._begins = self._tries = 0
        self._here = -1  # bytes that the mote has; -1: it hasn't answered yet
        self._said = -1  # what it said of that last, which can be an answer to somebody before us
        self._begin()

    def heard(self, line: bytes) -> bool:
        """Take a line that the mote printed; return whether there is a new line to send."""
        found = _ANSWER.match(line.rstrip(b"\r"))
        if found is None or self.done or self.failure:
            return False
        word, rest = found.group(1), found.group(2)
        if word == b"no":
            return self._refused(rest.decode("ascii"))
        if word == b"stored":
            self.done = rest == b"%08x" % self.crc
            return False
        here = int(rest) if rest.isdigit() else -1
        if not 0 <= here <= len(self.image) or (self._here < 0 and here > 0):
            return False
        self._said = here
        if here <= self._here:
            return False  # an answer that came twice
        self._tries = 0
        self._go_on(here)
        return True

    def silent(self) -> bool:
        """Note that no answer came in time; return whether to send the line again."""
        self._tries += 1
        if self._tries < TRIES:
            if self._said < self._here:
                self._go_on(self._said)
            return True
        where = "it did not answer" if self._here < 0 else f"it fell silent after {self._here} bytes"
        self.failure = f"the mote did not take its image by the serial line: {where}"
        return False

    def _begin(self) -> None:
        self._begins += 1
        self._here = self._said = -1
        self._tries = 0
        self.line = b"image begin %d %08x" % (len(self.image), self.crc)

    def _go_on(self, here: int) -> None:
        self._here = here
        part = self.image[here : here + AT_ONCE]
        self.line = b"image at %d %s" % (here, part.hex().encode("ascii")) if part else b"image end"

    def _refused(self, why: str) -> bool:
        if why in ("begin", "checksum") and self._begins < BEGINS:
            self._begin()
            return True
        self.failure = f"the mote refused its image: {why}"
        return False


class Sent:
    """A sending in the daemon, over the port that is logged or one that is opened for it.

    `then(failure)` is called at its end. Raises Refusal if the port can't be opened.
    """

    def __init__(self, daemon: Daemon, device: str, baud: int, image: bytes, then: Callable[[str], None]):
        self._loop, self._then = daemon.loop, then
        self._sending = Sending(image)
        self._rest = b""
        self._port = daemon.runs.on_device(device) or _Port(daemon.loop, device, baud)
        self._port.listeners.append(self._came)
        self._timer = self._loop.after(0, self._send)

    def _send(self) -> None:
        try:
            self._port.write(self._sending.line + b"\n")
        except (Refusal, OSError):
            pass  # the port is away for a moment; no answer comes, and the line is sent again
        self._timer = self._loop.after(AGAIN_US, self._silent)

    def _silent(self) -> None:
        if self._sending.silent():
            self._send()
        else:
            self._end()

    def _came(self, content: bytes) -> None:
        *lines, rest = (self._rest + content).split(b"\n")
        self._rest = rest[-MOST_LINE:]
        for line in lines:
            if self._sending.heard(line):
                self._loop.cancel(self._timer)
                self._send()
            if self._sending.done or self._sending.failure:
                self._end()
                return

    def _end(self) -> None:
        self._loop.cancel(self._timer)
        self._port.listeners.remove(self._came)
        if isinstance(self._port, _Port):
            self._port.close()
        self._then(self._sending.failure)


class _Port:
    """A port that no run logs."""

    def __init__(self, loop: Loop, device: str, baud: int):
        self.listeners: list[Callable[[bytes], None]] = []
        self._loop = loop
        self._descriptor = serial_port.open_port(device, baud)
        loop.watch(self._descriptor, read=self._read)

    def write(self, content: bytes) -> None:
        os.write(self._descriptor, content)

    def close(self) -> None:
        self._loop.watch(self._descriptor)
        serial_port.release(self._descriptor)

    def _read(self) -> None:
        try:
            content = os.read(self._descriptor, MOST_LINE)
        except BlockingIOError:
            return
        except OSError:
            content = b""
        if not content:
            self._loop.watch(self._descriptor)  # it was unplugged; nobody answers
        for each in list(self.listeners):
            each(content)
