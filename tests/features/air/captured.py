# SPDX-License-Identifier: Apache-2.0
"""Captures for tests, written from the formats' descriptions."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

WITH_FCS, WITHOUT_FCS, TAP = 195, 230, 283


def fcs(data: bytes) -> bytes:
    """ITU-T CRC-16 as IEEE 802.15.4 has it, bit by bit."""
    remainder = 0
    for byte in data:
        for bit in range(8):
            mixed = (remainder ^ byte >> bit) & 1
            remainder = remainder >> 1 ^ (0x8408 if mixed else 0)
    return remainder.to_bytes(2, "little")


def pcap(path: Path, frames: Iterable[bytes], link: int = WITHOUT_FCS, order: str = "<") -> Path:
    """Write frames a millisecond apart."""
    content = struct.pack(f"{order}IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, link)
    for number, frame in enumerate(frames):
        packet = frame + fcs(frame) if link == WITH_FCS else frame
        content += struct.pack(f"{order}IIII", 0, 1000 * number, len(packet), len(packet)) + packet
    path.write_bytes(content)
    return path


def pcapng(path: Path, frames: Iterable[bytes]) -> Path:
    """Write frames of link type 230, a millisecond apart, with times in ns."""

    def block(kind: int, body: bytes) -> bytes:
        body += bytes(-len(body) % 4)
        return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)

    content = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    content += block(1, struct.pack("<HHI", WITHOUT_FCS, 0, 0) + struct.pack("<HHB3xHH", 9, 1, 9, 0, 0))
    for number, frame in enumerate(frames):
        time = 1_000_000 * number
        head = struct.pack("<IIIII", 0, time >> 32, time & 0xFFFFFFFF, len(frame), len(frame))
        content += block(6, head + frame)
    path.write_bytes(content)
    return path


def data(payload: bytes, seq: int = 1, source: int = 1, destination: int = 2) -> bytes:
    """A data frame of IEEE 802.15.4-2006 between extended addresses 00:..:0N in PAN 0xabcd."""
    addresses = destination.to_bytes(8, "little") + source.to_bytes(8, "little")
    return struct.pack("<HBH", 0xDC61, seq, 0xABCD) + addresses + payload
