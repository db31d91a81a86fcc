# SPDX-License-Identifier: Apache-2.0
"""The unit disk graph medium's rules, seen from motes: who receives, how strong, and which random numbers
decide.
"""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from engine_firmware import JavaRandom, simulation
from test_log_distance import LISTENING

from orchestrator.csc.model import LogisticLoss, Move, Udgm, UdgmConstantLoss
from orchestrator.errors import Unsupported

# Mote 1 sends SIZE bytes COUNT times, one every 20 ms from 1 s on; all print what reaches them.
SENDING = """
static int sent, was;
void cooja_tick(void) {
  if(first()) { if(simMoteID == 1) etimer(1000 - simCurrentTime % 1000); SETUP; return; }
  if(simReceiving != was) { was = simReceiving; SAY("%s %d\\n", was ? "on" : "off", simSignalStrength); }
  if(simInSize > 0) { SAY("frame %d\\n", simInSize); simInSize = 0; }
  if(due()) {
    if(simMoteID == 1 && sent++ < COUNT) { simOutSize = SIZE; etimer(20); }
    else { SAY("s %d\\n", simSignalStrength); }
  }
}
"""


def sending(count: int = 1, size: int = 10, setup: str = "") -> str:
    return SENDING.replace("COUNT", str(count)).replace("SIZE", str(size)).replace("SETUP", setup)


def frames(lines, mote: int) -> int:
    return sum(text.startswith("frame") for _, number, text in lines if number == mote)


@pytest.mark.parametrize(("place", "strength"), [(49.999, -27), (50.0, -95), (60.0, -95)])
def test_interference_from_the_range_on_hides_a_stronger_signal(place, strength, firmware, run):
    """As in Cooja, which sets the weakest signal for a radio at or beyond the range, whatever it had."""
    body = sending(1, 120, "if(simMoteID == 3) etimer(1001 - simCurrentTime)").replace(
        "if(simMoteID == 1 && sent++", "if(simMoteID != 2 && sent++"
    )
    body = body.replace(
        "if(simReceiving != was)",
        "if(simMoteID == 2 && !simEtimerPending && simReceiving) etimer(2);\n  if(simReceiving != was)",
    )
    ended = run(simulation([(10, 0), (0, 0), (-place, 0)], 1.5), firmware(body))
    assert [text for _, mote, text in ended.lines if mote == 2 and text.startswith("s ")][:1] == [
        f"s {strength}"
    ]


@pytest.mark.parametrize("medium", [Udgm, UdgmConstantLoss])
def test_a_frame_in_the_air_is_heard_as_strong_as_its_motes_are_near(medium, firmware, run):
    """Mote 2 goes to 40 m, then the sender goes to 5 m beside it. Mote 3 goes beyond the range, which it
    hears at the next radio's event only.
    """
    moves = (Move(1, 1_000_500, 40.0, 0.0), Move(0, 1_001_500, 35.0, 0.0), Move(2, 1_002_500, 500.0, 0.0))
    still = simulation([(0, 0), (10, 0), (0, 5), (1e5, 0)], 1.1, medium=medium(50.0, 70.0))
    last = Move(1, 9_000_000, 0.0, 0.0)
    ended = run(replace(still, mobility=((*moves, last),)), firmware(LISTENING))

    def heard(mote: int) -> list[int]:
        return [int(text.split()[0]) for _, number, text in ended.lines if number == mote]

    def strength(away: float) -> int:
        return int(-10 - 85 * away / 50)

    assert heard(2) == [strength(10), strength(10), strength(40), strength(5), -100, -100, -100]
    assert heard(3) == [strength(5)] * 3 + [strength(math.hypot(35, 5))] + [-100] * 3


@pytest.mark.parametrize("seed", [1, 99, -3])
@pytest.mark.parametrize(("tx", "rx"), [(1.0, 0.5), (1.0, 1.0), (0.6, 1.0), (0.7, 0.3), (1.0, 0.0)])
def test_losses_are_cooja_s_random_numbers(tx, rx, seed, firmware, run):
    """Start delays in order of creation, then per frame one number for its transmission if that can fail, and
    one per receiver in range, in order of registration."""
    places = [(0, 0), (40, 0), (30, 20), (50, 0), (60, 0)]
    simulated = simulation(places, 4, medium=Udgm(50.0, 70.0, tx, rx), motedelay_us=700_001)
    ended = run(simulated, firmware(sending(60)), seed=seed)
    draw = JavaRandom(seed)
    starts = [draw.next_int(700_001) // 1000 * 1000 for _ in places]
    expected = dict.fromkeys(range(2, 6), 0)
    for _ in range(60):
        if tx < 1 and draw.next_double() > tx:
            continue
        for mote, place in enumerate(places[1:4], 2):
            distance = math.dist((0, 0), place)
            if draw.next_double() <= 1 - distance * distance / 2500.0 * (1 - rx):
                expected[mote] += 1
    assert {mote: frames(ended.lines, mote) for mote in range(2, 6)} == expected
    assert min(time for time, _, _ in ended.lines) >= starts[0]


@pytest.mark.parametrize(("rules", "received"), [("5.0", 0), ("2026.07", 1)])
def test_a_change_of_channel_ends_interference_only_under_the_new_rules(rules, received, firmware, run):
    """Mote 1 interferes mote 3 on channel 26 for 3840 us; 1 ms later mote 3 goes to channel 20, where mote 2
    sends.
    """
    body = """
    static int begun;
    static void again(int64_t us) { simRtimerPending = 1; simRtimerNextExpirationTime = simRtimerCurrentTicks + us; }
    void cooja_tick(void) {
      if(first()) { simRadioChannel = simMoteID == 2 ? 20 : 26; etimer(1000); return; }
      if(simInSize > 0) { SAY("frame %d\\n", simInSize); simInSize = 0; }
      if(due()) {
        begun = 1;
        if(simMoteID == 1) simOutSize = 120;
        if(simMoteID == 2) again(2000);
        if(simMoteID == 3) again(1000);
      } else if(begun && simRtimerPending && simRtimerCurrentTicks >= simRtimerNextExpirationTime) {
        simRtimerPending = 0;
        if(simMoteID == 2) simOutSize = 10;
        if(simMoteID == 3) simRadioChannel = 20;
      }
    }
    """  # noqa: E501
    ended = run(simulation([(0, 0), (100, 0), (60, 0)], 2), firmware(body), ruleset=rules)
    assert frames(ended.lines, 3) == received


def test_what_cooja_does_not_repeat_is_refused_before_the_first_tick(firmware, run):
    """With 17 motes in range of each other nine links have ids of one exclusive or: a tree in Java's hash
    table.
    """
    varying = LogisticLoss(50.0, enable_time_variation=True, varies_at="a.csc:12")
    assert run(simulation([(0, 0)] * 16, 1.5, medium=varying), firmware(sending())).lines
    with pytest.raises(
        Unsupported,
        match="^a.csc:12: not supported: the logistic loss .* differs from run to run .the link between "
        "motes 1[0-9] and 1[0-9]",
    ):
        run(simulation([(0, 0)] * 20, 1, medium=varying), firmware(sending()))


def test_logistic_loss_without_noise_is_a_logarithm_of_the_distance(firmware, run):
    """-10 dBm at a tenth of the range, with a path loss exponent of 9; motes at one place stand a centimetre
    apart.
    """
    medium = LogisticLoss(100.0, path_loss_exponent=9.0, awgn_sigma=0.0)
    ended = run(
        simulation([(0, 0), (10, 0), (50, 0), (0, 0), (100, 0)], 1.5, medium=medium), firmware(sending())
    )
    assert [text for _, number, text in ended.lines if number == 2][:1] == ["on -10"]
    assert [text for _, number, text in ended.lines if number == 3][:1] == [
        f"on {int(-100 - 90 * math.log10(0.5))}"
    ]
    assert [text for _, number, text in ended.lines if number == 4][:1] == ["on 260"]
    assert frames(ended.lines, 5) == 0, "in range is nearer than the range"
