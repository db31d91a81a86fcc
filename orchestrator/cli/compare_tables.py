# SPDX-License-Identifier: Apache-2.0
"""`orchestrate compare` as text and tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from orchestrator.cli.paper_tables import STYLES
from orchestrator.cli.tables import Column, Table, numbers
from orchestrator.report.comparison import phrases
from orchestrator.report.comparison.rows import Comparison, Row
from orchestrator.report.statistics import CI

_FIRST = ("Metric", "A", "B", "Verdict", "B − A", CI, "Change", "p (Holm)")


def parts(comparison: Comparison) -> Iterator:
    """Yield the parts of a comparison, as they are printed."""
    for letter, side in (("A", comparison.a), ("B", comparison.b)):
        yield Text(f"{letter}: {side.name}, {phrases.runs(side)}", "bold")
        yield from (Text("   " + line, "yellow") for line in phrases.excluded(side))
    yield from _changes(comparison)
    for pair in comparison.matched.pairs:
        rows = [row for row in comparison.shown if row.pair == pair]
        if rows:
            yield _table(comparison, pair.name + ": " + phrases.how(pair), rows)
    for line in phrases.left_out(comparison):
        yield Text(line, "yellow")
    yield Text("\n".join(phrases.legend(comparison)), "dim")
    if comparison.equivalent is not None:
        yield Text(phrases.equivalent(comparison), "green" if comparison.equivalent else "red")


def _changes(comparison: Comparison) -> Iterator:
    if not comparison.matched.changes:
        yield Text("A and B do not differ in parameters, firmware, engine or rule set.\n")
        return
    rows = [
        ("" if place else change.what, ours, other)
        for change in comparison.matched.changes
        for place, (ours, other) in enumerate(change.values)
    ]
    yield Table("", ("What differs", Column("A", prose=True), Column("B", prose=True)), rows)


def _table(comparison: Comparison, title: str, rows: list[Row]) -> Table:
    """Like the page's table, in another order: first the columns that a narrow terminal shows."""
    first, *middle, last = phrases.COLUMNS
    columns = [
        Column(first, key=True, prose=True),
        *numbers(*middle),
        Column(last, prose=True),
    ]
    cells = [[*phrases.entries(row), _toned(row.verdict)] for row in rows]
    order = [phrases.COLUMNS.index(name) for name in _FIRST]
    effects = () if phrases.sized(comparison) else phrases.OF_EFFECT
    order += [
        place for place, name in enumerate(phrases.COLUMNS) if place not in order and name not in effects
    ]
    if comparison.margin is not None:
        order.insert(_FIRST.index("Verdict") + 1, len(columns))
        columns.append(Column(f"Within {phrases.share(comparison.margin)}"))
        cells = [[*entries, _toned(row.equivalence)] for entries, row in zip(cells, rows, strict=True)]
    return Table(
        title, [columns[place] for place in order], [[entries[place] for place in order] for entries in cells]
    )


def _toned(verdict: tuple[str, str]) -> tuple[str, str]:
    words, tone = verdict
    return words, STYLES[tone]
