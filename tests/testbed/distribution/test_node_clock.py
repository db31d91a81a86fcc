# SPDX-License-Identifier: Apache-2.0
"""A node's clock: what it learns from answers, and what a step of the host's clock changes."""

from __future__ import annotations

from tests.testbed.distribution.times import Times


def test_the_answer_that_took_the_shortest_counts():
    clock = Times().clock()
    assert clock.error is None and clock.now() == 0
    clock.answered(asked=100, answered=5000, now=140)
    assert (clock.offset, clock.error) == (4880, 20)
    clock.answered(asked=200, answered=5300, now=400)  # it took longer
    assert (clock.offset, clock.error) == (4880, 20)
    clock.answered(asked=500, answered=5401, now=511)
    assert (clock.offset, clock.error, clock.exchanges, clock.steps) == (4895, 6, 3, 0)


def test_the_shortest_way_is_no_part_of_the_error():
    clock = Times().clock(least=20)
    clock.answered(asked=100, answered=5000, now=140)
    assert (clock.offset, clock.error) == (4880, 0)
    clock = Times().clock(least=15)
    clock.answered(asked=100, answered=5000, now=141)
    assert clock.error == 6


def test_an_answer_that_contradicts_what_is_known_means_that_a_clock_stepped():
    clock = Times().clock()
    clock.answered(asked=100, answered=5000, now=140)
    clock.answered(asked=200, answered=5100 + 20 + 20 + 1000, now=240)  # both errors, and a drift
    assert (clock.steps, clock.error, clock.offset) == (0, 20, 5920)  # the later one of two as good ones
    clock.answered(asked=300, answered=9000, now=400)  # worse than before, and taken
    assert (clock.steps, clock.offset, clock.error) == (1, 8650, 50)


def test_an_answer_becomes_worse_with_time():
    times = Times()
    clock, other = times.clock(drift_ppm=100), times.clock(reference=True, drift_ppm=100)
    clock.answered(asked=0, answered=5000, now=40)
    times.own = 40 + 1_000_000
    assert clock.error == 120 and other.error == 0
    clock.answered(asked=times.own - 200, answered=times.own + 4980 - 100, now=times.own)
    assert clock.error == 100  # better by now than the first one


def test_a_step_of_the_host_s_clock_is_counted():
    times = Times()
    clock = times.clock(reference=True)
    for passed in (10, 20):
        times.own, times.real = times.own + passed, times.real + passed
        assert not clock.look()
    times.real += 2_000_000
    assert clock.look() and not clock.look() and clock.steps == 1
    times.real -= 2_000_000
    assert clock.look() and clock.steps == 2
