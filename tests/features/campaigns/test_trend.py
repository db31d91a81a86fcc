# SPDX-License-Identifier: Apache-2.0
"""Trends over nights: which nights belong to one, and where it changed."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest

from orchestrator.features.campaigns.judging import page, trend
from orchestrator.statistics.estimates import estimate
from tests.features.campaigns.nights_store import Nights


def point(mean: float, runs: str):
    """A night whose three runs have this mean."""
    return estimate([mean - 0.1, mean, mean + 0.1], (0.0, 100.0)), frozenset(f"{runs}{n}" for n in range(3))


def test_a_trend_changes_where_its_mean_does():
    values = [point(10.0 if night < 5 else 11.0, f"n{night}") for night in range(10)]
    assert trend.changed(values, 0.05) == (5,)
    assert trend.changed([point(10.0, f"n{night}") for night in range(10)], 0.05) == ()


def test_nights_with_the_very_same_runs_count_once():
    """Five nights of the same three runs, a little above: as nights of their own they would be a change."""
    before = [point(10.0, f"n{night}") for night in range(5)]
    apart = [point(10.16, f"m{night}") for night in range(5)]
    assert trend.changed(before + apart, 0.05) == (5,)
    assert trend.changed(before + [point(10.16, "m")] * 5, 0.05) == ()


def test_a_night_of_one_run_has_no_spread_and_is_left_out():
    one = estimate([50.0], (0.0, 100.0)), frozenset(["x"])
    values = [point(10.0, f"n{night}") for night in range(5)]
    assert trend.changed([*values, one], 0.05) == () and trend.changed([one], 0.05) == ()


def test_a_trend_has_the_nights_in_which_the_cell_was_the_same(tmp_path):
    nights = Nights(tmp_path)
    for digest in ("d", "d", "edited", "d"):
        nights.night(digest=digest)
        found = nights.verdict()
    assert [[one.round.id for one in each.points] for each in found.trends if each.metric == "delay_ms"] == [
        ["000001", "000002", "000004"]
    ] * 2


def test_a_trend_looks_at_no_more_than_sixty_nights():
    cell = SimpleNamespace(digest="d")
    nights = [
        trend.Night(
            SimpleNamespace(id=number, plan=SimpleNamespace(cells={("chain", "merged"): cell})),
            pd.DataFrame(
                [("chain", "merged", 1, f"r{number}", "delay_ms", "p50", 80.0)],
                columns=["experiment", "cell", "seed", "run_id", "metric", "key", "value"],
            ),
        )
        for number in range(1, 71)
    ]
    (found,) = trend.trends(nights, 0.05)
    assert [point.round.id for point in found.points] == list(range(11, 71))


def test_all_trends_together_keep_the_level(tmp_path, monkeypatch):
    levels = []
    changed = trend.changed
    monkeypatch.setattr(
        trend, "changed", lambda values, level: levels.append(level) or changed(values, level)
    )
    nights = Nights(tmp_path)
    nights.night()
    found = nights.verdict()
    assert len(found.trends) > 1 and sum(levels) == pytest.approx(found.level)


def test_the_axis_of_a_trend_names_whole_rounds():
    assert page.rounds(2, 4) == [(2.0, "2"), (3.0, "3"), (4.0, "4")]
    assert [name for _, name in page.rounds(1, 8)] == list("12345678")
    assert [name for _, name in page.rounds(1, 9)] == list("13579")
