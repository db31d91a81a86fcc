# SPDX-License-Identifier: Apache-2.0
"""Where a mote's fault is: its place in the firmware, and whose memory an address lies in, in layouts drawn
at random.
"""

from __future__ import annotations

import json
import mmap
import random
from dataclasses import dataclass, field

import pytest
from engine_harness import build_harness, told

# It is told a layout and questions about it. No address is followed but the stack's.
MAIN = r"""
#include "observation/fault_location.h"
#include "motes/simulation.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
bool elf_find(const struct elf_file *elf, const char *name, Elf64_Sym *symbol) { (void)elf; (void)name; (void)symbol; return false; }
static uint64_t next(void) { uint64_t number = 0; if(scanf("%" SCNu64, &number) != 1) _exit(9); return number; }
static uint8_t *next_address(void) { return (uint8_t *)(uintptr_t)next(); }
int main(void) {
  static struct mote_type type;
  static struct mote motes[9];
  static uint64_t stack[3000];
  static struct simulation simulation = {.motes = motes};
  struct firmware *firmware = &type.firmware;
  char order, bytes[1000];
  type.path = "/a/firmware.cooja";
  while(scanf(" %c", &order) == 1) {
    struct text text = {bytes, 0, sizeof(bytes)};
    ucontext_t context;
    struct mote *mote;
    memset(&context, 0, sizeof(context));
    switch(order) {
    case 'L':
      memset(firmware, 0, sizeof(*firmware));
      simulation.mote_count = 0;
      firmware->shares_code = next();
      firmware->region = next_address();
      firmware->region_size = next();
      firmware->size = next();
      firmware->stride = next();
      firmware->data_start = next();
      firmware->data_end = next();
      continue;
    case 'S':
      firmware->elf.load[firmware->elf.loads].p_flags = (Elf64_Word)next();
      firmware->elf.load[firmware->elf.loads].p_vaddr = next();
      firmware->elf.load[firmware->elf.loads++].p_memsz = next();
      continue;
    case 'M':
      mote = &motes[simulation.mote_count++];
      mote->type = &type;
      mote->id = (int)next();
      mote->image = next_address();
      continue;
    }
    mote = &motes[next()];
    if(order == 'A') fault_location_of_address(&text, &simulation, mote, next_address());
    if(order == 'C') fault_location_of_call(&text, mote, next_address());
    if(order == 'N') fault_location_of_code(&text, mote, NULL);
    if(order == 'I') {
      uint64_t at, count;
      context.uc_mcontext.gregs[REG_RIP] = (long long)next();
      memset(stack, 0xff, sizeof(stack));
      at = next();
      context.uc_mcontext.gregs[REG_RSP] = (long long)(uintptr_t)&stack[at];
      for(count = next(); count > 0; count--) stack[next()] = next();
      fault_location_of_code(&text, mote, &context);
    }
    printf("{%.*s}\n", text.used ? (int)text.used - 1 : 0, bytes + 1);
  }
  printf("{\"free\":%d}\n", open("/dev/null", O_RDONLY));
  return 0;
}
"""  # noqa: E501
LONGEST = 1024  # words of a stack that are looked at
PF_X, PF_W, PF_R = 1, 2, 4


@dataclass
class Layout:
    shares: bool
    region: int
    region_size: int
    size: int
    stride: int
    data: tuple[int, int]
    segments: list[tuple[int, int, int]]
    motes: list[tuple[int, int]]  # id, image (0: none yet)
    asked: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        head = (int(self.shares), self.region, self.region_size, self.size, self.stride, *self.data)
        return [
            "L " + " ".join(map(str, head)),
            *(f"S {flags} {start} {size}" for flags, start, size in self.segments),
            *(f"M {number} {image}" for number, image in self.motes),
            *self.asked,
        ]

    def place(self, mote: int, address: int) -> int | None:
        """The offset in the file, of an address in the firmware's code."""
        offset = (address - (self.region if self.shares else self.motes[mote][1])) % 2**64
        inside = any(flags & PF_X and start <= offset < start + size for flags, start, size in self.segments)
        return offset if inside else None

    def owns(self, mote: int, address: int) -> bool:
        image = self.motes[mote][1]
        return image != 0 and image + self.data[0] <= address < image + self.data[1]

    def of_address(self, mote: int, address: int) -> dict:
        number, image = self.motes[mote]
        behind_guard = self.region + self.region_size + mmap.PAGESIZE
        if image == 0 or not self.region <= address < behind_guard or self.owns(mote, address):
            return {}
        code = self.region if self.shares else image
        if code <= address < code + self.size:
            return {"constant": True}
        for other, (number, _) in enumerate(self.motes):
            if self.owns(other, address):
                return {"owner": number}
        start, end = (image + edge for edge in self.data)
        if address >= end:
            return {"behind": address - end}
        return {"below": start - address} if start - address <= self.stride else {}

    def of_call(self, mote: int, address: int) -> dict:
        place = self.place(mote, address)
        return {} if place is None else {"firmware": "/a/firmware.cooja", "code": place - 1}

    def of_code(self, mote: int, instruction: int, first: int, words: dict[int, int]) -> dict:
        if self.motes[mote][1] == 0:
            return {}
        place = self.place(mote, instruction)
        if place is not None:
            return {"firmware": "/a/firmware.cooja", "code": place}
        for at in range(first, first + LONGEST):
            found = self.of_call(mote, words.get(at, 2**64 - 1))
            if found:
                return found | {"called": True}
        return {}


def layout(draw: random.Random) -> Layout:
    """Small numbers, so that all edges meet."""
    shares = draw.random() < 0.5
    pages = [0x100 * n for n in range(1, 9)]
    start, end = sorted(draw.sample(pages, 2))
    size, region = end + draw.choice([0, 0x100]), draw.choice([0x100, 0x1000, 0x5000])
    stride = draw.choice([end - start, size, size + 0x100])
    motes, image = [], region + (size - start if shares else 0)
    for number in draw.sample(range(1, 99), draw.randrange(1, 6)):
        motes.append((number, 0 if draw.random() < 0.15 else image))
        image += stride
    segments = [
        (draw.choice([PF_R, PF_R | PF_W, PF_R | PF_X, PF_R | PF_X]), at, draw.choice([0, 1, 0x7F, 0x80]))
        for at in draw.sample([0x40 * n for n in range(20)], draw.choice([1, 3, 5, 16]))
    ]
    return Layout(shares, region, image + start - region, size, stride, (start, end), segments, motes)


def edges(of: Layout, mote: int, draw: random.Random) -> list[int]:
    """Addresses at which the answer may change."""
    image = of.motes[mote][1]
    code = of.region if of.shares else image
    found = [
        of.region,
        of.region + of.region_size + mmap.PAGESIZE,
        code,
        code + of.size,
        image + of.data[0] - of.stride,
    ]
    found += [other + edge for _, other in of.motes for edge in of.data]
    found += [code + start + extent for _, start, size in of.segments for extent in (0, size)]
    return [
        max(0, draw.choice(found) + draw.choice([-1, 0, 0, 1, draw.randrange(-300, 300)])) for _ in range(12)
    ]


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    parts = ("observation/fault_location.c", "loader/firmware.c", "base/text.c")
    program = build_harness(tmp_path_factory.mktemp("fault"), MAIN, parts)
    return lambda lines: [json.loads(line) for line in told(program, "\n".join(lines))]


def test_every_place_and_every_owner(asked):
    draw, lines, expected, kinds = random.Random(5), [], [], set()
    for _ in range(150):
        here = layout(draw)
        lines += here.lines()
        for _ in range(4):
            mote = draw.randrange(len(here.motes))
            addresses = edges(here, mote, draw)
            for address in addresses:
                lines += [f"A {mote} {address}", f"C {mote} {address}"]
                expected += [here.of_address(mote, address), here.of_call(mote, address)]
            first = draw.choice([0, 7, 1900])
            places = [first - 1, first, first + 1, first + LONGEST - 1, first + LONGEST, first + 5]
            words = {at: draw.choice(addresses) for at in draw.sample(places, draw.randrange(4)) if at >= 0}
            told_words = " ".join(f"{at} {word}" for at, word in words.items())
            lines += [f"I {mote} {addresses[0]} {first} {len(words)} {told_words}", f"N {mote}"]
            expected += [here.of_code(mote, addresses[0], first, words), {}]
        kinds |= {name for one in expected for name in one}
    *answers, last = asked(lines)
    assert answers == expected
    assert kinds == {"firmware", "code", "called", "constant", "owner", "behind", "below"}
    assert last == {"free": 3}, "no file is left open"
