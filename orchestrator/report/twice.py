# SPDX-License-Identifier: Apache-2.0
"""No figure twice: what an experiment's own sections draw is left out of those that every report has, with a
note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from orchestrator.report.model import Block, Figure, Gallery, Section, Text, of_section


def without(common: Sequence[Section], own: Sequence[Section]) -> list[Section]:
    """The common sections without the figures all of whose numbers, by cell, the own ones show."""
    shown = [
        (figure.title, set(numbers))
        for section in own
        for figure in of_section(section)
        if (numbers := _by_cell(figure))
    ]
    return [
        replace(section, blocks=tuple(one for block in section.blocks for one in _without(block, shown)))
        for section in common
    ]


def _without(block: Block, shown: list[tuple[str, set[tuple]]]) -> list[Block]:
    if not isinstance(block, Gallery):
        return [block]
    kept, left = [], []
    for figure in block.figures:
        numbers = _by_cell(figure)
        where = _where(numbers, shown)
        if where and len({one[1:] for one in numbers}) > 1:
            left.append(f"{figure.title}: in {', '.join(where)}")
        else:
            kept.append(figure)
    return [
        *([Gallery(tuple(kept))] if kept else []),
        *([Text(("Drawn above. " + "; ".join(left) + ".",), "note")] if left else []),
    ]


def _where(numbers: list[tuple], shown: list[tuple[str, set[tuple]]]) -> list[str]:
    """The titles of the figure that has all of these numbers or, together, of those that do; none if some are
    nowhere.
    """
    alone = [title for title, its in shown if its.issuperset(numbers)]
    if alone:
        return alone[:1]
    left, titles = set(numbers), []
    for title, its in shown:
        if left & its:
            left -= its
            titles.append(title)
    return [] if left else titles


def _by_cell(figure: Figure) -> list[tuple]:
    """(cell, n, mean) of a chart of cells (how an interval is computed differs); nothing of other charts.

    One value a cell: several would not be the same picture."""
    if "ci_low" not in figure.drawing.columns:
        return []
    rows = [dict(zip(figure.drawing.columns, row, strict=True)) for row in figure.drawing.rows]
    known = [row for row in rows if row["n"]]
    if len({row["cell"] for row in known}) != len(known):
        return []
    return [(row["cell"], row["n"], f"{row['mean']:.9g}") for row in known]
