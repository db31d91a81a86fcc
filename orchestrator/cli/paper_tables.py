# SPDX-License-Identifier: Apache-2.0
"""The comparison with a paper as tables for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from orchestrator.cli.tables import Column, Table, numbers
from orchestrator.report.statistics import number, single_runs

if TYPE_CHECKING:
    from orchestrator.papers.check import Check
    from orchestrator.report import model as report

STYLES = {"good": "green", "bad": "red", "open": "yellow", "quiet": "dim", "": ""}


def numbers_table(rows: Sequence[Any]) -> Table:
    """Return a table of published numbers beside ours."""
    columns = (
        Column("What", key=True, prose=True),
        Column("Cell", key=True),
        *numbers("Paper", "Ours", "Single runs"),
        Column("Verdict", prose=True),
    )
    cells = []
    for row in rows:
        places, unit = row.measure.decimals, "%" if row.measure.unit == "%" else ""
        what = row.what + (f" ({row.reading})" if row.reading else "")
        cells.append(
            (
                what,
                row.cell,
                f"{number(row.published, 0 if row.published.is_integer() else 1)} {unit}".strip(),
                f"{number(row.ours.mean, places)} {unit}".strip(),
                single_runs(row.ours, places),
                (row.verdict, STYLES[row.tone]),
            )
        )
    return Table("The paper's numbers beside ours", columns, cells)


def plain_table(table: report.Table) -> Table:
    """Return a report's table; a second line of an entry goes in brackets."""
    columns = []
    for place, name in enumerate(table.columns):
        number = bool(table.rows) and all(row[place].number for row in table.rows)
        columns.append(Column(name, number=number, key=not place, prose=not number))
    rows = [[(_cell(entry), STYLES[entry.tone]) for entry in row] for row in table.rows]
    return Table(table.title, columns, rows, table.note)


def _cell(entry: report.Entry) -> str:
    text = entry.text + (f" ({entry.detail})" if entry.detail else "")
    return text.replace(" ", "\u00a0") if entry.number else text  # a number stays on its line


def checks_table(tested: Sequence[Check], title: str = "Orders and shapes") -> Table:
    """Claimed orders and shapes, whether they hold, and the evidence."""
    columns = (Column("Claim", prose=True), "Ours", Column("Evidence", prose=True))
    rows = [(check.claim, (check.verdict, STYLES[check.tone]), check.evidence) for check in tested]
    return Table(title, columns, rows)
