# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orchestrate_testbed.client import ClockPair
from orchestrate_testbed.clock_fit import CRYSTAL_PPM, STRETCHES, best, fitted

OFFSET_US = 5_000_000_000


def pairs(drift_ppm: float, seconds: int, delays, seed: int = 1, boot: str = "b") -> list[ClockPair]:
    """What a gateway would answer whose clock is exactly so fast; each way takes its own time."""
    chance = random.Random(seed)
    found = []
    for number in range(seconds):
        asked = number * 1_000_000
        there, back = delays(chance), delays(chance)

        def gateway(time: int) -> int:
            return round(OFFSET_US + time * (1 + drift_ppm / 1e6))

        received = gateway(asked + there)
        sent = gateway(asked + there + 50)
        found.append(ClockPair(asked, received, sent, asked + there + 50 + back, 0, boot))
    return found


@given(
    drift=st.floats(-90, 90),
    seed=st.integers(0, 10**6),
    jitter=st.integers(0, 20_000),
    seconds=st.integers(1, 200),
)
def test_the_stated_error_is_never_exceeded(drift, seed, jitter, seconds):
    asked = pairs(drift, seconds, lambda chance: chance.randrange(100, 101 + jitter), seed)
    (fit,) = fitted(asked)
    for time in range(0, seconds * 1_000_000, 777_777):
        gateway_us = round(OFFSET_US + time * (1 + drift / 1e6))
        # 2 us: the pairs' own rounding.
        assert abs(fit.controller_us(gateway_us) - time) <= fit.error_at_us(gateway_us) + 2


@given(
    rates=st.lists(st.floats(-CRYSTAL_PPM, CRYSTAL_PPM), min_size=2, max_size=4),
    every=st.integers(1, 60),
    jitter=st.integers(0, 20_000),
    seed=st.integers(0, 10**6),
)
def test_the_stated_error_holds_for_a_clock_that_changes_its_rate(rates, every, jitter, seed):
    """The rate changes between two pairs, as by `testbed break clock --drift`."""
    seconds, chance = 100, random.Random(seed)
    changes = sorted(chance.uniform(0, seconds * every * 1e6) for _ in rates[1:])

    def gateway(time: float) -> int:
        gained, since = 0.0, 0.0
        for rate, until in zip(rates, [*changes, time], strict=True):
            gained += (min(time, until) - since) * rate / 1e6 if time > since else 0.0
            since = until
        return round(OFFSET_US + time + gained)

    asked = []
    for number in range(seconds):
        at = number * every * 1_000_000
        there, back = (chance.randrange(100, 101 + jitter) for _ in range(2))
        asked.append(ClockPair(at, gateway(at + there), gateway(at + there), at + there + back, 0, "b"))
    (fit,) = fitted(asked)
    for time in range(0, (seconds - 1) * every * 1_000_000, 777_777 * every):
        at_gateway = gateway(time)
        assert abs(fit.controller_us(at_gateway) - time) <= fit.error_at_us(at_gateway) + 2


def test_nothing_is_known_of_a_clock_between_two_questions_but_its_crystal():
    """It gains for 5 s and loses as much in the next 5: whenever it is asked, it is right."""
    asked = [ClockPair(at, at + 1, at + 1, at + 2, 0, "b") for at in range(0, 100_000_000, 10_000_000)]
    (fit,) = fitted(asked)
    assert fit.drift_ppm == pytest.approx(0, abs=0.01)
    assert fit.error_us == pytest.approx(5 * CRYSTAL_PPM, abs=5)


def test_a_clock_that_is_asked_often_is_known_well():
    (fit,) = fitted(pairs(20.0, 300, lambda chance: 200))
    assert 200 <= fit.error_us < 300, "half a delay of 400 us, and what a crystal strays in half a second"


def test_drift_is_found_and_the_error_is_that_of_the_least_delays():
    (fit,) = fitted(pairs(37.0, 120, lambda chance: 200 + round(chance.expovariate(1 / 3000))))
    assert fit.drift_ppm == pytest.approx(37.0, abs=10)
    assert fit.error_us < 5000 and fit.pairs <= STRETCHES


def test_a_pair_that_waited_long_does_not_count():
    asked = pairs(0.0, 60, lambda chance: 500)
    late = ClockPair(60_000_000, OFFSET_US + 60_000_000, OFFSET_US + 60_000_000, 60_900_000, 0, "b")
    assert late not in best([*asked, late])
    assert fitted([*asked, late])[0].error_us < 1000, "it knows no more than 450,000"


def test_too_short_a_run_tells_no_drift():
    (fit,) = fitted(pairs(50.0, 2, lambda chance: chance.randrange(100, 5000)))
    assert fit.drift_ppm == 0
    (single,) = fitted(pairs(50.0, 1, lambda chance: 1000))
    assert single.offset_us == pytest.approx(OFFSET_US, abs=1)
    assert single.error_us == pytest.approx(1000, abs=1)
    later = single.until_us + 10_000_000
    assert single.error_at_us(later) == pytest.approx(single.error_us + 10 * CRYSTAL_PPM, abs=1)


def test_each_boot_has_its_clock():
    after = [
        ClockPair(200_000_000 + n, 1000 + n, 1000 + n, 200_000_200 + n, 0, "second")
        for n in range(0, 9000, 3000)
    ]
    first, second = fitted([*after, *pairs(0.0, 100, lambda chance: 100)])
    assert (first.boot, second.boot) == ("b", "second")
    assert second.controller_us(1000) == pytest.approx(200_000_100, abs=1)
