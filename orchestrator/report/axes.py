# SPDX-License-Identifier: Apache-2.0
"""The effect of each axis of a matrix: compares cells that differ in that axis only with its first value."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from orchestrator.report.comparison.cells import Pair, by_seed
from orchestrator.report.comparison.phrases import interval, signed, zeros
from orchestrator.report.comparison.rows import SUM, TOTAL, Row, row
from orchestrator.report.data import Results
from orchestrator.report.metrics import ranked
from orchestrator.report.model import Block, Entry, Section, Table, paragraph
from orchestrator.report.statistics import CI, number
from orchestrator.scenario.matrix import Choice
from orchestrator.scenario.matrix import chosen as chosen_by
from orchestrator.statistics.effects import holm
from orchestrator.words import counted

MEAN = "mean"  # the key that is compared of a metric with quantiles
SAME_LOAD = 0.05  # cells whose published events differ by no more than this share have the same load
MOST_ROWS = 60  # of an axis; of more rows, only those with a significant difference are listed


@dataclass(frozen=True)
class Step:
    """Two cells that differ in one axis only.

    `first` and `other`: the axis's first value and the other cell's, or their labels if the axis changes
    several settings. `same_load`: whether both cells publish as many events, as far as that was measured.
    """

    axis: str
    first: Any
    other: Any
    pair: Pair
    same_load: bool = True


def steps(results: Results) -> list[Step]:
    """Return the steps of each axis, in the order of the plan; the first value of a switch is off."""
    cells = _on_axes(results)
    all_steps = []
    for axis in dict.fromkeys(axis for chosen in cells.values() for axis in chosen):
        alike: dict[str, list[str]] = {}
        for cell, chosen in cells.items():
            if axis in chosen:
                others = {name: sets for name, (sets, _) in chosen.items() if name != axis}
                alike.setdefault(json.dumps(others, sort_keys=True), []).append(cell)
        for group in alike.values():
            first, *others = sorted(group, key=lambda cell: cells[cell][axis][1] is True)
            all_steps += [
                Step(
                    axis,
                    cells[first][axis][1],
                    cells[cell][axis][1],
                    Pair(first, cell, *by_seed(results, results, first, cell)),
                    _same_load(results, first, cell),
                )
                for cell in others
                if cells[cell][axis][0] != cells[first][axis][0]
            ]
    return all_steps


def _on_axes(results: Results) -> dict[str, dict[str, tuple[dict[str, Any], Any]]]:
    """Return by cell and axis what the axis sets there, by path, and how that is shown.

    Manifests have the settings; which of them change together, and under which label, the scenario says.
    """
    chosen = chosen_by(results.scenario)
    bundles = {
        path: axis
        for choices in chosen.values()
        for axis, choice in choices.items()
        if axis not in choice.settings
        for path in choice.settings
    }
    cells = {}
    for cell in results.cells:
        manifest = results.manifest(cell)
        if manifest is None:
            continue
        sets: dict[str, dict[str, Any]] = {axis: {} for axis in chosen.get(cell, ())}
        for path, setting in manifest.settings.items():
            sets.setdefault(bundles.get(path, path), {})[path] = setting
        choices = chosen.get(cell, {})
        cells[cell] = {
            axis: (there, _as_written(axis, there, choices.get(axis))) for axis, there in sets.items()
        }
    return cells


def _as_written(axis: str, settings: dict[str, Any], choice: Choice | None) -> Any:
    if choice is not None and axis not in choice.settings:
        return choice.label
    if list(settings) == [axis]:
        return settings[axis]
    return ", ".join(f"{path}={value(setting)}" for path, setting in settings.items())


def _same_load(results: Results, first: str, other: str) -> bool:
    """Whether two cells publish as many events, apart from the variation of seeds and timers."""
    published = [results.estimate(cell, "events_published") for cell in (first, other)]
    if not all(each.known and each.mean for each in published):
        return True
    return abs(published[1].mean / published[0].mean - 1) <= SAME_LOAD


def compared(results: Results) -> list[tuple[Step, Row]]:
    """Compare the metrics of every step; p values are adjusted for the number of all comparisons."""
    metrics = [metric for metric in (*ranked("step"), *sorted(results.own)) if results.cells_with(metric)]
    pairs = []
    for step in steps(results):
        for metric in metrics:
            keys = [set(results.keys(metric, cell)) for cell in (step.pair.a, step.pair.b)]
            key = (
                TOTAL if all(TOTAL in of for of in keys) else MEAN if all(MEAN in of for of in keys) else SUM
            )
            if all(keys) and (key != SUM or results.shown(metric).kind == "node"):
                pairs.append((step, row(results, results, step.pair, metric, key, None, effects=False)))
    pairs = [(step, row) for step, row in pairs if row.difference.a.known and row.difference.b.known]
    adjusted = holm([row.p for _, row in pairs])
    return [(step, replace(row, p=p)) for (step, row), p in zip(pairs, adjusted, strict=True)]


def section(rows: Sequence[tuple[Step, Row]]) -> Section | None:
    """Return the section; None if no two cells differ in one axis only, or nothing was measured in both."""
    if not rows:
        return None
    blocks: list[Block] = []
    for axis in dict.fromkeys(step.axis for step, _ in rows):
        blocks += _axis(axis, [(step, row) for step, row in rows if step.axis == axis and not row.zero])
    nothing = zeros(row for _, row in rows)
    blocks.insert(
        0,
        paragraph(
            "The tables compare cells that differ in one axis only: each value of the axis (B) with its "
            "first value (A). The change is relative to A's mean; its interval is that of the "
            "difference. Verdicts come from tests against no difference, at 5\u00a0%, with p adjusted by "
            f"Holm's method for all {counted(len(rows), 'comparison')} here. "
            f"{_paired(step.pair for step, _ in rows)} {nothing}".rstrip()
        ),
    )
    return Section("comparison", "What each axis changes", tuple(blocks), "Comparison")


def value(setting: Any) -> str:
    """Return an axis's value as a scenario writes it."""
    return json.dumps(setting) if isinstance(setting, (bool, dict, list)) else str(setting)


def _paired(pairs: Iterable[Pair]) -> str:
    pairs = set(pairs)
    apart = sorted({pair.why for pair in pairs if not pair.by_seed})
    if not apart:
        return (
            "Differences are taken seed by seed, because both runs of a seed published the same number of "
            "events at every publisher."
        )
    if all(not pair.by_seed for pair in pairs):
        return f"Seeds are not paired ({'; '.join(apart)}): the test is Welch's."
    return (
        "Differences are taken seed by seed where both runs of a seed published the same number of events at "
        f"every publisher, otherwise ({'; '.join(apart)}) by Welch's test."
    )


def _axis(axis: str, rows: list[tuple[Step, Row]]) -> list[Block]:
    listed = rows if len(rows) <= MOST_ROWS else [(step, row) for step, row in rows if row.differs]
    left = len(rows) - len(listed[:MOST_ROWS])
    alike = left == len(rows) - len(listed)
    why = "those without a difference that is shown" if alike else "the table would be too long"
    note = f"{counted(left, 'row')} of {number(len(rows), 0)} left out: {why}." if left else ""
    if not rows:
        return [paragraph(f"{axis}: every metric that was compared is 0.")]
    if not listed:
        return [paragraph(f"{axis}: no difference is shown in any of {counted(len(rows), 'comparison')}.")]
    return [
        Table(
            axis,
            ("Metric", "A", "B", f"Change, {CI}", "A's mean", "B's mean", "B − A", "Verdict"),
            tuple(map(_entries, listed[:MOST_ROWS])),
            note,
        )
    ]


def _entries(of: tuple[Step, Row]) -> tuple[Entry, ...]:
    step, row = of
    difference, places = row.difference, row.how.declared.decimals
    unit = row.how.unit.replace("%", "points")
    return (
        Entry(row.title, row.how.unit),
        Entry(value(step.first), step.pair.a),
        Entry(value(step.other), step.pair.b),
        change(row),
        Entry(number(difference.a.mean, places), number=True),
        Entry(number(difference.b.mean, places), number=True),
        Entry(
            f"{signed(difference.mean, places)}\u00a0{unit}".strip(),
            f"{CI} {interval(difference.low, difference.high, places)}" if difference.n > 1 else "one seed",
            number=True,
        ),
        Entry(row.verdict[0], tone=row.verdict[1]),
    )


def change(row: Row) -> Entry:
    """Return the change relative to A's mean, with its interval."""
    low, high = row.percent_interval
    if row.percent != row.percent:
        return Entry("–", "A is 0", number=True)
    return Entry(
        f"{signed(row.percent, 1)}\u00a0%",
        f"{interval(low, high, 1)}" if row.difference.n > 1 else "",
        number=True,
    )
