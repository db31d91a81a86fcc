# SPDX-License-Identifier: Apache-2.0
"""C code is measured in cycles of a Tmote Sky's processor, as its User's Guide has them (SLAU049, 3.4.4)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.build import msp430
from orchestrator.engines.embedded import executed, profiled
from orchestrator.errors import BuildFailed, MissingTool
from tests import needs

needs.a_compiler()
try:
    msp430.addr2line()
except MissingTool as missing:
    pytest.skip(str(missing), allow_module_level=True)

PROGRAM = """#include <string.h>
#include "sky/program/measure.h"

static unsigned char from[100], to[100];

__attribute__((noinline)) static void
spin(unsigned times)
{
  while(times-- > 0) {
    __asm volatile("nop");
  }
}

void
measure(void)
{
  began();
  ended();
  began();
  __asm volatile(".rept 100\\n nop\\n .endr");
  ended();
  began();
  memcpy(to, from, sizeof(to));
  ended();
  began();
  spin(TIMES);
  ended();
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("executed")
    (folder / "program.c").write_text(PROGRAM)
    return folder


@pytest.fixture(scope="module")
def counts(folder):
    return executed.cycles([folder / "program.c"], ["-DTIMES=5000"], folder)


def test_cycles_are_those_of_the_instructions(counts):
    nothing, nops, *_ = counts
    assert 0 < nothing < 40 and nops - nothing == 100


def test_structures_are_copied_by_words(counts):
    """A word takes 5 cycles to copy, a byte too; with the loop around it, 100 bytes took 1,500."""
    nothing, _, copied, _ = counts
    assert copied - nothing < 800


def test_a_measurement_that_is_too_long_is_none(tmp_path, folder):
    with pytest.raises(BuildFailed, match="more than 65,535 cycles"):
        executed.cycles([folder / "program.c"], ["-DTIMES=20000"], tmp_path)


def test_cycles_are_told_by_function(folder, counts):
    """The kernel counts those of the whole run, which ends when the program prints `end`."""
    job = executed.job(folder / "program.sky", folder)
    found = profiled.cycles_by_function(replace(job, log=folder / "again"))
    spun = counts[3] - counts[0]
    (name,) = (key for key in found if key[1] == "spin")
    assert name[0].endswith("program.c") and abs(found[name] - spun) < 50
