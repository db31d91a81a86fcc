# SPDX-License-Identifier: Apache-2.0
"""Lines over numbers, with the range around each: for what is measured over a quantity that was swept."""

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
    """`y` over `x`; `low` and `high`, where given, are drawn as a band. `plain`: without markers."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    colour: str = ""
    dashed: bool = False
    plain: bool = False


def lines(
    series: Sequence[Line],
    xlabel: str,
    ylabel: str,
    *,
    band: str = "",
    marks: Sequence[tuple[float, str]] = (),
    steps: Sequence[tuple[float, str]] = (),
    logarithmic: bool = False,
    bounds: tuple[float, float] | None = None,
    wide: bool = True,
) -> Drawing:
    """`band`: what the bands are, for the legend. `marks`: values of the y axis, dotted, with a name;
    `steps`: of the x axis. `bounds`: of the y axis."""

    def paint(plot: Plot) -> None:
        for place, one in enumerate(series):
            its = style.look(place % len(style.SERIES))
            colour, marker = one.colour or its.colour, "" if one.plain else its.marker
            dash = style.DASHES[1] if one.dashed else its.dash if one.plain else ""
            if len(one.low):
                plot.area(
                    [*zip(one.x, one.low, strict=True), *reversed([*zip(one.x, one.high, strict=True)])],
                    colour,
                    0.16,
                )
            plot.line([*zip(one.x, one.y, strict=True)], colour, 1.6, dash)
            for x, y in zip(one.x, one.y, strict=True) if marker else ():
                plot.mark(x, y, Mark(marker, 4, colour, "#ffffff", 0.4))
            if one.name:
                plot.keys.append(
                    Key(
                        one.name,
                        stroke=colour,
                        dash=dash,
                        marker=marker,
                        fill=colour if marker else "",
                        size=4,
                    )
                )
        if band:
            plot.keys.append(Key(band, fill=style.SOFT, opacity=0.3))
        if logarithmic:
            plot.y.kind = LOGARITHMIC
        highest = max((value for value, _ in marks), default=0.0)
        for value, label in marks:
            above = (
                value == highest
            )  # of two that are near each other, one is named above its line and one below
            plot.across(value, style.INK, 1.0, "1 2")
            dy = 2 if above else -2
            plot.text(1, value, label, Setting(8, dx=-2, dy=dy, anchor="end", of_axes="x", below=not above))
        for value, label in steps:
            plot.upright(value, style.FAINT)
            plot.text(
                value,
                1,
                label,
                Setting(8, dx=2, dy=-2, anchor="start", colour=style.SOFT, of_axes="y", below=True),
            )
        if bounds:
            plot.y.low, plot.y.high = bounds
        plot.x.label, plot.y.label, plot.y.grid = xlabel, ylabel, True
        plot.columns = len(plot.keys)  # as many beside each other as have room

    rows = [
        (
            one.name,
            float(x),
            float(y),
            float(one.low[i]) if len(one.low) else None,
            float(one.high[i]) if len(one.high) else None,
            ylabel,
        )
        for one in series
        for i, (x, y) in enumerate(zip(one.x, one.y, strict=True))
    ]
    return Drawing(paint, style.WIDE if wide else style.WIDTH, 3.6 if wide else style.HEIGHT, rows, COLUMNS)
