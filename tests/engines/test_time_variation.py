# SPDX-License-Identifier: Apache-2.0
"""The numbers that change the logistic loss are drawn in the order of the pairs in Java's HashMap."""

from __future__ import annotations

import random
import subprocess

import pytest
from engine_firmware import JavaRandom
from engine_harness import build_harness

MAIN = r"""
#include "base/report.h"
#include "radio/time_variation.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
_Noreturn void report_error(enum error_kind kind, const char *format, ...) {
  printf("%s\n", kind == ERROR_DESCRIPTION ? format : "another error");
  exit(0);
}
int main(void) {
  static struct time_variation variation = {.least = -1.25, .most = 0.75};
  struct java_random drawn;
  int64_t one, other;
  char order;
  java_random_seed(&drawn, 5);
  while(scanf(" %c %" SCNd64 " %" SCNd64, &order, &one, &other) == 3) {
    switch(order) {
    case 'e': time_variation_enter(&variation, (int)one, (int)other); break;
    case 'v': time_variation_evolve(&variation, &drawn, one); break;
    case 'o': printf("%a\n", time_variation_of(&variation, (int)one, (int)other)); break;
    }
  }
  return 0;
}
"""
PERIOD_US = 10_000_000


class Map:
    """java.util.HashMap as OpenJDK has it, with pairs of ids whose hash code is id ^ id."""

    def __init__(self):
        self.chains, self.count = [[] for _ in range(16)], 0

    def put(self, pair):
        code = pair[0] ^ pair[1]
        chain = self.chains[(code ^ code >> 16) % len(self.chains)]
        if pair in chain:
            return
        chain.append(pair)
        self.count += 1
        if len(chain) > 8:
            assert len(self.chains) < 64, "it becomes a tree"
            self.resize()
        if self.count > 0.75 * len(self.chains):
            self.resize()

    def resize(self):
        pairs, size = self.pairs(), 2 * len(self.chains)
        self.chains = [[] for _ in range(size)]
        for a, b in pairs:
            self.chains[((a ^ b) ^ (a ^ b) >> 16) % size].append((a, b))

    def pairs(self):
        return [pair for chain in self.chains for pair in chain]


def expected(orders: list[tuple[str, int, int]]) -> list[float]:
    entered, offsets, drawn, periods, found = Map(), {}, JavaRandom(5), 0, []
    for order, one, other in orders:
        if order == "e":
            entered.put((one, other))
        elif order == "v":
            for _ in range(periods, one // PERIOD_US):
                for pair in entered.pairs():
                    offset = offsets.get(pair, 0.0) + (drawn.next_double() - 0.5)
                    offsets[pair] = min(max(offset, -1.25), 0.75)
            periods = max(periods, one // PERIOD_US)
        else:
            found.append(offsets.get((min(one, other), max(one, other)), 0.0))
    return found


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    parts = ("radio/time_variation.c", "base/java_random.c", "base/memory.c")
    program = build_harness(tmp_path_factory.mktemp("variation"), MAIN, parts)

    def play(orders: list[tuple[str, int, int]]) -> list[str]:
        text = "".join(f"{order} {one} {other}\n" for order, one, other in orders)
        return subprocess.run(
            [program], input=text, capture_output=True, text=True, check=True
        ).stdout.splitlines()

    return play


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("motes", [2, 5, 8])
def test_pairs_change_in_the_order_of_the_map(played, motes, seed):
    """The motes' ids are far apart, too, and pairs are entered before numbers are drawn and after it."""
    draw = random.Random(seed)
    ids = draw.sample(range(1, 60), motes - 1) + [70_000]
    pairs = [(min(a, b), max(a, b)) for at, a in enumerate(ids) for b in ids[at + 1 :]]
    draw.shuffle(pairs)
    orders, now = [("o", 1, 2), ("v", PERIOD_US - 1, 0)], 0  # nothing is entered yet
    for number, pair in enumerate(pairs):
        orders += [("e", *pair), ("e", *pair)]
        if number % 7 == 3:
            now += draw.choice((0, 1, PERIOD_US - 1, PERIOD_US, 5 * PERIOD_US))
            orders.append(("v", now, 0))
        orders += [("o", *pair), ("o", *reversed(pair))]
    orders += [("v", 20 * PERIOD_US - 1, 0), ("o", *pairs[0]), ("v", 20 * PERIOD_US, 0)]
    orders += [("o", *pair) for pair in pairs] + [("o", 1000, 1001)]
    assert [float.fromhex(line) for line in played(orders)] == expected(orders)


def test_a_long_chain_makes_a_small_table_grow_and_is_refused_in_a_large_one(played):
    """Java's map would make a tree of it, whose order depends on addresses."""
    others = [("e", 128, 128 + code) for code in (33, 17, 2, 18, 3)]  # they show the table's size
    for length in (7, 8, 9):
        chained = others + [("e", 64 * k, 320 * k) for k in range(1, length + 1)]
        tail = [("v", 3 * PERIOD_US, 0), *(("o", one, other) for _, one, other in chained)]
        assert [float.fromhex(line) for line in played(chained + tail)] == expected(chained + tail)
    same = [("e", 2 * k, 2 * k + 1) for k in range(1, 40)]
    ok = [*same[:10], ("v", PERIOD_US, 0), *(("o", one, other) for _, one, other in same[:10])]
    assert [float.fromhex(line) for line in played(ok)] == expected(ok)
    (refusal,) = played(same)
    assert "the ninth in its place of a hash table" in refusal
