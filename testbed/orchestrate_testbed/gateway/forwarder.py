# SPDX-License-Identifier: Apache-2.0
"""A mote's port on TCP, in the manner of TinyOS's serial forwarder: many readers, one writer.

Manner `raw`: bytes as they are. Manner `forwarder`: both sides begin with `U` and a space, then each packet
is a byte of length and its bytes; a packet is a line of the mote without its end, in parts if it is longer
than 255 bytes. The first client that writes is the writer until it leaves; another one that writes is
disconnected.
"""

from __future__ import annotations

import socket

from orchestrate_testbed.gateway.buffered import Buffered
from orchestrate_testbed.gateway.loop import Loop
from orchestrate_testbed.gateway.mote_port import MotePort
from orchestrate_testbed.gateway.protocol import Refusal

MANNERS = ("raw", "forwarder")
GREETING = b"U "
MOST_WAITING = 256 * 1024  # bytes that wait for a reader
LONGEST_LINE = 16 * 1024  # Cooja's


class Forwarder:
    """The TCP port of one mote."""

    def __init__(self, loop: Loop, port: MotePort, address: str, number: int, manner: str):
        self._loop = loop
        self.manner = manner
        self.port = port
        self.readers: list[Reader] = []
        self.writer = None
        self.dropped = 0  # readers that were too slow
        self.refused = 0  # writers that were not the first
        self._line = b""
        self._door = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
        self._door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._door.bind((address, number))
            self._door.listen(16)
        except OSError as error:
            self._door.close()
            raise Refusal("address", f"{address}:{number} is not to be had: {error.strerror}.") from None
        self._door.setblocking(False)
        self.address, self.number = self._door.getsockname()[:2]
        loop.watch(self._door, read=self._accept)
        port.listeners.append(self._from_mote)

    def status(self) -> dict:
        """Return the status for the controller."""
        return {
            "address": self.address,
            "port": self.number,
            "manner": self.manner,
            "readers": len(self.readers),
            "writer": self.writer.peer if self.writer else "",
            "dropped": self.dropped,
            "refused": self.refused,
        }

    def close(self) -> None:
        """Disconnect everybody."""
        self.port.listeners.remove(self._from_mote)
        for each in list(self.readers):
            self.leave(each)
        self._loop.watch(self._door)
        self._door.close()

    def leave(self, reader: Reader) -> None:
        """Forget a reader that disconnects."""
        self.readers.remove(reader)
        if self.writer is reader:
            self.writer = None
        reader.close()

    def to_mote(self, reader: Reader, content: bytes) -> None:
        """Pass what a reader writes to the mote; only one may write."""
        if self.writer not in (None, reader):
            self.refused += 1
            self.leave(reader)
            return
        self.writer = reader
        try:
            self.port.write(content)
        except Refusal:
            self.leave(reader)

    def _accept(self) -> None:
        try:
            connection, peer = self._door.accept()
        except OSError:
            return  # it left before it was let in
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        reader = Reader(self, self._loop, connection, f"{peer[0]}:{peer[1]}")
        self.readers.append(reader)
        if self.manner == "forwarder":
            reader.send(GREETING)

    def _from_mote(self, content: bytes) -> None:
        if self.manner == "forwarder":
            lines = (self._line + content).split(b"\n")
            self._line = lines.pop()
            if len(self._line) > LONGEST_LINE:
                lines.append(self._line)
                self._line = b""
            content = b"".join(packets(each) for each in lines)
        for each in list(self.readers):
            each.send(content)


class Reader(Buffered):
    """One connected reader."""

    one_read = 4096  # bytes

    def __init__(self, forwarder: Forwarder, loop: Loop, connection: socket.socket, peer: str):
        super().__init__(loop)
        self.peer = peer
        self._forwarder = forwarder
        self._rest = b""
        self._greeted = forwarder.manner == "raw"
        self._attach(connection)

    def send(self, content: bytes) -> None:
        """Send the mote's output; a reader that would miss bytes, as it lags too far, is disconnected."""
        if not content:
            return
        self._waiting += content
        if len(self._waiting) > MOST_WAITING:
            self._forwarder.dropped += 1
            self._forwarder.leave(self)
        else:
            self._write()

    def close(self) -> None:
        """Close the connection."""
        self._detach()

    def _broke(self, why: str) -> None:  # noqa: ARG002
        self._forwarder.leave(self)

    def _came(self, content: bytes) -> None:
        if self._forwarder.manner == "raw":
            self._forwarder.to_mote(self, content)
        else:
            self._unpack(content)

    def _unpack(self, content: bytes) -> None:
        self._rest += content
        if not self._greeted:
            if len(self._rest) < len(GREETING):
                return
            if self._rest[:1] != GREETING[:1]:
                self._forwarder.leave(self)
                return
            self._rest, self._greeted = self._rest[len(GREETING) :], True
        lines = b""
        while self._rest and len(self._rest) > self._rest[0]:
            length = self._rest[0]
            lines += self._rest[1 : 1 + length] + b"\n"
            self._rest = self._rest[1 + length :]
        if lines:
            self._forwarder.to_mote(self, lines)


def packets(line: bytes) -> bytes:
    """Return a line as packets of at most 255 bytes."""
    parts = [line[start : start + 255] for start in range(0, len(line), 255)]
    return b"".join(bytes([len(part)]) + part for part in parts)
