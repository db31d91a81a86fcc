# SPDX-License-Identifier: Apache-2.0
"""Motes of a driven simulation that crash, hang or lose power: it ends, or goes on without them."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.csc.model import (
    Silent,
    Udgm,
)
from orchestrator.engines.embedded.live import Live, LiveMote, SimulationEnded, Stage
from orchestrator.errors import NoSuchThing
from orchestrator.runs.model import Outcome
from tests.engines.test_live import lines, row


@pytest.fixture
def log(tmp_path) -> Path:
    return tmp_path / "COOJA.testlog"


def test_a_crash_is_a_result(firmware, log):
    library = firmware(
        "void cooja_tick(void) { if(first()) etimer(5); if(due()) *(volatile int *)8 = simMoteID; }"
    )
    with Live(Stage(Silent(), 1, log), [LiveMote(library, 4)]) as live:
        with pytest.raises(SimulationEnded) as ended:
            live.advance(1_000_000)
        assert ended.value.result.outcome is Outcome.CRASH
        assert ended.value.result.evidence[0].startswith("mote 4: SIGSEGV at address 0x8")
        with pytest.raises(SimulationEnded):
            live.note(1, "after")
        assert live.end() == ended.value.result


def test_a_mote_that_hangs_is_one_too(firmware, log):
    library = firmware("void cooja_tick(void) { for(;;) { } }")
    with Live(Stage(Silent(), 1, log, step_limit_s=0.2), [LiveMote(library, 4)]) as live:
        with pytest.raises(SimulationEnded) as ended:
            live.advance(10)
    assert ended.value.result.outcome is Outcome.WALL_LIMIT


FALLING = """
static __attribute__((noinline)) int deep(volatile int *up) {
  volatile int here[1000]; here[0] = *up; return deep(here) + here[1];
}
void cooja_tick(void) {
  static int count;
  if(first()) { SAY("up %d\\n", simMoteID); etimer(5); return; }
  if(simMoteID == 1 && due()) { simOutSize = 100; etimer(2); count++; }
  if(simMoteID == 1 && count == 2) { ACTION; }
  if(simMoteID != 1) { etimer(5); SAY("on %d %d\\n", simMoteID, simInSize); simInSize = 0; }
}"""


def test_nothing_wakes_a_mote_without_power(firmware, log):
    """Mote 2 is unplugged while a frame comes, whose end would wake it before its timer."""
    library = firmware("#include <stdlib.h>\n" + FALLING.replace("ACTION", ""))
    with Live(Stage(Udgm(50.0, 70.0), 1, log), row(library, 2)) as live:
        live.advance(6_000)
        live.remove(2)
        live.advance(30_000)
        live.end()
    times = [int(line.split("\t")[0]) for line in lines(log) if "\tID:2\t" in line]
    assert times and max(times) < 6_000


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("*(volatile int *)8 = 1", "mote 1: SIGSEGV at address 0x8"),
        ("exit(3)", "mote 1: exit(3)"),
        ("abort()", "mote 1: SIGABRT"),
        ("simOutSize = deep(&simInSize)", "mote 1: SIGSEGV"),
        ("simLoggedFlag = 1; simLoggedLength = 1 << 30", "mote 1: simLoggedLength reaches outside"),
        ("for(;;) { }", "mote 1: time limit of a step; the mote's code does not return"),
    ],
)
def test_a_fault_is_contained_again_and_again(action, reason, firmware, log):
    library = firmware("#include <stdlib.h>\n" + FALLING.replace("ACTION", action))
    stage = Stage(Udgm(50.0, 70.0), 1, log, contain=True, step_limit_s=0.2 if "for" in action else None)
    with Live(stage, row(library, 3)) as live:
        live.listen(2)
        for until in (20_000, 40_000):
            while live.now_us < until:
                live.advance(until)
            assert live.motes == {2, 3}
            assert live.fallen.pop(1)[0].startswith(reason)
            with pytest.raises(NoSuchThing):
                live.write(1, b"x")
            live.add(row(library, 1)[0])
        live.remove(1)
        assert live.end().outcome is Outcome.OK
    said = lines(log)
    assert sum("\tup 1" in line for line in said) == 2, "the third had no time to boot"
    assert all(line.endswith(" 0") for line in said if "\ton " in line), "its frame was cut off"
    late = [line.split("\t") for line in said if int(line.split("\t")[0]) > 35_000]
    assert {mote for _, mote, _ in late} == {"ID:2", "ID:3"}, "they go on"


def test_each_step_has_its_own_limit_of_processor_time(firmware, log):
    """Eight steps of 0.3 s each; what the driver takes between them isn't the simulation's."""
    library = firmware("""#include <time.h>
    void cooja_tick(void) {
      clock_t begin = clock();
      while(clock() - begin < 3 * CLOCKS_PER_SEC / 10);
      etimer(10);
    }""")
    with Live(Stage(Silent(), 1, log, step_limit_s=2.0), row(library, 1)) as live:
        for number in range(1, 9):
            live.advance(number * 10_000)
        used = live.cpu_s()
        assert live.end().outcome is Outcome.OK
    assert used > 2.0, "more than one step may"


def test_a_mote_that_waits_for_something_is_ended_too(firmware, log):
    library = firmware("#include <unistd.h>\nvoid cooja_tick(void) { for(;;) pause(); }")
    with Live(Stage(Silent(), 1, log, step_limit_s=0.01), [LiveMote(library, 4)]) as live:
        with pytest.raises(SimulationEnded) as ended:
            live.advance(10)
    assert ended.value.result.outcome is Outcome.WALL_LIMIT
    assert ended.value.result.evidence[0].startswith("mote 4: time limit of a step")
