# SPDX-License-Identifier: Apache-2.0
"""A TCP connection of a service."""

from __future__ import annotations

import errno
import os
import socket
from typing import TYPE_CHECKING

from orchestrate_testbed.gateway.loop import Loop

if TYPE_CHECKING:
    from orchestrate_testbed.gateway.service import Place

MOST_WAITING = 256 * 1024  # bytes for one that doesn't take them
CALL_US = 10 * 1000 * 1000  # a call that nobody answers ends after this


class Link:
    """One connection. What is sent before it stands goes when it does."""

    def __init__(self, loop: Loop, place: Place, name: str, peer: str):
        self.name = name
        self.peer = peer
        self.open = False
        self._loop = loop
        self._place = place
        self._socket: socket.socket | None = None
        self._waiting = b""
        self._limit: list | None = None

    def call(self, address: str, number: int) -> None:
        """Connects to an IP address."""
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
        """One that came."""
        self._socket = connection
        connection.setblocking(False)
        self._stand()

    def send(self, content: bytes) -> None:
        """In order; a connection that takes too little ends."""
        self._waiting += content
        if len(self._waiting) > MOST_WAITING:
            self.close("it took nothing for too long")
        elif self.open:
            self._write()

    def close(self, why: str = "it was closed here") -> None:
        """For good; `unlinked` is called with the reason, once."""
        if self._limit is not None:
            self._loop.cancel(self._limit)
            self._limit = None
        if self._socket is not None:
            self._loop.watch(self._socket)
            self._socket.close()
            self._socket = None
            self.open = False
            self._place.unlinked(self, why)

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
        self._loop.watch(self._socket, read=self._read)
        self._place.linked(self)
        if self.open and self._waiting:
            self._write()

    def _write(self) -> None:
        try:
            self._waiting = self._waiting[self._socket.send(self._waiting) :]
        except BlockingIOError:
            pass
        except OSError as error:
            # Not in the caller's call: it may be in the middle of something.
            self._loop.watch(self._socket)
            self._loop.after(0, lambda why=error.strerror: self.close(why))
            return
        self._loop.watch(self._socket, read=self._read, write=self._write if self._waiting else None)

    def _read(self) -> None:
        try:
            content = self._socket.recv(65536)
        except BlockingIOError:
            return
        except OSError as error:
            self.close(error.strerror)
            return
        if content:
            self._place.received(self, content)
        else:
            self.close("the other side closed it")
