# SPDX-License-Identifier: Apache-2.0
"""An axis of a chart: where values lie on it, and which of them are named."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orchestrator.report.statistics import minus

LINEAR, LOGARITHMIC = "linear", "logarithmic"
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_MARGIN = 0.05  # of the data's span, at an end that is not given


@dataclass
class Axis:
    """An axis.

    `low`, `high`: its ends (default: those of the data, with a margin). `ticks`: (value, name) of the values
    that are named (default: round numbers). `linear_to`: the magnitude up to which a logarithmic axis is
    linear; 0 for nowhere. `turned`: names may be turned to fit. `at_end`: the label stands at the axis's end.
    """

    label: str = ""
    low: float | None = None
    high: float | None = None
    ticks: Sequence[tuple[float, str]] | None = None
    kind: str = LINEAR
    linear_to: float = 0.0
    grid: bool = False
    at_end: bool = False
    turned: bool = False

    def settle(self, values: Sequence[float], intervals: Sequence[float] = ()) -> None:
        """Set the ends for these values and ends of intervals.

        A given end moves outwards for a value beyond it, so that no mark is lost, but not for an interval's
        end.
        """
        down = self.low is not None and self.high is not None and self.low > self.high
        low, high = (self.high, self.low) if down else (self.low, self.high)
        drawn, ends = self._drawn(values), self._drawn(intervals)
        least = min([*drawn, *(ends if low is None else [low])], default=0.0)
        most = max([*drawn, *(ends if high is None else [high])], default=max(least + 1.0, 1.0))
        if least == most:
            below, above = (
                (least - 0.5, most + 0.5) if self.kind == LINEAR or not least else (least / 2, most * 2)
            )
            least, most = below if low is None else least, above
        margin = _MARGIN * (self._place(most) - self._place(least))
        least = least if low is not None else self._value(self._place(least) - margin)
        most = most if high is not None else self._value(self._place(most) + margin)
        self.low, self.high = (most, least) if down else (least, most)

    def _drawn(self, values: Sequence[float]) -> list[float]:
        return [
            value
            for value in values
            if math.isfinite(value) and (value > 0 or self.kind == LINEAR or self.linear_to)
        ]

    def share(self, value: float) -> float:
        """Return where a value lies: 0 at the low end, 1 at the high one."""
        low, high = self._place(self.low), self._place(self.high)
        return (self._place(value) - low) / (high - low) if high != low else 0.5

    def named(
        self, most: int, fits: Callable[[list[tuple[float, str]]], bool] = lambda ticks: True
    ) -> list[tuple[float, str]]:
        """Return values with their names: about `most`, or as many fewer as it takes for them to fit."""
        if self.ticks is not None:
            return list(self.ticks)
        for count in range(max(most, 2), 1, -1):
            values = self._round(count)
            ticks = list(zip(values, written(values), strict=True))
            if fits(ticks):
                break
        return ticks

    def _place(self, value: float) -> float:
        if self.kind == LINEAR:
            return value
        if not self.linear_to:
            return math.log10(max(value, 1e-300))
        small = abs(value) / self.linear_to
        return math.copysign(small if small <= 1 else 1 + math.log10(small), value)

    def _value(self, place: float) -> float:
        if self.kind == LINEAR:
            return place
        if not self.linear_to:
            return 10**place
        return math.copysign(
            self.linear_to * (abs(place) if abs(place) <= 1 else 10 ** (abs(place) - 1)), place
        )

    def _round(self, most: int) -> list[float]:
        low, high = min(self.low, self.high), max(self.low, self.high)
        if self.kind == LINEAR:
            return _multiples(low, high, most)
        if not self.linear_to:
            return _decades(low, high, most)
        beyond = [
            value
            for value in _decades(self.linear_to, max(abs(low), abs(high)), most)
            if value > self.linear_to
        ]
        values = [0.0, self.linear_to, *beyond]
        every = sorted(
            {value for number in values for value in (-number, number) if low <= value <= high}
        ) or [
            low,
            high,
        ]
        return [value + 0.0 for value in every]  # no -0


def _multiples(low: float, high: float, most: int) -> list[float]:
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(step * power for step in _STEPS if step * power >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(place * step, 12 - math.floor(math.log10(step))) + 0.0 for place in range(first, last + 1)]


def _decades(low: float, high: float, most: int) -> list[float]:
    """Return powers of ten, every few of them if there are many; with twice and five times these if few."""
    if high <= low:
        return []
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    every = max(1, math.ceil((last - first) / most))
    ticks = [10.0**power for power in range(first, last + 1, every) if low <= 10.0**power <= high]
    if len(ticks) < 3 and most > 3:
        finer = [
            digit * 10.0**power
            for power in range(first, last + 1)
            for digit in (1, 2, 5)
            if low <= digit * 10.0**power <= high
        ]
        return finer if len(finer) > 1 else _multiples(low, high, most)
    return ticks


def written(values: Sequence[float]) -> list[str]:
    """Write numbers with the decimals that they need, thin spaces between thousands and minus signs."""
    for decimals in range(13):
        if all(abs(value - round(value, decimals)) <= 1e-9 * max(1e-3, abs(value)) for value in values):
            break
    return [minus(f"{value:,.{decimals}f}".replace(",", "\u202f")) for value in values]
