# SPDX-License-Identifier: Apache-2.0
"""The differences between the embedded Contiki and Contiki-NG that are intended, as its README says."""

import pytest

MULTIPLIER, MASK64, MASK32 = 6364136223846793005, 2**64 - 1, 2**32 - 1


def pcg32(seed, sequence):
    """pcg32_srandom_r() and pcg32_random_r() of O'Neill's minimal C implementation, pcg-random.org."""
    increment = (sequence << 1 | 1) & MASK64
    state = (((increment + seed) & MASK64) * MULTIPLIER + increment) & MASK64
    while True:
        shifted, rotation = ((state >> 18 ^ state) >> 27) & MASK32, state >> 59
        yield (shifted >> rotation | shifted << (-rotation & 31)) & MASK32
        state = (state * MULTIPLIER + increment) & MASK64


def test_the_reference_is_the_published_generator():
    """The first numbers of its demonstration, seed 42, sequence 54."""
    numbers = pcg32(42, 54)
    assert [next(numbers) for _ in range(6)] == [
        0xA15C02B7,
        0x7B47F409,
        0xBA1D3330,
        0x83D2F293,
        0xBFA4784B,
        0xCBED606E,
    ]


@pytest.fixture
def lines(firmware, run):
    return lambda *options, motes=1: run(
        firmware("differences"), "--motes", str(motes), "--until", "1000", *options
    )


def said(lines, mote=1):
    return [line.text for line in lines if line.mote == mote]


@pytest.mark.parametrize("seed", [1, 77])
def test_random_numbers_are_of_seed_and_mote(lines, seed):
    """The upper 16 bits; the first number is left out, and the next is the MAC's sequence number."""
    drawn = lines("--seed", str(seed), motes=3)
    for mote in (1, 2, 3):
        numbers = pcg32(seed + mote, mote)
        expected = [next(numbers) >> 16 for _ in range(6)][2:]
        assert said(drawn, mote)[0] == "random " + " ".join(map(str, expected))


def test_etimers_that_expire_together_come_in_the_order_they_were_set(lines):
    assert said(lines())[1:9] == [
        *(f"timer {i} at 21" for i in (0, 2, 4, 1, 3)),
        "late timer 1",
        "late timer 2",
        "late timer 0",
    ]


def test_a_ctimer_set_again_before_its_call_comes_at_its_new_time_only(lines):
    assert said(lines())[9:11] == ["set again at 51, expired 1", "called at 81"]


def test_an_etimer_whose_start_is_moved_into_the_future_waits_for_it(lines):
    assert said(lines())[11] == "moved, came at 126"


def test_a_process_that_ends_itself_stays_ended(lines):
    assert said(lines())[12:14] == ["still here, running 0", "running 0"]


def test_events_of_events_are_handled_in_one_tick_up_to_64(lines):
    """The process goes on after 64 events; of 100 hops the rest come a ms later."""
    printed = lines()
    [hops] = [line for line in printed if line.text == "hops 100"]
    [frame] = [line for line in printed if line.text.startswith("without addresses")]
    assert hops.time - frame.time == 1000


def test_the_pan_id_of_a_frame_without_addresses_is_read(lines):
    assert "without addresses 5 bytes, read 5, PAN 1234" in said(lines())


@pytest.mark.parametrize(
    ("answer", "status"), [("0200", 0), ("0100", 2), ("4100", 2), ("0300", 2), ("0600", 2)]
)
def test_nothing_but_an_ack_is_taken_for_one(lines, answer, status):
    """A frame of three bytes with the right number, of another type, counts as a collision: the packet is
    sent again, and nobody acknowledges it. Mote 2 hears nothing."""
    options = ("--deaf", "2:0:9999", "--frames")
    [frame] = [line for line in lines(*options, motes=2) if line.mote == 0]
    ms = (frame.time + len(frame.text.split()[2]) // 2 * 32 + 500) / 1000
    number = frame.text.split()[2][4:6]
    answered = lines(*options, "--raw", f"1:{ms:.3f}:{answer}{number}", motes=2)
    assert f"sent: status {status}, 1 transmissions" in said(answered)
    assert sum(line.mote == 0 for line in answered) == (1 if status == 0 else 2)


def test_only_data_frames_are_handed_on(lines):
    """A beacon, a data frame and a command, each to all from mote 9."""
    frames = [f"4{kind}d8{kind:02}cdabffff0000000000000009aabb" for kind in (0, 1, 3)]
    heard = said(
        lines(*(part for i, frame in enumerate(frames) for part in ("--raw", f"1:{600 + 20 * i}:{frame}")))
    )
    assert [line for line in heard if line.startswith("heard")] == ["heard type 1 of 2"]
