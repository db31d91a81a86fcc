# SPDX-License-Identifier: Apache-2.0
"""The controller of section 5.1 on its socket: gateways connect to port 8000 and are told their places."""

from __future__ import annotations

import socket
from typing import Callable

from orchestrate_testbed.gateway.event_service import wire
from orchestrate_testbed.gateway.event_service.controller import PORT, Controller, Instruct
from orchestrate_testbed.gateway.event_service.readings import DEFAULTS, Readings
from orchestrate_testbed.gateway.event_service.topology import Tree


class _Lines:
    """A connected socket on the loop: lines come and go; `lost` is called once when it breaks."""

    def __init__(self, loop, connection, heard: Callable, lost: Callable):  # noqa: ANN001 - Loop and socket
        self._loop, self._socket = loop, connection
        self._heard, self._lost = heard, lost
        self._came = b""
        self._waiting = b""
        self.closed = False
        connection.setblocking(False)
        loop.watch(connection, read=self._read)

    def send(self, message: dict) -> None:
        """Nothing if it is closed."""
        if not self.closed:
            self._waiting += wire.line(message)
            self._write()

    def close(self) -> None:
        """For good; `lost` isn't called."""
        if not self.closed:
            self.closed = True
            self._loop.watch(self._socket)
            self._socket.close()

    def _break(self) -> None:
        if not self.closed:
            self.close()
            self._lost(self)

    def _read(self) -> None:
        try:
            content = self._socket.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            content = b""
        if not content:
            self._break()
            return
        *lines, self._came = (self._came + content).split(b"\n")
        try:
            for each in lines:
                if not self.closed:
                    self._heard(self, wire.said(each))
            if len(self._came) > wire.LONGEST:
                raise wire.Malformed("a line without an end")
        except wire.Malformed:
            self._break()

    def _write(self) -> None:
        try:
            self._waiting = self._waiting[self._socket.send(self._waiting) :]
        except BlockingIOError:
            pass
        except OSError:
            self._break()
            return
        if not self.closed:
            self._loop.watch(self._socket, read=self._read, write=self._write if self._waiting else None)


class Server:
    """Forms the tree, and tells its place again to a gateway that comes back."""

    def __init__(self, loop, tree: Tree, address: str = "", port: int = PORT, readings: Readings = DEFAULTS):  # noqa: ANN001
        self._loop = loop
        self.controller = Controller(tree, readings)
        self._connections: dict[int, _Lines] = {}
        self._strangers: dict[_Lines, str] = {}  # their host
        self.refused: list[str] = []  # why gateways were sent away
        self._door = socket.socket()
        self._door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._door.bind((address, port))
        self._door.listen(64)
        self._door.setblocking(False)
        self.listens: tuple[str, int] = self._door.getsockname()[:2]
        loop.watch(self._door, read=self._accept)

    def close(self) -> None:
        """Gateways go on without it."""
        self._loop.watch(self._door)
        self._door.close()
        for each in [*self._connections.values(), *self._strangers]:
            each.close()

    def _accept(self) -> None:
        try:
            connection, (host, *_) = self._door.accept()
        except OSError:
            return
        self._strangers[_Lines(self._loop, connection, self._heard, self._lost)] = host

    def _heard(self, lines: _Lines, said: dict) -> None:
        if lines in self._strangers:
            self._hello(lines, said)
            return
        if said["say"] != "established":
            raise wire.Malformed("a gateway says established")
        node = next(one for one, known in self._connections.items() if known is lines)
        try:
            self._do(self.controller.established(node))
        except ValueError as error:
            raise wire.Malformed(str(error)) from None

    def _hello(self, lines: _Lines, said: dict) -> None:
        if said["say"] != "hello":
            raise wire.Malformed("a gateway says hello first")
        seen = self._strangers.pop(lines)
        address = f"{wire.word(said, 'address') or seen}:{wire.node(said, 'port')}"
        node = wire.node(said, "node", 0)
        if node and node in self.controller.addresses:
            known = self._connections.pop(node, None)
            if known is not None:
                known.close()
            self._connections[node] = lines
            self._do(self.controller.back(node, address))
            return
        try:
            outputs = self.controller.connected(address)
        except ValueError as error:
            self.refused.append(f"{address}: {error}")
            raise wire.Malformed(str(error)) from None
        self._connections[len(self.controller.addresses)] = lines
        self._do(outputs)

    def _lost(self, lines: _Lines) -> None:
        self._strangers.pop(lines, None)
        for node in [node for node, one in self._connections.items() if one is lines]:
            del self._connections[node]
            self.controller.lost(node)

    def _do(self, outputs: list) -> None:
        for output in outputs:
            if isinstance(output, Instruct) and output.node in self._connections:
                self._connections[output.node].send(wire.relation(output.relation))
