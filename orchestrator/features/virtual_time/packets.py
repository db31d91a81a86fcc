# SPDX-License-Identifier: Apache-2.0
"""IPv6 packets with UDP and ICMPv6: from bytes and to bytes (RFC 8200, 768, 4443).

Everything that comes from a mote may be wrong: parse() returns None for what no host would take.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from ipaddress import IPv6Address

UDP, ICMPV6 = 17, 58
UNREACHABLE, TOO_BIG, TIME_EXCEEDED, PARAMETER_PROBLEM = 1, 2, 3, 4
ECHO_REQUEST, ECHO_REPLY = 128, 129
PORT_UNREACHABLE = 4  # code of UNREACHABLE
HEADER = 40  # bytes
MTU = 1280  # bytes: IPv6's least, which is also the size of Contiki-NG's buffer
LONGEST_UDP = MTU - HEADER - 8

_HOP_LIMIT = 64  # that of Linux
_EXTENSIONS = {0, 43, 60}  # hop-by-hop options, routing, destination options
_FIXED = struct.Struct("!IHBB16s16s")
_UDP = struct.Struct("!HHHH")
_ICMP = struct.Struct("!BBH4s")


@dataclass(frozen=True)
class Packet:
    """An IPv6 packet without its extension headers; `payload`: with the header of the protocol."""

    source: IPv6Address
    destination: IPv6Address
    protocol: int
    payload: bytes


@dataclass(frozen=True)
class Datagram:
    """A UDP datagram."""

    source_port: int
    destination_port: int
    data: bytes


@dataclass(frozen=True)
class Message:
    """A message of ICMPv6. `word`: its second word, four bytes; `data`: what follows."""

    kind: int
    code: int
    word: bytes
    data: bytes


def checksum(packet: Packet) -> int:
    """Return the Internet checksum of a packet's payload with its pseudo-header; 0 if it has a right one."""
    payload = packet.payload
    covered = b"".join(
        (
            packet.source.packed,
            packet.destination.packed,
            struct.pack("!II", len(payload), packet.protocol),
            payload,
            b"\0" * (len(payload) % 2),
        )
    )
    total = sum(struct.unpack(f"!{len(covered) // 2}H", covered))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def encode(packet: Packet) -> bytes:
    """Return the packet's bytes."""
    head = (6 << 28, len(packet.payload), packet.protocol, _HOP_LIMIT)
    return _FIXED.pack(*head, packet.source.packed, packet.destination.packed) + packet.payload


def parse(data: bytes) -> Packet | None:
    """Return the packet in these bytes; None if they are none, or a fragment, or its checksum is wrong."""
    if not looks_like_one(data):
        return None
    _, _, protocol, _, source, destination = _FIXED.unpack_from(data)
    at = HEADER
    while protocol in _EXTENSIONS:
        if at + 2 > len(data):
            return None
        protocol, at = data[at], at + 8 + 8 * data[at + 1]
    if at > len(data):
        return None
    packet = Packet(IPv6Address(source), IPv6Address(destination), protocol, data[at:])
    if protocol in (UDP, ICMPV6) and (len(packet.payload) < 8 or checksum(packet) != 0):
        return None
    return packet


def looks_like_one(data: bytes) -> bool:
    """Say whether the bytes have IPv6's version and their own length at its place."""
    return (
        len(data) >= HEADER and data[0] >> 4 == 6 and len(data) == HEADER + int.from_bytes(data[4:6], "big")
    )


def datagram(packet: Packet) -> Datagram | None:
    """Return the datagram in a packet of UDP; None if its length is not its own."""
    source, destination, length, check = _UDP.unpack_from(packet.payload)
    if check == 0 or length != len(packet.payload):  # IPv6 has no UDP without a checksum
        return None
    return Datagram(source, destination, packet.payload[8:])


def message(packet: Packet) -> Message:
    """Return the message in a packet of ICMPv6."""
    kind, code, _, word = _ICMP.unpack_from(packet.payload)
    return Message(kind, code, word, packet.payload[8:])


def with_datagram(source: IPv6Address, destination: IPv6Address, content: Datagram) -> Packet:
    """Return a packet of UDP with its checksum."""
    length = 8 + len(content.data)
    ports = (content.source_port, content.destination_port)
    bare = Packet(source, destination, UDP, _UDP.pack(*ports, length, 0) + content.data)
    right = checksum(bare) or 0xFFFF
    return Packet(source, destination, UDP, _UDP.pack(*ports, length, right) + content.data)


def with_message(source: IPv6Address, destination: IPv6Address, content: Message) -> Packet:
    """Return a packet of ICMPv6 with its checksum."""
    kind, code, word = content.kind, content.code, content.word
    bare = Packet(source, destination, ICMPV6, _ICMP.pack(kind, code, 0, word) + content.data)
    payload = _ICMP.pack(kind, code, checksum(bare), word) + content.data
    return Packet(source, destination, ICMPV6, payload)


def refused(packet: Packet) -> Datagram | Message | None:
    """Return what an error of ICMPv6 is about, as far as its beginning is quoted: of UDP, or an echo."""
    quoted = packet.payload[8:]
    if len(quoted) < HEADER + 8 or quoted[0] >> 4 != 6:
        return None
    protocol, rest = quoted[6], quoted[HEADER:]
    if protocol == UDP:
        source, destination, _, _ = _UDP.unpack_from(rest)
        return Datagram(source, destination, rest[8:])
    if protocol == ICMPV6:
        kind, code, _, word = _ICMP.unpack_from(rest)
        return Message(kind, code, word, rest[8:])
    return None


def refused_destination(packet: Packet) -> IPv6Address:
    """Return where the packet that an error of ICMPv6 is about was sent to."""
    return IPv6Address(packet.payload[8 + 24 : 8 + HEADER])
