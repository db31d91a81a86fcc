# SPDX-License-Identifier: Apache-2.0
"""Where the data of motes that share their code begin, and for which of them huge pages are asked for,
wherever the system's memory lies.
"""

from __future__ import annotations

import subprocess

import pytest
from engine_harness import build_harness

# It is told, for each firmware: whether its data are packed, the bytes before them, the bytes of data, for
# how many motes, and where its memory begins. It says where its region begins, its size, its spare
# bytes, and what it asks the system for.
HARNESS = r"""
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "loader/placement.h"
static char asked[200];
int madvise(void *from, size_t size, int advice) {
  snprintf(asked, sizeof(asked), " %" PRIx64 " %" PRIx64 " %d", (uint64_t)(uintptr_t)from, (uint64_t)size, advice == MADV_HUGEPAGE);
  return -1; /* and may be refused */
}
int main(void) {
  int packed;
  uint64_t before, data, motes, lowest;
  while(scanf("%d %" SCNi64 " %" SCNi64 " %" SCNi64 " %" SCNi64, &packed, (int64_t *)&before, (int64_t *)&data, (int64_t *)&motes, (int64_t *)&lowest) == 5) {
    struct firmware firmware = {.packed = packed, .code_size = before, .data_last = data, .data_end = page_ceiling(data)};
    firmware.region_size = before + motes * placement_stride(&firmware);
    asked[0] = 0;
    uint8_t *region = placement_choose(&firmware, (uint8_t *)(uintptr_t)lowest);
    printf("%" PRIx64 " %" PRIx64 " %" PRIx64 "%s\n", (uint64_t)(uintptr_t)region, firmware.region_size, placement_spare(&firmware), asked);
  }
}
"""  # noqa: E501
PAGE, LINE, HUGE = 4096, 64, 2 << 20  # bytes


@pytest.fixture(scope="module")
def choose(tmp_path_factory):
    program = build_harness(tmp_path_factory.mktemp("placement"), HARNESS, ("loader/placement.c",))

    def choose(*cases: tuple[int, ...]) -> list[list[int]]:
        told = "\n".join(" ".join(map(str, case)) for case in cases)
        done = subprocess.run([program], input=told, capture_output=True, text=True, check=True)
        return [[int(word, 16) for word in line.split()] for line in done.stdout.splitlines()]

    return choose


def up(number: int, unit: int) -> int:
    return -(-number // unit) * unit


# Bytes of a mote's data, and how many motes. 8192 motes of 9 lines each end 128 pages behind a huge page.
SIZES = [
    (64, 1),
    (64, 64),
    (64, 3584),
    (64, 3640),
    (64, 3642),
    (64, 8192),
    (64, 8193),
    (64, 8200),
    (64, 32768),
]
SIZES += [(0x840, 799), (0x840, 800), (0x840, 819), (0x1F_F000, 1), (0x17_0000, 1), (0x20_0000, 3)]


def test_packed_data_begin_at_the_first_huge_page_there_is(choose):
    """They end at one if that saves more than 128 small pages. What was set aside is enough."""
    cases = [
        (1, before, data, motes, 1 << 40 | lowest)
        for before in (0x3000, 0x5000, HUGE, HUGE + 0x1000)
        for lowest in (0, 0x1000, HUGE - 0x1000, HUGE - 0x3000, HUGE - 0x5000, HUGE - 0x6000, 0x10_0000)
        for data, motes in SIZES
    ]
    seen = set()
    for case, said in zip(cases, choose(*cases), strict=True):
        _, before, data, motes, lowest = case
        region, size, spare, *asked = said
        stride = up(data, LINE) + 8 * LINE
        stride += LINE * (stride // LINE % 2 == 0)
        needed = motes * stride
        rest = needed % HUGE
        whole = needed - rest + HUGE if rest > 128 * PAGE else needed
        assert region + before == up(lowest + before, HUGE), case
        assert size == up(before + whole, PAGE), case
        assert region + size <= lowest + before + needed + spare, case
        assert asked == ([region + before, whole, 1] if whole >= HUGE else []), case
        seen |= {("exact", rest == 128 * PAGE), ("one", whole == HUGE), ("filled", rest == 0)}
    assert len(seen) == 6, "each case and its opposite"


def test_guarded_data_stay_where_the_memory_begins(choose):
    for data, pages in ((64, 3), (PAGE, 3), (PAGE + 1, 5), (2 * PAGE, 5), (3 * PAGE, 5), (4 * PAGE, 7)):
        for lowest in (0x1000, HUGE - 0x3000):
            assert choose((0, 0x3000, data, 7, lowest)) == [[lowest, 0x3000 + 7 * pages * PAGE, 0]]
