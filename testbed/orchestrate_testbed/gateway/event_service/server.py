# SPDX-License-Identifier: Apache-2.0
"""The controller of section 5.1 on its socket: gateways connect to port 8000 and are told their places."""

from __future__ import annotations

import socket
from functools import partial

from orchestrate_testbed.gateway import protocol
from orchestrate_testbed.gateway.event_service import wire
from orchestrate_testbed.gateway.event_service.controller import PORT, Controller, Instruct
from orchestrate_testbed.gateway.event_service.readings import DEFAULTS, Readings
from orchestrate_testbed.gateway.event_service.topology import Tree
from orchestrate_testbed.gateway.lines import Lines
from orchestrate_testbed.gateway.loop import Loop


class Server:
    """Forms the tree, and tells a gateway that comes back its place again.

    `patience_us`: after so long a gateway that is lost is given up, and the tree is rebuilt without it; None:
    never, as in the thesis.
    """

    def __init__(
        self,
        loop: Loop,
        tree: Tree,
        address: str = "",
        port: int = PORT,
        readings: Readings = DEFAULTS,
        patience_us: int | None = None,
    ):
        self._loop, self._patience_us = loop, patience_us
        self.controller = Controller(tree, readings)
        self._connections: dict[int, Lines] = {}
        self._strangers: dict[Lines, str] = {}  # their host
        self._impatient: dict[int, list] = {}  # lost gateways, each with its entry on the loop
        self.refused: list[str] = []  # why gateways were sent away
        self._door = socket.socket()
        self._door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._door.bind((address, port))
        self._door.listen(64)
        self._door.setblocking(False)
        self.listens: tuple[str, int] = self._door.getsockname()[:2]
        loop.watch(self._door, read=self._accept)

    def close(self) -> None:
        """Close its sockets; gateways go on without it."""
        self._loop.watch(self._door)
        self._door.close()
        for each in [*self._connections.values(), *self._strangers]:
            each.close()

    def _accept(self) -> None:
        try:
            connection, (host, *_) = self._door.accept()
        except OSError:
            return
        self._strangers[Lines(self._loop, connection, self._came, self._lost, wire.LONGEST)] = host

    def _came(self, lines: Lines, line: bytes) -> None:
        try:
            self._heard(lines, wire.said(line))
        except wire.Malformed:
            lines.end()

    def _heard(self, lines: Lines, said: dict) -> None:
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

    def _hello(self, lines: Lines, said: dict) -> None:
        if said["say"] != "hello":
            raise wire.Malformed("a gateway says hello first")
        seen = self._strangers.pop(lines)
        address = f"{wire.field(said, 'address', str) or seen}:{wire.node(said, 'port')}"
        node = wire.node(said, "node", 0)
        if node and node in self.controller.addresses:
            known = self._connections.pop(node, None)
            if known is not None:
                known.close()
            self._connections[node] = lines
            if node in self._impatient:
                self._loop.cancel(self._impatient.pop(node))
            self._do(self.controller.back(node, address))
            return
        try:
            outputs = self.controller.connected(address)
        except ValueError as error:
            self.refused.append(f"{address}: {error}")
            raise wire.Malformed(str(error)) from None
        self._connections[len(self.controller.addresses)] = lines
        self._do(outputs)

    def _lost(self, lines: Lines) -> None:
        self._strangers.pop(lines, None)
        for node in [node for node, one in self._connections.items() if one is lines]:
            del self._connections[node]
            self.controller.lost(node)
            if self._patience_us is not None:
                give_up = partial(self._give_up, node)
                self._impatient[node] = self._loop.after(self._patience_us, give_up)

    def _give_up(self, node: int) -> None:
        del self._impatient[node]
        self._do(self.controller.given_up(node))

    def _do(self, outputs: list) -> None:
        for output in outputs:
            if isinstance(output, Instruct) and output.node in self._connections:
                self._connections[output.node].send(protocol.line(wire.relation(output.relation)))
