# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest

from orchestrator.features.testbed.survey.measure import Count, MeasuredLink, Survey
from orchestrator.features.testbed.survey.mesh import Wanted, best, between, steps

INCH = 0.0254
PLACES = {number: (9 * INCH * ((number - 1) % 4), 9 * INCH * ((number - 1) // 4)) for number in range(1, 9)}
WANTED = Wanted(8 * INCH, 10 * INCH)


def survey(reaches: dict[int, float], one_way: tuple[int, int] | None = None) -> Survey:
    """Motes of a board that hear each other up to the reach of each power, m; but one direction."""
    return Survey(
        tuple(PLACES),
        {},
        tuple(
            MeasuredLink(
                a,
                b,
                power,
                ((1, Count(10, 9 if math.dist(PLACES[a], PLACES[b]) < reach and (a, b) != one_way else 1)),),
            )
            for power, reach in reaches.items()
            for a in PLACES
            for b in PLACES
            if a != b
        ),
        (),
    )


def test_the_power_with_links_of_the_wanted_length_is_found():
    found = steps(survey({31: 1.0, 3: 0.6, 2: 0.25, 1: 0.1}), PLACES, WANTED)
    assert [step.power for step in found] == [31, 3, 2, 1]
    chosen = best(found)
    assert chosen.power == 2 and chosen.fits and chosen.wrong == 0 and chosen.parts == 1
    assert chosen.linked == 10 and chosen.longest == pytest.approx(9 * INCH)
    assert 9 * INCH < chosen.reach < 9 * INCH * math.sqrt(2)
    assert between(found) is None


def test_without_a_wish_the_highest_power_counts():
    found = steps(survey({31: 1.0, 2: 0.25}), PLACES, None)
    assert best(found).power == 31 and found[0].wrong is None and not found[0].fits
    assert found[0].reach == math.inf and found[0].linked == found[0].pairs == 28


def test_a_link_needs_both_directions():
    (step,) = steps(survey({2: 0.25}, one_way=(1, 2)), PLACES, WANTED)
    assert step.linked == 9 and step.too_short == 1 and step.too_long == 0


def test_a_net_in_parts_does_not_fit():
    assert [step.parts for step in steps(survey({2: 0.1}), PLACES, WANTED)] == [8]
    (step,) = steps(survey({2: 0.1}), PLACES, Wanted(5, 6))
    assert step.wrong == 0 and not step.fits


def test_nobody_may_stand_so_far_apart_as_wanted():
    assert WANTED.possible(PLACES) and not Wanted(0.1, 0.2).possible(PLACES)


def test_powers_between_two_are_tried_where_one_reaches_too_far_and_the_next_too_short():
    found = steps(survey({100: 1.0, 50: 0.6, 10: 0.1}), PLACES, WANTED)
    assert between(found) == (49, 11) and not best(found).fits
    assert between(steps(survey({11: 1.0, 10: 0.1}), PLACES, WANTED)) is None
    assert between(steps(survey({100: 1.0, 50: 0.6}), PLACES, WANTED)) is None


def test_a_driver_that_tells_no_power_has_none_between():
    silent = survey({5: 0.6, 4: 0.1})
    links = tuple(MeasuredLink(one.source, one.destination, None, one.rounds) for one in silent.links)
    found = steps(Survey(silent.ids, {}, links, ()), PLACES, WANTED)
    assert [step.power for step in found] == [None] and between(found) is None
