# SPDX-License-Identifier: Apache-2.0
"""What is loaded of a firmware and where it lies: layouts, mappings, variables, constructors, refusals."""

from __future__ import annotations

import platform
import struct
from dataclasses import replace

import pytest
from elf_files import (
    EXECUTED,
    INIT,
    INIT_ARRAY,
    INIT_ARRAYSZ,
    LOAD,
    OBJECT,
    READABLE,
    WRITABLE,
    Section,
    Segment,
    SharedObject,
    Symbol,
)
from loader_harness import FIRST, GLOBAL_DATA, RELATIVE, file, relocated, relocations

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the files are x86-64's")
PAGE, LINE, HUGE = 4096, 64, 2 << 20  # bytes


def up(number: int, unit: int) -> int:
    return -(-number // unit) * unit


def packed(size: int) -> int:
    """The bytes of packed data, which end at a huge page if that saves more than 128 small ones."""
    rest = size % HUGE
    return size - rest + HUGE if rest > 128 * PAGE else size


# Addresses and sizes of data: they begin and end at a page, at a line, or at neither.
DATA = [
    (0x4000, 0x1000),
    (0x4000, 0x1001),
    (0x4000, 0xFC0),
    (0x4000, 64),
    (0x4000, 65),
    (0x4010, 0x30),
    (0x4010, 0x31),
]
DATA += [(0x4FC0, 0x40), (0x4FFF, 0x11), (0x4000, 0x2040), (0x4040, 0x2FC0), (0x43C8, 0x10040)]


@pytest.mark.parametrize(("at", "memory"), DATA)
def test_the_layout_of_data(at, memory, loaded):
    """Packed: an odd number of lines apart, eight or more of them free. Guarded: an odd number of pages
    apart, the last unreadable, and begun at 64 different lines. Both behind the image.
    """
    first, last = at // LINE * LINE, up(at + memory, LINE)
    start, end = at // PAGE * PAGE, up(at + memory, PAGE)
    it = file(at=at, memory=memory, data=bytes(8))
    whole = f"{start:x} {end:x} {first:x} {last:x} 3"  # readable and writable
    size, motes = end, [0, 1, 15, 16, 39]
    code_size = size + PAGE  # a page of the base in gs

    def told(places: list[int]) -> str:
        return " ".join(f"{place % 2**64:x}" for place in places)

    gap = last - first + 8 * LINE
    stride = gap if gap // LINE % 2 else gap + LINE
    region = up(code_size + packed(40 * stride), PAGE)
    places = [code_size + mote * stride - first for mote in motes]
    asked = ("h", "s", "w", "m40", "i0", "i1", "i15", "i16", "i39")
    assert (
        loaded(it, 40, *asked, "a")
        == f"111 {told([size, stride, code_size, region])} {whole} {told(places)} 0"
    )

    pages = up(end - start + 63 * LINE, PAGE) // PAGE + 1
    stride = (pages + (pages % 2 == 0)) * PAGE
    places = [code_size + mote * stride + mote // 16 * LINE - start for mote in motes]
    region = code_size + 40 * stride
    said = f"101 {told([size, stride, code_size, region])} {whole} {told(places)}"
    assert loaded(it, 40, *asked, guard=True) == said

    places = [mote * size for mote in motes]
    assert (
        loaded(it, 40, *asked, share=False)
        == f"000 {told([size, size, 0, 40 * size])} {whole} {told(places)}"
    )


def test_packed_data_begin_at_a_huge_page(loaded):
    """They end at one if that saves more than 128 small pages."""
    stride = 0x1000 + 9 * LINE
    for motes in (1, 112, 113, 448, 449, 560, 1000):
        region = up(0x6000 + packed(motes * stride), PAGE)
        end = 0x6000 + (motes - 1) * stride - 0x4000
        asked = loaded(file(), motes, "s", f"m{motes}", "a", f"i{motes - 1}")
        assert asked == f"5000 {stride:x} 6000 {region:x} 0 {end:x}", motes
    for memory in (
        128 * PAGE - 8 * LINE - LINE,
        128 * PAGE - 8 * LINE + LINE,
    ):  # 128 pages but a line, and one more
        region = up(packed(memory + 8 * LINE), PAGE) + 0x4000 + up(memory, PAGE) + PAGE
        assert loaded(file(memory=memory), 1, "s").split()[3] == f"{region:x}"


def test_the_first_lines_of_guarded_data_come_again(loaded):
    stride = 3 * PAGE
    told = loaded(file(), 1100, "m1100", "i1023", "i1024", "i1040", guard=True)
    places = [
        0x6000 + mote * stride + line * LINE - 0x4000 for mote, line in ((1023, 63), (1024, 0), (1040, 1))
    ]
    assert told == " ".join(f"{place:x}" for place in places)


def test_what_may_be_done_with_each_page(loaded):
    """r read, x executed, w written, . nothing. Behind the last image there is nothing either."""
    it = file(memory=0x1800)
    assert loaded(it, 2, "m2", "p", share=False) == "3x 3w 3x 3w 1."
    assert loaded(it, 2, "m2", "p") == "4x 7w 1."  # the page of the base, and two times data and gap
    assert loaded(it, 3, "m3", "p", guard=True) == "4x 7w 1. 4w 1. 4w 2."
    run = replace(
        it, segments=[*it.segments[:2], replace(it.segments[2], flags=READABLE | WRITABLE | EXECUTED)]
    )
    assert loaded(run, 1, "m1", "p", share=False) == "6x 1."


def test_guards_of_an_older_linux_are_mappings(loaded):
    it = file(memory=0x1800)
    for fails in ("", "g"):
        assert loaded(it, 3, "m3", "p", guard=True, FAILS=fails) == "4x 7w 1. 4w 1. 4w 2."
    assert loaded(it, 3, "m3", guard=True, FAILS="n") in ("", GUARDS)  # a newer one needs none
    assert loaded(it, 3, "m3", guard=True, FAILS="gn") == GUARDS
    assert loaded(it, 3, "m3", FAILS="gn") == "", "packed data have no guards"


GUARDS = "[7] can't set memory of one more mote of it aside: Cannot allocate memory; simulate fewer motes, or"
GUARDS += " raise the sysctl vm.max_map_count"


@pytest.mark.parametrize(
    ("fails", "share", "said"),
    [
        ("f", True, "[3] can't read the firmware it: Cannot allocate memory"),
        ("r", True, "[7] no memory for 2 motes of it: Cannot allocate memory"),
        (
            "c",
            False,
            "[7] can't map one more mote of it: Cannot allocate memory; simulate fewer motes, or raise the"
            " sysctl vm.max_map_count",
        ),
        ("w", True, "[3] can't rewrite the code of it in memory: Cannot allocate memory"),
        ("x", True, "[3] can't rewrite the code of it in memory: Cannot allocate memory"),
        ("d", True, "[3] can't rewrite the code of it in memory: Cannot allocate memory"),
        ("wxd", False, ""),
    ],
)
def test_memory_that_the_system_does_not_give(fails, share, said, loaded):
    assert loaded(file(), 2, "m2", share=share, FAILS=fails) == said


@pytest.mark.parametrize(
    ("motes", "mappings", "guarded"),
    [
        (20, 40, 1),
        (20, 39, 2),
        (20, 20, 2),
        (20, 19, 3),
        (20, 4, 7),
        (20, 3, 11),
        (20, 2, 11),
        (20, 1, 20),
        (1, 0, 1),
    ],
)
def test_motes_share_guards_where_mappings_are_few(motes, mappings, guarded, loaded):
    """A mapping for the data and one for the guard behind them, for each group of motes."""
    told = loaded(file(), motes, "g", f"m{motes}", "p", guard=True, mappings=mappings)
    head, *pages = told.split()
    assert int(head) == guarded
    guards = [mote for mote in range(motes) if mote % guarded == 0]
    ends = [6 + 3 * mote + 2 for mote in guards]
    unreadable, at = [], 0
    for run in pages:
        unreadable += range(at, at + int(run[:-1])) if run[-1] == "." else []
        at += int(run[:-1])
    assert unreadable == [*ends, 6 + 3 * motes]


def test_too_few_mappings_for_copies_are_refused(loaded):
    """Each mote needs one for each part of its code, and one for its data."""
    assert loaded(file(), 7, mappings=14, share=False) == ""
    assert loaded(file(), 7, mappings=0) == "", "packed data need none"
    said = loaded(file(), 7, mappings=13, share=False)
    assert said == (
        "[7] 7 motes of it need 14 memory mappings, and the system leaves them 13; simulate fewer motes, or"
        " raise the limit: sysctl -w vm.max_map_count=65558"
    )
    code = Segment(LOAD, READABLE | EXECUTED, 0x3000, 1, offset=0x2000)  # not where it is in the file
    apart = replace(file(at=0x5000), segments=[FIRST, code, file(at=0x5000).segments[2]], content={})
    assert "need 21 memory mappings" in loaded(apart, 7, mappings=20, share=False)
    assert loaded(apart, 2, "m2", "p", mappings=6, share=False) == "2r 1w 1x 2w 2r 1w 1x 2w 1."
    between = replace(  # the data lie between two parts of the code
        file(), segments=[FIRST, file().segments[2], replace(code, address=0x6000, offset=0x6000)]
    )
    assert "need 21 memory mappings" in loaded(between, 7, mappings=20, share=False)
    assert loaded(between, 1, "m1", "p", share=False) == "2r 4w 1x 1."


def test_neighbouring_code_is_one_mapping(loaded):
    """If its parts lie in the file as in memory, one behind the other, and no data between them."""
    first, code, data = file().segments

    def part(at: int) -> Segment:
        return replace(code, address=at, offset=at)

    for segments, parts in [
        ([first, code, data], 1),
        ([first, code, part(0x3000), data], 1),
        ([first, data, part(0x6000), part(0x7000)], 2),
        ([first, data, part(0x6000), part(0x7000), part(0x9000)], 2),
        ([first, data, part(0x7000), part(0x6000)], 3),
        ([first, code, data, part(0x6000)], 2),
        ([first, part(0x6000), data], 2),
        ([first, part(0x6000), part(0x7000), data], 2),
        ([data, first], 1),
        ([data, code, first], 2),
        ([first, replace(code, address=0x3000, offset=0x2000), replace(data, address=0x5000)], 2),
    ]:
        it = replace(file(), segments=segments, content={})
        assert loaded(it, 3, "m3", share=False, mappings=3 * (parts + 1)) == "", segments
        assert f"need {3 * (parts + 1)} memory" in loaded(it, 3, share=False, mappings=3 * parts + 2), (
            segments
        )


def test_more_motes_than_announced_are_refused(loaded):
    assert loaded(file(), 2, "m2", share=False) == ""
    assert loaded(file(), 2, "m3", share=False) == "[8] more motes of a type than announced"


def test_segments_that_no_mote_can_have(loaded):
    first, code, data = file().segments
    for segments, said in [
        ([first, code, replace(data, offset=0x4800)], "it: a segment isn't aligned to pages"),
        ([first, code], "it: it has no writable data"),
        ([first, replace(code, size=0x2001), data], "it: code and data share a page"),
        ([replace(code, size=0x2001), first, data], "it: code and data share a page"),
        ([first, code, data, replace(code, address=0x4FFF, offset=0x2FFF)], "it: code and data share a page"),
    ]:
        assert loaded(replace(file(), segments=segments), 1) == f"[3] {said}"
    assert (
        loaded(replace(file(), segments=[first, replace(code, size=0x2000), data]), 1, "w")
        == "4000 5000 4000 5000 3"
    )
    after = replace(code, address=0x5000, offset=0x5000)
    assert loaded(replace(file(), segments=[first, code, data, after]), 1, "w") == "4000 5000 4000 5000 3"
    two = [
        replace(data, address=0x7010, offset=0x7010, memory=0x20),
        data,
        replace(data, address=0x5FC0, offset=0x5FC0),
    ]
    assert loaded(replace(file(), segments=[first, code, *two]), 1, "w") == "4000 8000 4000 7040 3"


def test_what_cooja_can_read_is_in_two_sections(loaded):
    it = file(at=0x4010, memory=0x100)  # in whole lines, from 0x4000 to 0x4140
    for data, known in [
        ((0x4000, 0x140), "4000-4140"),
        ((0x4010, 0x20), "4010-4030"),
        ((0x3FFF, 0x20), "0-0"),
        ((0x4000, 0x141), "0-0"),
        ((0x4140, 0), "4140-4140"),
        ((0x4141, 0), "0-0"),
        ((0x4100, 0x40), "4100-4140"),
        ((0x4100, 0x41), "0-0"),
        ((0x4100, 2**64 - 1), "0-0"),
    ]:
        section = Section(".data", 1, 3, *data)
        others = [Section(".rodata", 1, 2, 0x4010, 8), Section(".bss2", 8, 3, 0x4010, 8)]
        assert loaded(replace(it, sections=[*it.sections, section, *others]), 1, "k") == f"{known} 0-0"
        section = replace(section, name=".bss", kind=8, offset=0)
        assert loaded(replace(it, sections=[*it.sections, section, *others]), 1, "k") == f"0-0 {known}"


def test_functions_and_variables(loaded):
    """A function begins within the image, a variable lies within the pages of the data."""
    it = file(
        at=0x4010,
        memory=0x100,
        dynamic_symbols=[
            Symbol("f", 0x2000),
            Symbol("f_last", 0x4FFF),
            Symbol("f_behind", 0x5000),
            Symbol("f_object", 0x2000, 4, OBJECT),
            Symbol("v", 0x4010, 4, OBJECT),
            Symbol("v_first", 0x4000, 4, OBJECT),
            Symbol("v_before", 0x3FFF, 4, OBJECT),
            Symbol("v_whole", 0x4000, 0x1000, OBJECT),
            Symbol("v_larger", 0x4000, 0x1001, OBJECT),
            Symbol("v_last", 0x4FFC, 4, OBJECT),
            Symbol("v_over", 0x4FFD, 4, OBJECT),
            Symbol("v_end", 0x5000, 0, OBJECT),
            Symbol("v_behind", 0x5001, 0, OBJECT),
        ],
    )
    functions = ("ff", "ff_last", "ff_behind", "ff_object", "fv", "fnone")
    assert loaded(it, 1, *functions) == "2000 4fff - - - -"
    variables = (
        "v",
        "v_first",
        "v_before",
        "v_whole",
        "v_larger",
        "v_last",
        "v_over",
        "v_end",
        "v_behind",
        "f",
        "none",
    )
    told = loaded(it, 1, *("y" + name for name in variables))
    assert told == "4010+4 4000+4 - 4000+1000 - 4ffc+4 - 5000+0 - - -"


COUNTS = bytes.fromhex("8b05 00000000 6bc00a 83c0 00 8905 00000000 c3".replace(" ", ""))  # n = 10 n + digit


def counting(digit: int, at: int, counter: int = 0x4000) -> bytes:
    """A function at `at` that appends a digit to a number."""
    code = bytearray(COUNTS)
    struct.pack_into("<i", code, 2, counter - (at + 6))
    code[11] = digit
    struct.pack_into("<i", code, 14, counter - (at + 18))
    return bytes(code)


def test_constructors(loaded):
    """First DT_INIT, then those of the list, for each mote its own; 0 and -1 in the list are none."""
    size = len(COUNTS)
    code = b"".join(counting(digit, 0x2000 + size * (digit - 1)) for digit in range(1, 6))
    functions = [0x2000 + size * i for i in range(5)]
    rows = [
        (0x4010 + 8 * i, RELATIVE, 0, place)
        for i, place in enumerate([functions[1], functions[2], 0, functions[4]])
    ]
    rows = [row for row in rows if row[3]]
    table = relocations(*rows)
    data = bytes(0x30) + b"\xff" * 8 + bytes(8)

    def it(init: int | None, count: int) -> SharedObject:
        entries = [] if init is None else [(INIT, init)]
        return relocated(
            table, [], *entries, (INIT_ARRAY, 0x4010), (INIT_ARRAYSZ, count), code=code, data=data
        )

    for share in (False, True):
        for init, count, number in [
            (functions[0], 48, 1235),
            (None, 48, 235),
            (functions[0], 8, 12),
            (functions[0], 23, 123),
            (functions[0], 0, 1),
            (0x5000, 16, 23),
            (functions[3], 31, 423),
            (functions[3], 7, 4),
        ]:
            told = loaded(it(init, count), 2, "m2", "C1", "C1", "C0", "b0:0x4000", "b1:0x4000", share=share)
            first, second = (struct.unpack("<Q", bytes.fromhex(word))[0] for word in told.split())
            assert first == number, (share, init, count)
            assert second == int(f"{number}{number}") % 2**32, (share, init, count)
    assert loaded(it(None, 0x31), 1, "m1", "C0").startswith("[3] it: its list of constructors is damaged")
    for half in ((INIT_ARRAY, 0x4010), (INIT_ARRAYSZ, 48)):
        assert (
            loaded(relocated(table, [], half, code=code, data=data), 1, "m1", "C0", "b0:0x4000") == "0" * 16
        )


def test_each_mote_begins_with_the_file_s_data(loaded):
    """Pointers to code lead into the code that it runs, pointers to data to its own."""
    rows = [(0x4010, RELATIVE, 0, 0x2000), (0x4018, RELATIVE, 0, 0x4008), (0x4020, RELATIVE, 0, 0x3FFF)]
    rows += [(0x4028, RELATIVE, 0, 0x4000)]
    data = b"in data." + bytes(0x48)
    it = relocated(relocations(*rows), [], data=data, memory=0x800)
    first, code, writable = it.segments
    for share, guard in ((False, False), (True, False), (True, True)):
        for segments in ([first, code, writable], [writable, first, code], [first, writable, code]):
            ordered = replace(it, segments=segments)
            told = loaded(ordered, 2, "m2", "b0:0x4000", "b1:0x4000", "b1:0x4800", share=share, guard=guard)
            assert [bytes.fromhex(one) for one in told.split()] == [b"in data."] * 2 + [bytes(8)]
        places = loaded(
            it,
            2,
            "m2",
            "i0",
            "i1",
            *(f"q{mote}:{row[0]:#x}" for mote in (0, 1) for row in rows),
            share=share,
            guard=guard,
        ).split()  # noqa: E501
        images = [int(one, 16) for one in places[:2]]
        for mote in (0, 1):
            for row, place in zip(rows, places[2 + 4 * mote : 6 + 4 * mote], strict=True):
                from_region, from_image = (int(one, 16) for one in place.split(","))
                if row[3] >= 0x4000:
                    assert from_image == row[3]
                else:
                    assert from_region == row[3] + (0 if share else images[mote])


def test_each_mote_has_the_addresses_of_libraries(loaded):
    symbols = [Symbol(name, 0, section=0) for name in ("malloc", "strlen", "exit")]
    rows = [(0x4010 + 8 * i, GLOBAL_DATA, i, 0) for i in (1, 2, 3)]
    it = relocated(relocations(*rows), symbols)
    asked = [f"N{mote}:{row[0]:#x}" for mote in (0, 1) for row in rows]
    for share in (False, True):
        assert loaded(it, 2, "m2", *asked, share=share) == "malloc libc exit malloc libc exit"


def test_a_write_into_the_gap_behind_data_is_seen(loaded):
    """The eight lines before the next mote's data; the data end at a line."""
    for memory in (0x100, 0x140):
        stride = memory + 8 * LINE | LINE
        for mote in (0, 2):
            for at, clean in [
                (0, 1), (memory - 1, 1), (stride - 8 * LINE, 0), (stride - 8 * LINE - 1, 1),
                (stride - 5 * LINE + 3, 0),
                (stride - 1, 0), (stride, 1),
            ]:  # fmt: skip
                told = loaded(file(memory=memory), 3, "m3", "G", f"W{mote}:{at}", "G")
                assert told == f"1 {clean}", (memory, mote, at)
    assert loaded(file(memory=0x100), 3, "m3", "W0:256", "G", guard=True) == "1"
    assert loaded(file(), 2, "m2", "G") == "1", "an unreadable page follows"
