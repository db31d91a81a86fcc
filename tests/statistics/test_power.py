# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from scipy import stats

from orchestrator.statistics.power import power, seeds_to_tell


def test_cohens_table():
    """Cohen (1988), table 2.4.1, two-sided 5 %, power 80 %: of d = 0.2, 0.5 and 0.8."""
    assert [seeds_to_tell(1.0, d, 0.05) for d in (0.2, 0.5, 0.8)] == [394, 64, 26]


def test_the_power_is_what_a_simulation_gives():
    draw = np.random.default_rng(1)
    found = (
        stats.ttest_ind(draw.normal(0, 1, (4000, 20)), draw.normal(1, 1, (4000, 12)), axis=1).pvalue < 0.01
    )
    assert power(20, 12, 1.0, 1.0, 0.01) == pytest.approx(found.mean(), abs=0.03)


@pytest.mark.parametrize(
    ("n", "apart", "level"), [(2, 80.0, 1e-3), (2, 1e4, 1e-4), (3, 60.0, 1e-4), (12, 1e9, 1e-5)]
)
def test_few_seeds_far_apart_are_what_a_simulation_gives(n, apart, level):
    draw = np.random.default_rng(2)
    freedom, shift = 2 * n - 2, apart / (2 / n) ** 0.5
    t = (draw.normal(shift, 1, 200_000)) / np.sqrt(draw.chisquare(freedom, 200_000) / freedom)
    found = (t > stats.t.ppf(1 - level / 2, freedom)).mean()
    assert power(n, n, 1.0, apart, level) == pytest.approx(found, abs=0.005)


def test_the_fewest_seeds_are_enough_and_one_less_is_not():
    for sd, apart, level in ((1.0, 0.4, 0.001), (3.0, 1.0, 0.02)):
        n = seeds_to_tell(sd, apart, level, 0.9)
        assert power(n, n, sd, apart, level) >= 0.9 > power(n - 1, n - 1, sd, apart, level)


def test_a_baseline_that_is_there_already_counts():
    alone, beside = seeds_to_tell(1.0, 0.5, 0.05), seeds_to_tell(1.0, 0.5, 0.05, base=1000)
    assert beside < alone
    assert seeds_to_tell(1.0, 0.5, 0.05, base=10) is None  # however many there are on the other side


def test_what_needs_no_seeds_and_what_no_seeds_can_show():
    assert seeds_to_tell(0.0, 0.1, 0.05) == 2
    assert seeds_to_tell(1.0, 0.0, 0.05) is None
    assert power(10, 10, 1.0, -1.0, 0.05) == 0.025
    for arguments in ((1, 5, 1.0, 1.0, 0.05), (5, 5, 1.0, 1.0, 0.0)):
        with pytest.raises(ValueError):
            power(*arguments)
