# SPDX-License-Identifier: Apache-2.0
"""An IPv6 host on the simulation's clock: UDP ports and ping, behind the SLIP lines of border routers.

It does what Linux does behind tunslip6: echo requests are answered, a datagram to a closed port is refused,
and errors of ICMPv6 reach the port whose datagram they are about.
"""

from __future__ import annotations

import asyncio
import errno
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Protocol

from orchestrator.features.virtual_time import packets
from orchestrator.features.virtual_time.link import SlipLink

LOOPBACK = IPv6Address("::1")
ANY = IPv6Address("::")
EPHEMERAL = range(49152, 65536)  # RFC 6335

Address = tuple[IPv6Address, int]  # with the port


class Port(Protocol):
    """An open UDP port."""

    local: Address  # ANY: all of the host's addresses
    remote: Address | None  # the only one that it speaks with

    def received(self, data: bytes, source: Address) -> None:
        """Take a datagram."""

    def refused(self, error: OSError) -> None:
        """Take an error about a datagram that the port sent."""


@dataclass
class Counters:
    """What the host sent, received and dropped, in packets."""

    sent: int = 0
    received: int = 0
    wrong: int = 0  # no IPv6 that a host takes: its length, checksum or source is wrong
    others: int = 0  # to another host, or of a protocol that nobody here speaks


class Host:
    """The host; `soon` calls a function when the program's present step is over."""

    def __init__(self, soon: Callable[[Callable[[], None]], None]) -> None:
        """Begin without an address."""
        self.counters = Counters()
        self.links: list[SlipLink] = []
        self._soon = soon
        self._ports: list[Port] = []
        self._next_port = 0
        self._pings: dict[bytes, asyncio.Future[None]] = {}  # by the words of their messages
        self._next_ping = 0

    @property
    def idle(self) -> bool:
        """Whether nothing that comes from the network could reach anybody."""
        return not self._ports and not self._pings

    @property
    def addresses(self) -> list[IPv6Address]:
        """Its own addresses, without the loopback's."""
        return [link.address.ip for link in self.links]

    def source_for(self, destination: IPv6Address) -> IPv6Address:
        """Return its address on the way there. Raises OSError."""
        if destination == LOOPBACK or destination in self.addresses:
            return destination
        return self._link(destination).address.ip

    def _link(self, destination: IPv6Address) -> SlipLink:
        """Return the link to the destination: that with its prefix, otherwise the first one."""
        if not self.links:
            raise OSError(errno.ENETUNREACH, "no border router was named, so there is no way to any mote")
        return next((link for link in self.links if destination in link.address.network), self.links[0])

    def open(self, port: Port, shared: bool) -> None:
        """Open a port; number 0 becomes a free one. Raises OSError."""
        address, number = port.local
        if address not in (ANY, LOOPBACK, *self.addresses):
            own = ", ".join(map(str, self.addresses)) or "none"
            raise OSError(errno.EADDRNOTAVAIL, f"{address} isn't an address of this host; it has {own}")
        if number == 0:
            port.local = (address, self._free())
        elif not shared and any(_overlap(port.local, other.local) for other in self._ports):
            raise OSError(errno.EADDRINUSE, f"UDP port {number} is open already")
        self._ports.append(port)

    def _free(self) -> int:
        taken = {port.local[1] for port in self._ports}
        for _ in EPHEMERAL:
            number = EPHEMERAL[self._next_port % len(EPHEMERAL)]
            self._next_port += 1
            if number not in taken:
                return number
        raise OSError(errno.EADDRINUSE, "all UDP ports are open")

    def shut(self, port: Port) -> None:
        """Close a port."""
        if port in self._ports:
            self._ports.remove(port)

    def send(self, port: Port, data: bytes, destination: Address) -> None:
        """Send a datagram. Raises OSError."""
        if len(data) > packets.LONGEST_UDP:
            raise OSError(
                errno.EMSGSIZE,
                f"a datagram of {len(data)} bytes; {packets.LONGEST_UDP} fit into a packet of "
                f"{packets.MTU}, and nothing is fragmented",
            )
        address, number = destination
        source = port.local[0] if port.local[0] != ANY else self.source_for(address)
        content = packets.Datagram(port.local[1], number, data)
        self._transmit(packets.with_datagram(source, address, content))

    async def ping(self, destination: IPv6Address, timeout_s: float, size: int) -> float:
        """Send an echo request; return the round-trip time, s. Raises TimeoutError and OSError."""
        loop = asyncio.get_running_loop()
        word = struct.pack("!HH", 1 + self._next_ping // 0xFFFF % 0xFFFF, self._next_ping % 0xFFFF)
        self._next_ping += 1
        request = packets.Message(packets.ECHO_REQUEST, 0, word, bytes(i & 0xFF for i in range(size)))
        source = self.source_for(destination)
        answer = self._pings[word] = loop.create_future()
        began = loop.time()
        try:
            self._transmit(packets.with_message(source, destination, request))
            async with asyncio.timeout(timeout_s):
                await answer
        finally:
            del self._pings[word]
        return loop.time() - began

    def _transmit(self, packet: packets.Packet) -> None:
        self.counters.sent += 1
        data = packets.encode(packet)
        if packet.destination == LOOPBACK or packet.destination in self.addresses:
            self._soon(lambda: self._take_own(data))
        else:
            self._link(packet.destination).send(data)

    def _take_own(self, data: bytes) -> None:
        self.counters.received += 1
        self._take(packets.parse(data), data)

    def take(self, data: bytes) -> None:
        """Take a packet that came from a link.

        None comes from the host itself, nor from or to the loopback address (RFC 4291, 2.5.3).
        """
        self.counters.received += 1
        packet = packets.parse(data)
        if packet is None or packet.source in (LOOPBACK, *self.addresses) or packet.destination == LOOPBACK:
            self.counters.wrong += 1
        elif packet.destination not in self.addresses:
            self.counters.others += 1
        else:
            self._take(packet, data)

    def _take(self, packet: packets.Packet, data: bytes) -> None:
        if packet.protocol == packets.UDP:
            self._take_datagram(packet, data)
        elif packet.protocol == packets.ICMPV6:
            self._take_message(packet)
        else:
            self.counters.others += 1

    def _take_datagram(self, packet: packets.Packet, whole: bytes) -> None:
        datagram = packets.datagram(packet)
        if datagram is None:
            self.counters.wrong += 1
            return
        source = (packet.source, datagram.source_port)
        port = self._port((packet.destination, datagram.destination_port), source)
        if port is not None:
            port.received(datagram.data, source)
            return
        quoted = whole[: packets.MTU - packets.HEADER - 8]
        refusal = packets.Message(packets.UNREACHABLE, packets.PORT_UNREACHABLE, bytes(4), quoted)
        self._transmit(packets.with_message(packet.destination, packet.source, refusal))

    def _port(self, local: Address, remote: Address) -> Port | None:
        """Return the port for datagrams between these two, first one that is connected with that remote."""
        fitting = [
            port for port in self._ports if _overlap(port.local, local) and port.remote in (None, remote)
        ]
        return min(fitting, key=lambda port: (port.remote is None, port.local[0] == ANY), default=None)

    def _take_message(self, packet: packets.Packet) -> None:
        message = packets.message(packet)
        if message.kind == packets.ECHO_REQUEST:
            reply = packets.Message(packets.ECHO_REPLY, 0, message.word, message.data)
            self._transmit(packets.with_message(packet.destination, packet.source, reply))
        elif message.kind == packets.ECHO_REPLY:
            if (waiting := self._pings.get(message.word)) and not waiting.done():
                waiting.set_result(None)
        elif message.kind < 128:
            self._take_error(packet, message)

    def _take_error(self, packet: packets.Packet, message: packets.Message) -> None:
        about = packets.refused(packet)
        number = _number(message)
        destination = packets.refused_destination(packet) if about else None
        error = OSError(number, f"{os.strerror(number)} ({destination}, says {packet.source})")
        if isinstance(about, packets.Datagram):
            port = self._port((packet.destination, about.source_port), (destination, about.destination_port))
            if port is not None and port.remote is not None:  # as in Linux: others don't hear of it
                port.refused(error)
        elif about and (waiting := self._pings.get(about.word)) and not waiting.done():
            waiting.set_exception(error)


def _overlap(one: Address, other: Address) -> bool:
    return one[1] == other[1] and (one[0] == other[0] or ANY in (one[0], other[0]))


def _number(message: packets.Message) -> int:
    """Return the number that Linux gives an error of ICMPv6."""
    if message.kind == packets.UNREACHABLE:
        codes = {1: errno.EACCES, 3: errno.EHOSTUNREACH, 4: errno.ECONNREFUSED}
        return codes.get(message.code, errno.ENETUNREACH)
    if message.kind == packets.TOO_BIG:
        return errno.EMSGSIZE
    return errno.EPROTO if message.kind == packets.PARAMETER_PROBLEM else errno.EHOSTUNREACH
