# SPDX-License-Identifier: Apache-2.0
"""A mote's serial port while it is logged: it is read, written, unplugged and found again."""

from __future__ import annotations

import os
from typing import Callable

from orchestrate_testbed.gateway import clocks, serial_port
from orchestrate_testbed.gateway.loop import Loop
from orchestrate_testbed.gateway.mote_log import MoteLog
from orchestrate_testbed.gateway.protocol import Refusal

AT_ONCE = 64 * 1024  # bytes of one read; a serial line of 115,200 baud brings them in six seconds
READS = 64  # at most, when the port is left
MOST_TO_SEND = 64 * 1024
AGAIN_US = 500 * 1000  # between two tries to open a port that has gone


class MotePort:
    """One mote of a run."""

    def __init__(self, loop: Loop, log: MoteLog, device: str, baud: int):
        self.log = log
        self.device = device
        self.baud = baud
        self.state = "closed"  # open, gone (unplugged, or not there yet), lent (to a tool), closed
        self.why = ""
        self.since_us = clocks.wall_us()
        self.last_us = 0  # when the mote last printed something, wall clock
        self.gone = 0  # how often it disappeared
        self.listeners: list[Callable[[bytes], None]] = []
        self._loop = loop
        self._descriptor = -1
        self._sending = b""
        self._again = None

    def open(self) -> None:
        """Open the port and begin to log."""
        self._descriptor = serial_port.open_port(self.device, self.baud)
        self._loop.watch(self._descriptor, read=self._read)
        self._turn("open", "")

    def close(self) -> int:
        """Close the port for good, once what has come is logged.

        Returns how many bytes of the log are lost because the disk is full.
        """
        self._take_rest()
        self._leave("closed", "")
        return self.log.close()

    def lend(self) -> None:
        """Leave the port to a tool; bytes that have come so far are logged first."""
        self._take_rest()
        self._leave("lent", "")

    def take_back(self) -> None:
        """Open the port again after `lend`."""
        self._try()

    def await_device(self, why: str) -> None:
        """Try to open the port until it exists and is free."""
        self._leave("gone", why)
        self._again = self._loop.after(AGAIN_US, self._try)

    def write(self, content: bytes) -> None:
        """Send to the mote, as fast as its line allows."""
        if self._descriptor < 0:
            raise Refusal("port-closed", f"{self.device} is not open: {self.why or self.state}.")
        if len(self._sending) + len(content) > MOST_TO_SEND:
            raise Refusal("port-busy", f"{self.device} hasn't taken what it was sent before.")
        self._sending += content
        self._send()

    def status(self) -> dict:
        """Return the status for the controller."""
        return {
            "device": self.device,
            "baud": self.baud,
            "state": self.state,
            "why": self.why,
            "since_us": self.since_us,
            "last_us": self.last_us,
            "gone": self.gone,
            "bytes": self.log.bytes,
            "lines": self.log.lines,
            "lost_bytes": self.log.lost_bytes,
            "lost_lines": self.log.lost_lines,
            "log_error": self.log.error,
            "segment": self.log.number,
        }

    def _read(self) -> None:
        try:
            content = os.read(self._descriptor, AT_ONCE)
        except BlockingIOError:
            return
        except OSError as error:
            self._went(error.strerror)
            return
        if not content:
            self._went("it was unplugged")
            return
        self.log.chunk(content)
        self.last_us = clocks.wall_us()
        for each in list(self.listeners):
            each(content)

    def _take_rest(self) -> None:
        """Log what has come. A read gets a part of it; a mote that never stops printing is not waited for."""
        for _ in range(READS):
            before = self.log.bytes
            if self._descriptor >= 0:
                self._read()
            if self.log.bytes == before:
                return

    def _send(self) -> None:
        try:
            self._sending = self._sending[os.write(self._descriptor, self._sending) :]
        except BlockingIOError:
            pass
        except OSError as error:
            self._went(error.strerror)
            return
        self._loop.watch(self._descriptor, read=self._read, write=self._send if self._sending else None)

    def _went(self, why: str) -> None:
        self.gone += 1
        self.await_device(why)

    def _try(self) -> None:
        self._again = None
        try:
            self.open()
        except Refusal as refusal:
            if self.state == "gone" and self.why == refusal.text:
                self._again = self._loop.after(AGAIN_US, self._try)  # nothing new to say
            else:
                self.await_device(refusal.text)

    def _leave(self, state: str, why: str) -> None:
        if self._again is not None:
            self._loop.cancel(self._again)
            self._again = None
        if self._descriptor >= 0:
            self._loop.watch(self._descriptor)
            serial_port.release(self._descriptor)
            self._descriptor = -1
        unsent, self._sending = len(self._sending), b""
        self._turn(state, why, unsent=unsent)

    def _turn(self, state: str, why: str, unsent: int = 0) -> None:
        self.state, self.why, self.since_us = state, why, clocks.wall_us()
        what = {"event": state, "device": self.device, "baud": self.baud}
        if why:
            what["why"] = why
        if state == "open":
            what["boot"] = clocks.boot()
        if unsent:
            what["unsent"] = unsent
        self.log.note(**what)
