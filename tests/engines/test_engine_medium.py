# SPDX-License-Identifier: Apache-2.0
"""The unit disk graph medium's rules, seen from motes: who receives, how strong, and which random numbers
decide.
"""

from __future__ import annotations

import math
import random
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


def test_range_and_signal_strength(firmware, run):
    distances = [0.0, 1.0, 25.0, 33.3, 49.999, 50.0, 50.001, 70.0]
    ended = run(simulation([(0, 0), *((d, 0) for d in distances)], 1.5), firmware(sending()))
    for mote, distance in enumerate(distances, 2):
        mine = [text for _, number, text in ended.lines if number == mote]
        if distance <= 50:
            assert mine == [f"on {int(-10 - 85 * distance / 50)}", "off -100", "frame 10"], distance
        else:
            assert mine == [], "beyond the transmission range nothing is received"


@pytest.mark.parametrize(
    ("place", "strength"), [((60, 0), -95), ((69.99, 0), -95), ((70, 0), -100), ((10, 0), -27)]
)
def test_interference_range(place, strength, firmware, run):
    """A radio that is switched off is interfered in transmission range; both get a signal, but no frame."""
    setup = "if(simMoteID == 2) { simRadioHWOn = 0; etimer(1001); }"
    ended = run(simulation([(0, 0), place], 1.5), firmware(sending(1, 120, setup)))
    assert [text for _, number, text in ended.lines if number == 2] == [f"s {strength}"]


@pytest.mark.parametrize(
    ("distance", "said"),
    [
        (24.999, ["on -94", "frame 120"]),
        (25.0, ["on -95", "frame 120"]),
        (25.001, ["s -95"]),
        (35.0, ["s -95"]),
        (35.001, ["s -100"]),
    ],
)
def test_both_ranges_are_scaled_by_the_power_and_belong_to_themselves(distance, said, firmware, run):
    setup = "if(simMoteID == 1) simPower = 50; else etimer(1001)"
    ended = run(simulation([(0, 0), (distance, 0)], 1.5), firmware(sending(1, 120, setup)))
    heard = [text for _, mote, text in ended.lines if mote == 2]
    assert [text for text in heard if text != "off -100" and (len(said) == 1 or text[0] != "s")] == said


def test_distances_are_those_in_space(firmware, run):
    draw = random.Random(3)
    places = [(-3.0, 4.0, -5.0)] + [
        tuple(round(draw.uniform(-40, 40), 2) for _ in range(3)) for _ in range(40)
    ]
    flat = simulation([(x, y) for x, y, _ in places], 1.5)
    motes = tuple(replace(mote, z=z) for mote, (_, _, z) in zip(flat.motes, places, strict=True))
    ended = run(replace(flat, motes=motes), firmware(sending()))
    near = 0
    for number, place in enumerate(places[1:], 2):
        away = math.dist(places[0], place)
        said = [text for _, mote, text in ended.lines if mote == number]
        assert said == ([f"on {int(-10 - 85 * away / 50)}", "off -100", "frame 10"] if away < 50 else []), (
            place
        )
        near += away < 50
    assert 10 < near < 40


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


@pytest.mark.parametrize("rx", [1.0, 0.9])
@pytest.mark.parametrize(
    ("medium", "heard"), [(Udgm, []), (UdgmConstantLoss, ["on -100", "off -100", "frame 10"])]
)
def test_a_sender_without_power(medium, heard, rx, firmware, run):
    """In the very place of the sender the chance of reception is 0, unless the loss is constant."""
    ended = run(
        simulation([(0, 0), (0, 0), (1, 0)], 1.5, medium=medium(50.0, 70.0, 1.0, rx)),
        firmware(sending(setup="simPower = 0")),
    )
    assert [text for _, number, text in ended.lines if number == 2] == heard
    assert not [text for _, number, text in ended.lines if number == 3]


@pytest.mark.parametrize(("size", "duration"), [(1, 32), (5, 160), (10, 320), (23, 736), (127, 4064)])
def test_time_on_air(size, duration, firmware, run):
    """Floor of 1000 us * 8 * size / 250."""
    ended = run(simulation([(0, 0), (10, 0)], 1.5), firmware(sending(1, size)))
    times = {text.split()[0]: time for time, number, text in ended.lines if number == 2}
    assert times["off"] - times["on"] == duration


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


def test_two_frames_at_once_destroy_each_other_at_a_common_receiver(firmware, run):
    setup = "if(simMoteID == 3) { etimer(1000 - simCurrentTime % 1000); }"
    body = sending(1, 100, setup).replace("simMoteID == 1 && sent++", "simMoteID != 2 && sent++")
    ended = run(simulation([(0, 0), (40, 0), (80, 0)], 2), firmware(body))
    assert frames(ended.lines, 2) == 0
    alone = run(simulation([(0, 0), (40, 0), (130, 0)], 2), firmware(body))
    assert frames(alone.lines, 2) == 1


def test_frames_carry_their_check_sequence_behind_them(firmware, run):
    """The published check value of this CRC (CRC-16/KERMIT): 0x2189 for "123456789", low byte first."""
    body = sending(1, 9, 'memcpy(simOutDataBuffer, "123456789", 9)').replace(
        'SAY("frame %d\\n", simInSize)',
        'SAY("frame %02x%02x\\n", simInDataBuffer[9] & 255, simInDataBuffer[10] & 255)',
    )
    ended = run(simulation([(0, 0), (10, 0)], 2), firmware(body))
    assert [text for _, number, text in ended.lines if number == 2][-1] == "frame 8921"


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
