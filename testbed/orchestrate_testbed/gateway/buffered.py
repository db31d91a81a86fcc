# SPDX-License-Identifier: Apache-2.0
"""A connected socket on the loop, with the bytes that its other end doesn't take yet."""

from __future__ import annotations

import socket

from orchestrate_testbed.gateway.loop import Loop


class Buffered:
    """A base class: `_came` gets bytes, and `_broke` the reason when the connection has ended."""

    one_read = 64 * 1024  # bytes

    def __init__(self, loop: Loop):
        self._loop = loop
        self._socket: socket.socket | None = None
        self._waiting = b""

    def _attach(self, connection: socket.socket) -> None:
        self._socket = connection
        connection.setblocking(False)
        self._loop.watch(connection, read=self._read)

    def _detach(self) -> None:
        self._loop.watch(self._socket)
        self._socket.close()
        self._socket = None

    def _came(self, content: bytes) -> None:
        raise NotImplementedError

    def _broke(self, why: str) -> None:
        raise NotImplementedError

    def _unwritable(self, why: str) -> None:
        """Handle a failure of writing, which may be during a call of the user's."""
        self._broke(why)

    def _write(self) -> None:
        try:
            self._waiting = self._waiting[self._socket.send(self._waiting) :]
        except BlockingIOError:
            pass
        except OSError as error:
            self._unwritable(error.strerror)
            return
        self._loop.watch(self._socket, read=self._read, write=self._write if self._waiting else None)

    def _read(self) -> None:
        try:
            content = self._socket.recv(self.one_read)
        except BlockingIOError:
            return
        except OSError as error:
            self._broke(error.strerror)
            return
        if content:
            self._came(content)
        else:
            self._broke("the other side closed it")
