# SPDX-License-Identifier: Apache-2.0
"""Which firmware shares its code, in which form, and how each instruction is rewritten, byte for byte."""

from __future__ import annotations

import platform
import struct

import pytest
from elf_files import OBJECT, WEAK, Section, Symbol
from loader_harness import file

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the files are x86-64's")
START, DATA, END, PAGE, SLOT = 0x2000, 0x4000, 0x5000, 4096, 24
CONSTANT = 0x1000
RBX, GS = "110", "111"  # it shares code, data are packed, the register
MARK = Symbol("mote_leaves_rbx", CONSTANT, 1, OBJECT)
ONLY = Symbol("only", START)
NOT_SHARED = "00"


def code(*instructions: str | tuple[str, int] | tuple[str, int, str]) -> bytes:
    """Bytes in hexadecimal; or those before an operand relative to the instruction, where it leads, and
    those behind.
    """
    made = b""
    for one in instructions:
        head, target, tail = (one, None, "") if isinstance(one, str) else (*one, "")[:3]
        made += bytes.fromhex(head)
        if target is not None:
            end = START + len(made) + 4 + len(bytes.fromhex(tail))
            made += struct.pack("<i", target - end) + bytes.fromhex(tail)
    return made


def form(loaded, made: bytes, *, marked: bool = False, imported: tuple[str, ...] = (), **more) -> str:
    symbols = [ONLY, *([MARK] if marked else [])]
    symbols += [Symbol(name, 0, section=0, bind=WEAK) for name in imported]
    hwcap2 = more.pop("HWCAP2", "2")
    found = loaded(file(made, dynamic_symbols=symbols, **more), 1, "h", HWCAP2=hwcap2)
    return NOT_SHARED if found.startswith(NOT_SHARED) else found


def test_the_register_is_free_or_gs_is_taken(loaded):
    """What the code does with rbx against its promise, and what might call back."""
    load, ends = ("8b 05", DATA), "c3"
    assert form(loaded, code(load, ends)) == GS
    assert form(loaded, code(load, ends), marked=True) == RBX
    for other, wanted in [
        ("53", GS), ("5b", GS), ("0f a2", GS), ("41 53", RBX), ("41 5b", RBX), ("52", RBX), ("0f 31", RBX),
        (("41 8b 05", DATA), GS), (("41 8b 05", CONSTANT), RBX), (("44 8b 05", DATA), RBX), ("f4", RBX),
    ]:  # fmt: skip
        assert form(loaded, code(other, load, ends), marked=True) == wanted, other
        assert form(loaded, code(load, ends, other), marked=True) == wanted, other
        assert form(loaded, code(other, load, ends)) == GS, other
    for names, wanted in [
        (("printf",), RBX), (("abort", "__cxa_finalize", "log1p"), RBX),
        (("memcpy", "strlen", "memx"), RBX),
        (("qsort",), GS), (("printf", "qsort"), GS), (("qsort", "printf"), GS), (("metoo",), GS),
        (("stat",), GS),
        (("printfs",), GS), (("print",), GS), (("bsearch", "memcpy"), GS),
    ]:  # fmt: skip
        assert form(loaded, code(load, ends), marked=True, imported=names) == wanted, names
    assert form(loaded, code(load, ends), marked=True, symbols=[Symbol("qsort", START)]) == RBX, "its own"


def test_without_gs_there_are_copies(loaded):
    """Linux says in a bit whether a program may set its base."""
    made = code(("8b 05", DATA), "c3")
    for bits, wanted in [
        ("0", NOT_SHARED),
        ("1", NOT_SHARED),
        ("5", NOT_SHARED),
        ("2", GS),
        ("3", GS),
        ("6", GS),
    ]:
        assert form(loaded, made, HWCAP2=bits) == wanted, bits
        assert form(loaded, made, HWCAP2=bits, marked=True) == RBX
    assert loaded(file(made), 2, "h", share=False).startswith(NOT_SHARED)


@pytest.mark.parametrize(
    ("instruction", "wanted"),
    [
        (("65 8b 05", DATA), NOT_SHARED),
        (("64 8b 05", DATA), NOT_SHARED),
        (("f3 65 48 8b 05", DATA), NOT_SHARED),
        (("65 66 8b 05", DATA), NOT_SHARED),
        (("65 8b 05", CONSTANT), GS),
        (("2e 8b 05", DATA), GS),
        (("3e 8b 05", DATA), GS),
        (("48 8d 05", DATA), GS),
        (("4f 8d 05", DATA), GS),
        (("8d 05", DATA), NOT_SHARED),
        (("8d 05", CONSTANT), GS),
        (("40 8d 05", DATA), NOT_SHARED),
        (("44 8d 05", DATA), NOT_SHARED),
        (("66 8d 05", DATA), NOT_SHARED),
        (("66 48 8d 05", DATA), NOT_SHARED),
        (("2e 48 8d 05", DATA), NOT_SHARED),
        ("c5 f8 77", NOT_SHARED),  # AVX
        ("67 8b 00", NOT_SHARED),
        ("8b", NOT_SHARED),  # cut short at the section's end
    ],
)
def test_what_has_no_detour_gets_copies(instruction, wanted, loaded):
    assert form(loaded, code("90", instruction)) == wanted
    assert form(loaded, code(("8b 05", DATA), instruction)) == wanted


def test_data_among_code_gets_copies(loaded):
    """Each jump within a section and each function leads to where an instruction begins: 0, 5 and so on."""
    constant = "b8 01 02 03 04"  # five bytes
    for jump, wanted in [
        ("eb 00", GS), ("eb f9", GS), ("eb fa", NOT_SHARED), ("eb fd", NOT_SHARED), ("eb fe", GS),
        ("eb ff", NOT_SHARED), ("eb 05", GS), ("eb 04", NOT_SHARED), ("eb 06", GS), ("eb 07", GS),
        ("eb f8", GS), ("eb 80", GS), ("74 04", NOT_SHARED), ("7f 04", NOT_SHARED), ("70 05", GS),
        ("e9 f6 ff ff ff", GS), ("e9 f7 ff ff ff", NOT_SHARED), ("e9 05 00 00 00", GS),
        ("e9 01 00 00 00", NOT_SHARED), ("e8 01 00 00 00", NOT_SHARED), ("e8 00 00 00 01", GS),
        ("e8 06 00 00 00", GS), ("e9 00 00 00 80", GS),
        ("0f 84 01 00 00 00", NOT_SHARED), ("0f 8f 05 00 00 00", GS), ("0f 80 f5 ff ff ff", GS),
        ("0f 80 f6 ff ff ff", NOT_SHARED), ("b4 04", GS), ("0f 90 05 04 00 00 00", GS),
    ]:  # fmt: skip
        assert form(loaded, code(constant, jump, constant, "c3")) == wanted, jump
    for value, wanted in [(0, GS), (1, NOT_SHARED), (4, NOT_SHARED), (5, GS), (6, GS), (7, GS), (-1, GS)]:
        made = code(constant, "c3")
        function = Symbol("f", START + value)
        assert form(loaded, made, symbols=[function]) == wanted, value
        assert (
            form(loaded, made, symbols=[Symbol("first", START), function, Symbol("last", START + 5)])
            == wanted
        )
        assert form(loaded, made, symbols=[Symbol("v", START + value, kind=OBJECT)]) == GS
        assert form(loaded, made, symbols=[Symbol("f", START + value, section=0)]) == GS


def test_every_section_of_code_counts(loaded):
    """The linker's jumps to libraries are not rewritten; what isn't executed is none of them."""
    unknown = bytes.fromhex("06")
    made = code(("8b 05", DATA), "c3").ljust(0x100, b"\x90") + unknown
    text = Section(".text", 1, 6, START, 0x100)
    for name, flags, wanted in [
        (".init", 6, NOT_SHARED), (".plt", 6, GS), (".plt.sec", 6, GS), (".pl", 6, NOT_SHARED),
        (".PLT", 6, NOT_SHARED),
        (".rodata", 2, GS), (".init", 4, NOT_SHARED),
    ]:  # fmt: skip
        other = Section(name, 1, flags, START + 0x100, 1)
        it = file(made)
        for sections in ([text, other], [other, text]):
            it.sections = sections
            assert (loaded(it, 1, "h") + "11")[: len(wanted)] == wanted, (name, flags)
    it = file(made)
    for sections in ([], [Section(".text", 1, 6, 0x3000, 1)], [Section(".text", 1, 6, START, 0x102)]):
        it.sections = sections
        assert loaded(it, 1, "h").startswith(NOT_SHARED)
    it.sections = [text, Section(".init", 1, 6, START + 0x40, 0)]
    assert loaded(it, 1, "h") == GS, "an empty one is no hindrance"
    it.sections = [text, Section(".fini", 1, 6, START, 6)]
    assert loaded(it, 1, "h", "d") == f"{GS} 2", "each is rewritten"


def test_alignments_of_data(loaded):
    for flags, align, wanted in [
        (3, 64, GS),
        (3, 65, NOT_SHARED),
        (3, 128, NOT_SHARED),
        (2, 4096, GS),
        (3, 0, GS),
    ]:
        section = Section(".data", 1, flags, DATA, 16, align)
        assert form(loaded, code(("8b 05", DATA), "c3"), sections=[section]) == wanted


def test_only_operands_in_the_pages_of_data_are_rewritten(loaded):
    """The first and the last place are, and the one behind, as the address of an end may be."""
    for target, count in [
        (DATA - 1, 0),
        (DATA, 1),
        (DATA + 0x7FF, 1),
        (END - 1, 1),
        (END, 1),
        (END + 1, 0),
        (0, 0),
    ]:
        made = code(("8b 05", target), ("48 8d 05", target), ("c7 05", target, "01 02 03 04"), "c3")
        it = file(made, at=DATA + 0x10, memory=0x31)
        assert loaded(it, 1, "d", "m1", "d") == f"{3 * count} {3 * count}", target


def rewritten(loaded, made: bytes, *, marked: bool, detours: int = 0) -> tuple[bytes, bytes]:
    """The code, and the detours."""
    it = file(made, dynamic_symbols=[ONLY, *([MARK] if marked else [])])
    told = loaded(it, 2, "h", "m2", f"c{START}:{len(made)}", f"c{END}:{detours * SLOT}").split()
    assert told[0] == (RBX if marked else GS)
    return bytes.fromhex(told[1]), bytes.fromhex(told[2] if detours else "")


MEMORY = [  # before the operand, behind it
    *((f"8b {field << 3 | 5:02x}", "") for field in range(8)),
    ("48 8b 05", ""),
    ("44 89 3d", ""),
    ("4c 03 15", ""),
    ("c6 05", "7f"),
    ("66 c7 05", "01 02"),
    ("48 81 2d", "01 02 03 04"),
    ("80 3d", "05"),
    ("f3 0f 10 05", ""),
    ("66 0f 3a 0f 0d", "08"),
    ("f0 48 0f b1 0d", ""),
    ("ff 15", ""),
    ("0f b6 05", ""),
]


def test_operands_relative_to_rbx(loaded):
    """Mod 2 and r/m 3 (rbx + 32 bits) instead of mod 0 and r/m 5 in the ModR/M byte; the file's address."""
    rows = [
        *((*row, DATA + 8 * i) for i, row in enumerate(MEMORY)),
        ("48 8d 05", "", DATA),
        ("4c 8d 3d", "", END),
    ]
    rows.append(("8b 05", "", CONSTANT))
    made = code(*((head, target, tail) for head, tail, target in rows), "c3")
    expected, at = b"", 0
    for head, tail, target in rows:
        before, behind = bytes.fromhex(head), bytes.fromhex(tail)
        length = len(before) + 4 + len(behind)
        if target == CONSTANT:
            expected += made[at : at + length]
        else:
            expected += before[:-1] + bytes([before[-1] & 0x38 | 0x83]) + struct.pack("<I", target) + behind
        at += length
    assert rewritten(loaded, made, marked=True)[0] == expected + b"\xc3"


def jump(at: int, to: int) -> bytes:
    return b"\xe9" + struct.pack("<i", to - (at + 5))


def test_detours(loaded):
    """The same instruction with its operand at gs:address; the way there is filled up with breakpoints."""
    rows = [(*row, DATA + 8 * i) for i, row in enumerate(MEMORY)]
    made = code("90", *((head, target, tail) for head, tail, target in rows), ("8b 05", CONSTANT), "c3")
    expected, slots, at = b"\x90", b"", START + 1
    for i, (head, tail, target) in enumerate(rows):
        before, behind = bytes.fromhex(head), bytes.fromhex(tail)
        length, slot = len(before) + 4 + len(behind), END + i * SLOT
        expected += jump(at, slot) + b"\xcc" * (length - 5)
        longer = (
            b"\x65" + before[:-1] + bytes([before[-1] & 0x38 | 4, 0x25]) + struct.pack("<I", target) + behind
        )
        slots += (longer + jump(slot + len(longer), at + length)).ljust(SLOT, b"\0")
        at += length
    assert rewritten(loaded, made, marked=False, detours=len(rows)) == (expected + made[at - START :], slots)


def test_detours_of_addresses(loaded):
    """mov base, register; lea address(register), register: for each of the sixteen registers."""
    rows = [(0x48 | (register >> 3) << 2, register & 7) for register in range(16)]
    made = code(
        *((f"{rex:02x} 8d {low << 3 | 5:02x}", DATA + 16 * i) for i, (rex, low) in enumerate(rows)), "c3"
    )
    base = END + PAGE * (-(-16 * SLOT // PAGE))
    expected, slots = b"", b""
    for i, (rex, low) in enumerate(rows):
        at, slot = START + 7 * i, END + i * SLOT
        expected += jump(at, slot) + b"\xcc\xcc"
        load = bytes([rex, 0x8B, low << 3 | 5]) + struct.pack("<i", base - (slot + 7))
        both = 0x48 | (rex & 4) | (rex & 4) >> 2  # the register is the base, too
        address = bytes([both, 0x8D, 0x80 | low << 3 | low]) + (b"\x24" if low == 4 else b"")
        longer = load + address + struct.pack("<I", DATA + 16 * i)
        slots += (longer + jump(slot + len(longer), at + 7)).ljust(SLOT, b"\0")
    assert rewritten(loaded, made, marked=False, detours=16) == (expected + b"\xc3", slots)


def test_places_in_detours_are_those_of_the_instructions(loaded):
    """As a report of a crash has them: what is in the code or behind the detours is where it is."""
    made = code("90", ("8b 05", DATA), ("48 8d 05", DATA), "c3")
    slots = [(0, 1), (SLOT - 1, 1), (SLOT, 7), (2 * SLOT - 1, 7)]
    asked = [START, START + 5, END - 1, *(END + at for at, _ in slots), END + 2 * SLOT]
    told = loaded(file(made), 1, "m1", *(f"o{place}" for place in asked))
    expected = [START, START + 5, END - 1, *(START + place for _, place in slots), END + 2 * SLOT]
    assert told == " ".join(f"{place:x}" for place in expected)
    for marked, share in ((True, True), (False, False)):
        it = file(made, dynamic_symbols=[ONLY, *([MARK] if marked else [])])
        told = loaded(it, 1, "m1", f"o{START}", f"o{END}", share=share)
        assert told == f"{START:x} {END:x}"


def test_many_detours_and_instructions(loaded):
    """A page of detours holds 170; as many short instructions as a section has bytes."""
    for count, pages in ((0, 0), (170, 1), (171, 2)):
        made = code(*[("8b 05", DATA)] * count, *["90"] * 500)
        told = loaded(file(made), 1, "d", "s").split()
        assert told[0] == str(count)
        assert told[3] == f"{END + (pages + 1) * PAGE:x}"
