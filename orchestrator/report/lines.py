# SPDX-License-Identifier: Apache-2.0
"""Charts of lines over a swept quantity, with a band around each where a range is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.report import style
from orchestrator.report.axis import LOGARITHMIC
from orchestrator.report.drawing import Drawing
from orchestrator.report.plot import Key, Mark, Plot, Setting

COLUMNS = ("series", "x", "y", "low", "high", "unit")


@dataclass(frozen=True)
class Line:
    """A line of `y` over `x`.

    `low` and `high` are drawn as a band, which the legend calls `band`. `plain`: without markers.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    band: str = ""
    colour: str = ""
    dashed: bool = False
    plain: bool = False


@dataclass(frozen=True)
class Guides:
    """Named values that a chart points out: `levels` of its y axis, `steps` of its x axis."""

    levels: Sequence[tuple[float, str]] = ()
    steps: Sequence[tuple[float, str]] = ()

    def paint(self, plot: Plot) -> None:
        """Draw a line at each value, with its name."""
        highest = max((value for value, _ in self.levels), default=0.0)
        for value, label in self.levels:
            # Of two levels near each other, one is named above its line and the other below.
            above = value == highest
            plot.across(value, style.INK, 1.0, "1 2")
            dy = 2 if above else -2
            plot.text(1, value, label, Setting(8, dx=-2, dy=dy, anchor="end", of_axes="x", below=not above))
        beside = Setting(8, dx=2, dy=-2, anchor="start", colour=style.SOFT, of_axes="y", below=True)
        for value, label in self.steps:
            plot.upright(value, style.FAINT)
            plot.text(value, 1, label, beside)


_NO_GUIDES = Guides()


def lines(
    series: Sequence[Line],
    xlabel: str,
    ylabel: str,
    *,
    guides: Guides = _NO_GUIDES,
    logarithmic: bool = False,
    bounds: tuple[float, float] | None = None,
    ticks: Sequence[tuple[float, str]] | None = None,
    wide: bool = True,
) -> Drawing:
    """Draw lines; `logarithmic` and `bounds` are of the y axis, `ticks` the named values of the x axis."""

    def paint(plot: Plot) -> None:
        for place, line in enumerate(series):
            _paint_line(plot, line, style.look(place % len(style.SERIES)))
        for band in dict.fromkeys(line.band for line in series if line.band):
            plot.keys.append(Key(band, fill=style.SOFT, opacity=0.3))
        if logarithmic:
            plot.y.kind = LOGARITHMIC
        guides.paint(plot)
        if bounds:
            plot.y.low, plot.y.high = bounds
        plot.x.label, plot.y.label, plot.y.grid = xlabel, ylabel, True
        if ticks:
            plot.x.ticks, plot.x.turned = ticks, True
        plot.columns = len(plot.keys)  # as many beside each other as have room

    rows = [
        (
            line.name,
            float(x),
            float(y),
            float(line.low[i]) if len(line.low) else None,
            float(line.high[i]) if len(line.high) else None,
            ylabel,
        )
        for line in series
        for i, (x, y) in enumerate(zip(line.x, line.y, strict=True))
    ]
    return Drawing(paint, style.WIDE if wide else style.WIDTH, 3.6 if wide else style.HEIGHT, rows, COLUMNS)


def _paint_line(plot: Plot, line: Line, its: style.Look) -> None:
    colour, marker = line.colour or its.colour, "" if line.plain else its.marker
    dash = style.DASHES[1] if line.dashed else its.dash if line.plain else ""
    if len(line.low):
        band = [*zip(line.x, line.low, strict=True), *reversed([*zip(line.x, line.high, strict=True)])]
        plot.area(band, colour, 0.16)
    plot.line([*zip(line.x, line.y, strict=True)], colour, 1.6, dash)
    for x, y in zip(line.x, line.y, strict=True) if marker else ():
        plot.mark(x, y, Mark(marker, 4, colour, "#ffffff", 0.4))
    if line.name:
        fill = colour if marker else ""
        plot.keys.append(Key(line.name, stroke=colour, dash=dash, marker=marker, fill=fill, size=4))
