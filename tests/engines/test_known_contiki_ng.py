# SPDX-License-Identifier: Apache-2.0
"""By which static variables and printed releases the Contiki-NG is known whose ticks may be skipped."""

from __future__ import annotations

import pytest
from engine_harness import build_harness, told

# Told symbols of a file and its bytes, it says whether that is known.
MAIN = r"""
#include "ticks/contiki_ng.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static Elf64_Sym symbols[200];
static char names[200][100];
Elf64_Sym
elf_symbol(const struct elf_file *elf, const struct elf_table *table, uint64_t index, const char **name) {
  if(index >= table->count || elf == NULL) abort();
  *name = names[index];
  return symbols[index];
}
int main(void) {
  static char line[10000];
  struct firmware firmware = {.data_start = 1000, .data_end = 2000};
  uint64_t count = 1;
  while(fgets(line, sizeof(line), stdin) != NULL) {
    unsigned type, bind, size;
    if(line[0] == 'S') {
      uint64_t value;
      if(sscanf(line, "S %u %u %" SCNu64 " %u %99s", &type, &bind, &value, &size, names[count]) != 5)
        abort();
      symbols[count] = (Elf64_Sym){.st_info = ELF64_ST_INFO(bind, type), .st_value = value};
      symbols[count++].st_size = size;
      continue;
    }
    size = (unsigned)(strlen(line) - 1) / 2;
    uint8_t *bytes = malloc(size + 1);
    for(unsigned i = 0; i < size; i++) sscanf(line + 2 * i, "%2hhx", &bytes[i]);
    bytes[size] = 0;
    bytes = realloc(bytes, size ? size : 1);
    firmware.elf.bytes = bytes;
    firmware.elf.size = size;
    firmware.elf.all_symbols.count = count;
    printf("%d\n", contiki_ng_is_known(&firmware));
    free(bytes);
    count = 1;
  }
  return 0;
}
"""
OBJECT, FUNCTION, FILE, LOCAL, GLOBAL = 1, 2, 4, 0, 1
# Of each file: its variables, each with its bytes (None: any), and whether a compiler may remove it.
FILES = {
    "mtype.c": [
        *(("cooja_thread", None, False), ("rtimer_thread", None, False), ("process_run_thread", None, False)),
        *(("pre_tick_actions_list", 8, False), ("post_tick_actions_list", 8, False)),
        *(("pre_tick_actions", 8, True), ("post_tick_actions", 8, True), ("initialized", 1, True)),
    ],
    "cooja_mt.c": [("current", 8, False), ("cooja_running_thread", 8, False)],
    "process.c": [
        *(("lastevent", 1, True), ("nevents", 1, False), ("fevent", 1, False), ("poll_requested", 1, False)),
        ("events", None, False),
    ],
    "etimer.c": [("timerlist", 8, False), ("next_expiration", 8, False)],
    "rtimer.c": [("next_rtimer", 8, False)],
    "platform.c": [],
    "rtimer-arch.c": [],
}
Symbol = tuple[int, int, int, int, str]


def symbols() -> list[Symbol]:
    found = []
    for file, variables in FILES.items():
        found.append((FILE, LOCAL, 0, 0, file))
        found += [(OBJECT, LOCAL, 1500, size or 77, name) for name, size, _ in variables]
    return found


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    program = build_harness(tmp_path_factory.mktemp("known"), MAIN, ("ticks/contiki_ng.c",))

    def known(asked: list[tuple[list[Symbol], bytes]]) -> list[bool]:
        text = ""
        for of, content in asked:
            text += "".join(f"S {' '.join(map(str, symbol))}\n" for symbol in of) + content.hex() + "\n"
        return [line == "1" for line in told(program, text)]

    return known


def test_each_variable(known):
    asked, expected = [(symbols(), b"")], [True]
    for at, (kind, _, _, size, name) in enumerate(symbols()):
        if kind == FILE:
            continue
        rest = [*symbols()[:at], *symbols()[at + 1 :]]
        anything, may_lack = next(
            (of is None, lack) for file in FILES.values() for one, of, lack in file if one == name
        )

        def other(size=size, name=name, place=1500, kind=OBJECT, bind=LOCAL, at=at):
            return [*symbols()[:at], (kind, bind, place, size, name), *symbols()[at + 1 :]]

        cases = [
            (rest, may_lack),
            (other(size=size + 1), anything),
            (other(size=size - 1 or 3), anything),
            (other(name=f"{name}.17"), True),
            (other(name=f"function.{name}"), True),
            (other(name=f"{name}s"), False),
            (other(name=f"x{name}"), False),
            (other(name=f"x_{name}"), False),
            (other(name=f".{name}"), True),
            (other(place=1000), True),
            (other(place=1999), True),
            (other(place=999), may_lack),
            (other(place=2000), may_lack),
            (other(kind=FUNCTION), may_lack),
            (other(bind=GLOBAL), may_lack),
        ]
        asked += [(one, b"") for one, _ in cases]
        expected += [is_known for _, is_known in cases]
    assert known(asked) == expected


def test_one_variable_more(known):
    """In a file of the tick, and nowhere else; another file's name ends it."""
    asked, expected = [], []
    for file in FILES:
        at = symbols().index((FILE, LOCAL, 0, 0, file)) + 1
        for kind, bind, place, counts in (
            (OBJECT, LOCAL, 1500, True),
            (OBJECT, LOCAL, 1000, True),
            (OBJECT, LOCAL, 1999, True),
            (OBJECT, LOCAL, 999, False),
            (OBJECT, LOCAL, 2000, False),
            (OBJECT, GLOBAL, 1500, False),
            (FUNCTION, LOCAL, 1500, False),
        ):
            more = (kind, bind, place, 8, "wakeups")
            asked.append(([*symbols()[:at], more, *symbols()[at:]], b""))
            asked.append(
                ([(FILE, LOCAL, 0, 0, "main.c"), more, *symbols(), (FILE, LOCAL, 0, 0, "x.c"), more], b"")
            )
            expected += [not counts, True]
    assert known(asked) == expected


PRINTED = b"Contiki-NG-"
TEXTS = {
    b"": True,
    PRINTED + b"\0": True,
    PRINTED + b"\0/v4.9\0": True,
    PRINTED + b"release/v5.0\0": True,
    PRINTED + b"release/v5.0-3-g1a2b3c4\0": True,
    PRINTED + b"1a2b3c4\0": True,
    PRINTED + b"release/vx\0": True,
    PRINTED + b"x/v5.0 4.9\0": True,
    PRINTED + b"release/v4.9\0": False,
    PRINTED + b"/v4.9\0": False,
    PRINTED + b"release/v5.1\0": False,
    PRINTED + b"release/v5.0.1\0": False,
    PRINTED + b"release/v5.00\0": False,
    PRINTED + b"release/v5.\0": False,
    PRINTED + b"release/v5\0": False,
    PRINTED + b"release/v15.0\0": False,
    PRINTED + b"release/v5.0": False,  # cut off by the file's end
    PRINTED: False,
    PRINTED[:-1] + b"\0/v4.9\0": True,
    b"x" + PRINTED + b"release/v5.0\0y" + PRINTED + b"release/v4.9\0": False,
    b"x" + PRINTED + b"release/v5.0\0y" + PRINTED + b"release/v5.0\0z": True,
    PRINTED + PRINTED + b"/v5.0\0": True,
    b"release/v4.9\0": True,
}


def test_what_it_prints(known):
    assert known([(symbols(), b"\x7fELF" + text) for text in TEXTS]) == list(TEXTS.values())
