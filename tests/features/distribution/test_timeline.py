# SPDX-License-Identifier: Apache-2.0
"""The drawing of invalid intervals and windows."""

import re
from pathlib import Path

import pytest

from orchestrator.features.distribution.deadlines import deadlines
from orchestrator.features.distribution.load import load
from orchestrator.features.distribution.readings import EARLIEST_STAMP, PERIOD_START, Reading
from orchestrator.features.distribution.timeline import timeline

PAPER = Path(__file__).resolve().parents[3] / "orchestrator" / "features" / "distribution" / "paper"


def drawn(scenario: str, number: int, reading: Reading, periods: int = 0) -> str:
    return timeline(deadlines(load(PAPER / scenario), reading)[number], periods).svg()


def test_intervals_windows_and_what_decides():
    svg = drawn("scenario-1.yaml", 0, Reading())
    assert "invalid from 60 ms to 80 ms" in svg and "invalid from 160 ms to 180 ms" in svg
    assert "Target1.1 reads from 80 ms to 110 ms" in svg and "Target1.3 reads from 280 ms to 330 ms" in svg
    assert svg.count('fill="#d55e00" fill-opacity="0.85"') == 2  # the window, and the key's
    assert svg.count('stroke="#00795a"') == 1 + 5  # the key, and one of each of five periods
    assert "case 2: Target1.1 in period 0 of 6" in svg
    assert svg == drawn("scenario-1.yaml", 0, Reading())


def test_the_interval_of_a_window_that_wraps_is_drawn_where_it_decides():
    svg = drawn("scenario-1.yaml", 1, Reading(), 3)
    assert "Target2.2 reads from 130 ms to 180 ms" in svg and "P1" in svg
    assert "invalid from" not in svg  # at the minimum nothing is ever invalid


def test_case_1_and_no_deadline():
    assert "no window overlaps an invalid interval" in drawn("scenario-4.yaml", 0, Reading(PERIOD_START))
    assert "no deadline keeps its data valid" in drawn("scenario-4.yaml", 1, Reading(EARLIEST_STAMP))


@pytest.mark.parametrize("periods", [1, 2, 40])
def test_nothing_is_drawn_outside(periods):
    svg = drawn("scenario-1.yaml", 1, Reading(PERIOD_START), periods)
    for x, wide in re.findall(r'<rect x="([\d.-]+)" y="[\d.]+" width="([\d.]+)"', svg):
        assert 0 <= float(x) and float(x) + float(wide) <= 960
