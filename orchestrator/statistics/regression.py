# SPDX-License-Identifier: Apache-2.0
"""Tests whether a metric changed by more than a stated effect: a minimum-effect test of two samples of runs.

The hypothesis is that the true change is at most the effect, in either direction (Murphy and Myors, 1999,
Testing the hypothesis that treatments have negligible effects). It is rejected only if two tests agree. The
first is Student's t of pairs or Welch's t, with the effect taken off the difference. A p value of one in a
million lies far out in the tails, where t is right for normal values only, and losses of few runs are not
normal. So the second is a permutation of the runs over the two samples by the same statistic (Janssen, 1997,
Studentized permutation tests for non-i.i.d. hypotheses and the generalized Behrens-Fisher problem): where
nothing changed, runs of fresh seeds are exchangeable, and it is exact whatever their distribution. It also
limits what few seeds can show: five seeds beside five can't be told apart at less than 2 in 252.
"""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pandas as pd

from orchestrator.statistics.effects import Difference, paired_difference, welch_difference
from orchestrator.statistics.estimates import UNBOUNDED

# Permutations are made only where the t test's p is below: they could only raise it, and no night's level is
# as large.
SUSPICIOUS = 0.05
_FEWEST, _MOST = 20_000, 200_000  # permutations
_BATCH = 20_000
_ENOUGH = 20  # permutations as extreme as what was seen: then their share is known well enough
_FARTHEST, _SAME = 1e200, 1e-9
_SEED = 20_240_613  # the same data give the same verdict


def change(
    base: pd.Series, now: pd.Series, paired: bool, bounds: tuple[float, float] = UNBOUNDED
) -> Difference:
    """Return the difference now - base: of the same seeds (the index) if `paired`."""
    how = paired_difference if paired else welch_difference
    return how(base, now, bounds, effects=False)


def smallest(base: int, now: int, paired: bool) -> float:
    """Return the smallest p that so many runs on the two sides can give, however far apart they lie.

    The number of ways to deal the runs over the two sides limits it. With equal sides, exchanging them gives
    a deal that is as extreme, so that the smallest p is twice as large.
    """
    ways = 2**now if paired else math.comb(base + now, now)
    return min(1.0, (2 if paired or base == now else 1) / ways)


def fewest(level: float, base: int | None = None, paired: bool = False) -> int:
    """Return the least number of runs of a side with which any change can be shown at this level.

    `base`: the runs on the other side; None for as many as on this side. The result is 2 if `base` is below
    two, because nothing is tested then.
    """
    n = 2
    if base is not None and base < 2:
        return n
    while smallest(n if base is None or paired else base, n, paired) > level:
        n += 1
    return n


def beyond(difference: Difference, base: pd.Series, now: pd.Series, effect: float, level: float) -> float:
    """Return the two-sided p value of the hypothesis that the change is at most `effect`.

    It is NaN for fewer than two seeds on a side. `base`, `now`: the samples of `found`. `level`: the caller
    compares p with nothing smaller than this, which limits the permutations. Raises ValueError.
    """
    if effect < 0 or not 0 < level < 1:
        raise ValueError(f"effect {effect}, level {level}")
    if difference.n < 2:
        return math.nan
    if abs(difference.mean) <= effect:
        return 1.0
    by_t = 0.0 if difference.constant else _by_t(difference, effect)
    if by_t >= SUSPICIOUS:
        return by_t
    return max(by_t, _by_permutation(difference, base, now, effect, level))


def _by_t(difference: Difference, effect: float) -> float:
    from scipy.special import stdtr

    apart = abs(difference.mean)
    tails = (-(apart - effect) / difference.error, -(apart + effect) / difference.error)
    return min(1.0, float(sum(stdtr(difference.freedom, tail) for tail in tails)))


def _by_permutation(
    difference: Difference, base: pd.Series, now: pd.Series, effect: float, level: float
) -> float:
    """Return the share of permutations that are as extreme as the samples, on either side.

    All permutations are made where they are few, else as many at random as the level needs. The result is 0
    if none of these is as extreme; the t test's p stands then.
    """
    up = math.copysign(1.0, difference.mean)
    if difference.paired:
        pairs = pd.DataFrame({"a": base, "b": now}).dropna()
        values = up * (pairs["b"] - pairs["a"]).to_numpy() - effect
        deal = _Flips(values)
    else:
        first, second = up * now.dropna().to_numpy() - effect, up * base.dropna().to_numpy()
        deal = _Deals(np.concatenate([first, second]), len(first))
    seen = deal.seen * (1 - _SAME)
    far = _FARTHEST if difference.constant else (abs(difference.mean) + effect) / difference.error
    far *= 1 - _SAME

    def extremes(dealt: np.ndarray) -> np.ndarray:
        return (dealt >= seen) | (dealt <= -far)

    if deal.ways <= _FEWEST:
        return float(extremes(deal.all()).mean())
    draw = np.random.default_rng(_SEED)
    extreme = count = 0
    most = min(_MOST, max(_FEWEST, math.ceil(_ENOUGH / level)))
    while count < most and extreme < _ENOUGH:
        more = min(_BATCH, max(_BATCH // 10, count))
        extreme += int(extremes(deal.random(draw, more)).sum())
        count += more
    return extreme / count


class _Deals:
    """The runs of both samples, dealt anew over the two: Welch's t of each deal."""

    def __init__(self, values: np.ndarray, first: int):
        self.values, self.first = values - values.mean(), first
        self.ways = math.comb(len(values), first)
        self.seen = float(self._t(np.arange(first)[None, :])[0])

    def all(self) -> np.ndarray:
        return self._t(np.array(list(combinations(range(len(self.values)), self.first))))

    def random(self, draw: np.random.Generator, count: int) -> np.ndarray:
        keys = draw.random((count, len(self.values)), dtype=np.float32)
        return self._t(keys.argpartition(self.first - 1, axis=1)[:, : self.first])

    def _t(self, chosen: np.ndarray) -> np.ndarray:
        n, m = self.first, len(self.values) - self.first
        mine = self.values[chosen]
        sums, squares = mine.sum(1), (mine**2).sum(1)
        rest, rest_squares = self.values.sum() - sums, (self.values**2).sum() - squares
        spread = _variance(sums, squares, n) / n + _variance(rest, rest_squares, m) / m
        return _ratio(sums / n - rest / m, np.sqrt(spread))


class _Flips:
    """The pairs' differences, each with its sign or the other one: Student's t of each choice of signs."""

    def __init__(self, values: np.ndarray):
        self.values = values
        self.ways = 2 ** len(values)
        self.seen = float(self._t(np.ones((1, len(values))))[0])

    def all(self) -> np.ndarray:
        return self._t(np.array(list(product((1.0, -1.0), repeat=len(self.values)))))

    def random(self, draw: np.random.Generator, count: int) -> np.ndarray:
        return self._t(draw.integers(0, 2, (count, len(self.values))) * 2.0 - 1)

    def _t(self, signs: np.ndarray) -> np.ndarray:
        n, sums = len(self.values), signs @ self.values
        return _ratio(sums / n, np.sqrt(_variance(sums, (self.values**2).sum(), n) / n))


def _variance(sums: np.ndarray, squares: np.ndarray, n: int) -> np.ndarray:
    variance = (squares - sums**2 / n) / (n - 1)
    return np.where(variance > _SAME * squares / n, variance, 0.0)  # else the rounding's


def _ratio(apart: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Return apart / error; without spread it is as far out as can be, so that nothing is more extreme."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(apart / error, nan=0.0, posinf=_FARTHEST, neginf=-_FARTHEST)
