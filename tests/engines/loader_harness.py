# SPDX-License-Identifier: Apache-2.0
"""The kernel's loader by itself: a program that loads a file for some motes and says what it made of it."""

from __future__ import annotations

import json
import os
import struct
import subprocess
from pathlib import Path

from elf_files import (
    EXECUTED,
    LOAD,
    READABLE,
    RELA,
    RELASZ,
    WRITABLE,
    Section,
    Segment,
    SharedObject,
    Symbol,
)
from engine_harness import SANITIZED, build_harness

from orchestrator.build.kernel import KERNEL

# Its arguments: a file, for how many motes, within how many mappings, whether they share code, whether they
# are guarded, and what to say or do, in order. Addresses are those in the region.
SOURCE = r"""
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include "libc/context.h"
#include "loader/load.h"
#include "loader/placement.h"
#include "loader/relocations.h"
static struct firmware firmware;
static uint8_t *images[5000];
static const char *hwcap2;
extern unsigned long __getauxval(unsigned long type);
unsigned long getauxval(unsigned long type) {
  return type == AT_HWCAP2 && hwcap2 != NULL ? strtoul(hwcap2, NULL, 10) : __getauxval(type);
}
/* The system's calls fail if the environment says so: f mapping a file, r the region, c code; g guards without a mapping;
   protecting: n nothing may be done, w written, x the code executed, d the detours. */
static bool fails(char call) {
  const char *calls = getenv("FAILS");
  errno = ENOMEM;
  return calls != NULL && strchr(calls, call) != NULL;
}
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
  return fails((flags & MAP_FIXED) ? 'c' : (flags & MAP_ANONYMOUS) ? 'r' : 'f') ? MAP_FAILED : __real_mmap(at, size, protection, flags, file, offset);
}
int __real_madvise(void *at, size_t size, int advice);
int __wrap_madvise(void *at, size_t size, int advice) {
  return advice == 102 && fails('g') ? -1 : __real_madvise(at, size, advice);
}
int __real_mprotect(void *at, size_t size, int protection);
int __wrap_mprotect(void *at, size_t size, int protection) {
  char call = protection == PROT_NONE ? 'n' : (protection & PROT_WRITE) ? 'w' : at == firmware.region ? 'x' : 'd';
  return fails(call) ? -1 : __real_mprotect(at, size, protection);
}
static const char *name_of(uint64_t address) {
  static const char *const OURS[] = {"malloc", "exit", "rand", "getcontext"}, *const LIBC[] = {"strlen", "stdout", "cos"};
  if(address == 0) return "0";
  for(int i = 0; i < 4; i++) if((uint64_t)(uintptr_t)replacement(OURS[i]) == address) return OURS[i];
  for(int i = 0; i < 3; i++) {
    uint64_t found = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, LIBC[i]);
    if(found != 0 && address >= found && address - found < 8) return address == found ? "libc" : "libc+";
  }
  return "?";
}
/* What may be done with each page of the region, and of the one behind it: x executed, w written, r read, . nothing. */
static void pages(void) {
  static char lines[1 << 20];
  FILE *maps = fopen("/proc/self/maps", "r");
  size_t all = fread(lines, 1, sizeof(lines) - 1, maps), run = 0, count = firmware.region_size / page_size() + 1;
  char before = 0;
  lines[all] = 0;
  fclose(maps);
  for(size_t i = 0; i <= count; i++) {
    uint8_t *page = firmware.region + i * page_size();
    char kind = '.', byte;
    struct iovec into = {&byte, 1}, from = {page, 1};
    for(char *line = lines; i < count && line != NULL && *line; line = strchr(line, '\n'), line += line != NULL) {
      uint64_t first, last;
      char may[5];
      if(sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &first, &last, may) == 3 && (uintptr_t)page >= first && (uintptr_t)page < last)
        kind = may[2] == 'x' ? 'x' : may[1] == 'w' ? 'w' : may[0];
    }
    if(kind == '-' || (kind != '.' && i < count && process_vm_readv(getpid(), &into, 1, &from, 1, 0) != 1)) kind = '.';
    if(i == count) kind = 0;
    if(run > 0 && kind != before) { printf("%zu%c ", run, before); run = 0; }
    before = kind;
    run++;
  }
}
static void bytes(const uint8_t *at, uint64_t count) {
  for(uint64_t i = 0; i < count; i++) printf("%02x", at[i]);
  printf(" ");
}
int main(int count, char **words) {
  uint64_t offset, size;
  hwcap2 = getenv("HWCAP2");
  firmware_open(&firmware, words[1], atoi(words[2]), strtoull(words[3], NULL, 10), words[4][0] == '1', words[5][0] == '1');
  for(int i = 6; i < count; i++) {
    char *rest = words[i] + 1, *name = rest;
    uint64_t one = strtoull(rest, &rest, 0), other = *rest == ':' ? strtoull(rest + 1, NULL, 0) : 0;
    switch(words[i][0]) {
    case 'h': printf("%d%d%d ", firmware.shares_code, firmware.packed, firmware.base_in); break;
    case 'd': printf("%zu ", firmware.detour_count); break;
    case 'g': printf("%u ", firmware.guarded); break;
    case 's': printf("%" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " ", firmware.size, firmware.stride, firmware.code_size, firmware.region_size); break;
    case 'w': printf("%" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %d ", firmware.data_start, firmware.data_end, firmware.data_first, firmware.data_last, firmware.data_protection); break;
    case 'k': for(int j = 0; j < 2; j++) printf("%" PRIx64 "-%" PRIx64 " ", firmware.known[j].start, firmware.known[j].end); break;
    case 'r':
      for(size_t j = 0; j < firmware.relatives; j++) printf("%" PRIx64 "=%" PRIx64 " ", firmware.relative[j].offset, firmware.relative[j].value);
      for(size_t j = 0; j < firmware.absolutes; j++) printf("%" PRIx64 ":%s ", firmware.absolute[j].offset, name_of(firmware.absolute[j].value));
      break;
    case 'm': for(uint64_t j = 0; j < one; j++) { uint8_t *image = firmware_map(&firmware); images[firmware.mapped - 1] = image; }; break;
    case 'i': printf("%" PRIx64 " ", (uint64_t)(images[one] - firmware.region)); break;
    case 'a': printf("%d ", (int)((uintptr_t)(firmware.region + firmware.code_size) % (2 << 20))); break;
    case 'p': pages(); break;
    case 'b': bytes(images[one] + other, 8); break;
    case 'N': memcpy(&offset, images[one] + other, 8); printf("%s ", name_of(offset)); break;
    case 'q': /* a pointer of a mote, relative to the region and to the mote's image */
      memcpy(&offset, images[one] + other, 8);
      printf("%" PRIx64 ",%" PRIx64 " ", offset - (uint64_t)(uintptr_t)firmware.region, offset - (uint64_t)(uintptr_t)images[one]);
      break;
    case 'c': bytes(firmware_code(&firmware, images[0]) + one, other); break;
    case 'o': printf("%" PRIx64 " ", firmware_place(&firmware, images[0], (uint64_t)(uintptr_t)firmware_code(&firmware, images[0]) + one)); break;
    case 'f': if(firmware_function(&firmware, name, &offset)) printf("%" PRIx64 " ", offset); else printf("- "); break;
    case 'y': if(firmware_variable(&firmware, name, &offset, &size)) printf("%" PRIx64 "+%" PRIx64 " ", offset, size); else printf("- "); break;
    case 'n': printf("%d ", relocations_name(&firmware.elf, name)); break;
    case 'C': firmware_run_constructors(&firmware, images[one]); break;
    case 'W': images[one][firmware.data_first + other] ^= 1; break;
    case 'G': printf("%d ", placement_gaps_are_clean(&firmware)); break;
    }
  }
}
"""  # noqa: E501


FIRST = Segment(LOAD, READABLE, 0, 0x2000)
MANY = 60_000  # mappings
RETURN = b"\xc3"


def file(
    code: bytes = RETURN, data: bytes = bytes(16), memory: int = 0x1000, at: int = 0x4000, **more
) -> SharedObject:
    """Read-only tables, code at 0x2000 and data at `at`."""
    segments = [
        FIRST,
        Segment(LOAD, READABLE | EXECUTED, 0x2000, len(code)),
        Segment(LOAD, READABLE | WRITABLE, at, len(data), memory),
    ]
    sections = [Section(".text", 1, 6, 0x2000, len(code)), *more.pop("sections", [])]
    return SharedObject(
        more.pop("segments", segments),
        {0x2000: code, at: data, **more.pop("content", {})},
        sections,
        more.pop("dynamic_symbols", [Symbol("only", 0x2000)]),
        more.pop("symbols", []),
        **more,
    )


def relocations(*rows: tuple[int, int, int, int]) -> bytes:
    """Of (place, type, symbol, addend) each."""
    return b"".join(
        struct.pack("<QQq", place, symbol << 32 | kind, addend) for place, kind, symbol, addend in rows
    )


NONE, WORD, COPY, GLOBAL_DATA, SLOT, RELATIVE = 0, 1, 5, 6, 7, 8
TABLE, OTHER = 0x1000, 0x1800  # where tables of relocations stand


def relocated(
    table: bytes, symbols: list[Symbol], *entries, tag=RELA, size_tag=RELASZ, **more
) -> SharedObject:
    content = {TABLE: table, **more.pop("content", {})}
    entries = [(tag, TABLE), (size_tag, len(table)), *entries]
    return file(content=content, dynamic_symbols=symbols, entries=entries, **more)


class Loader:
    """loader(file, motes, question, ...) -> the answers, or what is wrong."""

    def __init__(self, folder: Path) -> None:
        folders = ("loader", "base", "libc", "sanitizers")
        parts = [path for one in folders for path in sorted((KERNEL / one).glob("*.c"))]
        names = tuple(str(path.relative_to(KERNEL)) for path in parts)
        flags = (*SANITIZED, "-Wl,--wrap=mmap,--wrap=madvise,--wrap=mprotect")
        self._program = build_harness(folder, SOURCE, names, flags)
        self._path = folder / "it.so"

    def __call__(
        self,
        file: SharedObject,
        motes: int,
        *questions: str,
        mappings=MANY,
        share=True,
        guard=False,
        **environment,
    ) -> str:
        self._path.write_bytes(file.packed())
        words = [self._program, self._path, motes, mappings, int(share), int(guard), *questions]
        done = subprocess.run(
            [str(word) for word in words],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "HWCAP2": "2", **environment},
        )
        assert not done.stderr, done.stderr[:2000]
        if done.returncode == 0:
            return done.stdout.strip()
        message = json.loads(done.stdout[done.stdout.index("{") :])["message"].replace(str(self._path), "it")
        message = message.removesuffix("; build the firmware again with this machine's compiler")
        return f"[{done.returncode}] {message}"
