# SPDX-License-Identifier: Apache-2.0
"""The difference of two samples: its interval, effect size, test against no difference, test of equivalence.

Paired by seed: Student's t of the differences, effect size dz = mean / sd of the differences. Not paired:
Welch's t, effect size Hedges' g with the exact correction (Hedges, 1981, Distribution theory for Glass's
estimator of effect size and related estimators). The intervals of effect sizes invert the noncentral t
distribution (Cumming and Finch, 2001, A primer on the understanding, use, and calculation of confidence
intervals that are based on central and noncentral distributions); that of g assumes equal spreads, as g
itself does. Equivalence is tested by two one-sided tests (Schuirmann, 1987).

The intervals of means stay within their bounds by estimates.within. A difference of two shares can't exceed
100 points; its interval is cut off there. That loses no coverage and agrees with the test, which an interval
by a transformation need not do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from orchestrate_spark.metrics.student import CONFIDENCE

from orchestrator.statistics.estimates import UNBOUNDED, Estimate, estimate

ALPHA = 1 - CONFIDENCE
ROUNDING = 1e-12  # of the values' size; a smaller spread comes from rounding
# With fewer seeds no effect size is shown. It is a multiple of t, and Student's t with 4 degrees of freedom
# (5 differences) or fewer has no finite kurtosis: it says more about the few seeds than about the effect.
FEWEST_FOR_EFFECT = 6
_LARGE_T = 5000.0  # for larger t the limit of the noncentral t is used, which is right to 1e-5


@dataclass(frozen=True)
class Difference:
    """The difference b - a. Fields that can't be computed are NaN.

    These are all but the means for one seed, and test and effect size without spread. `low` to `high` is the
    95 % interval; `t`, `freedom` and `p` are of the two-sided test against no difference; `effect` is dz
    (`paired`) or Hedges' g, with its 95 % interval. `error` is the standard error of the difference.
    """

    a: Estimate
    b: Estimate
    paired: bool
    n: int  # pairs; not paired: the smaller sample
    mean: float
    error: float
    low: float
    high: float
    t: float
    freedom: float
    p: float
    effect: float
    effect_low: float
    effect_high: float

    @property
    def effect_is(self) -> str:
        """The name of its effect size."""
        return "dz" if self.paired else "g"

    @property
    def constant(self) -> bool:
        """Whether the difference is the same in every seed, so that there is nothing to test."""
        return self.n >= 2 and self.error == 0

    def equivalence(self, margin: float) -> float:
        """P of the two one-sided tests of -margin < difference < margin; equivalent where it is below 0.05.

        Without spread 0 inside the margin (no difference is inside any) and 1 outside. NaN for fewer than two
        seeds.
        """
        if self.n < 2:
            return math.nan
        if self.constant:
            return 0.0 if self.mean == 0 or abs(self.mean) < margin else 1.0
        from scipy.special import stdtr

        return float(stdtr(self.freedom, -(margin - abs(self.mean)) / self.error))


def paired_difference(
    a: pd.Series, b: pd.Series, bounds: tuple[float, float] = UNBOUNDED, effects: bool = True
) -> Difference:
    """Return the difference b - a over the seeds (the index) that both have, seed by seed.

    `bounds`: those of the values. `effects`: whether the effect size's interval is computed, too.
    """
    both = pd.DataFrame({"a": a, "b": b}).dropna()
    first, other, apart = (
        estimate(both["a"], bounds),
        estimate(both["b"], bounds),
        estimate(both["b"] - both["a"]),
    )
    n = apart.n
    if n < 2:
        return _unknown(first, other, True, n, apart.mean)
    if _flat(apart.sd, both["a"], both["b"]):
        return _same(first, other, True, n, apart.mean, n - 1)
    error = apart.sd / math.sqrt(n)
    t = apart.mean / error
    low, high = noncentrality(t, n - 1) if effects else (math.nan, math.nan)
    root = math.sqrt(n)
    return Difference(
        first,
        other,
        True,
        n,
        apart.mean,
        error,
        *_possible(apart.low, apart.high, bounds),
        t,
        n - 1,
        _two_sided(t, n - 1),
        t / root,
        low / root,
        high / root,
    )


def welch_difference(
    a: pd.Series, b: pd.Series, bounds: tuple[float, float] = UNBOUNDED, effects: bool = True
) -> Difference:
    """Return mean(b) - mean(a) of two independent samples; `bounds` and `effects` as in paired_difference."""
    a, b = a.dropna(), b.dropna()
    first, other = estimate(a, bounds), estimate(b, bounds)
    n, mean = min(first.n, other.n), other.mean - first.mean
    if n < 2:
        return _unknown(first, other, False, n, mean)
    if _flat(max(first.sd, other.sd), a, b):
        return _same(first, other, False, n, mean, first.n + other.n - 2)
    from scipy.special import stdtrit

    parts = first.sd**2 / first.n, other.sd**2 / other.n
    error = math.sqrt(sum(parts))
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (first.n - 1) + parts[1] ** 2 / (other.n - 1))
    half = error * float(stdtrit(freedom, 1 - ALPHA / 2))
    t = mean / error
    pooled_freedom = first.n + other.n - 2
    pooled = math.sqrt(((first.n - 1) * first.sd**2 + (other.n - 1) * other.sd**2) / pooled_freedom)
    factor = hedges_correction(pooled_freedom)
    root = math.sqrt(first.n * other.n / (first.n + other.n))
    low, high = noncentrality(mean / pooled * root, pooled_freedom) if effects else (math.nan, math.nan)
    return Difference(
        first,
        other,
        False,
        n,
        mean,
        error,
        *_possible(mean - half, mean + half, bounds),
        t,
        freedom,
        _two_sided(t, freedom),
        factor * mean / pooled,
        factor * low / root,
        factor * high / root,
    )


def _possible(low: float, high: float, bounds: tuple[float, float]) -> tuple[float, float]:
    span = bounds[1] - bounds[0]
    return max(low, -span), min(high, span)


def hedges_correction(freedom: float) -> float:
    """Return J = gamma(f/2) / (sqrt(f/2) gamma((f-1)/2)), which removes the bias of Cohen's d (f >= 2)."""
    return math.exp(math.lgamma(freedom / 2) - math.lgamma((freedom - 1) / 2)) / math.sqrt(freedom / 2)


def noncentrality(t: float, freedom: float) -> tuple[float, float]:
    """Return the 95 % interval of the noncentrality parameter of an observed t."""
    if t < 0:
        low, high = noncentrality(-t, freedom)
        return -high, -low
    return _noncentrality_at(1 - ALPHA / 2, t, freedom), _noncentrality_at(ALPHA / 2, t, freedom)


def _noncentrality_at(share: float, t: float, freedom: float) -> float:
    """Return the parameter under which a t no larger than this one has probability `share`."""
    from scipy.optimize import brentq
    from scipy.stats import chi2, nct

    limit = t * math.sqrt(float(chi2.ppf(1 - share, freedom)) / freedom)
    if t > _LARGE_T:
        return limit
    return float(
        brentq(
            lambda parameter: float(nct.cdf(t, freedom, parameter)) - share, limit - 6, limit + 6, xtol=1e-10
        )
    )


def holm(values: Sequence[float]) -> list[float]:
    """Return p values adjusted for their number.

    The method is Holm's (1979, A simple sequentially rejective multiple test procedure). NaN (nothing was
    tested) stays and doesn't count.
    """
    ordered = sorted((p, place) for place, p in enumerate(values) if not math.isnan(p))
    adjusted, largest = [math.nan] * len(values), 0.0
    for rank, (p, place) in enumerate(ordered):
        largest = max(largest, min(1.0, p * (len(ordered) - rank)))
        adjusted[place] = largest
    return adjusted


def _two_sided(t: float, freedom: float) -> float:
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(t)))


def _flat(sd: float, *samples: pd.Series) -> bool:
    return sd <= ROUNDING * max(float(sample.abs().max()) for sample in samples)


def _unknown(a: Estimate, b: Estimate, paired: bool, n: int, mean: float) -> Difference:
    return Difference(a, b, paired, n, mean, *(math.nan,) * 9)


def _same(a: Estimate, b: Estimate, paired: bool, n: int, mean: float, freedom: float) -> Difference:
    """Return a difference without spread; a mean that differs from 0 by rounding only is 0."""
    mean = 0.0 if abs(mean) <= ROUNDING * max(abs(a.mean), abs(b.mean)) else mean
    return Difference(a, b, paired, n, mean, 0.0, mean, mean, math.nan, freedom, math.nan, *(math.nan,) * 3)
