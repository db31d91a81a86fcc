# SPDX-License-Identifier: Apache-2.0
"""Student's t, for the intervals of metrics/summary and of the reports."""

from __future__ import annotations

from functools import cache

CONFIDENCE = 0.95


@cache
def quantile_t(n: int) -> float:
    """Return Student's t for a two-sided 95 % interval of the mean of n values (n >= 2)."""
    # scipy.stats.t.ppf calls this; importing scipy.stats takes a second and a half.
    from scipy.special import stdtrit

    return float(stdtrit(n - 1, (1 + CONFIDENCE) / 2))
