# SPDX-License-Identifier: Apache-2.0
"""The numbers of a comparison: a row for each pair of cells and metric, with a verdict in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd
from orchestrate_spark.metrics.model import SHARE

from orchestrator.errors import NoSuchThing, Unsupported
from orchestrator.report.comparison.cells import Matched, Pair, match
from orchestrator.report.comparison.sides import Side
from orchestrator.report.data import Results
from orchestrator.report.metrics import Shown, order
from orchestrator.statistics.effects import (
    ALPHA,
    FEWEST_FOR_EFFECT,
    Difference,
    holm,
    paired_difference,
    welch_difference,
)
from orchestrator.words import did_you_mean, first_of

TOTAL, SUM = "total", "all nodes"
HIDDEN = "hidden"
_NOT_SUMMED = (SHARE, "s", "ms")  # units of which a sum over nodes says nothing


@dataclass(frozen=True)
class Row:
    """A metric of a pair, in the unit that is shown. `p` is adjusted by Holm's method for the number of rows.

    `margin`: the largest difference that counts as none, in the row's unit. `p_equivalence`: of the two
    one-sided tests. Both are NaN if no margin was asked for.
    """

    pair: Pair
    metric: str
    key: str
    how: Shown
    difference: Difference
    p: float
    margin: float
    p_equivalence: float

    @property
    def title(self) -> str:
        """The metric's title, with its key if it isn't the total."""
        return self.how.title if self.key == TOTAL else f"{self.how.title}, {self.key}"

    @property
    def percent(self) -> float:
        """The change relative to A's mean, in %."""
        return self._relative(self.difference.mean)

    @property
    def percent_interval(self) -> tuple[float, float]:
        """The interval of the change, in %; a metric that can't be negative can't fall by more than 100 %."""
        low, high = self._relative(self.difference.low), self._relative(self.difference.high)
        return (max(low, -100.0) if self.how.declared.least == 0 and not math.isnan(low) else low), high

    def _relative(self, apart: float) -> float:
        return 100 * apart / abs(self.difference.a.mean) if self.difference.a.mean else math.nan

    @property
    def zero(self) -> bool:
        """Whether every value of A and B is 0, so that there is nothing to compare."""
        sides = (self.difference.a, self.difference.b)
        return all(each.known and each.mean == 0 and not each.sd > 0 for each in sides)

    @property
    def differs(self) -> bool:
        """Whether the difference is significant, or the same in every seed and not 0."""
        difference = self.difference
        return difference.n >= 2 and (difference.mean != 0 if difference.constant else self.p < ALPHA)

    @property
    def equivalent(self) -> bool | None:
        """Whether A and B are equivalent; None if no margin was asked for or there are too few seeds."""
        return None if math.isnan(self.p_equivalence) else self.p_equivalence < ALPHA

    @property
    def verdict(self) -> tuple[str, str]:
        """The verdict on B compared with A: words and tone."""
        difference = self.difference
        if difference.n < 2:
            return "one seed, nothing shown" if difference.n else "no value to compare", "open"
        word = "larger" if difference.mean > 0 else "smaller"
        if difference.constant:
            if difference.mean == 0:
                return "equal in every seed" if difference.paired else "equal in every run", "quiet"
            return word + (
                ", by the same in every seed" if difference.paired else ", no spread in either"
            ), ""
        if self.differs:
            return word, ""
        return "no difference shown", "quiet"

    @property
    def equivalence(self) -> tuple[str, str]:
        """The verdict on equivalence: words and tone."""
        if math.isnan(self.margin):
            return "", ""
        if self.equivalent is None:
            return "too few seeds to tell", "open"
        return ("equivalent", "good") if self.equivalent else ("not shown equivalent", "bad")


@dataclass(frozen=True)
class Comparison:
    """The comparison of two sides. `one_sided`: the metrics that only one cell of a pair has."""

    a: Side
    b: Side
    matched: Matched
    rows: tuple[Row, ...]
    one_sided: tuple[str, ...]
    margin: float | None

    @property
    def shown(self) -> tuple[Row, ...]:
        """The rows that tables show: not those in which both are 0."""
        return tuple(row for row in self.rows if not row.zero)

    @property
    def equivalent(self) -> bool | None:
        """Whether every row is equivalent; None if no margin was asked for."""
        return None if self.margin is None else all(row.equivalent for row in self.rows)


def compare(a: Side, b: Side, metrics: Sequence[str] = (), margin: float | None = None) -> Comparison:
    """Compare two sides.

    `metrics`: their names (NAME or NAME/KEY), all if empty. `margin`: a fraction, see `_margin`. Raises
    Unsupported if A is B, NoSuchThing if they have nothing in common.
    """
    matched = match(a, b)
    if strange := _unknown((a.results, b.results), metrics):
        names = sorted({*a.results.metrics(), *b.results.metrics()})
        raise NoSuchThing(
            f"no metric {', '.join(strange)} in {a.name} or {b.name}; "
            f"{did_you_mean(strange[0].partition('/')[0], names)}"
        )
    one_folder = a.results.folder.resolve() == b.results.folder.resolve()
    if one_folder and all(pair.a == pair.b for pair in matched.pairs):
        raise Unsupported(
            f"A and B are the same runs ({', '.join(dict.fromkeys((a.name, b.name)))})\n    name two "
            "experiments or two cells; two scenario files "
            "need an `experiment:` name each, or a store each (--store-b)"
        )
    rows, one_sided = [], []
    for pair in matched.pairs:
        ours, theirs = (
            offered(results, cell, metrics) for results, cell in ((a.results, pair.a), (b.results, pair.b))
        )
        rows += [row(a.results, b.results, pair, *each, margin) for each in ours if each in theirs]
        for which, these, those in (("A", ours, theirs), ("B", theirs, ours)):
            one_sided += [
                f"{'/'.join(each)} ({pair.name}: only {which})" for each in these if each not in those
            ]
    if not rows:
        raise NoSuchThing(_nothing(a, b, metrics, one_sided))
    adjusted = holm([row.p for row in rows])
    return Comparison(
        a,
        b,
        matched,
        tuple(replace(row, p=p) for row, p in zip(rows, adjusted, strict=True)),
        tuple(one_sided),
        margin,
    )


def _unknown(sides: Sequence[Results], metrics: Sequence[str]) -> list[str]:
    """Return those of `metrics`, NAME or NAME/KEY, that neither side has."""
    there = {
        name
        for results in sides
        for metric in results.metrics()
        for name in (metric, *(f"{metric}/{key}" for key in (*results.keys(metric), SUM)))
    }
    return [name for name in metrics if name not in there]


def _nothing(a: Side, b: Side, metrics: Sequence[str], one_sided: list[str]) -> str:
    there = sorted(set(a.results.metrics()) & set(b.results.metrics()))
    asked = f" {', '.join(metrics)}" if metrics else ""
    return (
        f"no metric{asked} that both {a.name} and {b.name} have; both have: {', '.join(there) or 'none'}"
        + (f"\n    of one of them: {first_of(one_sided)}" if one_sided else "")
        + "\n    choose among these with --metrics, or compare runs of one application"
    )


def offered(results: Results, cell: str, wanted: Sequence[str]) -> list[tuple[str, str]]:
    """Return (metric, key) of everything of a cell that is compared, in the report's order."""
    pairs = []
    for metric in sorted(results.metrics(), key=lambda metric: (order(metric), metric)):
        keys = results.keys(metric, cell)
        if not keys:
            continue
        if wanted:
            pairs += [(metric, key) for key in (*keys, SUM) if f"{metric}/{key}" in wanted]
            if metric not in wanted:
                continue
        pairs += [(metric, key) for key in _keys(results.shown(metric), keys, metric in wanted)]
    return list(dict.fromkeys(pairs))


def _keys(how: Shown, keys: list[str], asked: bool) -> list[str]:
    """Return the keys that are compared: the total, the sum or the quantiles; others only if asked for."""
    if TOTAL in keys:
        return [TOTAL] if asked or how.kind != HIDDEN else []
    if how.kind == "node" and how.declared.unit not in _NOT_SUMMED:
        return [SUM]
    return keys if asked or how.kind == "quantiles" else []


def values(results: Results, cell: str, metric: str, key: str) -> pd.Series:
    """Return the values of each seed in the unit that is shown; the key `SUM` is the sum over all keys."""
    how = results.shown(metric)
    if key == SUM:
        return results.summed(cell, metric) * how.scale
    missing_is_none = how.kind in ("histogram", "table")
    series = results.counts(cell, metric, key) if missing_is_none else results.values(cell, metric, key)
    return series * how.scale


def row(
    a: Results, b: Results, pair: Pair, metric: str, key: str, margin: float | None, effects: bool = True
) -> Row:
    """Compute a row; p is not adjusted.

    `effects`: with the interval of the effect size, which takes most of the time. There is no effect size of
    fewer seeds than FEWEST_FOR_EFFECT.
    """
    ours, theirs = values(a, pair.a, metric, key), values(b, pair.b, metric, key)
    how = a.shown(metric)
    least, most = how.bounds
    difference = (paired_difference if pair.by_seed else welch_difference)(
        ours, theirs, (least * how.scale, most * how.scale), effects
    )
    if difference.n < FEWEST_FOR_EFFECT:
        difference = replace(difference, effect=math.nan, effect_low=math.nan, effect_high=math.nan)
    width = math.nan if margin is None else _margin(margin, how, difference)
    return Row(
        pair,
        metric,
        key,
        how,
        difference,
        difference.p,
        width,
        math.nan if margin is None else difference.equivalence(width),
    )


def _margin(margin: float, how: Shown, difference: Difference) -> float:
    """Return the margin in the row's unit: points for a share (0.01 is one), else a fraction of A's mean."""
    return 100 * margin if how.unit == "%" else margin * abs(difference.a.mean)
