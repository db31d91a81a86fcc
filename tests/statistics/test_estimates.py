# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from orchestrator.report.statistics import single_runs, with_interval
from orchestrator.statistics.estimates import estimate, paired, sign

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30)


@given(VALUES)
def test_the_interval_is_students(values):
    found = estimate(values)
    spread = np.std(values, ddof=1)
    if spread > 1e-9:
        low, high = stats.t.interval(0.95, len(values) - 1, np.mean(values), spread / math.sqrt(len(values)))
        assert found.low == pytest.approx(low, rel=1e-6, abs=1e-6)
        assert found.high == pytest.approx(high, rel=1e-6, abs=1e-6)
    assert found.one_low == min(values) and found.one_high == max(values)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12))
def test_a_share_has_an_interval_of_shares_that_holds_its_mean(values):
    found = estimate(values, (0.0, 1.0))
    slack = 1e-9
    assert (
        -slack <= found.low <= found.high + slack <= 1 + 2 * slack
        and 0 <= found.one_low <= found.one_high <= 1
    )
    assert found.low - slack <= found.mean <= found.high + slack


def test_the_interval_of_a_share_is_that_of_its_log_odds_only_where_students_t_leaves_what_is_possible():
    inside = [0.4, 0.5, 0.6, 0.5]
    assert estimate(inside, (0.0, 1.0)) == estimate(inside)
    found, plain = estimate([0.0, 0.02, 0.0, 0.0], (0.0, 1.0)), estimate([0.0, 0.02, 0.0, 0.0])
    assert plain.low < 0 < found.low < found.mean < found.high < 1
    width = (plain.high - plain.mean) / (found.mean * (1 - found.mean))
    assert math.log(found.high / (1 - found.high)) == pytest.approx(
        math.log(found.mean / (1 - found.mean)) + width
    )
    percent = estimate([0.0, 2.0, 0.0, 0.0], (0.0, 100.0))
    assert (percent.low, percent.high) == (pytest.approx(100 * found.low), pytest.approx(100 * found.high))


def test_what_can_not_be_negative_is_cut_off_at_zero_and_what_has_no_bounds_is_not():
    values = [0.0, 0.0, 72.0]
    assert estimate(values, (0.0, math.inf)).low == 0 and estimate(values).low < -70
    assert estimate(values, (0.0, math.inf)).high == estimate(values).high
    assert estimate([-3.0, 0.9, 1.0], (-math.inf, 1.0)).high == 1.0
    assert estimate([0.0, 0.0], (0.0, 1.0)).low == estimate([0.0, 0.0], (0.0, 1.0)).high == 0


def test_no_value_and_one_value_have_no_interval():
    assert not estimate([]).known
    one = estimate([3.0])
    assert one.mean == 3.0 and math.isnan(one.low) and sign(one) is None
    assert with_interval(one, 1) == ("3.0", "one seed, no interval")


def test_pairs_are_by_seed_and_only_common_ones_count():
    first = pd.Series([10.0, 20.0, 33.0], index=[1, 2, 9])
    second = pd.Series([19.0, 8.0, 0.0], index=[2, 1, 7])
    difference = paired(first, second)
    assert difference.n == 2 and difference.mean == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1, 1.1, 0.9], 1), ([-1, -1.1, -0.9], -1), ([-1, 1, 0.1], 0), ([0, 0, 0], 0), ([2, 2, 2], 1)],
)
def test_sign_needs_the_interval_to_leave_out_zero(values, expected):
    assert sign(estimate(values)) == expected


@pytest.mark.parametrize("n", [2, 5, 10, 19])
@pytest.mark.parametrize(
    "draw",
    [
        lambda chance, n: chance.lognormal(0, 2, n),
        lambda chance, n: chance.normal(50, 1, n),
        lambda chance, n: chance.integers(0, 4, n),
    ],
    ids=["skewed", "normal", "few counts"],
)
def test_the_range_of_single_runs_covers_one_more_run_as_often_as_it_says(n, draw):
    chance, tries = np.random.default_rng(n), 3000
    hits = sum(
        found.has_run(one)
        for *ours, one in (draw(chance, n + 1) for _ in range(tries))
        for found in [estimate(ours)]
    )
    said = estimate(range(n)).coverage
    assert said == pytest.approx((n - 1) / (n + 1))
    slack = 4 * math.sqrt(said * (1 - said) / tries)
    assert hits / tries >= said - slack
    if draw(chance, 2).dtype.kind == "f":  # with ties it covers more
        assert hits / tries <= said + slack


def test_one_run_has_no_range():
    one = estimate([3.0])
    assert one.coverage == 0 and not one.has_run(3.0) and single_runs(one) == "–"
    assert (
        single_runs(estimate([48.0, 52.0])) == "48.0 to 52.0" and single_runs(estimate([2.0, 2.0]), 0) == "2"
    )
