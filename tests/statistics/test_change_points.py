# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from orchestrator.statistics.change_points import change_points


def test_a_step_is_found_where_it_is():
    draw = np.random.default_rng(1)
    for nights, place in ((12, 6), (30, 20), (40, 3)):
        means = draw.normal(0, 1, nights) + np.where(np.arange(nights) >= place, 6.0, 0.0)
        assert change_points(means, [1.0] * nights, 0.001) == [place]


def test_two_steps_are_two():
    means = [0.0] * 8 + [9.0] * 8 + [4.0] * 8
    assert change_points(means, [1.0] * 24, 0.01) == [8, 16]


def test_trends_without_a_change_have_one_in_at_most_the_share_that_was_asked_for():
    draw = np.random.default_rng(2)
    for nights, alpha, most in ((10, 0.05, 0.06), (40, 0.05, 0.06), (40, 0.5, 0.5)):
        found = sum(bool(change_points(draw.normal(0, 1, nights), [1.0] * nights, alpha)) for _ in range(400))
        assert found / 400 <= most
    assert found > 20  # a penalty that nothing ever pays would find no change either


def test_one_odd_night_is_no_change_of_the_trend():
    means = [0.0] * 10 + [5.0] + [0.0] * 10
    assert change_points(means, [1.0] * 21, 0.001) == []


def test_few_nights_and_no_noise():
    assert change_points([0.0, 9.0, 9.0], [0.1] * 3, 0.05) == []
    assert change_points([1.0, 1.0, 2.0, 2.0, 1.0], [0.0] * 5, 0.05) == [2, 4]
    assert change_points([1.0, 1.0, 2.0, 2.0], [float("nan")] * 4, 0.05) == []


@pytest.mark.parametrize(("means", "errors", "alpha"), [([1.0], [], 0.05), ([1.0], [1.0], 0.0)])
def test_nonsense_is_refused(means, errors, alpha):
    with pytest.raises(ValueError):
        change_points(means, errors, alpha)
