# SPDX-License-Identifier: Apache-2.0
"""Sizes of an ELF file's sections, as the Berkeley format of `size` gives them (System V ABI, chapter 4)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import BuildFailed

_WRITE, _ALLOC, _EXECUTE, _NOBITS = 0x1, 0x2, 0x4, 8


@dataclass(frozen=True)
class Section:
    """A section that takes memory where the program runs.

    `kind`: code, constants, data or bss; `size` in bytes.
    """

    name: str
    kind: str
    size: int


def sizes(path: Path) -> dict[str, int]:
    """Bytes of text (code and constants), data and bss. Raises BuildFailed if the file is no ELF file."""
    total = {"text": 0, "data": 0, "bss": 0}
    for section in sections(path):
        total["text" if section.kind in ("code", "constants") else section.kind] += section.size
    return total


def sections(path: Path) -> list[Section]:
    """Return the sections that take memory. Raises BuildFailed if the file is no ELF file."""
    return [
        Section(name, _kind(header[1], header[2]), header[5])
        for name, header in _headers(path)
        if header[2] & _ALLOC
    ]


def offset(path: Path, section: str) -> int:
    """Return where in the file a section's content begins, bytes. Raises BuildFailed if there is none."""
    for name, header in _headers(path):
        if name == section:
            return header[4]
    raise BuildFailed(f"{path} has no section {section}")


def _headers(path: Path) -> list[tuple[str, tuple[int, ...]]]:
    try:
        return headers(path.read_bytes())
    except (struct.error, ValueError, IndexError) as error:
        raise BuildFailed(f"{path} is not an object that can be loaded: {error}") from None


def headers(data: bytes) -> list[tuple[str, tuple[int, ...]]]:
    """Return a file's sections: the name, and type, flags, address, offset, size and linked section.

    Each header begins with the name's place. Raises struct.error, ValueError or IndexError if the bytes are
    no ELF file.
    """
    if data[:4] != b"\x7fELF":
        raise ValueError("no ELF magic")
    wide = data[4] == 2
    order = "<" if data[5] == 1 else ">"
    (begin,) = struct.unpack_from(order + ("Q" if wide else "I"), data, 0x28 if wide else 0x20)
    entry, count, names = struct.unpack_from(order + "HHH", data, 0x3A if wide else 0x2E)
    found = [
        struct.unpack_from(order + ("IIQQQQI" if wide else "IIIIIII"), data, begin + number * entry)
        for number in range(count)
    ]
    start = found[names][4] if found else 0
    return [(name(data, start + header[0]), header) for header in found]


def _kind(kind: int, flags: int) -> str:
    if kind == _NOBITS:
        return "bss"
    if flags & _WRITE:
        return "data"
    return "code" if flags & _EXECUTE else "constants"


def name(data: bytes, at: int) -> str:
    """Return the name at a place in a table of names. ValueError: it has no end."""
    return data[at : data.index(b"\0", at)].decode(errors="replace")
