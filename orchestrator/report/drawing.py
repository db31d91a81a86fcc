# SPDX-License-Identifier: Apache-2.0
"""A figure's drawing: how it is painted, which numbers it shows, and its files in each format."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from orchestrator.pictures.elements import Picture
from orchestrator.report import style
from orchestrator.report.chart_page import picture, places
from orchestrator.report.plot import Plot
from orchestrator.statistics.estimates import Estimate

FORMATS = ("svg", "pdf", "pgf", "csv")
COLUMNS = ("cell", "key", "n", "mean", "ci_low", "ci_high", "ideal", "paper", "unit")
LEAST_TEXT = 0.75  # of its usual size: 10 pt text has at least 7.5 pt, however narrow the figure


@dataclass(frozen=True)
class Drawing:
    """A drawing that is painted when a file of it is wanted.

    `paint` draws it on a plot; `own` is the finished picture of a drawing that is no plot. `width`, `height`:
    inches. `rows`: its numbers, with `columns`.
    """

    paint: Callable[[Plot], None] | None
    width: float
    height: float
    rows: Sequence[Sequence[Any]]
    columns: Sequence[str] = COLUMNS
    own: Picture | None = None

    @cached_property
    def svg(self) -> bytes:
        """The SVG of the report."""
        return self.file("svg")

    def file(self, form: str, width: float | None = None) -> bytes:
        """Return the content of a file in one of FORMATS; equal drawings give equal bytes.

        `width`: inches, None for the drawing's own.
        """
        if form == "csv":
            return self._csv()
        across = self.width if width is None else width
        factor = across / self.width
        # A chart's text doesn't shrink below LEAST_TEXT, so neither does its height.
        high = self.height * (factor if self.own is not None else max(factor, LEAST_TEXT))
        picture = self.own or self._plotted(across, high)
        if form == "svg":
            return picture.svg(across if self.own and across != self.width else None).encode()
        from orchestrator.report import painted

        with style.canvas(across, high) as (figure, axes):
            painted.paint(picture, figure, axes)
            if form == "pgf":
                from orchestrator.report.pgf import pgf

                return pgf(figure)
            return style.pdf(figure)

    def shares(self, points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        """Return the places of its data points, as shares of its width and height."""
        plot = Plot(72 * self.width, 72 * self.height)
        self.paint(plot)
        return places(plot, points)

    def _plotted(self, width: float, height: float) -> Picture:
        plot = Plot(72 * width, 72 * height, max(LEAST_TEXT, min(1.0, width / self.width)))
        self.paint(plot)
        return picture(plot)

    def _csv(self) -> bytes:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_written(value) for value in row] for row in self.rows)
        return text.getvalue().encode()


def row(
    cell: str, key: str, value: Estimate, unit: str, ideal: float | None = None, paper: float | None = None
) -> tuple:
    """Return an estimate as a line of the CSV with COLUMNS; without runs it has no numbers."""
    numbers = (value.mean, value.low, value.high) if value.known else (None,) * 3
    return (cell, key, value.n, *numbers, ideal, paper, unit)


def _written(value: Any) -> Any:
    """Return a value with all its digits; "" for one that is not known."""
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(float(value))
    return "" if value is None else value
