# SPDX-License-Identifier: Apache-2.0
"""Turns linked firmware (ELF, 32 bits) into Intel HEX, which flashing tools of all our platforms take.

It has every section that is loaded, where it lies in flash (its load address), not where it runs.
"""

from __future__ import annotations

import struct
from pathlib import Path

from orchestrator.errors import BuildFailed

MAGIC = b"\x7fELF"
_ALLOC, _NOBITS, _LOAD = 0x2, 8, 1
_ROW = 16  # bytes of a record
_SEGMENT = 1 << 16  # bytes that an address of 16 bits reaches


def write(elf: Path, path: Path) -> None:
    """Write an ELF file's content as Intel HEX. Raises BuildFailed."""
    path.write_text(text(elf), encoding="ascii")


def text(elf: Path) -> str:
    """Return an ELF file's content as Intel HEX. Raises BuildFailed."""
    try:
        parts = _loaded(elf.read_bytes())
    except (struct.error, ValueError, IndexError) as error:
        raise BuildFailed(f"{elf} is no firmware for a microcontroller: {error}") from None
    lines: list[str] = []
    above = 0
    for address, content in sorted(parts):
        at = 0
        while at < len(content):
            here = address + at
            if here // _SEGMENT != above:
                above = here // _SEGMENT
                lines.append(_record(4, 0, above.to_bytes(2, "big")))
            size = min(_ROW, len(content) - at, _SEGMENT - here % _SEGMENT)
            lines.append(_record(0, here % _SEGMENT, content[at : at + size]))
            at += size
    lines.append(_record(1, 0, b""))
    return "".join(f"{line}\n" for line in lines)


def _record(kind: int, address: int, content: bytes) -> str:
    data = bytes([len(content)]) + address.to_bytes(2, "big") + bytes([kind]) + content
    return f":{data.hex().upper()}{-sum(data) & 0xFF:02X}"


def _loaded(data: bytes) -> list[tuple[int, bytes]]:
    """Return (load address, content) of each section that is loaded."""
    if data[:4] != MAGIC or data[4] != 1:
        raise ValueError("it is no ELF file of 32 bits")
    order = "<" if data[5] == 1 else ">"
    segments_at, sections_at = struct.unpack_from(order + "II", data, 0x1C)
    each, count, section, sections = struct.unpack_from(order + "HHHH", data, 0x2A)
    segments = [struct.unpack_from(order + "IIIIII", data, segments_at + n * each) for n in range(count)]
    loads = [one[1:5] for one in segments if one[0] == _LOAD]
    parts = []
    for number in range(sections):
        _, kind, flags, _, offset, size = struct.unpack_from(
            order + "IIIIII", data, sections_at + number * section
        )
        if not flags & _ALLOC or kind == _NOBITS or not size:
            continue
        found = [
            physical + offset - start for start, _, physical, held in loads if start <= offset < start + held
        ]
        if not found:
            raise ValueError("a section that is loaded lies in no segment")
        if offset + size > len(data):
            raise ValueError("it is cut off")
        parts.append((found[0], data[offset : offset + size]))
    if not parts:
        raise ValueError("nothing in it is loaded")
    return parts
