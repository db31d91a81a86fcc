# SPDX-License-Identifier: Apache-2.0
"""The change points of a trend's mean over nights: the exact best segmentation, found by PELT.

The library is ruptures (Truong, Oudre and Vayatis, 2020, Selective review of offline change point detection
methods); PELT is by Killick, Fearnhead and Eckley (2012), Optimal detection of changepoints with a linear
computational cost.

A change point costs a penalty. It is the most by which splitting a trend without any change lowers the cost,
but for a share `alpha` of such trends: the quantile of chi squared with one degree of freedom at alpha over
the number of places, since the cost falls at each place by a chi squared. The noise is known from the spread
of a night's runs, and isn't estimated from the few nights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

FEWEST = 4  # nights: two on either side
_SIDE = 2  # one night alone is an outlier, and no change of the trend


def change_points(means: Sequence[float], errors: Sequence[float], alpha: float) -> list[int]:
    """Return the indices of the first night after each change.

    `errors`: the standard error of each night's mean.

    `alpha`: the probability of finding any in a trend without change. Trends without noise change where they
    change.
    """
    if len(means) != len(errors) or not 0 < alpha < 1:
        raise ValueError(f"{len(means)} means, {len(errors)} errors, alpha {alpha}")
    if len(means) < FEWEST:
        return []
    noise = max(errors)
    if noise == 0 or not math.isfinite(noise):
        return [] if noise else [i for i in range(1, len(means)) if means[i] != means[i - 1]]
    from ruptures import KernelCPD
    from scipy.special import chdtri

    scaled = np.asarray(means, dtype=float).reshape(-1, 1) / noise
    penalty = float(chdtri(1, alpha / (len(means) - 1)))
    # The linear kernel's cost is the sum of squares about the mean; this PELT is compiled.
    ends = KernelCPD(kernel="linear", min_size=_SIDE).fit(scaled - scaled.mean()).predict(pen=penalty)
    return [int(place) for place in ends[:-1]]
