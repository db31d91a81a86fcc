# SPDX-License-Identifier: Apache-2.0
"""Reads the engine's captures and writes captures for Wireshark, in libpcap's format (pcap-savefile(5)).

Link type 195 is IEEE 802.15.4 with the FCS; the engine writes it. Link type 283 (IEEE 802.15.4 TAP, Exegin's
ieee802.15.4-tap) has tags before the frame: the kind of FCS, the signal strength and the channel.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import StorageFailed

MAGIC_US = 0xA1B2C3D4
WITH_FCS, TAP = 195, 283
LONGEST = 262144  # bytes of a packet
_HEAD, _RECORD, _TAG = struct.Struct("<IHHiIII"), struct.Struct("<IIII"), struct.Struct("<HH")
_FCS_TYPE, _SIGNAL, _CHANNEL = 0, 1, 3  # tags
_FCS_16_BITS = 1


@dataclass(frozen=True)
class Frame:
    """A frame with its FCS, and the simulated time at which it began.

    `signal_dbm`: at the receiver; None for the sender's view or none. `missing`: bytes behind those, which
    the radio did not send.
    """

    time_us: int
    data: bytes
    channel: int | None = None
    signal_dbm: int | None = None
    missing: int = 0


def read(path: Path) -> Iterator[Frame]:
    """Read the frames of a capture of link type 195; a frame that was cut short at the end is left out.

    Raises StorageFailed.
    """
    with path.open("rb") as stream:
        head = stream.read(_HEAD.size)
        if len(head) < _HEAD.size or _HEAD.unpack(head)[0] != MAGIC_US or _HEAD.unpack(head)[6] != WITH_FCS:
            raise StorageFailed(
                f"{path}: not a capture that the engine wrote\n    remove its folder; it is made again"
            )
        while len(record := stream.read(_RECORD.size)) == _RECORD.size:
            seconds, microseconds, captured, size = _RECORD.unpack(record)
            if captured > LONGEST or size < captured or microseconds >= 1_000_000:
                raise StorageFailed(
                    f"{path}: damaged before byte {stream.tell()}\n    remove its folder; it is made again"
                )
            data = stream.read(captured)
            if len(data) < captured:
                return
            yield Frame(seconds * 1_000_000 + microseconds, data, missing=size - captured)


def tap(frames: Iterable[Frame]) -> Iterator[bytes]:
    """Write a capture of link type 283, piece by piece."""
    yield _HEAD.pack(MAGIC_US, 2, 4, 0, 0, LONGEST, TAP)
    for frame in frames:
        tags = _tag(_FCS_TYPE, bytes([_FCS_16_BITS]))
        if frame.signal_dbm is not None:
            tags += _tag(_SIGNAL, struct.pack("<f", frame.signal_dbm))
        if frame.channel is not None and 0 <= frame.channel < 1 << 16:
            tags += _tag(_CHANNEL, struct.pack("<HB", frame.channel, 0))
        packet = struct.pack("<BBH", 0, 0, 4 + len(tags)) + tags + frame.data
        yield (
            _RECORD.pack(
                frame.time_us // 1_000_000 & 0xFFFFFFFF,
                frame.time_us % 1_000_000,
                len(packet),
                len(packet) + frame.missing,
            )
            + packet
        )


def _tag(kind: int, value: bytes) -> bytes:
    return _TAG.pack(kind, len(value)) + value + bytes(-len(value) % 4)
