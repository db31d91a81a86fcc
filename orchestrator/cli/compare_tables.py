# SPDX-License-Identifier: Apache-2.0
"""`orchestrate compare` as text and tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.table import Table
from rich.text import Text

from orchestrator.cli.paper_tables import STYLES
from orchestrator.report.comparison import phrases
from orchestrator.report.comparison.rows import Comparison, Row
from orchestrator.report.comparison.sides import Side


def parts(found: Comparison) -> Iterator:
    for letter, side in (("A", found.a), ("B", found.b)):
        yield Text(f"{letter}: {side.name}, {phrases.runs(side)}", "bold")
        yield from _excluded(side)
    yield from _changes(found)
    for pair in found.matched.pairs:
        rows = [row for row in found.rows if row.pair == pair]
        if rows:
            yield _table(found, pair.name + ": " + phrases.how(pair), rows)
    for line in phrases.left_out(found):
        yield Text(line, "yellow")
    yield Text("\n".join(phrases.legend(found)), "dim")
    if found.equivalent is not None:
        yield Text(phrases.equivalent(found), "green" if found.equivalent else "red")


def _excluded(side: Side) -> Iterator:
    for line in phrases.excluded(side):
        yield Text("   " + line, "yellow")


def _changes(found: Comparison) -> Iterator:
    if not found.matched.changes:
        yield Text("A and B do not differ in parameters, firmware, engine or rule set.\n")
        return
    table = Table("What differs", "A", "B", box=box.SIMPLE_HEAD, pad_edge=False)
    for change in found.matched.changes:
        for place, (one, other) in enumerate(change.values):
            table.add_row(Text("" if place else change.what), Text(one), Text(other))
    yield table


def _table(found: Comparison, title: str, rows: list[Row]) -> Table:
    table = Table(title=Text(title), box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    first, *middle, last = phrases.COLUMNS
    table.add_column(first, ratio=3)
    for name in middle:
        table.add_column(name, justify="right")
    table.add_column(last, ratio=2)
    if found.margin is not None:
        table.add_column(f"Within {phrases.share(found.margin)}")
    for row in rows:
        words, tone = row.verdict
        also = [Text(row.equivalence[0], STYLES[row.equivalence[1]])] if found.margin is not None else []
        table.add_row(*(Text(text) for text in phrases.entries(row)), Text(words, STYLES[tone]), *also)
    return table
