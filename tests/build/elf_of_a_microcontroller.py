# SPDX-License-Identifier: Apache-2.0
"""Makes a linked ELF file of 32 bits as a microcontroller's linker does, section by section."""

from __future__ import annotations

import struct

ALLOC, PROGBITS, STRTAB, NOBITS = 0x2, 1, 3, 8
NAMES = b"\0.part\0"


def elf(parts: list[tuple[int, int, bytes]], order: str = "<") -> bytes:
    """Return a file with these (address at run time, load address, content), and a .bss and a comment."""
    head, each, section = 0x34, 32, 40
    offset = head + each * len(parts)
    segments, sections, content = b"", bytes(section), b""
    for virtual, physical, data in parts:
        at = offset + len(content)
        segments += struct.pack(order + "IIIIIIII", 1, at, virtual, physical, len(data), len(data) + 8, 5, 4)
        sections += struct.pack(order + "IIIIIIIIII", 1, PROGBITS, ALLOC, virtual, at, len(data), 0, 0, 4, 0)
        content += data
    for kind, flags in ((NOBITS, ALLOC), (PROGBITS, 0)):  # .bss, and a comment that is not loaded
        sections += struct.pack(order + "IIIIIIIIII", 1, kind, flags, 0x2000, offset, 4, 0, 0, 4, 0)
    at, content = offset + len(content), content + NAMES
    sections += struct.pack(order + "IIIIIIIIII", 0, STRTAB, 0, 0, at, len(NAMES), 0, 0, 1, 0)
    header = b"\x7fELF" + bytes([1, 1 if order == "<" else 2, 1]) + bytes(9)
    header += struct.pack(
        order + "HHIIIIIHHHHHH",
        2, 40, 1, 0, head, offset + len(content), 0, head, each, len(parts),
        section, len(parts) + 4, len(parts) + 3,
    )  # fmt: skip
    return header + segments + content + sections
