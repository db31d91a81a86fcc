# SPDX-License-Identifier: Apache-2.0
"""A TCP connection of a service."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import struct
import termios

from orchestrate_testbed.gateway.buffered import Buffered
from orchestrate_testbed.gateway.loop import Loop

MOST_WAITING = 256 * 1024  # bytes that wait for the other end
CALL_US = 10 * 1000 * 1000  # a call that nobody answers ends after this


class Owner:
    """Who is told what becomes of a connection."""

    def linked(self, link: Link) -> None:
        """Take a connection: one that was called (`link.name`), or one that came to `listen` ('')."""

    def received(self, link: Link, content: bytes) -> None:
        """Take bytes of a connection, as they come."""

    def unlinked(self, link: Link, why: str) -> None:
        """Note that a connection ended or never came to be."""


class Link(Buffered):
    """One connection. Messages that are sent before it is established wait for that."""

    def __init__(self, loop: Loop, owner: Owner, name: str, peer: str):
        super().__init__(loop)
        self.name = name
        self.peer = peer
        self.open = False
        self.unacknowledged = 0  # bytes that the other end had not acknowledged when the connection ended
        self._owner = owner
        self._limit: list | None = None

    def call(self, address: str, number: int) -> None:
        """Connect to an IP address."""
        self._socket = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
        self._socket.setblocking(False)
        try:
            code = self._socket.connect_ex((address, number))
        except OSError as error:  # no such address
            code = error.errno or errno.EINVAL
        if code not in (0, errno.EINPROGRESS):
            self._loop.after(0, lambda: self.close(os.strerror(code)))
            return
        self._limit = self._loop.after(CALL_US, lambda: self.close("nobody answered"))
        self._loop.watch(self._socket, write=self._called)

    def take(self, connection: socket.socket) -> None:
        """Take a connection that came in."""
        self._socket = connection
        self._stand()

    def send(self, content: bytes) -> None:
        """Send in order; a connection whose other end reads too slowly is closed."""
        self._waiting += content
        if len(self._waiting) > MOST_WAITING:
            self.close("it took nothing for too long")
        elif self.open:
            self._write()

    def notice(self, patience_us: int) -> None:
        """Let the connection end if the other end doesn't answer for so long, also if nothing is under way.

        The time is in whole seconds, at least one.
        """
        seconds = max(1, patience_us // 1_000_000)
        for level, option, value in (
            (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
            (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, max(1, seconds // 2)),
            (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1),
            (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * seconds),
        ):
            self._socket.setsockopt(level, option, value)

    def close(self, why: str = "it was closed here") -> None:
        """Close the connection for good; `unlinked` is called with the reason, once."""
        if self._limit is not None:
            self._loop.cancel(self._limit)
            self._limit = None
        if self._socket is not None:
            self.unacknowledged = len(self._waiting) + _in_kernel(self._socket) if self.open else 0
            self._detach()
            self.open = False
            self._owner.unlinked(self, why)

    def _called(self) -> None:
        code = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            self.close(os.strerror(code))
        else:
            self._stand()

    def _stand(self) -> None:
        if self._limit is not None:
            self._loop.cancel(self._limit)
            self._limit = None
        self.open = True
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._attach(self._socket)
        self._owner.linked(self)
        if self.open and self._waiting:
            self._write()

    def _came(self, content: bytes) -> None:
        self._owner.received(self, content)

    def _broke(self, why: str) -> None:
        self.close(why)

    def _unwritable(self, why: str) -> None:
        # This comes later, because the caller may be in the middle of something.
        self._loop.watch(self._socket)
        self._loop.after(0, lambda: self.close(why))


def _in_kernel(connection: socket.socket) -> int:
    """Return how many bytes were written to a socket and not acknowledged (Linux's SIOCOUTQ)."""
    try:
        return struct.unpack("i", fcntl.ioctl(connection, termios.TIOCOUTQ, b"\0" * 4))[0]
    except OSError:
        return 0
