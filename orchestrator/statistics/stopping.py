# SPDX-License-Identifier: Apache-2.0
"""An interval of a mean that may be looked at after every seed: a confidence sequence.

Whoever adds seeds until Student's interval is narrow enough looks at it often, and it no longer holds the
mean in 95 of 100 campaigns. This one holds it at all looks together, so one may stop at any. It is the t
confidence sequence of a Gaussian mixture (Wang and Ramdas, 2025, Anytime-valid t-tests and confidence
sequences for Gaussian means with unknown variance, Sequential Analysis 44): the means under which a Bayes
factor, that of an effect mean / sd ~ N(0, 1 / PRIOR) against none with any spread, never reached 1 / alpha.
That factor is a martingale, so Ville's inequality bounds the error. Exact for normal values, from the second
seed on.
"""

from __future__ import annotations

import math

# Between 0.3 and 3 the width depends little on it. At 5 % it is finite from the fifth seed on, and at
# 30 seeds within 3 % of the narrowest.
PRIOR = 1.0


def half_width(n: int, sd: float, alpha: float = 0.05) -> float:
    """Return half the interval's width after n seeds with this standard deviation; infinite for too few."""
    if n < 2:
        return math.inf
    share = PRIOR / (n + PRIOR)
    ratio = (1 / (alpha * math.sqrt(share))) ** (2 / n)
    if ratio * share >= 1:
        return math.inf
    return sd * math.sqrt((n - 1) / n * (ratio - 1) / (1 - ratio * share))


def seeds_to_stop(sd: float, half: float, alpha: float = 0.05) -> int | None:
    """Return after how many seeds half the width is at most `half`; None if not after a million.

    `sd`: the standard deviation. The result is exact up to 100 seeds, and above that at most 2 % too large.
    """
    from orchestrator.statistics.power import MOST

    n = 2
    while n <= MOST:
        if half_width(n, sd, alpha) <= half:
            return n
        n += max(1, n // 50)
    return None
