# SPDX-License-Identifier: Apache-2.0
"""Sizes of an ELF file's sections, as the Berkeley format of `size` gives them (System V ABI, chapter 4)."""

from __future__ import annotations

import struct
from pathlib import Path

from orchestrator.errors import BuildFailed

_WRITE, _ALLOC, _NOBITS = 0x1, 0x2, 8


def sizes(path: Path) -> dict[str, int]:
    """Bytes of text (code and constants), data and bss. Raises BuildFailed if the file is no ELF file."""
    data = path.read_bytes()
    try:
        if data[:4] != b"\x7fELF":
            raise ValueError("no ELF magic")
        wide = data[4] == 2
        order = "<" if data[5] == 1 else ">"
        offset, = struct.unpack_from(order + ("Q" if wide else "I"), data, 0x28 if wide else 0x20)
        entry, count = struct.unpack_from(order + "HH", data, 0x3A if wide else 0x2E)
        total = {"text": 0, "data": 0, "bss": 0}
        for number in range(count):
            header = struct.unpack_from(order + ("IIQQQQ" if wide else "IIIIII"), data, offset + number * entry)
            kind, flags, size = header[1], header[2], header[5]
            if flags & _ALLOC:
                total["bss" if kind == _NOBITS else "data" if flags & _WRITE else "text"] += size
    except (struct.error, ValueError, IndexError) as error:
        raise BuildFailed(f"{path} is not an object that can be loaded: {error}") from None
    return total
