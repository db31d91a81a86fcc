# SPDX-License-Identifier: Apache-2.0
"""The medium log-distance, seen from motes: how strong a frame is, who receives it, which frame captures a
radio.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

import pytest
from engine_firmware import JavaRandom, simulation

from orchestrator.csc.model import Move
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine
from orchestrator.errors import Unsupported
from orchestrator.media.log_distance import LogDistance

# Motes send what PLAN says of them: at ms, bytes. All print the frames that they receive.
SENDING = """
static const struct { int mote, ms, size; } plan[] = { PLAN };
static unsigned next;
static void wait(void) {
  while(next < sizeof(plan) / sizeof(plan[0]) && plan[next].mote != simMoteID) next++;
  if(next < sizeof(plan) / sizeof(plan[0])) etimer(plan[next].ms - simCurrentTime);
}
void cooja_tick(void) {
  if(first()) { SETUP; wait(); return; }
  if(simReceiving) simLastSignalStrength = simSignalStrength;
  if(simInSize > 0) {
    SAY("from %d at %d\\n", simInDataBuffer[simInSize - 1], simLastSignalStrength);
    simInSize = 0;
  }
  if(due()) {
    memset(simOutDataBuffer, simMoteID, sizeof(simOutDataBuffer));
    simOutSize = plan[next++].size;
    wait();
  }
}
"""
CLEAN = LogDistance(-40.0, 2.0, sensitivity_dbm=-80.0, width_db=0.0, capture_db=4.0)


def sending(*plan: tuple[int, int, int], setup: str = "") -> str:
    rows = ", ".join(f"{{ {mote}, {ms}, {size} }}" for mote, ms, size in plan)
    return SENDING.replace("PLAN", rows).replace("SETUP", setup)


def received(ended, mote: int) -> list[str]:
    return [text for _, number, text in ended.lines if number == mote]


def test_the_signal_falls_with_the_logarithm_of_the_distance(firmware, run):
    places = [(0, 0), (1, 0), (10, 0), (50, 0), (99, 0), (101, 0), (0, 0)]
    ended = run(simulation(places, 1.5, medium=CLEAN), firmware(sending((1, 1000, 20))))
    for mote, distance in ((2, 1.0), (3, 10.0), (4, 50.0), (5, 99.0), (7, 0.01)):
        assert received(ended, mote) == [f"from 1 at {int(-40 - 20 * math.log10(distance))}"], distance
    assert received(ended, 6) == [], "beyond the sensitivity nothing is received"


def test_power_is_a_share_of_the_range(firmware, run):
    places = [(0, 0), (10, 0), (49, 0), (51, 0)]
    library = firmware(sending((1, 1000, 20), setup="simPower = 50"))
    ended = run(simulation(places, 1.5, medium=CLEAN), library)
    assert received(ended, 2) == [f"from 1 at {int(-40 - 20 * math.log10(20))}"]
    assert received(ended, 3) and not received(ended, 4)


def test_reception_is_a_logistic_function_of_the_signal(firmware, run):
    plan = tuple((1, 1000 + 10 * number, 20) for number in range(1000))
    medium = LogDistance(-40.0, 2.0, sensitivity_dbm=-80.0, width_db=2.0)
    distances = [50.0, 100.0, 150.0]
    ended = run(
        simulation([(0, 0), *((away, 0) for away in distances)], 12, medium=medium), firmware(sending(*plan))
    )
    for mote, away in enumerate(distances, 2):
        chance = 1 / (1 + math.exp(-(-40 - 20 * math.log10(away) + 80) / 2))
        assert len(received(ended, mote)) == pytest.approx(1000 * chance, abs=4 * math.sqrt(250)), away


@pytest.mark.parametrize(
    ("near", "far", "times", "got"),
    [
        (5.0, 20.0, (1000, 1000), ["from 1"]),  # 12 dB stronger: received in spite of the other
        (5.0, 20.0, (1000, 1001), ["from 1"]),
        (5.0, 20.0, (1001, 1000), ["from 1"]),  # also if it comes last
        (10.0, 12.0, (1000, 1001), []),  # 1.6 dB: both are lost
        (10.0, 12.0, (1001, 1000), []),
        (10.0, 12.0, (1000, 1020), ["from 1", "from 2"]),  # not at the same time
        (5.0, 150.0, (1000, 1001), ["from 1"]),  # the other is too weak to be received, and to disturb
        (90.0, 110.0, (1001, 1000), []),  # too weak to be received, but strong enough to disturb
    ],
)
def test_the_stronger_frame_captures_the_radio(near, far, times, got, firmware, run):
    places = [(-near, 0), (far, 0), (0, 0)]
    plan = ((1, times[0], 60), (2, times[1], 60))
    ended = run(simulation(places, 1.5, medium=CLEAN), firmware(sending(*plan)))
    assert [text.partition(" at")[0] for text in received(ended, 3)] == got


def test_a_radio_that_gave_up_a_frame_receives_the_next_one(firmware, run):
    places = [(-5, 0), (20, 0), (0, 0)]
    plan = ((2, 1000, 100), (1, 1001, 20), (1, 1010, 20), (2, 1020, 20))
    ended = run(simulation(places, 1.5, medium=CLEAN), firmware(sending(*plan)))
    assert [text.partition(" at")[0] for text in received(ended, 3)] == ["from 1", "from 1", "from 2"]


def test_one_that_sends_receives_nothing(firmware, run):
    plan = ((1, 1000, 60), (2, 1001, 10))
    ended = run(simulation([(0, 0), (5, 0)], 1.5, medium=CLEAN), firmware(sending(*plan)))
    assert received(ended, 1) == [] and received(ended, 2) == []


def test_a_radio_that_is_off_receives_nothing(firmware, run):
    library = firmware(sending((1, 1000, 60), setup="if(simMoteID == 2) simRadioHWOn = 0"))
    ended = run(simulation([(0, 0), (5, 0), (5, 1)], 1.5, medium=CLEAN), library)
    assert received(ended, 2) == [] and received(ended, 3)


def strengths(run, firmware, medium: LogDistance, seed: int, motes: int = 12) -> dict[tuple[int, int], int]:
    """Every link's strength beyond what the distance gives: all motes stand in the same distance of 1 m."""
    plan = tuple((mote, 1000 + 10 * mote, 20) for mote in range(1, motes + 1))
    ended = run(simulation([(0, 0)] * motes, 2, medium=medium), firmware(sending(*plan)), seed=seed)
    found = {}
    for _, mote, text in ended.lines:
        words = text.split()
        found[int(words[1]), mote] = int(words[3])
    return found


def test_links_are_shadowed_by_the_seed_and_directions_apart(firmware, run):
    medium = LogDistance(-80.0, 2.0, 6.0, 0.0, sensitivity_dbm=-200.0, width_db=0.0)
    found = strengths(run, firmware, medium, 1)
    assert len(found) == 12 * 11
    assert all(found[b, a] == signal for (a, b), signal in found.items()), "shared by both directions"
    assert statistics.pstdev(found.values()) == pytest.approx(6, rel=0.25)
    assert strengths(run, firmware, medium, 1) == found, "the same seed, the same shadows"
    assert strengths(run, firmware, medium, 2) != found
    both = strengths(run, firmware, LogDistance(-80.0, 2.0, 6.0, 3.0, -200.0, 0.0), 1)
    apart = [both[a, b] - both[b, a] for a, b in both if a < b]
    assert statistics.pstdev(apart) == pytest.approx(3 * math.sqrt(2), rel=0.3)


def shadow(seed: int, first: int, second: int, directed: bool) -> float:
    """The normal number of two motes, as the kernel's source describes it: SplitMix64's finalizer after each
    part, then java.util.Random's first Gaussian.
    """
    mixed = seed
    for part in (first, second, int(directed)):
        mixed = (mixed + 0x9E3779B97F4A7C15 + part) % 2**64
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
        mixed ^= mixed >> 31
    random = JavaRandom(mixed)
    while True:
        x, y = 2 * random.next_double() - 1, 2 * random.next_double() - 1
        square = x * x + y * y
        if 0 < square < 1:
            return x * math.sqrt(-2 * math.log(square) / square)


# Mote 1 sends a frame of 4 ms, and meanwhile mote 4, which nobody hears, frames of 1 byte: signals are worked
# out whenever a frame begins or ends.
LISTENING = """
void cooja_tick(void) {
  int ms = (int)simCurrentTime - 1000;
  if(first()) { etimer(1000); return; }
  if(!due()) return;
  if(simMoteID == 1 && ms == 0) { memset(simOutDataBuffer, 1, 120); simOutSize = 120; }
  else if(simMoteID == 4 && (ms == 1 || ms == 2 || ms == 3)) simOutSize = 1;
  else if(simMoteID < 4) SAY("%d at %d\\n", simSignalStrength, ms);
  if(ms < 6) etimer(1);
}
"""


def test_a_frame_in_the_air_is_heard_as_strong_as_its_motes_are_near(firmware, run):
    """Mote 2 goes to 100 m, then the sender goes to 10 m beside it; mote 3 stays at 5 m."""
    medium = LogDistance(-40.0, 2.0, sensitivity_dbm=-90.0, width_db=0.0)
    moves = (Move(1, 1_000_500, 100.0, 0.0), Move(0, 1_001_500, 90.0, 0.0), Move(1, 9_000_000, 0.0, 0.0))
    still = simulation([(0, 0), (10, 0), (0, 5), (1e5, 0)], 1.1, medium=medium)
    ended = run(replace(still, mobility=(moves,)), firmware(LISTENING))
    far, near = int(-40 - 20 * math.log10(math.hypot(90, 5))), int(-40 - 20 * math.log10(5))
    assert [text.split()[0] for text in received(ended, 2)] == [
        "-60",
        "-60",
        "-80",
        "-60",
        "-100",
        "-100",
        "-100",
    ]
    assert [int(text.split()[0]) for text in received(ended, 3)] == [near, near, near, far, -100, -100, -100]


def test_a_real_cooja_refuses_it(tmp_path):
    from orchestrator.scenario.model import EngineOptions

    simulated = simulation([(0, 0)], 1, medium=CLEAN)
    with pytest.raises(Unsupported, match="no medium log-distance: it is none of Cooja's"):
        engine("cooja", EngineOptions()).run(
            [Job(simulated, 1, {}, tmp_path / "log")], lambda *_: pytest.fail("it ran")
        )
