# SPDX-License-Identifier: Apache-2.0
"""The comparison with a paper as tables for the terminal."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text

from orchestrator.report.statistics import number

STYLES = {"good": "green", "bad": "red", "open": "yellow", "quiet": "dim", "": ""}


def numbers_table(rows) -> Table:
    """Published numbers beside ours."""
    table = Table(title="The paper's numbers beside ours", box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    table.add_column("What", ratio=3)
    table.add_column("Cell", no_wrap=True)
    for name in ("Paper", "Ours", "95 % CI"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("Verdict", ratio=3)
    for row in rows:
        places, unit = row.measure.decimals, "%" if row.measure.unit == "%" else ""
        interval = f"{number(row.ours.low, places)} to {number(row.ours.high, places)}" if row.ours.n > 1 else "–"
        what = row.what + (f" ({row.reading})" if row.reading else "")
        table.add_row(Text(what), row.cell, f"{number(row.published, 0 if row.published.is_integer() else 1)} {unit}".strip(),
                      f"{number(row.ours.mean, places)} {unit}".strip(), interval, Text(row.verdict, STYLES[row.tone]))
    return table


def plain_table(table) -> Table:
    """A report's table as it is; a second line of an entry in brackets."""
    shown = Table(title=table.title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False, caption=table.note or None,
                  caption_justify="left")
    for place, name in enumerate(table.columns):
        right = bool(table.rows) and all(row[place].number for row in table.rows)
        shown.add_column(name, justify="right" if right else "left")
    for row in table.rows:
        shown.add_row(*(Text(_cell(entry), STYLES[entry.tone]) for entry in row))
    return shown


def _cell(entry) -> str:
    text = entry.text + (f" ({entry.detail})" if entry.detail else "")
    return text.replace(" ", "\u00a0") if entry.number else text  # a number stays on its line


def checks_table(tested, title: str = "Orders and shapes") -> Table:
    """Claimed orders and shapes, whether they hold, and the evidence."""
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    table.add_column("Claim", ratio=3)
    table.add_column("Ours", no_wrap=True)
    table.add_column("Evidence", ratio=4)
    for check in tested:
        table.add_row(Text(check.claim), Text(check.verdict, STYLES[check.tone]), Text(check.evidence))
    return table
