# SPDX-License-Identifier: Apache-2.0
"""The error over nights, and each night's share of it.

One baseline is compared with one night after the other, and all these nights share its runs: their tests are
not independent. Alpha spending holds under any dependence, by the union bound: the t-th night that is tested
is red at the level alpha * t**-1.6 / zeta(1.6), and the levels of all nights sum up to alpha. The exponent is
that of Ramdas, Zrnic, Wainwright and Jordan (2018, SAFFRON: an adaptive algorithm for online control of the
false discovery rate); for spending see Foster and Stine (2008, Alpha-investing: a procedure for sequential
control of expected false discoveries). So the probability that nights of unchanged behaviour turn red at all,
between one promotion of a baseline and the next, is at most alpha, however many nights there are. Procedures
that control the false discovery rate (LORD, SAFFRON, ADDIS) earn level back with each discovery, but assume
independent nights.
"""

from __future__ import annotations

EXPONENT = 1.6


def level(alpha: float, night: int) -> float:
    """Return the share of `alpha` that the `night`-th tested night (from 1) may spend."""
    if not 0 < alpha < 1 or night < 1:
        raise ValueError(f"alpha {alpha}, night {night}")
    from scipy.special import zeta

    return alpha * night**-EXPONENT / float(zeta(EXPONENT))
