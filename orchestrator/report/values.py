# SPDX-License-Identifier: Apache-2.0
"""Places of labels along an axis: numbers with one unit at their values, other labels side by side."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from orchestrator.report.statistics import minus

# "3", "5 m", "-70 dBm", "topology.spacing=5 m": the text before and behind the number must be the same in
# all.
_NUMBER = re.compile(r"(?P<before>[^,]*=)?(?P<number>[+-]?[0-9]+(?:\.[0-9]+)?)(?P<behind>\s*[^\W\d]*%?)")
# If an axis is this many times as long as the smallest distance of two labels, it may be logarithmic.
_FAR = 12


@dataclass(frozen=True)
class Placed:
    """Labels on an axis from `low` to `high`: their `places`, `names` there, and what all share (`what`)."""

    places: tuple[float, ...]
    names: tuple[str, ...]
    low: float
    high: float
    what: str = ""
    logarithmic: bool = False

    def aside(self, i: int, share: float) -> float:
        """Return the place beside the i-th label, by this share of the smallest distance of two labels."""
        if self.logarithmic:
            return self.places[i] * self._step**share
        return self.places[i] + share * self._step

    def slot(self, i: int, place: int, of: int, wide: float) -> tuple[float, float, float]:
        """Return left, middle and right of one of the `of` bars above the i-th label.

        `place`: of the bar among them. `wide`: the width of all of them, as a share of the smallest distance
        of two labels.
        """
        width = wide / max(1, of)
        middle = (place - (of - 1) / 2) * width
        return tuple(self.aside(i, middle + side * width * 0.46) for side in (-1, 0, 1))

    @property
    def _step(self) -> float:
        pairs = list(pairwise(self.places))
        if self.logarithmic:
            return min(b / a for a, b in pairs)
        return min((b - a for a, b in pairs), default=1.0)


def placed(labels: Sequence[str]) -> Placed:
    """Place labels at their values if all are numbers with one unit that increase; else one step apart."""
    matches = [_NUMBER.fullmatch(label) for label in labels]
    if (
        len(labels) > 1
        and all(matches)
        and len({(match["before"], match["behind"].strip()) for match in matches}) == 1
    ):
        values = [float(match["number"]) for match in matches]
        if all(a < b for a, b in pairwise(values)):
            return _by_value(values, matches)
    return Placed(tuple(map(float, range(len(labels)))), tuple(labels), -0.6, len(labels) - 0.4)


def _by_value(values: list[float], matches: list[re.Match]) -> Placed:
    names = tuple(minus(match["number"] + match["behind"]) for match in matches)
    what = (matches[0]["before"] or "").removesuffix("=")
    step, span = min(b - a for a, b in pairwise(values)), values[-1] - values[0]
    if values[0] > 0 and span > _FAR * step:
        least = min(b / a for a, b in pairwise(values))
        if math.log(values[-1] / values[0], least) < span / step / 3:
            return Placed(tuple(values), names, values[0] / least**0.6, values[-1] * least**0.6, what, True)
    return Placed(tuple(values), names, values[0] - 0.6 * step, values[-1] + 0.6 * step, what)
