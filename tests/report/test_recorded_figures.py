# SPDX-License-Identifier: Apache-2.0
"""A picture of each kind of chart, as it was when somebody last looked at it: every mark, line, name and
colour.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from orchestrator.report import charts, quantiles, style
from orchestrator.report.drawing import Drawing
from orchestrator.report.lines import Guides, Line, lines
from orchestrator.report.plot import Mark, Plot, Setting
from orchestrator.statistics.estimates import NOTHING, estimate
from tests import recorded

RECORDED = Path(__file__).with_name("recorded_figures")
SOME = [estimate([3.0, 4.0, 5.5]), NOTHING, estimate([7.0]), estimate([0.0, 0.0])]
MORE = [estimate([30.0, 41.0]), estimate([2.0, 3.0, 2.5]), NOTHING, estimate([12.0, 14.0])]
CELLS = ["H5", "L5 with a rather long name", "H10", "L10"]


def every_part() -> Drawing:
    """A plot with each kind of mark, text and line, some of them beyond its axes."""

    def paint(plot: Plot) -> None:
        plot.x.low, plot.x.high, plot.y.low, plot.y.high = 0.0, 10.0, 0.0, 10.0
        plot.x.label, plot.y.label = (
            "a label below the axis",
            "a label of the y axis that is too long for one line",
        )
        plot.x.grid = True
        for place, form in enumerate("os^v>DPX|"):
            plot.mark(place + 0.5, 9.0, Mark(form, 7, style.BLUE, style.INK))
            plot.mark(place + 0.5, 8.0, Mark(form, 5, ""))
        plot.mark(math.nan, 1.0, Mark("o", 6, style.INK))
        plot.line(
            [(-2.0, 2.0), (3.0, 7.0), (math.inf, 1.0), (12.0, 4.0), (13.0, 5.0)], style.GREEN, 2.0, "3 1"
        )
        plot.area([(1.0, 1.0), (4.0, 12.0), (6.0, -1.0)], style.SKY, 0.25)
        plot.across(6.0, style.FAINT, 0.8)
        plot.upright(5.0, style.INK, 1.0, "4 2")
        for of_axes in ("", "x", "y", "xy"):
            at = 0.5 if of_axes else 2.0
            plot.text(
                at, at, f"of {of_axes or 'none'}\nin two lines", Setting(8, dx=3, dy=-2, of_axes=of_axes)
            )
        plot.text(0.0, 5.0, "a text that begins at the left edge", Setting(anchor="middle"))
        plot.text(10.0, 4.0, "a text that begins at the right edge", Setting(anchor="start", below=True))
        plot.text(7.0, 1.0, "turned", Setting(turned=True, colour=style.SOFT))
        plot.text(8.0, 9.9, "raises the axis", Setting(9, dy=4))

    return Drawing(paint, style.WIDTH, style.HEIGHT, [])


def bars(**more) -> Drawing:
    one = charts.Series("one", SOME, [1.0, None, 9.0, None], [(3.5, "paper 3.5"), None, None, (1.0, "")])
    other = charts.Series("two", MORE, hatch="xxxx", published=[None, (20.0, "far"), None, None])
    return charts.bars(CELLS, [one, other], "events", notes=["a\nnote", "", "n", "m"], **more)


def one_bar_each() -> Drawing:
    looks = charts.BarLooks(
        [style.BLUE, style.SKY, "", style.GREEN],
        ["", "++", "....", "////"],
        legend=[("sky", style.SKY, "++")],
    )
    return charts.bars(CELLS, [charts.Series("s", MORE)], "energy, mJ", looks=looks, xlabel="cell")


def profile(labels=("S", "P1", "P2", "P3")) -> Drawing:
    series = [
        charts.Series("H5", SOME, [4.0, 3.0, None, 1.0], cell="H5"),
        charts.Series("L5", MORE, cell="L5", dashed=True, place=4),
        charts.Series("plain", SOME[::-1], colour=style.INK),
    ]
    return charts.profile(labels, series, "packets", xlabel="node")


def forest(**more) -> Drawing:
    rows = [
        charts.Row("without", [SOME[0], MORE[0]]),
        charts.Row("with", [SOME[2], None], gap=True),
        charts.Row("nothing known", [NOTHING, None]),
    ]
    references = (charts.Reference(4.0), charts.Reference(12.0, "paper: 12"))
    return charts.forest(rows, ["one", "two"], "loss, %", references=references, **more)


def swept(**more) -> Drawing:
    series = [
        Line("a", [1, 2, 4], [1.0, 30.0, 900.0], [0.5, 20.0, 800.0], [2.0, 40.0, 1000.0], band="its range"),
        Line("b", [1, 2, 4], [3.0, 2.0, 1.0], colour=style.PURPLE, dashed=True),
        Line("c", [1, 4], [10.0, 500.0], plain=True),
        Line("", [2, 3], [5.0, 5.0], plain=True),
    ]
    guides = Guides([(500.0, "limit"), (450.0, "lower limit")], [(2.5, "a step")])
    return lines(series, "spacing, m", "delay, ms", guides=guides, **more)


DRAWINGS = {
    "every-part": every_part,
    "bars": bars,
    "bars-top": lambda: bars(top=50.0, xlabel="cells of both"),
    "bars-of-looks": one_bar_each,
    "bars-by-value": lambda: charts.bars(
        ["a=1 m", "a=2 m", "a=4 m", "a=100 m"],
        [charts.Series("s", MORE)],
        "frames",
        looks=charts.BarLooks(places=[3, 7, 12, 35]),
    ),
    "bars-of-nothing": lambda: charts.bars(["a"], [charts.Series("s", [NOTHING])], "frames"),
    "profile": profile,
    "profile-by-value": lambda: profile(["-3 dBm", "1 dBm", "2 dBm", "6.5 dBm"]),
    "course": lambda: charts.course(
        ["-1.0", "-0.5", "+0.0", "+0.5"],
        0.5,
        [charts.Series("S", [estimate([90.0, 95.0])] * 4), charts.Series("S2", MORE)],
        "%",
        "renewals",
        "a mote dies",
    ),
    "forest": forest,
    "forest-wide": lambda: forest(
        scale=charts.Scale(linear_to=10.0), wide=True, colours=[style.SKY, style.VERMILLION]
    ),
    "forest-bounds": lambda: forest(scale=charts.Scale((0.0, 60.0))),
    "forest-of-one": lambda: charts.forest([charts.Row("H", [SOME[0]])], ["one"], "loss, %"),
    "spans": lambda: quantiles.spans(
        CELLS,
        [1.0, 2.0, math.nan, 0.0],
        [2.0, 3.0, math.nan, 1.0],
        [3.0, 4.0, math.nan, 2.0],
        [400.0, 5.0, math.nan, 60.0],
        "ms",
    ),
    "curves": lambda: quantiles.curves(
        [(f"c{place}", [0.0, 10.0, 1000.0 + place], [0.0, place / 6, 1.0]) for place in range(6)],
        "delay, ms",
        "share",
    ),
    "lines": swept,
    "lines-logarithmic": lambda: swept(logarithmic=True, bounds=(1.0, 2000.0), wide=False),
    "lines-ticks": lambda: swept(ticks=[(1.0, "one metre"), (2.0, "two metres"), (4.0, "four metres")]),
}


def written(drawing: Drawing, width: float | None = None) -> str:
    """The SVG with a line for each element, and its numbers as a comment."""
    svg = drawing.file("svg", width).decode().replace("><", ">\n<").rstrip("\n")
    return recorded.rounded(f"{svg}\n<!--\n{drawing.file('csv').decode()}-->\n")


ONE_OF_A_KIND = ("every-part", "bars", "profile", "course", "forest", "spans", "curves", "lines")


@pytest.mark.parametrize("name", ONE_OF_A_KIND)
def test_every_kind_of_chart_is_as_recorded(name):
    recorded.same(written(DRAWINGS[name]()), RECORDED / f"{name}.svg")
