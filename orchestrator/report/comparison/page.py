# SPDX-License-Identifier: Apache-2.0
"""Writes a comparison as one HTML page with forest plots, which are also files beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from orchestrator import __version__
from orchestrator.report import charts, provenance
from orchestrator.report.comparison import phrases
from orchestrator.report.comparison.rows import Comparison, Row
from orchestrator.report.generic import file_name
from orchestrator.report.model import Block, Entry, Figure, Gallery, Section, Table, Text, paragraph
from orchestrator.report.page import DEFAULT_FORMATS, write_page
from orchestrator.report.render import Page
from orchestrator.report.statistics import CI
from orchestrator.statistics.estimates import NOTHING, Estimate

LINEAR_TO = 10.0  # %; some changes are hundreds of %


def write(
    comparison: Comparison,
    folder: Path,
    formats: Sequence[str] = DEFAULT_FORMATS,
    stage: Callable[..., None] = lambda *_: None,
) -> Path:
    """Write folder/index.html, whose path is returned, and folder/figures/."""
    stage("arranging the page")
    return write_page(folder, build(comparison), formats, stage=stage)


def build(comparison: Comparison) -> Page:
    """Return the page as values."""
    facts = [
        ("Pairs of cells", str(len(comparison.matched.pairs))),
        ("Rows", str(len(comparison.rows))),
        (
            "Larger or smaller in B",
            str(sum(row.verdict[0].startswith(("larger", "smaller")) for row in comparison.rows)),
        ),
    ]
    if comparison.margin is not None:
        facts.append(
            (
                f"Equivalent within {phrases.share(comparison.margin)}",
                f"{sum(bool(row.equivalent) for row in comparison.rows)} of {len(comparison.rows)}",
            )
        )
    sections = [
        Section("differs", "What differs", tuple(_differs(comparison))),
        Section("figures", "Figures", tuple(_figures(comparison))),
        Section("rows", "Metric by metric", tuple(_tables(comparison))),
    ]
    for letter, side in (("A", comparison.a), ("B", comparison.b)):
        sections.append(
            replace(
                provenance.section(side.results),
                id=f"provenance-{letter.lower()}",
                title=f"Provenance of {letter}: {side.name}",
                short=f"Provenance of {letter}",
            )
        )
    return Page(
        f"{comparison.b.name} beside {comparison.a.name}",
        f"A: {comparison.a.name}; B: {comparison.b.name}. Differences are B − A.",
        tuple(facts),
        tuple(sections),
        f"orchestrate {__version__}",
    )


def _differs(comparison: Comparison) -> list[Block]:
    rows = [
        (
            Entry(change.what),
            Entry("\n".join(ours for ours, _ in change.values)),
            Entry("\n".join(other for _, other in change.values)),
        )
        for change in comparison.matched.changes
    ]
    blocks: list[Block] = (
        [Table("Parameters, firmware, engine", ("What", "A", "B"), tuple(rows))]
        if rows
        else [paragraph("A and B do not differ in parameters, firmware, engine or rule set.")]
    )
    blocks.append(
        Text(
            tuple(
                f"{letter}: {side.name}, {phrases.runs(side)}."
                for letter, side in (("A", comparison.a), ("B", comparison.b))
            )
        )
    )
    notes = [
        f"{letter}: {line}."
        for letter, side in (("A", comparison.a), ("B", comparison.b))
        for line in phrases.excluded(side)
    ] + list(phrases.left_out(comparison))
    return blocks + ([Text(tuple(notes), "warning")] if notes else [])


def _tables(comparison: Comparison) -> list[Block]:
    blocks: list[Block] = [Text(tuple(phrases.legend(comparison)), "note")]
    if comparison.margin is not None:
        blocks.append(paragraph(phrases.equivalent(comparison), "" if comparison.equivalent else "warning"))
    columns = (
        "Metric",
        f"Change, {CI}",
        "A",
        "B",
        f"B − A, {CI}",
        "Verdict",
        "n",
        *((f"Effect, {CI}",) if phrases.sized(comparison) else ()),
        "p (Holm)",
        *((f"Within {phrases.share(comparison.margin)}",) if comparison.margin is not None else ()),
    )
    for pair in comparison.matched.pairs:
        rows = [_entries(row, comparison) for row in comparison.shown if row.pair == pair]
        if rows:
            blocks.append(Table(f"{pair.name}, {phrases.how(pair)}", columns, tuple(rows)))
    return blocks


def _entries(row: Row, comparison: Comparison) -> tuple[Entry, ...]:
    name, change, a, b, difference, interval, n, effect, effect_interval, p = phrases.entries(row)
    words, tone = row.verdict
    return (
        Entry(name),
        Entry(change, phrases.interval(*row.percent_interval, 1), number=True),
        Entry(a, number=True),
        Entry(b, number=True),
        Entry(difference, interval, number=True),
        Entry(words, tone=tone),
        Entry(n, number=True),
        *((Entry(effect, effect_interval, number=True),) if phrases.sized(comparison) else ()),
        Entry(p, number=True),
        *((Entry(row.equivalence[0], tone=row.equivalence[1]),) if comparison.margin is not None else ()),
    )


def _figures(comparison: Comparison) -> list[Block]:
    """Draw the changes of all metrics of each pair and, if there are several pairs, of each metric in all."""
    figures: list[Figure] = []
    if len(comparison.matched.pairs) > 1:
        by_metric: dict[tuple[str, str], list[Row]] = {}
        for row in comparison.rows:
            by_metric.setdefault((row.metric, row.key), []).append(row)
        figures = [
            _differences(rows) for rows in by_metric.values() if any(row.difference.mean for row in rows)
        ]
    changes = [_changes(comparison, place) for place in range(len(comparison.matched.pairs))]
    figures = [*(figure for figure in changes if figure), *figures]
    none = "There is no figure, because no metric has a change with an interval."
    return [Gallery(tuple(figures))] if figures else [paragraph(none, "note")]


def _changes(comparison: Comparison, place: int) -> Figure | None:
    pair = comparison.matched.pairs[place]
    rows = [
        row
        for row in comparison.rows
        if row.pair == pair and not math.isnan(row.percent) and row.difference.n >= 2
    ]
    if not rows:
        return None
    lines = [charts.Row(row.title, [_drawn(row, row.percent, row.percent_interval)]) for row in rows]
    drawing = charts.forest(
        lines,
        ["change/%"],
        f"B − A, % of A (logarithmic beyond ±{LINEAR_TO:g} %)",
        references=(charts.Reference(0.0),),
        scale=charts.Scale(linear_to=LINEAR_TO),
        wide=True,
    )
    return Figure(
        file_name("changes", str(place + 1), pair.a),
        f"Changes, {pair.name}",
        drawing,
        alt=f"Forest plot of the changes of {pair.name}",
        wide=True,
        caption=(
            "B − A in % of A's mean, with the 95 % confidence interval of the difference, "
            f"{phrases.how(pair)}. Metrics whose mean in A is 0 have no relative change and are not drawn."
        ),
    )


def _drawn(row: Row, mean: float, interval: tuple[float, float]) -> Estimate:
    return replace(NOTHING, n=row.difference.n, mean=mean, low=interval[0], high=interval[1])


def _differences(rows: list[Row]) -> Figure:
    first = rows[0]
    unit = first.how.unit.replace("%", "points") or first.metric
    lines = [
        charts.Row(
            row.pair.name,
            [_drawn(row, row.difference.mean, (row.difference.low, row.difference.high))],
        )
        for row in rows
    ]
    drawing = charts.forest(
        lines, [f"{first.metric}/{first.key}"], f"B − A, {unit}", references=(charts.Reference(0.0),)
    )
    return Figure(
        file_name("difference", first.metric, first.key),
        first.title,
        drawing,
        alt=f"Forest plot of the differences in {first.title.lower()}",
        caption=(
            f"B − A by pair of cells, in {unit}, with the 95 % confidence interval; n is "
            f"{', '.join(sorted({str(row.difference.n) for row in rows}))}."
        ),
    )
