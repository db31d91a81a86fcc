# SPDX-License-Identifier: Apache-2.0
"""Shared objects byte by byte, as no linker makes them: each number of their tables is the test's."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

LOAD, DYNAMIC, NOTE, TLS = 1, 2, 4, 7  # types of segments
EXECUTED, WRITABLE, READABLE = 1, 2, 4  # their flags
SYMBOLS, STRINGS, NO_BITS, DYNAMIC_SYMBOLS = 2, 3, 8, 11  # types of sections
ALLOCATED = 2  # flags of sections; their others: 1 writable, 4 executed
NO_TYPE, OBJECT, FUNCTION, THREAD_LOCAL, INDIRECT = 0, 1, 2, 6, 10  # types of symbols
LOCAL, GLOBAL, WEAK = 0, 1, 2
NULL, NEEDED, PLTRELSZ, STRTAB, RELA, RELASZ, STRSZ, INIT = (
    0,
    1,
    2,
    5,
    7,
    8,
    10,
    12,
)  # tags of dynamic entries
JMPREL, INIT_ARRAY, INIT_ARRAYSZ, FLAGS, RELRSZ, RELR = 23, 25, 27, 30, 35, 36
HEADER, SEGMENT, SECTION, SYMBOL, ENTRY = 64, 56, 64, 24, 16  # bytes of each


@dataclass
class Segment:
    kind: int
    flags: int
    address: int
    size: int  # in the file
    memory: int | None = None  # in memory; the same if it is None
    offset: int | None = None  # in the file; the address if it is None

    def packed(self) -> bytes:
        offset = self.address if self.offset is None else self.offset
        memory = self.size if self.memory is None else self.memory
        return struct.pack(
            "<IIQQQQQQ", self.kind, self.flags, offset, self.address, 0, self.size, memory, 4096
        )


@dataclass
class Section:
    name: str
    kind: int
    flags: int
    address: int
    size: int
    align: int = 1
    link: int = 0
    entry: int = 0
    offset: int | None = None
    name_at: int | None = None


@dataclass
class Symbol:
    name: str
    value: int
    size: int = 0
    kind: int = FUNCTION
    section: int = 1  # 0: not defined here
    bind: int = GLOBAL
    visibility: int = 0
    name_at: int | None = None


@dataclass
class SharedObject:
    """An x86-64 one, whose addresses are places in the file. What a loader reads stands in its first pages,
    from `tables` on, and what is only the linker's behind everything else.
    """

    segments: list[Segment]
    content: dict[int, bytes] = field(default_factory=dict)  # by address
    sections: list[Section] = field(default_factory=list)
    dynamic_symbols: list[Symbol] = field(default_factory=list)
    symbols: list[Symbol] | None = None
    entries: list[tuple[int, int]] = field(default_factory=list)  # of the dynamic section
    needed: tuple[str, ...] = ()
    tables: int = 0x800
    header: dict[int, bytes] = field(default_factory=dict)  # instead of what stands there

    def packed(self) -> bytes:
        content = bytearray()

        def put(at: int, data: bytes) -> None:
            content.extend(bytes(max(0, at + len(data) - len(content))))
            content[at : at + len(data)] = data

        def names_of(names: list[str]) -> tuple[bytes, list[int]]:
            table, places = b"\0", []
            for name in names:
                places.append(len(table))
                table += name.encode() + b"\0"
            return table, places

        def symbols_of(symbols: list[Symbol], places: list[int]) -> bytes:
            table = bytes(SYMBOL)
            for one, place in zip(symbols, places, strict=True):
                place = place if one.name_at is None else one.name_at
                info = one.bind << 4 | one.kind
                table += struct.pack("<IBBHQQ", place, info, one.visibility, one.section, one.value, one.size)
            return table

        for segment in self.segments:
            if segment.kind == LOAD:
                put(segment.address if segment.offset is None else segment.offset, bytes(segment.size))
        for at, data in self.content.items():
            put(at, data)
        names, places = names_of([*(one.name for one in self.dynamic_symbols), *self.needed])
        count = len(self.dynamic_symbols)
        table = symbols_of(self.dynamic_symbols, places[:count])
        names_at = self.tables + len(table)
        entries_at = names_at + len(names) + -len(names) % 8
        entries = [(NEEDED, place) for place in places[count:]]
        if STRTAB not in dict(self.entries):
            entries += [(STRTAB, names_at), (STRSZ, len(names))]
        entries += self.entries
        packed = b"".join(struct.pack("<QQ", *entry) for entry in entries)
        put(self.tables, table)
        put(names_at, names)
        put(entries_at, packed)
        sections = [
            Section("", 0, 0, 0, 0),
            *self.sections,
            Section(
                ".dynsym", DYNAMIC_SYMBOLS, 2, self.tables, len(table), 8, len(self.sections) + 2, SYMBOL
            ),
            Section(".dynstr", STRINGS, 2, names_at, len(names)),
        ]
        if self.symbols is not None:
            names, places = names_of([one.name for one in self.symbols])
            table = symbols_of(self.symbols, places)
            at = len(content)
            put(at, table)
            put(at + len(table), names)
            link = len(sections) + 1
            sections.append(Section(".symtab", SYMBOLS, 0, 0, len(table), 8, link, SYMBOL, at))
            sections.append(Section(".strtab", STRINGS, 0, 0, len(names), offset=at + len(table)))
        names, places = names_of([*(one.name for one in sections), ".shstrtab"])
        sections.append(Section(".shstrtab", STRINGS, 0, 0, len(names), offset=len(content)))
        put(len(content), names)
        sections_at = len(content)
        for one, place in zip(sections, places, strict=True):
            offset = one.address if one.offset is None else one.offset
            place = place if one.name_at is None else one.name_at
            first = struct.pack(
                "<IIQQQQII", place, one.kind, one.flags, one.address, offset, one.size, one.link, 0
            )
            put(len(content), first + struct.pack("<QQ", one.align, one.entry))
        segments = [*self.segments, Segment(DYNAMIC, READABLE, entries_at, len(packed))]
        put(HEADER, b"".join(segment.packed() for segment in segments))
        header = struct.pack("<16sHHIQQQI", b"\x7fELF\x02\x01\x01", 3, 62, 1, 0, HEADER, sections_at, 0)
        counts = (HEADER, SEGMENT, len(segments), SECTION, len(sections), len(sections) - 1)
        put(0, header + struct.pack("<HHHHHH", *counts))
        for at, data in self.header.items():
            put(at, data)
        return bytes(content)
