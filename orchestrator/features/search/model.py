# SPDX-License-Identifier: Apache-2.0
"""The goals and trials of a search: plain values."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from orchestrator.statistics.estimates import UNBOUNDED, Estimate, estimate

TOTAL = "total"  # the key of a metric's value for the whole run
_STEPS = 100  # of a range that has none: no network is more sensitive, and few applications take more digits
_DIGITS, _MOST_DIGITS = 3, 12  # significant digits of a value on a logarithmic range, and on any
_LABEL = 32  # characters of a cell's label at most (scenario/matrix.py)
_UNFIT = re.compile(r"[^A-Za-z0-9._+%-]")


@dataclass(frozen=True)
class Parameter:
    """A setting of the scenario that is varied: `choices`, or from `low` to `high` in `unit`."""

    path: str
    choices: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 0.0
    unit: str = ""
    step: float | None = None
    log: bool = False
    whole: bool = False

    def text(self, value: float | str) -> str:
        """Write a value in the form of a scenario."""
        if self.choices:
            return str(value)
        if self.whole:
            number = f"{value:d}"
        elif self.log:
            number = f"{value:.{_DIGITS}g}"
        else:
            number = f"{min(max(round(value, self._decimals), self.low), self.high):.{_MOST_DIGITS}g}"
        return f"{number} {self.unit}".strip()

    @property
    def _decimals(self) -> int:
        """How many decimals tell values apart: those of the step, or of a hundredth of the range or less."""
        if self.step is None:
            return math.ceil(-math.log10((self.high - self.low) / _STEPS) - 1e-9)
        return max(-Decimal(str(number)).normalize().as_tuple().exponent for number in (self.step, self.low))


@dataclass(frozen=True)
class Measure:
    """A metric and its possible values. `scale` and `unit`: how readers see it."""

    metric: str
    key: str = TOTAL
    title: str = ""
    unit: str = ""
    scale: float = 1.0
    bounds: tuple[float, float] = UNBOUNDED

    @property
    def name(self) -> str:
        """The metric in its form on the command line."""
        return self.metric if self.key == TOTAL else f"{self.metric}/{self.key}"


@dataclass(frozen=True)
class Goal:
    """A measure that is to be as small as possible, or as large."""

    measure: Measure
    smallest: bool = True

    def loss(self, value: float) -> float:
        """Turn a value into one that is to be small."""
        return value if self.smallest else -value

    @property
    def told(self) -> str:
        """The goal in words."""
        return f"{'minimise' if self.smallest else 'maximise'} {self.measure.name}"


@dataclass(frozen=True)
class Constraint:
    """A measure that must not be above `bound` (`most`), or not below it."""

    measure: Measure
    most: bool
    bound: float
    written: str

    def excess(self, estimate: Estimate) -> float:
        """Return by how much the interval's worse end exceeds the bound; the constraint is kept up to 0."""
        worse = estimate.high if self.most else estimate.low
        worse = estimate.mean if worse != worse else worse  # one seed has no interval
        return worse - self.bound if self.most else self.bound - worse

    def hopeless(self, estimate: Estimate) -> bool:
        """Whether the whole interval is beyond the bound."""
        return estimate.low > self.bound if self.most else estimate.high < self.bound


@dataclass(frozen=True)
class Search:
    """The goals of a search, and its settings.

    `trials`: how many settings are tried, `batch` at a time. `seeds`: those of each trial; the `first` ones
    decide whether it is hopeless. `fresh`: seeds that no trial had, which confirm the best `candidates`.
    `seed`: the optimiser's.
    """

    experiment: str
    goals: tuple[Goal, ...]
    constraints: tuple[Constraint, ...]
    parameters: tuple[Parameter, ...]
    trials: int
    batch: int
    seeds: tuple[int, ...]
    first: int
    fresh: tuple[int, ...]
    candidates: int
    seed: int

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Every measure that is looked at, once."""
        return tuple(dict.fromkeys(constraint.measure for constraint in (*self.goals, *self.constraints)))


Values = Mapping[str, Mapping[int, float]]  # measure -> seed -> value


@dataclass(frozen=True)
class Trial:
    """Tried settings (path -> text) and their metrics. `failed`: why there are none."""

    number: int
    settings: Mapping[str, str]
    values: Values = field(default_factory=dict)
    stopped: str = ""
    failed: str = ""

    @property
    def label(self) -> str:
        """The name of its cell."""
        return label(self.settings)

    def of(self, measure: Measure) -> Estimate:
        """Return mean and interval of a measure over the seeds."""
        return estimate(self.values.get(measure.name, {}).values(), measure.bounds)

    @property
    def told(self) -> str:
        """Its settings in words."""
        return ", ".join(f"{path} = {text}" for path, text in self.settings.items())


def label(settings: Mapping[str, str]) -> str:
    """Name the cell of some settings: the same settings have the same name, whichever search tries them."""
    parts = [f"{path.rpartition('.')[2]}={_UNFIT.sub('', text)}" for path, text in settings.items()]
    whole = "_".join(parts)
    if len(whole) <= _LABEL:
        return whole
    digest = hashlib.sha256(repr(sorted(settings.items())).encode()).hexdigest()[:8]
    return f"{whole[: _LABEL - 9]}-{digest}"
