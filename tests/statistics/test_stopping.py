# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest
from orchestrate_spark.metrics.student import quantile_t
from scipy import integrate

from orchestrator.statistics.stopping import PRIOR, half_width, seeds_to_stop


def misses(values, half):
    """Of campaigns (rows), the share whose interval ever missed 0, looked at after each seed from the 2nd."""
    n = np.arange(1, values.shape[1] + 1)
    means = np.cumsum(values, 1) / n
    variance = (np.cumsum(values**2, 1) - n * means**2) / np.maximum(n - 1, 1)
    widths = np.array([half(int(count)) for count in n[1:]])
    return (np.abs(means[:, 1:]) > widths * np.sqrt(variance[:, 1:])).any(1).mean()


def test_it_holds_the_mean_at_all_looks_together_as_students_interval_does_not():
    values = np.random.default_rng(1).normal(0, 1, (3000, 200))
    assert 0.01 < misses(values, lambda n: half_width(n, 1.0)) < 0.05
    assert misses(values, lambda n: quantile_t(n) / math.sqrt(n)) > 0.3


def test_at_another_level():
    values = np.random.default_rng(2).normal(0, 1, (2000, 100))
    assert 0.04 < misses(values, lambda n: half_width(n, 1.0, 0.2)) < 0.2


def test_it_is_the_set_of_means_whose_bayes_factor_stays_below_one_over_alpha():
    """The factor by integration over effect and spread, at the interval's end."""
    values = np.array([0.3, 1.9, 0.7, 1.1, 0.4, 1.6, 0.9])
    n = len(values)
    shifted = values - values.mean() - half_width(n, values.std(ddof=1))

    def marginal(effect):
        return integrate.quad(
            lambda s: s ** (-n - 1) * np.exp(-((shifted - effect * s) ** 2).sum() / (2 * s * s)), 0.01, 60
        )[0]

    prior = lambda d: math.sqrt(PRIOR / (2 * math.pi)) * math.exp(-PRIOR * d * d / 2)  # noqa: E731
    against = integrate.quad(lambda d: marginal(d) * prior(d), -9, 9, limit=200)[0]
    assert against / marginal(0.0) == pytest.approx(20, rel=0.01)


def test_one_seed_tells_nothing_and_more_tell_more():
    assert half_width(1, 1.0) == half_width(4, 1.0) == math.inf > half_width(5, 1.0)
    widths = [half_width(n, 1.0) for n in (5, 10, 100, 1000)]
    assert widths == sorted(widths, reverse=True)
    assert half_width(30, 2.0) == pytest.approx(2 * half_width(30, 1.0))


def test_when_it_will_be_narrow_enough():
    n = seeds_to_stop(1.0, 0.5)
    assert half_width(n, 1.0) <= 0.5 < half_width(n - 2, 1.0)
    assert seeds_to_stop(0.0, 0.5) == 5
    assert seeds_to_stop(1.0, 0.0) is None
