# SPDX-License-Identifier: Apache-2.0
"""A very large simulation runs, or says before its first mote boots what it needs and what there is."""

from __future__ import annotations

import platform

import pytest
from engine_firmware import HEAD, simulation

from orchestrator.runs.model import Outcome

SMALL = HEAD.replace("simLoggedData[40000]", "simLoggedData[64]").replace(
    "simEEPROMData[1024]", "simEEPROMData[16]"
)
SHARING = SMALL + "const char mote_leaves_rbx = 1;\n"
BODY = """
void cooja_tick(void) {
  if(first()) etimer(1);
  else if(due() && simMoteID % 50000 == 0) { simLoggedData[0] = 'x'; simLoggedData[1] = '\\n'; simLoggedLength = 2; simLoggedFlag = 1; }
}"""  # noqa: E501


@pytest.mark.skipif(platform.machine() != "x86_64", reason="code shared by all motes needs an x86-64")
def test_a_hundred_thousand_motes_run(firmware, run):
    library = firmware(BODY, ("-ffixed-rbx",), head=SHARING)
    places = [(40.0 * (i % 316), 40.0 * (i // 316)) for i in range(100_000)]
    ended = run(simulation(places, 0.01), library)
    assert ended.result.outcome is Outcome.OK, ended.result.evidence
    assert [(mote, text) for _, mote, text in ended.lines] == [(50_000, "x"), (100_000, "x")]
    assert ended.result.peak_memory < 2 << 30


def refusal(run, library, motes) -> str:
    ended = run(simulation([(float(i), 0.0) for i in range(motes)], 1), library)
    assert ended.result.outcome is Outcome.OUT_OF_MEMORY
    assert not ended.lines and ended.result.events == 0, "before any mote boots"
    return ended.result.evidence[0]


def test_more_mappings_than_the_system_has_are_said_with_the_remedy(firmware, run):
    avx = 'void avx(void) { __asm__ volatile("vzeroupper"); }\n'  # not known to the engine: a copy a mote
    said = refusal(run, firmware(BODY, head=SMALL + avx), 40_000)
    assert said.startswith("40000 motes of ") and " memory mappings" in said
    assert "sysctl -w vm.max_map_count=" in said


def test_more_memory_than_there_is_is_said_with_both_numbers(firmware, run):
    said = refusal(
        run, firmware(BODY, head=SMALL + "char huge[1 << 26]; char *huger(void) { return huge; }\n"), 10_000
    )
    assert "10000 motes need 671" in said and "this machine has" in said
    assert "fewer motes" in said
