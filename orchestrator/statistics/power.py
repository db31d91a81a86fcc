# SPDX-License-Identifier: Apache-2.0
"""Computes how many seeds a comparison needs, by the noncentral t distribution.

Source: Cohen, 1988, Statistical power analysis for the behavioral sciences.
"""

from __future__ import annotations

import math
from collections.abc import Callable

MOST = 1_000_000  # seeds


def power(base: int, now: int, sd: float, apart: float, level: float) -> float:
    """Return the probability that a two-sided test at `level` tells two samples apart.

    The samples have `base` and `now` seeds and the standard deviation `sd`; their means differ by `apart`
    more than what counts as no change. Raises ValueError for fewer than two seeds, or a level outside 0 to 1.
    """
    if base < 2 or now < 2 or not 0 < level < 1:
        raise ValueError(f"power({base}, {now}) at {level}")
    if sd == 0:
        return 1.0 if apart > 0 else 0.0
    if apart <= 0:
        return level / 2
    from scipy.special import chdtrc, nctdtr, stdtrit

    freedom = base + now - 2
    shift = apart / (sd * math.sqrt(1 / base + 1 / now))
    limit = float(stdtrit(freedom, 1 - level / 2))
    missed = float(nctdtr(freedom, shift, limit))
    if math.isnan(missed):  # far out; the spread of the mean is nothing there beside that of the deviation
        missed = float(chdtrc(freedom, freedom * (shift / limit) ** 2))
    return 1 - missed


def seeds_to_tell(sd: float, apart: float, level: float, wanted: float = 0.8, base: int = 0) -> int | None:
    """Return the seeds that each side needs so that `power` is at least `wanted`; None if a million don't do.

    `base`: the baseline's seeds if their number is fixed; the result is then for the other side.
    """
    return _least(lambda n: power(base or n, n, sd, apart, level) >= wanted)


def _least(enough: Callable[[int], bool]) -> int | None:
    high = 2
    while not enough(high):
        high *= 2
        if high > MOST:
            return None
    low = high // 2
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
