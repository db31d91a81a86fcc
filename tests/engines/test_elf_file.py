# SPDX-License-Identifier: Apache-2.0
"""What is read of a shared object, and which damage is named, at each bound of its tables."""

from __future__ import annotations

import json
import os
import platform
import struct
import subprocess
from dataclasses import replace

import pytest
from elf_files import (
    EXECUTED,
    HEADER,
    LOAD,
    NOTE,
    OBJECT,
    READABLE,
    SEGMENT,
    STRSZ,
    STRTAB,
    SYMBOL,
    TLS,
    WEAK,
    WRITABLE,
    Section,
    Segment,
    SharedObject,
    Symbol,
)
from engine_harness import build_harness

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the files are x86-64's")
# Its arguments: a file, and what to ask of it.
HARNESS = r"""
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "loader/elf_file.h"
int main(int count, char **words) {
  struct elf_file elf;
  elf_open(&elf, words[1]);
  for(int i = 2; i < count; i++) {
    char *rest = words[i] + 1;
    uint64_t one = strtoull(rest, &rest, 0), other = *rest == ':' ? strtoull(rest + 1, NULL, 0) : 0, value = 99;
    const uint8_t *found;
    const char *name;
    Elf64_Shdr section;
    Elf64_Dyn entry;
    Elf64_Sym symbol;
    switch(words[i][0]) {
    case 'l':
      for(int j = 0; j < elf.loads; j++)
        printf("%" PRIx64 "+%" PRIx64 "/%" PRIx64 " ", elf.load[j].p_vaddr, elf.load[j].p_memsz, elf.load[j].p_filesz);
      break;
    case 'a':
      found = elf_at(&elf, one, other);
      if(found) printf("%" PRIx64 " ", (uint64_t)(found - elf.bytes));
      else printf("- ");
      break;
    case 's':
      if(elf_section(&elf, one, &section, &name)) printf("%s=%" PRIx64 " ", name, section.sh_addr);
      else printf("- ");
      break;
    case 'd': printf(elf_dynamic(&elf, one, &value) ? "1:" : "0:"); printf("%" PRId64 " ", value); break;
    case 'e': entry = elf_dynamic_entry(&elf, one); printf("%" PRId64 "=%" PRIx64 " ", (int64_t)entry.d_tag, entry.d_un.d_val); break;
    case 'y': symbol = elf_symbol(&elf, &elf.dynamic_symbols, one, &name); printf("%s=%" PRIx64 " ", name, symbol.st_value); break;
    case 'f':
      if(elf_find(&elf, words[i] + 1, &symbol)) printf("%" PRIx64 " ", symbol.st_value);
      else printf("- ");
      break;
    case 'c': printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 " ", elf.dynamic_count, elf.dynamic_symbols.count, elf.all_symbols.count); break;
    }
  }
}
"""  # noqa: E501
LARGEST = 1 << 30  # bytes
FIRST = Segment(LOAD, READABLE, 0, 0x2000)
CODE = Segment(LOAD, READABLE | EXECUTED, 0x2000, 0x100)
DATA = Segment(LOAD, READABLE | WRITABLE, 0x3000, 0x80, 0x400)
FILE = SharedObject(
    [FIRST, CODE, DATA],
    sections=[Section(".text", 1, 6, 0x2000, 0x100), Section(".bss", 8, 3, 0x3080, 0x380, 32)],
    dynamic_symbols=[
        Symbol("first", 0x2010),
        Symbol("absent", 0, section=0),
        Symbol("constant", 7, section=0xFFF1),
        Symbol("reserved", 8, section=0xFF00),
        Symbol("last", 0x3080, 4, OBJECT, 0xFEFF),
    ],
    symbols=[Symbol("hidden", 0x2020), Symbol("last", 0x2030), Symbol("absent", 0x2040, bind=WEAK)],
)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    parts = ("loader/elf_file.c", "base/report.c", "base/text.c")
    return build_harness(tmp_path_factory.mktemp("elf"), HARNESS, parts)


@pytest.fixture
def asked(program, tmp_path):
    """asked(file, question, ...) -> the answers, or what is wrong."""

    def asked(file: SharedObject | bytes, *questions: str) -> str:
        path = tmp_path / "it.so"
        path.write_bytes(file if isinstance(file, bytes) else file.packed())
        done = subprocess.run([program, path, *questions], capture_output=True, text=True, check=False)
        assert not done.stderr, done.stderr[:2000]
        if done.returncode == 0:
            return done.stdout.strip()
        assert done.returncode == 3
        message = json.loads(done.stdout[done.stdout.index("{") :])["message"]
        return message.removeprefix(f"{path}").partition(";")[0].removeprefix(": ")

    return asked


def with_header(file: SharedObject, at: int, form: str, *values: int) -> SharedObject:
    return replace(file, header={**file.header, at: struct.pack("<" + form, *values)})


def test_a_file_is_read(asked):
    questions = ["l", "c", "s0", "s1", "s2", "s3", "s7", "s8", "y0", "y1", "y5"]
    assert asked(FILE, *questions) == (
        "0+2000/2000 2000+100/100 3000+400/80 2,6,4 =0 .text=2000 .bss=3080 .dynsym=800 .shstrtab=0 - =0"
        " first=2010 last=3080"
    )
    assert asked(
        FILE, "ffirst", "fhidden", "flast", "fabsent", "fconstant", "freserved", "ffirs", "ffirst2", "f"
    ) == ("2010 2020 3080 2040 - - - - -")
    only_dynamic = replace(FILE, symbols=None)
    assert asked(only_dynamic, "c", "ffirst", "fhidden") == "2,6,0 2010 -"
    assert asked(FILE, "y6") == "a relocation names a symbol that isn't there"


def test_dynamic_entries(asked):
    """The first with a tag counts, and none behind the end."""
    file = replace(FILE, entries=[(30, 5), (30, 6), (25, 0), (0, 8), (27, 9)])
    assert asked(file, "c", "d30", "d25", "d26", "d27") == "7,6,4 1:5 1:0 0:99 0:99"
    assert asked(file, "e2", "e5", "e6", "e7", "e100") == "30=5 0=8 27=9 0=0 0=0"
    assert asked(replace(FILE, entries=[(30, 5)]), "d30", "d31", "d0") == "1:5 0:99 0:99"
    assert asked(replace(FILE, entries=[(STRTAB, 7), (30, 5)]), f"d{STRTAB}", "d30") == "1:7 1:5"
    two = with_header(file, HEADER + 3 * SEGMENT + 32, "QQ", 32, 32)
    assert asked(two, "c", "e1", "e2", "d30") == f"2,6,4 {STRSZ}=25 0=0 0:99"


def test_what_lies_where(asked):
    """The bytes of each place, to the last that is in the file; with one segment, they are not another's."""
    file = replace(FILE, segments=[FIRST, CODE, replace(DATA, address=0x4000, offset=0x3000)])
    table = [
        (0, 0, "0"), (0, 0x2000, "0"), (0, 0x2001, "-"), (0x1FFF, 1, "1fff"), (0x1FFF, 2, "-"),
        (0x2000, 0, "2000"), (0x2000, 0x100, "2000"), (0x2000, 0x101, "-"), (0x2100, 0, "2100"),
        (0x2100, 1, "-"), (0x2101, 0, "-"), (0x3FFF, 0, "-"), (0x4000, 0x80, "3000"), (0x4010, 0x70, "3010"),
        (0x4010, 0x71, "-"), (0x4080, 0, "3080"), (0x4081, 0, "-"), (0x4000, 2**64 - 1, "-"),
        (2**64 - 1, 1, "-"), (2**64 - 1, 2**64 - 1, "-"),
    ]  # fmt: skip
    said = asked(file, *(f"a{address}:{size}" for address, size, _ in table))
    assert said.split() == [place for *_, place in table]
    assert asked(replace(FILE, segments=[CODE, DATA]), "a0:0", "a0:1", "a0x2000:1") == "- - 2000"


def test_segments(asked):
    first, large = FIRST, "a segment is too large or out of place"
    empty = replace(DATA, size=0, memory=0, address=0x3000)
    note = Segment(NOTE, READABLE, 2**63, 2**62, 1)
    for segments, said in [
        ([first, note, empty, DATA], "0+2000/2000 3000+400/80"),
        ([first] + [DATA] * 15, "0+2000/2000" + " 3000+400/80" * 15),
        ([first] + [DATA] * 16, "too many segments"),
        ([first, replace(DATA, memory=0x80)], "0+2000/2000 3000+80/80"),
        ([first, replace(DATA, memory=0x7F)], large),
        ([first, replace(DATA, memory=LARGEST - 0x3000)], "0+2000/2000 3000+3fffd000/80"),
        ([first, replace(DATA, memory=LARGEST - 0x2FFF)], large),
        ([first, replace(DATA, address=LARGEST, size=0, memory=0, offset=0)], "0+2000/2000"),
        ([first, replace(DATA, address=0, offset=0, memory=LARGEST)], "0+2000/2000 0+40000000/80"),
        ([first, replace(DATA, address=0, offset=0, memory=LARGEST + 1)], large),
        ([first, replace(DATA, memory=2**64 - 1)], large),
        ([first, replace(DATA, address=2**64 - 0x100, offset=0)], large),
        ([empty], "not a shared object that can be loaded"),
    ]:
        assert asked(replace(FILE, segments=segments), "l") == said
    assert asked(replace(FILE, segments=[first, DATA, Segment(TLS, READABLE, 0x3000, 8)])).startswith(
        " has thread-local variables"
    )
    behind = "cut short: a table reaches behind the end of the file"
    content = FILE.packed()
    end = len(content)
    data = HEADER + 2 * SEGMENT  # its header
    for offset, size, said in [
        (end - 16, 16, "0+2000/2000 2000+100/100 3000+400/10"),
        (end, 0, "0+2000/2000 2000+100/100 3000+400/0"),
        (end - 16, 17, behind),
        (end + 1, 0, behind),
        (2**64 - 1, 2, behind),
    ]:
        assert (
            asked(with_header(with_header(FILE, data + 8, "Q", offset), data + 32, "Q", size), "l") == said
        ), offset
    assert asked(with_header(FILE, HEADER + 4 * SEGMENT, "I", TLS), "c") == "2,6,4", "it is none of them"
    dynamic = HEADER + 3 * SEGMENT
    assert asked(with_header(FILE, dynamic, "I", NOTE)) == "not a shared object that can be loaded"
    assert asked(with_header(FILE, dynamic + 40, "Q", 0)) == large
    assert asked(with_header(FILE, dynamic + 32, "QQ", 15, 15), "c") == "0,6,4"


def test_headers(asked):
    other, machine = "not a 64-bit shared object", "built for another kind of machine"
    assert asked(b"") == asked(b"\x7fELF") == asked(FILE.packed()[:63]) == "not a firmware file"
    assert asked(FILE.packed()[:64]) == "cut short: a table reaches behind the end of the file"
    for at, form, value, said in [
        (0, "B", 0x7E, other), (3, "B", 0, other), (4, "B", 1, other), (5, "B", 2, other),
        (16, "H", 2, other),
        (16, "H", 4, other), (18, "H", 40, machine), (54, "H", 55, "segment headers of an unknown size"),
        (58, "H", 63, "section headers of an unknown size"),
        (56, "H", 0, "not a shared object that can be loaded"),
        (60, "H", 0, "it has no table of dynamic symbols"),
        (32, "Q", 2**64 - 8, "cut short: a table reaches behind the end of the file"),
    ]:  # fmt: skip
        assert asked(with_header(FILE, at, form, value)) == said, (at, value)
    one = with_header(FILE, 58, "HH", 63, 1)
    assert asked(one) == "section headers of an unknown size"
    without = with_header(FILE, 58, "HH", 0, 0)  # no sections, of no size
    assert asked(without) == "it has no table of dynamic symbols"


def test_symbol_tables(asked):
    symbols, strings = "a symbol table is damaged", "a string table is damaged"
    count = 8  # sections
    content = FILE.packed()
    sections = struct.unpack_from("<Q", content, 40)[0]

    def with_section(index: int, at: int, form: str, *values: int) -> SharedObject:
        return with_header(FILE, sections + 64 * index + at, form, *values)

    assert asked(with_section(3, 56, "Q", SYMBOL + 1)) == symbols
    assert asked(with_section(3, 40, "I", count)) == symbols
    assert asked(with_section(3, 40, "I", count - 1), "c") == "2,6,4", "there are other names"
    assert asked(with_section(5, 56, "Q", 0)) == symbols
    assert asked(with_section(3, 32, "Q", 0)) == "it has no table of dynamic symbols"
    assert asked(with_section(3, 32, "Q", 5 * SYMBOL + 23), "c") == "2,5,4"
    assert (
        asked(with_section(3, 24, "Q", len(content) + 1))
        == "cut short: a table reaches behind the end of the file"
    )
    assert asked(with_section(4, 32, "Q", 0)) == strings
    assert asked(with_section(4, 32, "Q", 3)) == strings
    assert asked(with_section(4, 32, "Q", 1), "y0", "y1") == "a symbol's name is damaged"
    assert asked(with_section(4, 32, "Q", 7), "y0", "y1") == "=0 first=2010", "and not one byte more"
    assert (
        asked(with_section(4, 24, "Q", len(content) - 1))
        == "cut short: a table reaches behind the end of the file"
    )
    named = replace(FILE, dynamic_symbols=[replace(FILE.dynamic_symbols[0], name_at=7)])
    assert asked(named, "y1") == "a symbol's name is damaged"
    assert (
        asked(replace(named, dynamic_symbols=[replace(named.dynamic_symbols[0], name_at=6)]), "y1") == "=2010"
    )


def test_names_of_sections(asked):
    damaged = "the name of a section is damaged"
    content = FILE.packed()
    sections = struct.unpack_from("<Q", content, 40)[0]
    names = sections + 64 * 7
    size = struct.unpack_from("<Q", content, names + 32)[0]
    assert asked(with_header(FILE, 62, "H", 8), "s1") == "its sections have no names"
    assert asked(with_header(FILE, 62, "H", 8), "s8") == "-"
    assert asked(with_header(FILE, names + 32, "Q", size - 1), "s1") == damaged
    assert asked(with_header(FILE, sections + 64, "I", size), "s1") == damaged
    assert asked(with_header(FILE, sections + 64, "I", size - 1), "s1") == "=2000"
    first = with_header(with_header(FILE, sections + 64, "I", 0), names + 32, "Q", 1)
    assert asked(first, "s1") == "=2000", "a table of one name"
    assert asked(with_header(FILE, names + 32, "Q", 2**60), "s1") == (
        "cut short: a table reaches behind the end of the file"
    )


def test_the_first_file_of_a_process(program, tmp_path):
    """It has the number of the standard input."""
    (tmp_path / "it.so").write_bytes(FILE.packed())
    done = subprocess.run(
        [program, tmp_path / "it.so", "c"], capture_output=True, check=True, preexec_fn=lambda: os.close(0)
    )
    assert done.stdout == b"2,6,4 "


def test_what_is_no_file(program, tmp_path):
    missing = tmp_path / "missing.so"
    for path, said in [
        (missing, f"can't open the firmware {missing}: No such file or directory"),
        (tmp_path, f"{tmp_path}: not a firmware file; build the firmware again with this machine's compiler"),
    ]:
        done = subprocess.run([program, path], capture_output=True, check=False)
        assert (done.returncode, json.loads(done.stdout)["message"]) == (3, said)
