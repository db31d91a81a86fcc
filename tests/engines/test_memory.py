# SPDX-License-Identifier: Apache-2.0
"""The kernel's arrays: new ones are zero, and one that is full grows to twice its size with what it has."""

from __future__ import annotations

import subprocess

from engine_harness import build_harness

# It appends to arrays whose first room is of 1 to 3 items, and says when one had to grow, and to how many.
HARNESS = r"""
#include "base/memory.h"
#include "base/report.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
_Noreturn void report_error(enum error_kind kind, const char *format, ...) { (void)format; exit(kind); }
int main(void) {
  for(uint32_t first = 1; first <= 3; first++) {
    uint64_t *items = NULL;
    uint32_t count = 0, size = 0;
    for(; count < 30; count++) {
      uint32_t before = size;
      uint64_t *room = with_room(items, count, &size, first, sizeof(*items));
      if(size != before) printf("%u:%u ", count, size);
      else if(room != items) puts("moved");
      items = room;
      items[count] = count * 7;
    }
    for(uint32_t i = 0; i < count; i++) if(items[i] != i * 7) puts("lost");
    free(items);
    printf("\n");
  }
  uint64_t *zeroed = allocate(100, sizeof(*zeroed)), *none = allocate(0, sizeof(*none)), sum = *none;
  for(int i = 0; i < 100; i++) { sum += zeroed[i]; zeroed[i] = i; }
  zeroed = reallocate(zeroed, 200, sizeof(*zeroed));
  for(int i = 0; i < 100; i++) sum += zeroed[i] != (uint64_t)i;
  zeroed[199] = 1;
  char *copy = duplicate("copied");
  printf("%d %s\n", (int)sum, copy);
  free(zeroed); free(none); free(copy);
}
"""


def test_arrays_grow_when_they_are_full(tmp_path):
    program = build_harness(tmp_path, HARNESS, ("base/memory.c",))
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    *grown, last = done.stdout.splitlines()
    assert last == "0 copied"
    for first, line in zip((1, 2, 3), grown, strict=True):
        sizes = [first << i for i in range(6) if i == 0 or first << (i - 1) < 30]
        assert line.split() == [f"{before}:{size}" for before, size in zip([0, *sizes], sizes, strict=False)]
