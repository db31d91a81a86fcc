# SPDX-License-Identifier: Apache-2.0
"""Error rates are of seeded simulations: their bounds are far from what is right, and a wrong formula is past
them."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from orchestrator.statistics.regression import _by_t, beyond, change, fewest, smallest
from tests.tier import examples


def series(values, first=1):
    return pd.Series(list(map(float, values)), index=range(first, first + len(values)))


def p_of(base, now, effect=0.0, level=1e-3, paired=False):
    return beyond(change(base, now, paired), base, now, effect, level)


def rejected(draw, effect, shift=0.0, trials=600, n=(10, 8), at=0.05):
    found = 0
    for _ in range(trials):
        base, now = series(draw(n[0])), series(draw(n[1]) + shift, first=100)
        found += p_of(base, now, effect) <= at
    return found / trials


def test_without_an_effect_it_is_welchs_test_where_that_is_not_suspicious():
    base, now = series([1, 2, 4, 3, 5]), series([3, 2, 6, 4, 5, 7], first=10)
    expected = stats.ttest_ind(now, base, equal_var=False).pvalue
    assert expected > 0.05
    assert p_of(base, now) == pytest.approx(expected)


def test_the_effect_is_taken_off_the_difference():
    base, now = series([1, 2, 4, 3, 5]), series([4, 3, 7, 5, 6, 8], first=10)
    found = change(base, now, False)
    low = stats.t.sf((found.mean - 1.0) / found.error, found.freedom)
    high = stats.t.sf((found.mean + 1.0) / found.error, found.freedom)
    assert p_of(base, now, 1.0) == pytest.approx(low + high)
    assert p_of(base, now, found.mean) == 1.0 == p_of(base, now, found.mean + 1)


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(st.floats(-10, 10), min_size=3, max_size=9), st.floats(0, 3), st.floats(0.1, 3))
def test_a_larger_effect_is_never_easier_to_show_by_t(values, effect, more):
    base, now = series(values), series([2 + value / 2 for value in values], first=50)
    found = change(base, now, False)
    if not found.constant and effect + more < abs(found.mean):
        assert _by_t(found, effect) <= _by_t(found, effect + more) + 1e-12
    assert p_of(base, now, abs(found.mean) + more) == 1.0


def test_up_and_down_are_the_same():
    base, now = series([1, 2, 4, 3, 5]), series([4, 3, 7, 5, 6, 8], first=10)
    assert p_of(base, now, 0.5) == pytest.approx(p_of(-base, -now, 0.5))


def test_false_alarms_where_nothing_changed():
    draw = np.random.default_rng(3)
    assert 0.025 < rejected(lambda n: draw.normal(5, 1, n), 0.0) < 0.075


def test_a_change_of_the_stated_effect_is_no_regression():
    """At the border of the hypothesis: the rate is the level's there, and below inside."""
    draw = np.random.default_rng(4)
    at_border = rejected(lambda n: draw.normal(5, 1, n), 1.0, shift=1.0)
    inside = rejected(lambda n: draw.normal(5, 1, n), 1.0, shift=0.5, trials=300)
    assert 0.025 < at_border < 0.075
    assert inside < 0.03


def test_losses_that_come_in_bursts_keep_the_small_levels_too():
    """Mostly zeros and now and then a large one: where Welch's t alone would be wrong."""
    draw = np.random.default_rng(5)

    def bursts(n):
        return np.where(draw.random(n) < 0.1, draw.exponential(10, n), 0.0)

    assert rejected(bursts, 0.0, trials=500, n=(6, 30), at=0.01) < 0.02


def test_what_few_seeds_can_show_is_limited_by_how_many_ways_there_are_to_deal_them():
    base, now = series([1, 1, 1, 1]), series([9, 9, 9, 9], first=10)
    assert p_of(base, now) == pytest.approx(2 / math.comb(8, 4))
    assert p_of(base, base) == 1.0
    pairs = series([5.0] * 6), series([6.0] * 6)
    assert p_of(*pairs, paired=True) == pytest.approx(2 / 2**6)


def test_so_few_seeds_are_needed_at_least():
    n = fewest(1e-3)
    low, high = series([1.0] * n), series([9.0] * n, first=50)
    assert p_of(low, high) <= 1e-3 < p_of(low[1:], high[1:])


def test_the_smallest_p_is_that_of_samples_far_apart():
    low, high = series([1.0] * 4), series([9.0] * 6, first=50)
    assert p_of(low, high) == pytest.approx(smallest(4, 6, paired=False))
    assert p_of(series([1.0] * 5), series([9.0] * 5), paired=True) == pytest.approx(smallest(5, 5, True))
    n = fewest(1e-3, base=30)
    assert smallest(30, n, False) <= 1e-3 < smallest(30, n - 1, False)
    assert smallest(9, fewest(1e-3, 9, True), True) <= 1e-3 < smallest(9, fewest(1e-3, 9, True) - 1, True)
    assert fewest(1e-9, base=1) == 2  # nothing is tested, so nothing is needed


def test_the_permutations_are_those_of_the_definition():
    base, now = series([1.0, 1.5, 2.0, 1.2]), series([9.0, 9.9, 9.4, 8.0], first=10)
    everything = np.array([*now, *base])

    def t(rows):
        rest = [i for i in range(8) if i not in rows]
        one, other = everything[list(rows)], everything[rest]
        return (one.mean() - other.mean()) / math.sqrt(one.var(ddof=1) / 4 + other.var(ddof=1) / 4)

    seen = t((0, 1, 2, 3))
    extreme = sum(t(rows) >= seen - 1e-12 for rows in combinations(range(8), 4))
    by_t = stats.ttest_ind(now, base, equal_var=False).pvalue
    assert by_t < 2 * extreme / math.comb(8, 4) == pytest.approx(p_of(base, now))


def test_a_real_change_is_found_and_the_same_data_give_the_same_answer():
    draw = np.random.default_rng(6)
    base, now = series(draw.normal(0, 1, 30)), series(draw.normal(3, 1, 12), first=100)
    first = p_of(base, now, 0.5, level=1e-4)
    assert first <= 1e-4
    assert first == p_of(base, now, 0.5, level=1e-4)


def test_one_seed_shows_nothing_and_nonsense_is_refused():
    one = series([1.0])
    assert math.isnan(p_of(one, series([2.0, 3.0], first=10)))
    for effect, level in ((-1.0, 0.05), (0.0, 0.0), (0.0, 1.0)):
        with pytest.raises(ValueError):
            p_of(series([1, 2]), series([1, 2], first=9), effect, level)
