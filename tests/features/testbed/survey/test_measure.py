# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from orchestrator.errors import RunFailed
from orchestrator.features.testbed.survey.measure import joined, measure
from tests.features.testbed.survey.logs import NAMES, log


def by_pair(survey):
    return {(link.source, link.destination): link for link in survey.links}


def test_each_direction_and_round_is_counted_apart():
    found = by_pair(measure(log({1, 2, 3, 4, 5, 6}, {8}), NAMES))
    assert len(found) == 4  # mote 3 said nothing, so that of its links nothing is known
    assert found[1, 2].ratio == pytest.approx(6 / 8) and found[2, 1].ratio == pytest.approx(1 / 8)
    assert [(number, one.sent, one.heard) for number, one in found[1, 2].rounds] == [(1, 4, 4), (2, 4, 2)]
    assert found[1, 2].swing == 0.5 and found[1, 3].ratio == 0
    assert found[1, 3].rssi is None and found[1, 3].lqi is None


def test_strength_and_link_quality_are_means_of_what_was_heard():
    link = by_pair(measure(log({1, 2, 3}, set()), NAMES))[1, 2]
    assert link.rssi == pytest.approx(-72)  # -71, -72, -73
    assert link.rssi_deviation == pytest.approx(1)
    assert link.lqi == pytest.approx(102)
    assert by_pair(measure(log({1}, set()), NAMES))[1, 2].rssi_deviation is None


def test_what_was_heard_twice_counts_once():
    lines = list(log({1}, set()))
    doubled = [line for line in lines for _ in range(2 if "heard" in line else 1)]
    assert by_pair(measure(doubled, NAMES))[1, 2].heard == 1


def test_what_was_said_in_the_last_second_does_not_count():
    assert by_pair(measure(log(set(), set()), NAMES))[1, 2].sent == 8


def test_what_was_heard_long_after_it_was_said_is_not_that_frame():
    late = "13000001\tID:2\theard 1 from 0100000000000000 power 0 rssi -70 lqi 100\n"
    assert by_pair(measure([*log(set(), set()), late], NAMES))[1, 2].heard == 0


def test_powers_are_told_apart():
    lines = [line.replace("power 0", "power -7") if "\tsay 2 " in line else line for line in log({2}, set())]
    survey = measure(lines, NAMES)
    assert survey.powers == (0, -7)
    (one,) = [link for link in survey.at(-7) if (link.source, link.destination) == (1, 2)]
    assert (one.sent, one.heard, one.rssi) == (1, 1, -72)


def test_numbers_that_come_again_after_a_reboot_are_told_apart():
    lines = list(log({1}, set()))[:-2]
    again = [
        "100000000\tID:1\twho link-survey address 0100000000000000 eui64 unknown platform cooja\n",
        "110000000\tID:1\tsay 1 round 1 power 0\n",
        "110000900\tID:2\theard 1 from 0100000000000000 power 0 rssi -60 lqi 100\n",
        "120000000\tID:1\tsay 2 round 1 power 0\n",
        "130000000\tID:1\tsay 3 round 1 power 0\n",
    ]
    survey = measure([*lines, *again], NAMES)
    assert survey.reboots == (1,)
    assert by_pair(survey)[1, 2].heard == 2 and by_pair(survey)[1, 2].sent == 10


def test_frames_of_strangers_are_no_links():
    stranger = "85000000\tID:1\theard 9 from ffff000000000000 power 0 rssi -80 lqi 60\n"
    survey = measure([*log(set(), set()), stranger], NAMES)
    assert survey.strangers == 1 and not any(link.heard for link in survey.links)


def test_a_mote_that_never_said_who_it_is_is_named():
    with pytest.raises(RunFailed, match="mote 2 did not say who it is"):
        measure([line for line in log(set(), set()) if "\tID:2\twho" not in line], NAMES)


def test_noise_is_the_median_of_the_rounds():
    (one,) = measure(log(set(), set()), NAMES).noise
    assert (one.mote, one.channel, one.low, one.median, one.high, one.rounds) == (1, 26, -99, -95.5, -60, 2)


def test_identities():
    said = measure(log(set(), set()), NAMES).identities
    assert said[1].eui64 == "" and said[2].eui64 == "0012740000000002"
    assert (said[2].firmware, said[2].platform) == ("link-survey", "cooja")


def test_surveys_of_several_sweeps_are_one():
    one = measure(log({1, 2, 3, 4, 5, 6}, set()), NAMES)
    both = joined([one, one])
    link = by_pair(both)[1, 2]
    assert (link.sent, link.heard) == (16, 12)
    assert [number for number, _ in link.rounds] == [1, 2, 3, 4]
    assert both.noise[0].rounds == 4 and both.noise[0].median == -95.5
