# SPDX-License-Identifier: Apache-2.0
"""The latest deadlines: by brute force, by the paper's loop, and those that its tables print."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.features.distribution.deadlines import deadline, deadlines, shared
from orchestrator.features.distribution.load import load
from orchestrator.features.distribution.model import Distribution, Target, Timing
from orchestrator.features.distribution.readings import (
    EARLIEST_STAMP,
    FROM_RELEASE,
    IN_PERIOD,
    PERIOD_START,
    READINGS,
    SOURCE_DEADLINE,
    Reading,
)
from tests.counting import at_most_calls
from tests.features.distribution.brute_force import compare, outdated_reads, random_system

PAPER = Path(__file__).resolve().parents[3] / "orchestrator" / "features" / "distribution" / "paper"


def test_no_read_is_outdated_at_the_deadline_and_one_is_a_microsecond_later():
    chance, cases = random.Random(20), set()
    for _ in range(300):
        validity, source, targets = random_system(chance)
        for reading in READINGS:
            said, made = compare(validity, source, targets, reading)
            assert not said, f"{reading.name}: {said}\n{validity} {source} {targets}\n{made}"
            cases.add((made.case, made.deadline is None))
    assert cases == {(1, False), (2, False), (2, True), (3, False), (3, True)}


def test_brute_force_finds_what_it_is_to_find():
    """A value valid for 12 of every 10 us, read in 3..4: in the first period after its arrival at 3 or later
    the old one of 10 us before is read, 13 us old.
    """
    target = Target("T", "n", "o", Timing(10, 3, 1, 1))
    source, reading = Timing(10, 0, 1, 1), Reading(PERIOD_START)
    assert outdated_reads(12, source, [target], reading, 3) == []
    assert outdated_reads(12, source, [target], reading, 4) == [(3, "T")]


@pytest.mark.parametrize(
    "scenario, printed",
    [
        ("scenario-1.yaml", {"data-1-to-targets": 70_000, "data-2-to-targets": 60_000}),
        ("scenario-2.yaml", {"data-1-to-targets": 70_000, "data-2-to-targets": 60_000}),
        ("scenario-3.yaml", {"data-1-to-targets": 70_000, "data-2-to-targets": 60_000}),
        ("scenario-4.yaml", {"to-weapon-1": 350_000, "to-weapon-2": 450_000}),
    ],
)
def test_the_tables_deadlines_follow_from_the_release_at_the_sources_deadline(scenario, printed):
    system = load(PAPER / scenario)
    found = deadlines(system, Reading(SOURCE_DEADLINE, FROM_RELEASE))
    assert {one.distribution.name: one.deadline for one in found} == printed
    # Each step's row prints the shortest deadline of the distributions that share it.
    steps = shared(system, found)
    assert {name: step.printed.deadline for name, step in system.steps.items()} == steps


@pytest.mark.parametrize(
    "reading, expected",
    [
        (Reading(PERIOD_START), [(0, 500_000), (0, 300_000)]),
        (Reading(SOURCE_DEADLINE, IN_PERIOD), [(300_000, 200_000), (300_000, 200_000)]),
        (Reading(EARLIEST_STAMP), [(300_000, 350_000), (300_000, None)]),
    ],
)
def test_other_readings_of_the_weapons_alignment(reading, expected):
    found = deadlines(load(PAPER / "scenario-4.yaml"), reading)
    assert [(one.release, one.deadline) for one in found] == expected


def test_a_deadline_says_what_decided_it():
    first, second = deadlines(load(PAPER / "scenario-1.yaml"), Reading())
    assert (first.case, first.by.target.name, first.by.period) == (2, "Target1.1", 0)
    assert (first.by.begins, first.by.ends) == (80_000, 110_000)
    assert (second.case, second.by.target.name, second.by.period) == (3, "Target2.2", 1)
    assert (second.by.begins, second.by.ends) == (130_000, 180_000)  # open at 80,000 + 70,000 us
    assert (second.superperiod, second.periods) == (3_600_000, 45)


def test_the_quick_deadline_is_never_later():
    chance = random.Random(3)
    for _ in range(200):
        validity, source, targets = random_system(chance)
        one = Distribution("d", "o", tuple(target.name for target in targets))
        for reading in READINGS:
            made = deadline(one, validity, source, targets, reading)
            quick = made.quick
            assert quick <= (made.by.deadline if made.by else made.most)
            if quick > 0:
                assert not outdated_reads(validity, source, targets, reading, quick)


def thousand() -> list[tuple[Distribution, int, Timing, list[Target]]]:
    """Distributions whose superperiods are 10^9 us: all periods divide it, and have its 2^9 and its 5^9."""
    chance, made = random.Random(1), []
    for number in range(1000):
        period = 2**9 * 5 ** chance.randint(0, 3)
        targets = []
        for own in (5**9, 2 ** chance.randint(3, 9) * 5 ** chance.randint(2, 5), 10**6):
            window = chance.randint(1, max(1, own // 50))
            targets.append(
                Target(f"T{len(targets)}", "n", "o", Timing(own, chance.randint(0, own), window, 1))
            )
        one = Distribution(f"d{number}", "o", tuple(target.name for target in targets))
        made.append((one, period + chance.randint(1, period), Timing(period, 0, 1, 1), targets))
    return made


def test_the_work_for_a_deadline_does_not_grow_with_the_superperiod():
    """1,000 distributions with superperiods of 10^9 us take some 40,000 calls; some two million periods a
    distribution could not be stepped through in that.
    """
    systems = thousand()
    with at_most_calls(100_000):
        found = [deadline(*each, Reading()) for each in systems]
    assert {one.superperiod for one in found} == {10**9}
    assert len({one.case for one in found}) > 1


def test_a_deciding_window_is_one_of_the_targets_and_lies_at_the_period():
    for each in thousand():
        made = deadline(*each, Reading())
        for by in made.all:
            if by.case == 1:
                continue
            invalid = by.period * made.period + made.expires
            assert (by.begins - by.target.timing.release) % by.target.timing.period == 0
            assert by.begins <= invalid < by.ends if by.case == 3 else by.begins > invalid
            assert 0 <= by.period < made.periods


def test_bounds_of_readings():
    source = Timing(100, 10, 30, 5)
    assert Reading(PERIOD_START).released(source) == 0
    assert Reading(SOURCE_DEADLINE).released(source) == Reading(SOURCE_DEADLINE).stamped(source) == 40
    assert Reading(EARLIEST_STAMP).stamped(source) == 10
    assert Reading(SOURCE_DEADLINE, IN_PERIOD).most(source) == 60
    assert Reading(SOURCE_DEADLINE, FROM_RELEASE).most(source) == 100
    assert Reading(SOURCE_DEADLINE, IN_PERIOD).most(replace(source, release=90)) == 80
