# SPDX-License-Identifier: Apache-2.0
"""Clocks that aren't Cooja's: 128 ticks a second, and ticks whose phase is drawn for each mote."""

from itertools import pairwise

import pytest

TICK_US = 1_000_000 / 128
WRAP_MS = 33_554_432_000  # 2**32 ticks of 1/128 s: 388 days
BOOT_US = {1: 11_000, 2: 21_000, 3: 31_000}  # the driver's, and the millisecond before main()


@pytest.fixture
def clock(firmware, run):
    def _clock(ticks=128, phase="in-step", seed=1, motes=3, until=2000):
        return run(
            firmware("clock-ticks", clock=ticks, phase=phase),
            "--motes",
            str(motes),
            "--seed",
            str(seed),
            "--until",
            str(until),
        )

    return _clock


def of(lines, word, mote=1):
    return [
        (line.time, line.text.removeprefix(word + " "))
        for line in lines
        if line.text.startswith(word) and line.mote == mote
    ]


def phases(lines, tick_us):
    """Of each mote: how long before a tick of a clock in step its ticks come, us."""
    return {mote: (-of(lines, "tick", mote)[0][0]) % tick_us for mote in BOOT_US}


def test_ticks_come_128_times_a_second_at_the_same_instants_everywhere(clock):
    lines = clock()
    for mote, boot in BOOT_US.items():
        assert of(lines, "128 a second", mote)
        first = int(boot // TICK_US) + 1  # of the simulation's time
        ticks = of(lines, "tick", mote)
        assert ticks == [(-int(-(first + i) * TICK_US // 1), str(i + 1)) for i in range(8)]
    assert {time for time, _ in of(lines, "tick", 1)} & {time for time, _ in of(lines, "tick", 2)}


def test_the_clock_begins_at_0_and_counts_whole_ticks(clock):
    lines = clock()
    assert of(lines, "boot") == [(BOOT_US[1], "0")]
    last = of(lines, "tick")[-1]
    assert of(lines, "at once") == [last]
    waited = of(lines, "waited")[0]
    assert waited[1] == "11"
    assert abs(waited[0] - last[0] - 3 * TICK_US) < 1
    assert of(lines, "within")[0][1] == "11"  # a part of a tick later


def test_a_timer_that_runs_out_while_the_processor_waits_comes_late(clock):
    lines = clock()
    late = of(lines, "late")[0]
    assert late[1] == "16"  # set at 11 for 13, and waited for until 16
    assert of(lines, "of the rtimer")[0][1] == "17"
    assert of(lines, "of the rtimer")[0][0] - late[0] in (7812, 7813)


def test_the_clock_goes_on_past_32_bits(clock):
    lines = clock(motes=1, until=WRAP_MS + 1000)
    assert of(lines, "seconds") == [
        (of(lines, "of the rtimer")[0][0], "0"),
        (of(lines, "wrapped")[0][0], "33554432, never 0"),
    ]
    assert of(lines, "wrapped")[0] == (of(lines, "of the rtimer")[0][0] + WRAP_MS * 1000, str(2**32 + 17))


@pytest.mark.parametrize("ticks", [128, 1000])
def test_phases_are_drawn_for_each_mote_and_seed(clock, ticks):
    tick_us = 1_000_000 / ticks
    drawn = {
        (seed, mote): phase
        for seed in range(40)
        for mote, phase in phases(clock(ticks, "drawn", seed), tick_us).items()
    }
    assert all(0 <= phase < tick_us for phase in drawn.values())
    assert (
        len(set(drawn.values())) > 100
    )  # of 120, which would be few by chance if they were drawn from less than us
    assert 0.42 < sum(drawn.values()) / len(drawn) / tick_us < 0.58  # a half; standard error 0.026
    # Mote 2 of seed 1 and mote 1 of seed 2 are told the same simRandomSeed.
    assert drawn[1, 2] != drawn[2, 1]


def finalised(x):
    """SplitMix64's, of Steele, Lea and Flood, 2014, with the golden ratio added as there."""
    x = (x + 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def test_a_drawn_phase_is_the_hash_of_seed_and_mote(clock):
    assert finalised(0) == 0xE220A8397B1DCDAF  # the generator's first number of seed 0
    for seed in (1, 2, 900):
        for mote, phase in phases(clock(128, "drawn", seed), TICK_US).items():
            drawn = (finalised(seed << 32 | mote) >> 32) * 1_000_000 // 128 >> 32
            assert abs((phase - drawn + TICK_US / 2) % TICK_US - TICK_US / 2) < 1


def test_a_phase_is_of_seed_and_mote_alone(firmware, run, clock):
    said = [
        phases(clock(128, "drawn", seed=7), TICK_US),
        phases(clock(128, "drawn", seed=7, until=500), TICK_US),
    ]
    assert said[0] == said[1]
    assert phases(clock(128, "drawn", seed=8), TICK_US) != said[0]


def test_a_drawn_phase_moves_all_ticks_alike(clock):
    lines = clock(128, "drawn", seed=3)
    for mote in BOOT_US:
        times = [time for time, _ in of(lines, "tick", mote)]
        assert {later - earlier for earlier, later in pairwise(times)} <= {7812, 7813}
        assert 0 < times[0] - BOOT_US[mote] <= TICK_US + 1


def test_coojas_clock_is_in_ms_of_each_mote(clock):
    lines = clock(1000)
    assert of(lines, "boot") == [(11_000, "1")]
    assert of(lines, "tick") == [(11_000 + i * 1000, str(i + 1)) for i in range(1, 9)]


@pytest.mark.parametrize("asked", ["CLOCK=100", "PHASE=random", "CCA=-80", "MAC=tdma"])
def test_what_the_recipe_does_not_know_is_refused(asked):
    from os_builds import HERE, make

    refused = make(HERE / "firmware", "CONTIKI_PROJECT=clock-ticks", asked, "clock-ticks.cooja")
    assert refused.returncode != 0
    assert f"{asked} is not known" in refused.stdout
