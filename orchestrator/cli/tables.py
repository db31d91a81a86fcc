# SPDX-License-Identifier: Apache-2.0
"""Tables of numbers in the terminal."""

from __future__ import annotations

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text


def table(title: str, columns, rows, note: str = "") -> Group:
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name, number in columns:
        made.add_column(Text(name), justify="right" if number else "left", no_wrap=number)
    for row in rows:
        made.add_row(*(Text(cell) for cell in row))
    return Group(Text(title, "bold"), *([Text(note, "dim")] if note else []), made)


def count(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"
