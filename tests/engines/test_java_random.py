# SPDX-License-Identifier: Apache-2.0
"""The logarithm behind normally distributed numbers is Java's to the last bit."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path

from engine_harness import build_harness

# StrictMath.log() of OpenJDK 17, for numbers between 0 and 1: at the bounds between the algorithm's cases,
# powers of two, neighbours of both, and random ones.
RECORDED = Path(__file__).with_name("strict_log.txt")
HARNESS = r"""
#include "base/java_random.c"
#include <stdio.h>
int main(void) {
  double x;
  while(scanf("%la", &x) == 1) printf("%a\n", strict_log(x));
}
"""


def test_logarithms_that_a_jvm_printed(tmp_path):
    recorded = [tuple(map(float.fromhex, line.split())) for line in RECORDED.read_text().splitlines()]
    assert len(recorded) > 150 and all(abs(math.log(x) - log) <= math.ulp(log) for x, log in recorded)
    asked = "\n".join(x.hex() for x, _ in recorded)
    program = build_harness(tmp_path, HARNESS, ())
    done = subprocess.run([program], input=asked, capture_output=True, text=True, check=True)
    assert [float.fromhex(line) for line in done.stdout.split()] == [log for _, log in recorded]
