# SPDX-License-Identifier: Apache-2.0
"""Sections of ELF files written by hand: both widths, both byte orders."""

from __future__ import annotations

import struct

import pytest

from orchestrator.build import elf
from orchestrator.build.elf import Section
from orchestrator.errors import BuildFailed

WRITE, ALLOC, EXECUTE = 1, 2, 4
PROGBITS, NOBITS = 1, 8
SECTIONS = [  # name, type, flags, size
    (".text", PROGBITS, ALLOC | EXECUTE, 0x10203),
    (".rodata", PROGBITS, ALLOC, 7),
    (".data", PROGBITS, ALLOC | WRITE, 5),
    (".both", PROGBITS, ALLOC | WRITE | EXECUTE, 3),
    (".bss", NOBITS, ALLOC | WRITE, 300),
    (".comment", PROGBITS, WRITE, 900),
    (".stack", NOBITS, 0, 900),
]


def made(wide: bool, big: bool) -> bytes:
    order = ">" if big else "<"
    head = 64 if wide else 52
    each = struct.calcsize("<IIQQQQ" if wide else "<IIIIII") + 16
    names = b"\0" + b"".join(name.encode() + b"\0" for name, *_ in SECTIONS)
    headers = b""
    at = 1
    start = head + each * (len(SECTIONS) + 1)
    for name, kind, flags, size in [*SECTIONS, ("", 3, 0, len(names))]:
        place = start if not name else 0
        headers += struct.pack(
            order + ("IIQQQQ" if wide else "IIIIII"), at if name else 0, kind, flags, 0, place, size
        )
        headers += bytes(16)
        at += len(name) + 1
    data = bytearray(head)
    data[:6] = b"\x7fELF" + bytes([2 if wide else 1, 2 if big else 1])
    struct.pack_into(order + ("Q" if wide else "I"), data, 0x28 if wide else 0x20, head)
    struct.pack_into(order + "HHH", data, 0x3A if wide else 0x2E, each, len(SECTIONS) + 1, len(SECTIONS))
    return bytes(data) + headers + names


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("big", [False, True])
def test_what_takes_memory(tmp_path, wide, big):
    path = tmp_path / "a.o"
    path.write_bytes(made(wide, big))
    assert elf.sections(path) == [
        Section(".text", "code", 0x10203),
        Section(".rodata", "constants", 7),
        Section(".data", "data", 5),
        Section(".both", "data", 3),
        Section(".bss", "bss", 300),
    ]
    assert elf.sizes(path) == {"text": 0x1020A, "data": 8, "bss": 300}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no ELF magic"),
        (b"\x7fELG" + bytes(90), "no ELF magic"),
        (b"\x7fELF\2\1" + bytes(20), "unpack_from"),
    ],
)
def test_what_is_none(tmp_path, content, why):
    path = tmp_path / "a.o"
    path.write_bytes(content)
    with pytest.raises(BuildFailed, match=rf"a\.o is not an object that can be loaded: .*{why}"):
        elf.sections(path)


def test_no_sections_are_no_bytes(tmp_path):
    data = bytearray(made(True, False))
    struct.pack_into("<H", data, 0x3C, 0)
    (tmp_path / "a.o").write_bytes(data)
    assert elf.sizes(tmp_path / "a.o") == {"text": 0, "data": 0, "bss": 0}
