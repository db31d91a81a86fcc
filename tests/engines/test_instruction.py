# SPDX-License-Identifier: Apache-2.0
"""The lengths of instructions, opcode by opcode: which ones the engine knows, and that of these it says what
objdump says, also where they are cut short.
"""

from __future__ import annotations

import itertools
import platform
import re
import shutil
import subprocess

import pytest
from engine_harness import build_harness

pytestmark = [
    pytest.mark.skipif(platform.machine() != "x86_64", reason="it is about x86-64's instructions"),
    pytest.mark.skipif(shutil.which("objdump") is None, reason="no objdump to compare with"),
]
RECORD = 16  # bytes
FILLING = 0x50  # the first of sixteen instructions of one byte each
# For each record what is said of its instruction, or - if it isn't known. Each shorter beginning is tried in
# memory of its own size, so that the sanitizer sees a look at what is behind.
HARNESS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "loader/instruction.h"
int main(void) {
  uint8_t record[16];
  while(fread(record, 1, sizeof(record), stdin) == sizeof(record)) {
    struct instruction whole, part;
    if(!instruction_read(&whole, record, sizeof(record))) { puts("-"); continue; }
    printf("%u %u %u %u %d %d", whole.length, whole.opcode, whole.displacement, whole.branch, whole.uses_rbx, whole.extends_base);
    for(size_t size = 0; size <= whole.length; size++) {
      uint8_t *bytes = malloc(size);
      memcpy(bytes, record, size);
      bool read = instruction_read(&part, bytes, size);
      if(read != (size == whole.length) || (read && memcmp(&part, &whole, sizeof(whole)))) printf(" of %zu bytes: %d", size, read);
      free(bytes);
    }
    puts("");
  }
}
"""  # noqa: E501


def spread(ranges: str) -> set[int]:
    """Of "50-5f c3" all of these."""
    found: set[int] = set()
    for one in ranges.split():
        first, _, last = one.partition("-")
        found |= set(range(int(first, 16), int(last or first, 16) + 1))
    return found


# What is known; all others get a copy of the code for each mote.
ARITHMETIC = {row + column for row in range(0, 0x40, 8) for column in range(6)}
ONE_BYTE = ARITHMETIC | spread(
    "50-5f 63 68-6b 70-81 83-8b 8d 8f-99 a4-a9 aa-af b0-c3 c6 c7 c9 cc d0-d3 d8-df e8 e9 eb f4 f6 f7 fe ff"
)
TWO_BYTE = spread("0b 0d 10-1f 28-2f 31 40-77 7c-7f 80-9f a2-a5 ab-b1 b3 b6-b8 ba-cf d0-fe")  # behind 0f
PREFIXES = [b"\x66", b"\x48", b"\x66\x48", b"\xf3", b"\xf2", b"\xf0", b"\x64", b"\x65", b"\x2e", b"\x3e"]
PREFIXES += [b"\x41", b"\x44", b"\x40", b"\x4f", b"\x66\x66\x2e"]
NO_PREFIXES = [b"\x67", b"\x26", b"\x36", b"\x48\x66", b"\x62", b"\xc4", b"\xc5", b"\x9b"]
# ModR/M, and SIB if there is one: every operand with one register; relative to the instruction with each.
OPERANDS = [bytes([mod << 6 | rm]) for mod in range(4) for rm in range(8) if rm != 4 or mod == 3]
OPERANDS += [bytes([mod << 6 | 4, sib]) for mod in range(3) for sib in (0x24, 0x25, 0xCD)]
OPERANDS += [bytes([field << 3 | 5]) for field in range(1, 8)] + [b"\xc8", b"\xd0"]
OPERANDS += [b"\x3c\x25", b"\x7c\x24", b"\xbc\x25", b"\x7d", b"\xbd"]
FEW_OPERANDS = [b"\x05", b"\x0d", b"\xd0", b"\x04\x25"]


def record(*parts: bytes) -> bytes:
    """What follows are instructions of a byte each, all different: a displacement shows where it stands."""
    begin = b"".join(parts)
    return begin + bytes(range(FILLING + len(begin), FILLING + RECORD))


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    program = build_harness(tmp_path_factory.mktemp("reader"), HARNESS, ("loader/instruction.c",))

    def read(records: list[bytes]) -> list[str]:
        done = subprocess.run([program], input=b"".join(records), capture_output=True, check=True)
        return done.stdout.decode().split("\n")[:-1]

    return read


def disassembled(records: list[bytes], folder) -> list[tuple[int, str]]:
    """(length, text) of each one's first instruction."""
    (folder / "code").write_bytes(b"".join(records))
    listing = subprocess.run(
        ["objdump", "-D", "-w", "-b", "binary", "-m", "i386:x86-64", "-M", "intel64", folder / "code"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    found = re.findall(r"^ *([0-9a-f]*0):\t([0-9a-f ]+)\t(.*)$", listing, re.MULTILINE)
    assert [int(address, 16) for address, *_ in found] == list(range(0, RECORD * len(records), RECORD))
    return [(len(encoding.split()), text) for _, encoding, text in found]


def test_every_known_instruction_is_as_objdump_reads_it(reader, tmp_path):
    opcodes = [bytes([one]) for one in sorted(ONE_BYTE)] + [bytes([0x0F, one]) for one in sorted(TWO_BYTE)]
    opcodes += [b"\x0f\x38\x00", b"\x0f\x38\xf1", b"\x0f\x3a\x0f", b"\x0f\x3a\x63"]
    prefixed = [(b"", opcode, operand) for opcode in opcodes for operand in OPERANDS]
    prefixed += itertools.product(PREFIXES, opcodes, FEW_OPERANDS)
    records = [record(*parts) for parts in prefixed]
    compared: set[bytes] = set()
    for (prefix, opcode, operand), (length, text), said in zip(
        prefixed, disassembled(records, tmp_path), reader(records), strict=True
    ):
        if "(bad)" in text or length <= len(prefix):
            continue
        compared.add(opcode)
        rex = prefix[-1] if prefix[-1:] and prefix[-1] & 0xF0 == 0x40 else 0
        relative = re.search(
            r"0x[0-9a-f]+([0-9a-f]{2})\(%rip\)", text
        )  # the first of its bytes is the last here
        displaced = int(relative[1], 16) - FILLING if relative else 0
        jump = re.match(r"(?:\S+ )*(?:j|call)\S*\s+0x[0-9a-f]+", text)
        distance = 0 if jump is None else 1 if opcode[0] == 0xEB or opcode[0] & 0xF0 == 0x70 else 4
        uses_rbx = (
            opcode[0] not in (0xFF, 0x8F) and re.search(r"(?:push|pop)w?\s+%r?bx$|cpuid", text) is not None
        )
        expected = f"{length} {len(prefix)} {displaced} {distance} {int(uses_rbx)} {rex & 1}"
        assert said == expected, (prefix.hex(), opcode.hex(), operand.hex(), text)
    assert compared == set(opcodes)


def test_no_other_instruction_is_known(reader):
    """The lists above are also the engine's: what a compiler comes to make is added to both."""
    prefixes = spread("2e 3e 40-4f 64-66 f0 f2 f3")
    others = [bytes([one]) for one in range(256) if one not in ONE_BYTE | prefixes | {0x0F}]
    others += [bytes([0x0F, one]) for one in range(256) if one not in TWO_BYTE | {0x38, 0x3A}]
    records = [record(*parts) for parts in itertools.product([b"", b"\x66", b"\x48"], others, FEW_OPERANDS)]
    records += [record(prefix, b"\x8b", operand) for prefix in NO_PREFIXES for operand in FEW_OPERANDS]
    records += [record(b"\x48", bytes([another])) for another in range(0x40, 0x50)]
    assert reader(records) == ["-"] * len(records)
