# SPDX-License-Identifier: Apache-2.0
"""The words and the short entries of a comparison, which the terminal and the page share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from orchestrator.report.comparison.cells import Pair
from orchestrator.report.comparison.rows import Comparison, Row
from orchestrator.report.comparison.sides import Side
from orchestrator.report.statistics import CI, number
from orchestrator.statistics.effects import FEWEST_FOR_EFFECT
from orchestrator.statistics.estimates import Estimate
from orchestrator.words import counted, first_of


def runs(side: Side) -> str:
    """Say how many runs a side has, and where they are."""
    cells, count = len(side.results.cells), len(side.runs)
    return f"{number(count, 0)} run{'s' * (count != 1)} of {cells} cell{'s' * (cells != 1)} in {side.store}"


def excluded(side: Side) -> Iterator[str]:
    """Say which runs of a side were left out."""
    if side.excluded:
        yield f"left out, {len(side.excluded)}: {'; '.join(side.excluded[:5])}" + (
            "; …" if len(side.excluded) > 5 else ""
        )


def how(pair: Pair) -> str:
    """Say whether seeds are paired."""
    return "seed by seed" if pair.by_seed else f"seeds not paired ({pair.why})"


def left_out(comparison: Comparison) -> Iterator[str]:
    """Name the cells and metrics that only one side has."""
    for letter, cells in (("A", comparison.matched.only_a), ("B", comparison.matched.only_b)):
        if cells:
            yield f"Only in {letter}: {first_of(cells)}."
    if comparison.one_sided:
        yield f"Metrics of one side only: {first_of(comparison.one_sided)}."


def zeros(rows: Iterable[Row]) -> str:
    """Name the metrics that are 0 on both sides in some comparison, which no table lists; "" for none."""
    titles = list(dict.fromkeys(row.title for row in rows if row.zero))
    return f"Not listed where A and B are 0: {first_of(titles)}." if titles else ""


def legend(comparison: Comparison) -> list[str]:
    """Explain the columns."""
    paired = {row.difference.paired for row in comparison.rows}
    tests = [text for kind, text in ((True, "paired t by seed"), (False, "Welch's t")) if kind in paired]
    sizes = [
        text
        for kind, text in ((True, "dz (mean ÷ sd of the differences)"), (False, "g (Hedges)"))
        if any(row.difference.paired == kind and _sized(row) for row in comparison.rows)
    ]
    size = (
        f"Effect size, in units of the seeds' spread: {', '.join(sizes)}, with its {CI}."
        if sizes
        else f"There is no effect size of fewer than {FEWEST_FOR_EFFECT} seeds."
    )
    lines = [
        f"Change: relative to A's mean. A, B: mean (sd) over seeds. Tests: {', '.join(tests)}. {size} p: "
        f"adjusted by Holm's method for {counted(len(comparison.rows), 'row')}; intervals are not adjusted."
    ]
    if both := zeros(comparison.rows):
        lines.append(both)
    if any(row.difference.n < 2 for row in comparison.rows):
        lines.append(
            "If a side has one seed only, there is no interval and no test: run more seeds (`orchestrate run "
            "--seeds 1..30`)."
        )
    return lines


def sized(comparison: Comparison) -> bool:
    """Whether there are seeds enough for effect sizes in some row."""
    return any(map(_sized, comparison.rows))


def _sized(row: Row) -> bool:
    return row.difference.n >= FEWEST_FOR_EFFECT


def equivalent(comparison: Comparison) -> str:
    """Say how many rows are equivalent."""
    good = sum(bool(row.equivalent) for row in comparison.rows)
    return (
        f"Equivalent within {share(comparison.margin)} (two one-sided tests, 5 %): {good} of "
        f"{len(comparison.rows)} rows."
    )


def share(fraction: float) -> str:
    """Write a fraction in %."""
    return f"{100 * fraction:g}\u00a0%"


COLUMNS = ("Metric", "Change", "A", "B", "B − A", CI, "n", "Effect", f"its {CI}", "p (Holm)", "Verdict")

OF_EFFECT = ("Effect", f"its {CI}")  # of them, those of the effect size


def entries(row: Row) -> tuple[str, ...]:
    """Return the entries of a row in COLUMNS but the verdict."""
    difference = row.difference
    places = row.how.declared.decimals + 1  # because differences are smaller than means
    counted = str(difference.n) if difference.paired else f"{difference.a.n} + {difference.b.n}"
    return (
        name(row),
        "–" if math.isnan(row.percent) else signed(row.percent, 1) + "\u00a0%",
        _mean(difference.a, places),
        _mean(difference.b, places),
        signed(difference.mean, places),
        interval(difference.low, difference.high, places),
        counted,
        effect(row),
        interval(difference.effect_low, difference.effect_high, 2),
        p(row),
    )


def name(row: Row) -> str:
    """Return a row's title with its unit, unless the title has it already."""
    return row.title + (f", {row.how.unit}" if row.how.unit and row.how.unit not in row.title.lower() else "")


def effect(row: Row) -> str:
    """Write the effect size."""
    difference = row.difference
    return (
        "–"
        if math.isnan(difference.effect)
        else f"{signed(difference.effect, 2)}\u00a0{difference.effect_is}"
    )


def p(row: Row) -> str:
    """Write the adjusted p value."""
    return "–" if math.isnan(row.p) else "<\u00a00.001" if row.p < 0.001 else f"{row.p:.3f}"


def _mean(value: Estimate, places: int) -> str:
    if not value.known:
        return "–"
    return number(value.mean, places) + (f" ({number(value.sd, places)})" if value.n > 1 else "")


def interval(low: float, high: float, places: int) -> str:
    """Write an interval; an en dash if it isn't known."""
    return "–" if math.isnan(low) else f"{number(low, places)} to {number(high, places)}"


def signed(value: float, places: int) -> str:
    """Write a number with its sign, + included."""
    text = number(value, places)
    return "+" + text if value > 0 and text.strip("0.,\u202f") else text
