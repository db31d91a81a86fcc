# SPDX-License-Identifier: Apache-2.0
"""How a gateway's clock runs against the controller's: offset, drift, and the error that remains.

The gateway is asked for its time over the run, again and again (`client.ClockPair`, as in NTP). The error of
a pair's offset is half its delay at most. In each stretch of the run the pair with the least delay counts,
and a line of least squares through these gives offset and drift. The error of the line is known at each pair;
between two pairs the clock may have run otherwise, by as much as a crystal can. The clock begins anew at each
boot of the gateway.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import linear_regression

from orchestrate_testbed.client import ClockPair

STRETCHES = 32  # stretches of a run, at most, each with its pair of least delay
OF_EACH = 8  # pairs in a stretch, at least, so that one of them hardly waited
CRYSTAL_PPM = 100.0  # the most that a gateway's crystal is off (data sheets say 20 to 100)


@dataclass(frozen=True)
class ClockFit:
    """One boot of a gateway: controller's time = gateway's time - offset at that time. Times in us."""

    boot: str
    from_us: int  # the gateway's time of the first pair and of the last
    until_us: int
    offset_us: float  # at the middle between them
    drift_ppm: float  # by how much the gateway's clock is faster
    error_us: float  # the largest error of a corrected time between them
    pairs: int  # pairs that the line goes through

    def controller_us(self, gateway_us: int) -> float:
        """Return the controller's time at a time of the gateway."""
        since = gateway_us - (self.from_us + self.until_us) / 2
        return gateway_us - self.offset_us - since * self.drift_ppm / 1e6

    def error_at_us(self, gateway_us: int) -> float:
        """Return the largest error of a corrected time.

        It grows outside of the pairs, where nothing bounds the clock but its drift.
        """
        outside = max(0, self.from_us - gateway_us, gateway_us - self.until_us)
        return self.error_us + outside * _strays_ppm(self.drift_ppm) / 1e6


def fitted(pairs: Iterable[ClockPair]) -> list[ClockFit]:
    """One fit for each boot, in the order of the controller's time."""
    boots: dict[str, list[ClockPair]] = {}
    for pair in sorted(pairs, key=lambda pair: pair.asked_us):
        boots.setdefault(pair.boot, []).append(pair)
    return [_fit(boot, best(of), of) for boot, of in boots.items()]


def best(pairs: Sequence[ClockPair]) -> list[ClockPair]:
    """Return the pair of least delay in each stretch; stretches whose best pair waited long are left out.

    A delay of more than twice the median of these would only widen the error.
    """
    start, end = pairs[0].asked_us, pairs[-1].asked_us
    stretches = min(STRETCHES, max(2, len(pairs) // OF_EACH))
    length = max(1, -(-(end - start + 1) // stretches))
    least: dict[int, ClockPair] = {}
    for pair in pairs:
        stretch = (pair.asked_us - start) // length
        if stretch not in least or pair.delay_us < least[stretch].delay_us:
            least[stretch] = pair
    delays = sorted(pair.delay_us for pair in least.values())
    limit = 2 * max(1, delays[len(delays) // 2])
    return [pair for pair in least.values() if pair.delay_us <= limit]


def _fit(boot: str, pairs: list[ClockPair], every: Sequence[ClockPair]) -> ClockFit:
    """Return the line through some pairs, and its error by all of them."""
    times = [_time(pair) for pair in pairs]
    start, end = every[0].received_us, every[-1].sent_us
    middle = (start + end) / 2
    offsets = [pair.offset_us for pair in pairs]
    slope, offset = 0.0, sum(offsets) / len(offsets)
    # The error of the slope is half the delay at both ends, over the time between them.
    unsure = (pairs[0].delay_us + pairs[-1].delay_us) / 2
    if len(pairs) > 1 and unsure < (times[-1] - times[0]) * CRYSTAL_PPM / 1e6:
        slope, offset = linear_regression([time - middle for time in times], offsets)
    known = [
        (time, abs(pair.offset_us - offset - slope * (time - middle)) + pair.delay_us / 2)
        for pair, time in ((pair, _time(pair)) for pair in every)
    ]
    error = _largest(known, _strays_ppm(slope * 1e6) / 1e6)
    return ClockFit(boot, start, end, offset, slope * 1e6, error, len(pairs))


def _time(pair: ClockPair) -> float:
    return (pair.received_us + pair.sent_us) / 2


def _strays_ppm(drift_ppm: float) -> float:
    """Return by how much faster or slower than a line of this drift the gateway's clock may run."""
    return CRYSTAL_PPM + abs(drift_ppm)


def _largest(known: list[tuple[float, float]], strays: float) -> float:
    """Return the largest error of a line, from the errors that are known at some times.

    `strays`: by how much the error may grow in a time. A pair whose answer was late tells less of its own
    time than its neighbours do.
    """
    bounds = [error for _, error in known]
    for there, here in pairwise(range(len(known))):
        bounds[here] = min(bounds[here], bounds[there] + strays * (known[here][0] - known[there][0]))
    for there, here in pairwise(reversed(range(len(known)))):
        bounds[here] = min(bounds[here], bounds[there] + strays * (known[there][0] - known[here][0]))
    between = (
        (bounds[one] + bounds[other] + strays * (known[other][0] - known[one][0])) / 2
        for one, other in pairwise(range(len(known)))
    )
    return max(*bounds, *between, bounds[0])
