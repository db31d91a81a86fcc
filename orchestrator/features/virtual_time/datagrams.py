# SPDX-License-Identifier: Apache-2.0
"""asyncio's transport for a UDP port of the simulated host."""

from __future__ import annotations

import asyncio
import errno
import socket
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Any, NoReturn

from orchestrator.features.virtual_time.host import Address, Host
from orchestrator.features.virtual_time.transport import SimulatedTransport


@dataclass
class HostSocket:
    """What programs that ask a transport for its socket get: it tells its addresses, and nothing else."""

    local: Address
    remote: Address | None
    family: int = socket.AF_INET6
    type: int = socket.SOCK_DGRAM
    proto: int = socket.IPPROTO_UDP

    def getsockname(self) -> tuple:
        """Return its own address."""
        return as_tuple(self.local)

    def getpeername(self) -> tuple:
        """Return the address that it is connected with. Raises OSError."""
        if self.remote is None:
            raise OSError(errno.ENOTCONN, "the port is not connected")
        return as_tuple(self.remote)

    def setsockopt(self, *_: object) -> NoReturn:
        """Refuse options: a port in virtual time has none."""
        raise OSError(errno.ENOPROTOOPT, "a port in virtual time has no options")


def as_tuple(address: Address) -> tuple[str, int, int, int]:
    """Return an address as sockets of IPv6 give it."""
    return str(address[0]), address[1], 0, 0


class DatagramTransport(SimulatedTransport, asyncio.DatagramTransport):
    """An open UDP port, as create_datagram_endpoint() returns it."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        host: Host,
        protocol: asyncio.DatagramProtocol,
        opened: HostSocket,
        shared: bool,
    ) -> None:
        """Open the port. Raises OSError."""
        super().__init__(loop, protocol)
        self._host, self._socket = host, opened
        self._early: list[tuple[bytes, Address]] | None = []  # until the protocol knows its transport
        host.open(self, shared)

    @property
    def local(self) -> Address:
        """Its own address and port."""
        return self._socket.local

    @local.setter
    def local(self, address: Address) -> None:
        self._socket.local = address

    @property
    def remote(self) -> Address | None:
        """The address and port that it is connected with."""
        return self._socket.remote

    def _resume(self) -> None:
        early, self._early = self._early, None
        for data, source in early or ():
            self.received(data, source)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return "socket", "sockname" or "peername", as real transports do."""
        if name == "socket":
            return self._socket
        if name == "sockname":
            return self._socket.getsockname()
        if name == "peername" and self.remote is not None:
            return self._socket.getpeername()
        return default

    def sendto(self, data: bytes, addr: tuple | None = None) -> None:
        """Send a datagram; errors go to the protocol's error_received(), as those of real transports."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(f"data is bytes-like, not {type(data).__name__}")
        if self.remote is not None and addr is not None and _parsed(addr) != self.remote:
            raise ValueError(f"the port is connected with {as_tuple(self.remote)}, not {addr}")
        if self.remote is None and addr is None:
            raise ValueError("the port is not connected, so a datagram needs an address")
        if self._closing:
            return
        try:
            self._host.send(self, bytes(data), self.remote or _parsed(addr))
        except OSError as error:
            self.refused(error)

    def received(self, data: bytes, source: Address) -> None:
        """Take a datagram from the host."""
        if self._early is not None:
            self._early.append((data, source))
        else:
            self._loop.call_soon(self._pass, data, as_tuple(source))

    def _pass(self, data: bytes, source: tuple) -> None:
        if not self._closing:
            self._protocol.datagram_received(data, source)

    def refused(self, error: OSError) -> None:
        """Take an error from the host."""
        self._loop.call_soon(self._protocol.error_received, error)

    def _leave(self) -> None:
        self._host.shut(self)


def _parsed(address: tuple | None) -> Address:
    """Return the address that a program gives; no name is looked up. ValueError: it is no IPv6 address."""
    host, port, *_ = address or ("", 0)
    return IPv6Address(str(host).partition("%")[0]), int(port)
