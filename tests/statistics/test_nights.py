# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from orchestrator.statistics.nights import level


def test_all_nights_together_spend_alpha_and_no_more():
    spent = np.cumsum([level(0.05, night) for night in range(1, 20_000)])
    assert spent[-1] < 0.05
    assert spent[-1] == pytest.approx(0.05, rel=0.01)
    assert level(0.05, 1) == pytest.approx(0.05 / 2.2858, rel=1e-4)  # zeta(1.6)


def test_a_later_night_may_spend_less():
    levels = [level(0.05, night) for night in (1, 2, 10, 1000)]
    assert levels == sorted(levels, reverse=True) and levels[-1] > 0


@pytest.mark.parametrize(("alpha", "night"), [(0.0, 1), (1.0, 1), (0.05, 0)])
def test_nonsense_is_refused(alpha, night):
    with pytest.raises(ValueError):
        level(alpha, night)


def test_a_thousand_nights_that_share_a_baseline_raise_no_alarm_in_19_of_20_streams():
    """The night's p values are of one baseline, so that they are not independent."""
    draw = np.random.default_rng(7)
    levels = np.array([level(0.05, night) for night in range(1, 1001)])
    from scipy.special import ndtr

    alarms = 0
    for _ in range(2000):
        baseline = draw.normal()
        z = (draw.normal(size=1000) - baseline) / np.sqrt(2)
        alarms += bool((2 * ndtr(-np.abs(z)) <= levels).any())
    assert 10 <= alarms <= 130  # at most 100 expected
