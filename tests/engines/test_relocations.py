# SPDX-License-Identifier: Apache-2.0
"""Where the addresses in a firmware's data lead: relocations of every kind, symbols, libraries, refusals."""

from __future__ import annotations

import platform
import struct
from dataclasses import replace

import pytest
from elf_files import (
    FLAGS,
    INDIRECT,
    JMPREL,
    NEEDED,
    NO_TYPE,
    OBJECT,
    PLTRELSZ,
    RELA,
    RELASZ,
    RELR,
    RELRSZ,
    STRSZ,
    STRTAB,
    THREAD_LOCAL,
    WEAK,
    SharedObject,
    Symbol,
)
from loader_harness import (
    COPY,
    GLOBAL_DATA,
    NONE,
    OTHER,
    RELATIVE,
    SLOT,
    TABLE,
    WORD,
    file,
    relocated,
    relocations,
)

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the files are x86-64's")


def test_relocations(loaded):
    table = relocations(
        (0x4000, RELATIVE, 0, 0x4008), (0x4008, NONE, 1, 1), (0x4010, WORD, 1, 5), (0x4018, SLOT, 2, 0),
        (0x4020, GLOBAL_DATA, 3, 0), (0x4FF8, RELATIVE, 0, 0x2000), (0x4028, WORD, 3, 7),
        (0x4030, WORD, 4, 0),
    )  # fmt: skip
    symbols = [
        Symbol("own", 0x2000),
        Symbol("malloc", 0, section=0),
        Symbol("strlen", 0, section=0, kind=NO_TYPE),
    ]
    symbols += [Symbol("weak", 0, section=0, bind=WEAK)]
    own = "4000=4008 4010=2005 4ff8=2000"
    others = "4018:malloc 4020:libc 4028:libc+ 4030:0"
    it = relocated(table, symbols)
    assert loaded(it, 1, "r") == f"{own} {others}"
    assert loaded(relocated(table[: 3 * 24], symbols), 1, "r") == "4000=4008 4010=2005"
    assert loaded(relocated(table[: 3 * 24] + bytes(23), symbols), 1, "r") == "4000=4008 4010=2005"
    assert loaded(relocated(table[: 3 * 24 - 1], symbols), 1, "r") == "4000=4008"
    linked = relocated(table, symbols, tag=JMPREL, size_tag=PLTRELSZ)
    assert (
        loaded(linked, 1, "r", "nown", "nstrlen", "nweak", "nowner", "nonly") == f"{own} {others} 1 1 1 0 0"
    )
    assert loaded(it, 1, "nown", "nstrlen", "nweak", "nowner") == "1 1 1 0"
    assert loaded(relocated(table[: 7 * 24] + bytes(23), symbols), 1, "nstrlen", "nweak") == "1 0"
    both = relocated(
        table,
        symbols,
        (JMPREL, OTHER),
        (PLTRELSZ, 24),
        content={OTHER: relocations((0x4040, RELATIVE, 0, 9))},
    )
    assert loaded(both, 1, "r") == f"{own} 4040=9 {others}"
    for entries in ([(RELA, TABLE)], [(RELASZ, 24)], [(JMPREL, TABLE)], [(RELR, TABLE)], [(RELRSZ, 8)]):
        half = replace(it, entries=entries)
        assert loaded(half, 1, "r", "nown") == "0", entries


def test_relocations_that_no_mote_can_have(loaded):
    code, data = "it: its code needs relocation: compile it with -fPIC", (0x4000, 0x4FF8)
    for place in data:
        assert loaded(relocated(relocations((place, RELATIVE, 0, 1)), []), 1, "r") == f"{place:x}=1"
    for place in (data[0] - 1, data[1] + 1, 0, 2**64 - 8):
        assert loaded(relocated(relocations((place, RELATIVE, 0, 1)), []), 1) == f"[3] {code}"
    for kind in (COPY, 2, 9, 37):
        said = loaded(relocated(relocations((0x4000, kind, 0, 1)), []), 1)
        assert said == f"[3] it: relocation type {kind} isn't supported; build it as a plain shared object"
    named = relocated(relocations((0x4000, WORD, 2, 0)), [Symbol("own", 0x2000)])
    assert loaded(named, 1) == "[3] it: a relocation names a symbol that isn't there"
    damaged = "[3] it: its relocations are damaged"
    for tags in ((RELA, RELASZ), (JMPREL, PLTRELSZ)):
        assert loaded(file(entries=[*zip(tags, (0x4000, 0x1000), strict=True)]), 1) == damaged
        assert loaded(file(entries=[*zip(tags, (0x1FE8, 24), strict=True)]), 1, "r") == ""
        assert loaded(file(entries=[*zip(tags, (0x1FE8, 25), strict=True)]), 1) == damaged


def packed_relocations(*words: int, data: dict[int, int], end: int = 0x5000, cut: int = 0) -> SharedObject:
    content = bytearray(end - 0x4000)
    for at, value in data.items():
        struct.pack_into("<Q", content, at - 0x4000, value)
    table = struct.pack(f"<{len(words)}Q", *words)
    entries = [(RELR, TABLE), (RELRSZ, len(table) - cut)]
    return file(data=bytes(content), memory=end - 0x4000, content={TABLE: table}, entries=entries)


def test_packed_relocations(loaded):
    """An even word is a place, an odd one tells which of the 63 behind it are more. The data have values."""
    values = {0x4000 + 8 * i: 0x2000 + i for i in range(200)}

    def told(*places: int) -> str:
        return " ".join(f"{place:x}={values[place]:x}" for place in places)

    every, last = 2**64 - 1, 1 << 63 | 1
    for words, places in [
        ([0x4000], [0x4000]),
        ([0x4000, 0x4010], [0x4000, 0x4010]),
        ([0x4000, 3], [0x4000, 0x4008]),
        ([0x4000, 0b1011], [0x4000, 0x4008, 0x4018]),
        ([0x4000, 1, 3], [0x4000, 0x4008 + 63 * 8]),
        ([0x4000, last, last], [0x4000, 0x4008 + 62 * 8, 0x4008 + 125 * 8]),
        ([0x4000, every], [0x4000 + 8 * i for i in range(64)]),
        ([0x4000, every, 7, 0x4628, 5], [*(0x4000 + 8 * i for i in range(66)), 0x4628, 0x4638]),
    ]:
        assert loaded(packed_relocations(*words, data=values), 1, "r") == told(*places), words
    assert loaded(packed_relocations(0x4000, 3, data=values, cut=1), 1, "r") == told(0x4000)
    assert loaded(packed_relocations(0x4000, 0x4FF8, data={0x4FF8: 5}), 1, "r") == "4000=0 4ff8=5"
    damaged = "[3] it: its packed relocations are damaged"
    assert loaded(packed_relocations(0x4FFA, data={}), 1) == damaged
    assert loaded(packed_relocations(0x4FF8, 3, data={}), 1) == damaged
    assert loaded(packed_relocations(0x4FF8, 1, data={}), 1, "r") == "4ff8=0"
    at_the_end = {0x1FF8: struct.pack("<Q", 0x4000)}  # of what is in the file there
    assert loaded(file(content=at_the_end, entries=[(RELR, 0x1FF8), (RELRSZ, 16)]), 1) == damaged
    assert loaded(file(content=at_the_end, entries=[(RELR, 0x1FF8), (RELRSZ, 15)]), 1, "r") == "4000=0"


@pytest.mark.parametrize(
    ("symbol", "symbolic", "found"),
    [
        (Symbol("own", 0x2000), 0, "own"),
        (Symbol("strlen", 0, section=0), 0, "libc"),
        (Symbol("strlen", 0x2000), 0, "libc"),  # as dlopen() finds it
        (Symbol("strlen", 0x2000), 2, "own"),  # DF_SYMBOLIC
        (Symbol("strlen", 0x2000), 1, "libc"),  # another flag
        (Symbol("strlen", 0x2000, visibility=2), 0, "own"),  # hidden
        (Symbol("strlen", 0x2000, visibility=3), 0, "own"),  # protected
        (Symbol("strlen", 0x2000, kind=NO_TYPE), 0, "own"),
        (Symbol("rand", 0x2000), 0, "rand"),  # the kernel's
        (Symbol("rand", 0, section=0), 2, "rand"),
        (Symbol("exit", 0, section=0, bind=WEAK), 0, "exit"),
        (Symbol("own", 0x4000, 8, OBJECT), 0, "own"),
        (Symbol("stdout", 0x4000, 8, OBJECT), 2, "own"),
        (Symbol("stdout", 0x4000, 8, OBJECT, visibility=2), 0, "own"),
        (Symbol("stdout", 0, 8, OBJECT, section=0), 0, "libc"),
        (Symbol("__cxa_throw", 0x2000), 2, "own"),
        (Symbol("missing", 0, section=0, bind=WEAK), 0, "0"),
        (
            Symbol("stdout", 0x4000, 8, OBJECT),
            0,
            "it: its variable stdout has the name of something in the C library, which Cooja's loader takes"
            " in its place; rename it, or make it static",
        ),
        (
            Symbol("missing", 0, section=0),
            0,
            "it needs the symbol missing, which isn't defined; link the firmware with -z defs",
        ),
        (Symbol("i", 0x2000, kind=INDIRECT), 0, "it: symbol i is of a kind that a mote can't have"),
        (Symbol("t", 0, kind=THREAD_LOCAL), 0, "it: symbol t is of a kind that a mote can't have"),
        *(
            (
                Symbol(name, 0, section=0),
                0,
                f"it uses C++ exceptions ({name}), which find no way through a mote's code here; build"
                " it with -fno-exceptions, or run the file with --engine cooja",
            )
            for name in (
                "__cxa_throw",
                "__cxa_rethrow",
                "__cxa_begin_catch",
                "_Unwind_RaiseException",
                "_Unwind_ForcedUnwind",
            )
        ),
    ],
)
def test_where_a_symbol_is_found(symbol, symbolic, found, loaded):
    it = relocated(relocations((0x4000, GLOBAL_DATA, 1, 0)), [symbol], (FLAGS, symbolic))
    expected = (
        f"4000={symbol.value:x}"
        if found == "own"
        else f"4000:{found}"
        if " " not in found
        else f"[3] {found}"
    )
    assert loaded(it, 1, "r") == expected


def test_libraries_that_a_firmware_needs(loaded):
    cos = [Symbol("cos", 0, section=0)]
    it = relocated(relocations((0x4000, GLOBAL_DATA, 1, 0)), cos)
    assert loaded(replace(it, needed=("libm.so.6",)), 1, "h") == "111"
    said = loaded(replace(it, needed=("libm.so.6", "libmissing.so.7")), 1)
    assert said.startswith("[3] it needs a library that can't be loaded: libmissing.so.7: ")
    damaged = "[3] it: the name of a library that it needs is damaged"
    names = b"\0cos\0"
    for needed, at, size, said in [
        (len(names) - 1, 0x1000, len(names), ""),  # no name: the program itself
        (len(names), 0x1000, len(names), damaged),
        (2**64 - 1, 0x1000, len(names), damaged),
        (0, 0x1000, len(names) - 1, damaged),  # it doesn't end
        (0, 0x1000, 1, ""),
        (0, 0x3000, 1, damaged),  # it isn't in the file
        (0, 0x1FFF, 2, damaged),
    ]:
        entries = [(NEEDED, needed), (STRTAB, at), (STRSZ, size)]
        assert loaded(file(content={0x1000: names}, entries=entries), 1) == said, (needed, at, size)
    assert loaded(file(entries=[(STRTAB, 0x3000), (STRSZ, 1)]), 1) == "", "no name is looked up"
