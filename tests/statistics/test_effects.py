# SPDX-License-Identifier: Apache-2.0
"""Differences of two samples: against numbers computed by hand, SciPy's tests, textbook cases and what must
hold always.
"""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import stats

from orchestrator.statistics.effects import (
    hedges_correction,
    holm,
    noncentrality,
    paired_difference,
    welch_difference,
)

# Student (1908), The probable error of a mean: hours of sleep gained by ten patients with two drugs.
DRUG_1 = pd.Series([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0], index=range(1, 11))
DRUG_2 = pd.Series([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4], index=range(1, 11))
NUMBERS = st.floats(-1e4, 1e4).map(lambda value: round(value, 3))
SAMPLES = st.lists(NUMBERS, min_size=2, max_size=12).map(pd.Series)
BOTH = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=12)


def two(pairs) -> tuple[pd.Series, pd.Series]:
    return pd.Series([a for a, _ in pairs]), pd.Series([b for _, b in pairs])


def test_students_sleep_data_paired():
    found = paired_difference(DRUG_1, DRUG_2)
    assert (found.n, found.freedom) == (10, 9) and found.mean == pytest.approx(1.58)
    assert found.t == pytest.approx(4.0621, abs=5e-5) and found.p == pytest.approx(0.002833, abs=5e-7)
    assert (found.low, found.high) == (pytest.approx(0.7001142, abs=1e-6), pytest.approx(2.4598858, abs=1e-6))
    assert found.effect == pytest.approx(1.2846, abs=5e-5)


def test_students_sleep_data_welch():
    found = welch_difference(DRUG_1, DRUG_2)
    assert found.t == pytest.approx(1.8608, abs=5e-5) and found.freedom == pytest.approx(17.776, abs=5e-4)
    assert found.p == pytest.approx(0.07939, abs=5e-6)
    assert (found.low, found.high) == (
        pytest.approx(-0.2054832, abs=1e-6),
        pytest.approx(3.3654832, abs=1e-6),
    )


def test_by_hand():
    paired = paired_difference(pd.Series([1.0, 2.0, 3.0]), pd.Series([2.0, 4.0, 6.0]))  # differences 1, 2, 3
    assert (paired.mean, paired.error, paired.effect) == (
        2.0,
        pytest.approx(1 / math.sqrt(3)),
        pytest.approx(2),
    )
    assert paired.t == pytest.approx(2 * math.sqrt(3)) and paired.p == pytest.approx(0.0741799, abs=1e-6)
    apart = welch_difference(pd.Series([1.0, 2.0, 3.0]), pd.Series([3.0, 4.0, 5.0]))
    assert (apart.mean, apart.error, apart.freedom) == (
        2.0,
        pytest.approx(math.sqrt(2 / 3)),
        pytest.approx(4),
    )
    assert apart.effect == pytest.approx(
        2 * math.gamma(2) / (math.sqrt(2) * math.gamma(1.5))
    )  # J of 4 degrees of freedom


def test_hedges_correction_is_exact():
    by_hand = {
        2: 1 / math.sqrt(math.pi),
        3: math.sqrt(math.pi / 6),
        4: math.sqrt(2 / math.pi),
        6: 8 / (3 * math.sqrt(3 * math.pi)),
    }
    for freedom, exact in by_hand.items():
        assert hedges_correction(freedom) == pytest.approx(exact, rel=1e-12)
    for freedom in (5, 18, 58, 2000):  # the mean of d, times it, is the true effect
        assert hedges_correction(freedom) * stats.nct.mean(freedom, 1.7) == pytest.approx(1.7, rel=1e-6)


@pytest.mark.parametrize(("t", "freedom"), [(0.0, 9), (2.0, 2), (3.5, 19), (40.0, 5), (900.0, 29)])
def test_the_interval_of_an_effect_inverts_the_noncentral_t(t, freedom):
    low, high = noncentrality(t, freedom)
    assert stats.nct.sf(t, freedom, low) == pytest.approx(0.025, abs=1e-7)
    assert stats.nct.cdf(t, freedom, high) == pytest.approx(0.025, abs=1e-7)
    assert noncentrality(-t, freedom) == (-high, -low)


def test_a_huge_t_takes_the_limit_without_a_step():
    below, above = noncentrality(4999.9, 9), noncentrality(5000.1, 9)
    assert above == pytest.approx(below, rel=1e-4)


@given(BOTH)
def test_paired_is_scipys(pairs):
    a, b = two(pairs)
    assume(np.std(b - a) > 1e-6)
    found, theirs = paired_difference(a, b), stats.ttest_rel(b, a)
    assert found.t == pytest.approx(theirs.statistic, rel=1e-6, abs=1e-9) and found.p == pytest.approx(
        theirs.pvalue, rel=1e-6, abs=1e-12
    )
    interval = theirs.confidence_interval(0.95)
    assert (found.low, found.high) == (
        pytest.approx(interval.low, rel=1e-6, abs=1e-6),
        pytest.approx(interval.high, rel=1e-6, abs=1e-6),
    )


@given(SAMPLES, SAMPLES)
def test_welch_is_scipys(a, b):
    assume(np.std(a) + np.std(b) > 1e-6)
    found, theirs = welch_difference(a, b), stats.ttest_ind(b, a, equal_var=False)
    assert found.freedom == pytest.approx(theirs.df, rel=1e-6)
    assert found.t == pytest.approx(theirs.statistic, rel=1e-6, abs=1e-9) and found.p == pytest.approx(
        theirs.pvalue, rel=1e-6, abs=1e-12
    )
    interval = theirs.confidence_interval(0.95)
    assert (found.low, found.high) == (
        pytest.approx(interval.low, rel=1e-6, abs=1e-6),
        pytest.approx(interval.high, rel=1e-6, abs=1e-6),
    )


@given(BOTH, st.sampled_from([paired_difference, welch_difference]))
@example([(1.0, 3.0), (1.0, 3.0)], paired_difference)
def test_swapped_sides_flip_every_sign(pairs, how):
    a, b = two(pairs)
    there, back = how(a, b), how(b, a)
    flipped = [
        (there.mean, back.mean),
        (there.t, back.t),
        (there.effect, back.effect),
        (there.low, back.high),
        (there.high, back.low),
        (there.effect_low, back.effect_high),
        (there.effect_high, back.effect_low),
    ]
    for one, other in flipped:
        assert one == pytest.approx(-other, rel=1e-9, abs=1e-9, nan_ok=True)
    assert there.p == pytest.approx(back.p, nan_ok=True)
    assert math.isnan(there.effect) or there.effect_low <= there.effect <= there.effect_high


@given(SAMPLES)
def test_a_sample_against_itself_differs_by_nothing(a):
    paired = paired_difference(a, a)
    assert (
        paired.constant and (paired.mean, paired.low, paired.high) == (0.0, 0.0, 0.0) and math.isnan(paired.p)
    )
    assert paired.equivalence(1e-9) == 0.0
    apart = welch_difference(a, a)
    assert apart.mean == 0 and (apart.constant or (apart.effect == 0 and apart.p == pytest.approx(1)))


def test_no_spread_is_taken_at_its_word_and_rounding_is_no_spread():
    found = paired_difference(pd.Series([1.0, 2.0, 3.0]), pd.Series([1.5, 2.5, 3.5]))
    assert (
        found.constant and (found.mean, found.low, found.high) == (0.5, 0.5, 0.5) and math.isnan(found.effect)
    )
    assert (found.equivalence(0.6), found.equivalence(0.5)) == (0.0, 1.0)
    a = pd.Series([0.1, 0.7, 0.3])
    rounded = paired_difference(a, a + 0.1 + 0.2 - 0.3)
    assert rounded.constant and rounded.mean == 0.0
    assert welch_difference(pd.Series([3.0, 3.0]), pd.Series([4.0, 4.0])).constant


def test_one_seed_has_means_and_nothing_more():
    for found in (paired_difference(DRUG_1[:1], DRUG_2[:1]), welch_difference(DRUG_1[:1], DRUG_2)):
        assert (
            found.n == 1
            and math.isnan(found.low)
            and math.isnan(found.p)
            and math.isnan(found.equivalence(1.0))
        )
    assert paired_difference(DRUG_1[:1], DRUG_2[:1]).mean == pytest.approx(1.2)
    assert paired_difference(DRUG_1[:3], DRUG_2[3:]).n == 0  # no seed in common


def test_only_seeds_that_both_have_are_paired():
    found = paired_difference(
        pd.Series([1.0, 5.0, math.nan], index=[1, 2, 3]), pd.Series([9.0, 6.0, 2.0], index=[7, 2, 3])
    )
    assert (found.n, found.mean, found.a.mean) == (1, 1.0, 5.0)


@pytest.mark.filterwarnings("ignore:Precision loss occurred")  # SciPy, of samples that are nearly constant
@given(BOTH, st.floats(0.01, 1e4))
def test_equivalence_is_two_one_sided_tests_of_scipy(pairs, margin):
    a, b = two(pairs)
    assume(np.std(b - a) > 1e-6)
    below = stats.ttest_1samp(b - a, -margin, alternative="greater").pvalue
    above = stats.ttest_1samp(b - a, margin, alternative="less").pvalue
    assert paired_difference(a, b).equivalence(margin) == pytest.approx(max(below, above), rel=1e-6, abs=1e-9)
    assume(np.std(a) + np.std(b) > 1e-6)
    below = stats.ttest_ind(b + margin, a, equal_var=False, alternative="greater").pvalue
    above = stats.ttest_ind(b - margin, a, equal_var=False, alternative="less").pvalue
    assert welch_difference(a, b).equivalence(margin) == pytest.approx(max(below, above), rel=1e-6, abs=1e-9)


def test_equivalent_exactly_where_the_90_percent_interval_lies_inside():
    found = paired_difference(DRUG_1, DRUG_2)
    bound = stats.ttest_rel(DRUG_2, DRUG_1).confidence_interval(0.90).high
    assert found.equivalence(bound * 1.001) < 0.05 < found.equivalence(bound * 0.999)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    some = holm([0.02, math.nan, 0.01])
    assert some[0] == pytest.approx(0.02) and some[2] == pytest.approx(0.02) and math.isnan(some[1])
    assert holm([]) == []


def test_a_difference_of_shares_is_at_most_a_hundred_points():
    a, b = pd.Series([0.0, 0.0, 90.0], index=[1, 2, 3]), pd.Series([100.0, 10.0, 100.0], index=[1, 2, 3])
    for difference in (paired_difference, welch_difference):
        assert difference(a, b).high > 100
        found = difference(a, b, (0.0, 100.0))
        assert (found.high, found.low) == (
            100,
            difference(a, b).low,
        ) and 0 <= found.a.low < found.a.high <= 100


def test_without_effects_only_their_intervals_are_left_out():
    a, b = pd.Series([1.0, 2.0, 3.5], index=[1, 2, 3]), pd.Series([2.0, 3.5, 4.0], index=[1, 2, 3])
    for difference in (paired_difference, welch_difference):
        whole, quick = difference(a, b), difference(a, b, effects=False)
        assert (whole.p, whole.low, whole.high, whole.effect) == (
            quick.p,
            quick.low,
            quick.high,
            quick.effect,
        )
        assert math.isnan(quick.effect_low) and not math.isnan(whole.effect_low)
