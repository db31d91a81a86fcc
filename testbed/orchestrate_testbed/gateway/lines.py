# SPDX-License-Identifier: Apache-2.0
"""A connected socket that carries lines."""

from __future__ import annotations

import socket
from typing import Callable

from orchestrate_testbed.gateway import clocks
from orchestrate_testbed.gateway.loop import Loop


class Lines:
    """One connection on the loop. `heard(lines, line)` gets each line without its end.

    `lost(lines)` is called once when the connection breaks, or a line is longer than `longest` bytes.
    `read_us`: when the last bytes were read, of the monotonic clock.
    """

    def __init__(
        self,
        loop: Loop,
        connection: socket.socket,
        heard: Callable[[Lines, bytes], None],
        lost: Callable[[Lines], None],
        longest: int,
    ):
        self._loop, self._socket = loop, connection
        self._heard, self._lost, self._longest = heard, lost, longest
        self._came = b""
        self._waiting = b""
        self.closed = False
        self.read_us = 0
        connection.setblocking(False)
        loop.watch(connection, read=self._read)

    def send(self, content: bytes) -> None:
        """Nothing if it is closed."""
        if not self.closed:
            self._waiting += content
            self._write()

    def close(self) -> None:
        """For good; `lost` isn't called."""
        if not self.closed:
            self.closed = True
            self._loop.watch(self._socket)
            self._socket.close()

    def end(self) -> None:
        """For good; `lost` is called."""
        if not self.closed:
            self.close()
            self._lost(self)

    def _read(self) -> None:
        self.read_us = clocks.monotonic_us()
        try:
            content = self._socket.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            content = b""
        if not content:
            self.end()
            return
        *lines, self._came = (self._came + content).split(b"\n")
        for each in lines:
            if not self.closed:
                self._heard(self, each)
        if len(self._came) > self._longest:
            self.end()

    def _write(self) -> None:
        try:
            self._waiting = self._waiting[self._socket.send(self._waiting) :]
        except BlockingIOError:
            pass
        except OSError:
            self.end()
            return
        if not self.closed:
            self._loop.watch(self._socket, read=self._read, write=self._write if self._waiting else None)
