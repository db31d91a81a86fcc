# SPDX-License-Identifier: Apache-2.0
"""Where labels stand along an axis: numbers of one unit at their value, everything else side by side."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

# "3", "5 m", "-70 dBm", "topology.spacing=5 m": what is before and behind the number must be the same in all.
_NUMBER = re.compile(r"(?P<before>[^,]*=)?(?P<number>[+-]?[0-9]+(?:\.[0-9]+)?)(?P<behind>\s*[^\W\d]*%?)")
# times the smallest distance of two: where the whole is longer, a logarithmic axis may keep bars apart
_FAR = 12


@dataclass(frozen=True)
class Placed:
    """`places` of the labels, their `names` there, what is common to all (`what`), and the ends of the
    axis."""

    places: tuple[float, ...]
    names: tuple[str, ...]
    low: float
    high: float
    what: str = ""
    logarithmic: bool = False

    def aside(self, i: int, share: float) -> float:
        """That share of the smallest distance of two labels beside the i-th one."""
        if self.logarithmic:
            return self.places[i] * self._step**share
        return self.places[i] + share * self._step

    def slot(self, i: int, place: int, of: int, wide: float) -> tuple[float, float, float]:
        """Left, middle and right of the place-th of so many bars above the i-th label, which take `wide` of a
        step together.
        """
        one = wide / max(1, of)
        middle = (place - (of - 1) / 2) * one
        return tuple(self.aside(i, middle + side * one * 0.46) for side in (-1, 0, 1))

    @property
    def _step(self) -> float:
        pairs = list(pairwise(self.places))
        if self.logarithmic:
            return min(b / a for a, b in pairs)
        return min((b - a for a, b in pairs), default=1.0)


def placed(labels: Sequence[str]) -> Placed:
    """At their values if all are numbers of one unit that grow; else one step apart."""
    found = [_NUMBER.fullmatch(label) for label in labels]
    if len(labels) > 1 and all(found) and len({(one["before"], one["behind"].strip()) for one in found}) == 1:
        values = [float(one["number"]) for one in found]
        if all(a < b for a, b in pairwise(values)):
            return _by_value(values, found)
    return Placed(tuple(map(float, range(len(labels)))), tuple(labels), -0.6, len(labels) - 0.4)


def _by_value(values: list[float], found: list[re.Match]) -> Placed:
    names = tuple((one["number"] + one["behind"]).replace("-", "\u2212") for one in found)
    what = (found[0]["before"] or "").removesuffix("=")
    step, span = min(b - a for a, b in pairwise(values)), values[-1] - values[0]
    if values[0] > 0 and span > _FAR * step:
        least = min(b / a for a, b in pairwise(values))
        if math.log(values[-1] / values[0], least) < span / step / 3:
            return Placed(tuple(values), names, values[0] / least**0.6, values[-1] * least**0.6, what, True)
    return Placed(tuple(values), names, values[0] - 0.6 * step, values[-1] + 0.6 * step, what)
