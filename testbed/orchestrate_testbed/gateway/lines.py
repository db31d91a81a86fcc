# SPDX-License-Identifier: Apache-2.0
"""A connected socket that carries lines."""

from __future__ import annotations

import socket
from typing import Callable

from orchestrate_testbed.gateway import clocks
from orchestrate_testbed.gateway.buffered import Buffered
from orchestrate_testbed.gateway.loop import Loop


class Lines(Buffered):
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
        super().__init__(loop)
        self._heard, self._lost, self._longest = heard, lost, longest
        self._rest = b""
        self.read_us = 0
        self._attach(connection)

    def send(self, content: bytes) -> None:
        """Send a line; do nothing if the connection is closed."""
        if self._socket is not None:
            self._waiting += content
            self._write()

    def close(self) -> None:
        """Close the connection for good; `lost` isn't called."""
        if self._socket is not None:
            self._detach()

    def end(self) -> None:
        """Close the connection for good; `lost` is called."""
        if self._socket is not None:
            self._detach()
            self._lost(self)

    def _read(self) -> None:
        self.read_us = clocks.monotonic_us()
        super()._read()

    def _came(self, content: bytes) -> None:
        *lines, self._rest = (self._rest + content).split(b"\n")
        for each in lines:
            if self._socket is not None:
                self._heard(self, each)
        if len(self._rest) > self._longest:
            self.end()

    def _broke(self, why: str) -> None:  # noqa: ARG002
        self.end()
