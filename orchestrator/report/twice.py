# SPDX-License-Identifier: Apache-2.0
"""Leaves out common figures that repeat one of the experiment's own sections, and says so in a note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from orchestrator.report.model import Block, Figure, Gallery, Section, of_section, paragraph


def without(common: Sequence[Section], own: Sequence[Section]) -> list[Section]:
    """Return the common sections without the figures whose numbers, by cell, are all in figures of `own`."""
    figures = [
        (figure.title, set(numbers))
        for section in own
        for figure in of_section(section)
        if (numbers := _by_cell(figure))
    ]
    return [
        replace(section, blocks=tuple(part for block in section.blocks for part in _without(block, figures)))
        for section in common
    ]


def _without(block: Block, figures: list[tuple[str, set[tuple]]]) -> list[Block]:
    if not isinstance(block, Gallery):
        return [block]
    remaining, left = [], []
    for figure in block.figures:
        numbers = _by_cell(figure)
        where = _where(numbers, figures)
        if where and len({number[1:] for number in numbers}) > 1:
            left.append(f"{figure.title}: in {', '.join(where)}")
        else:
            remaining.append(figure)
    return [
        *([Gallery(tuple(remaining))] if remaining else []),
        *([paragraph("Drawn above. " + "; ".join(left) + ".", "note")] if left else []),
    ]


def _where(numbers: list[tuple], figures: list[tuple[str, set[tuple]]]) -> list[str]:
    """Return the title of a figure with all these numbers, else those of several that have them together.

    If some numbers are in no figure, there are no titles.
    """
    alone = [title for title, its in figures if its.issuperset(numbers)]
    if alone:
        return alone[:1]
    left, titles = set(numbers), []
    for title, its in figures:
        if left & its:
            left -= its
            titles.append(title)
    return [] if left else titles


def _by_cell(figure: Figure) -> list[tuple]:
    """Return (cell, n, mean) for each bar of a chart with one value for each cell; nothing for other charts.

    Intervals are not compared, because the two charts may compute them by different methods.
    """
    if "ci_low" not in figure.drawing.columns:
        return []
    rows = [dict(zip(figure.drawing.columns, row, strict=True)) for row in figure.drawing.rows]
    measured = [row for row in rows if row["n"]]
    if len({row["cell"] for row in measured}) != len(measured):
        return []
    return [(row["cell"], row["n"], f"{row['mean']:.9g}") for row in measured]
