# SPDX-License-Identifier: Apache-2.0
"""The few kinds of chart we draw. Each takes estimates and returns a Drawing; error bars are 95 %
intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from orchestrator.report import style
from orchestrator.report.axis import LOGARITHMIC
from orchestrator.report.drawing import Drawing, row
from orchestrator.report.pen import Look
from orchestrator.report.plot import Key, Mark, Plot, Setting, Whisker
from orchestrator.report.values import Placed, placed
from orchestrator.statistics.estimates import Estimate


@dataclass(frozen=True)
class Series:
    """One row of values, one for each x. `ideal` (outlined) and `published` (diamond) may hold None for no
    mark.

    `place`: which look it has (style.look; default: its place in the chart); `colour` and `hatch` instead of
    that look's; `dashed` draws a line without emphasis. `cell` is whose numbers they are where the x are not
    cells; `key` is their name in the CSV (default: `name`).
    """

    name: str
    values: Sequence[Estimate]
    ideal: Sequence[float | None] = ()
    published: Sequence[tuple[float, str] | None] = ()
    colour: str = ""
    hatch: str | None = None
    dashed: bool = False
    cell: str = ""
    key: str = ""
    place: int | None = None

    def rows(self, labels: Sequence[str], unit: str) -> list[tuple]:
        """Its numbers as lines of the CSV: the labels are keys of its cell or, without one, cells."""
        found = []
        for i, (label, value) in enumerate(zip(labels, self.values, strict=True)):
            name = self.key or self.name
            ideal = self.ideal[i] if i < len(self.ideal) else None
            mark = self.published[i] if i < len(self.published) else None
            where = (
                (self.cell, label if name == self.cell else f"{name}/{label}") if self.cell else (label, name)
            )
            found.append(row(*where, value, unit, ideal, mark[0] if mark else None))
        return found

    def look(self, place: int) -> style.Look:
        its = style.look(place if self.place is None else self.place)
        return its._replace(
            colour=self.colour or its.colour, hatch=its.hatch if self.hatch is None else self.hatch
        )


_ASIDE = 0.1  # of the distance of two labels: how far apart the marks of two series stand
_BAR = 0.78  # of the distance of two labels: how wide the bars above one are together
_MANY = 24  # labels; a figure of more is wide
IDEAL_DASH = "3 2"
_IDEAL = Key("ideal (no loss)", edge=style.IDEAL, dash=IDEAL_DASH)
_NO_RUNS, _SOFT = "no runs", Setting(8, colour=style.SOFT)


def _published(label: str) -> Key:
    return Key(label, marker="D", fill=style.PUBLISHED, edge=style.INK, size=7)


def _names(plot: Plot, at: Placed, xlabel: str) -> None:
    """The labels below the axis, at their values where they are numbers."""
    plot.x.ticks, plot.x.turned, plot.x.label = (
        list(zip(at.places, at.names, strict=True)),
        True,
        xlabel or at.what,
    )
    plot.x.low, plot.x.high = at.low, at.high
    if at.logarithmic:
        plot.x.kind = LOGARITHMIC


def _interval(plot: Plot, x: float, value: Estimate, colour: str, *, wide: float = 1.3) -> None:
    if not math.isnan(value.half):
        # It need not lie evenly about its mean.
        plot.interval(x, value.mean, value.low, value.high, Whisker(colour, wide))


def bars(
    labels: Sequence[str],
    series: Sequence[Series],
    unit: str,
    *,
    wide: bool = False,
    top: float | None = None,
    colours: Sequence[str] | None = None,
    hatches: Sequence[str] | None = None,
    places: Sequence[int] | None = None,
    notes: Sequence[str] = (),
    xlabel: str = "",
    published_label: str = "the paper's number",
    legend: Sequence[tuple[str, str, str]] = (),
) -> Drawing:
    """Grouped bars. `colours` and `hatches`, or `places` for style.look, set them bar by bar (one series);
    `legend` explains those (name, colour, hatch); `notes` are printed above the bars, one a label."""
    at = placed(labels)

    def paint(plot: Plot) -> None:
        highest = [0.0] * len(labels)
        for place, one in enumerate(series):
            its = one.look(place)
            for i, value in enumerate(one.values):
                left, middle, right = at.slot(i, place, len(series), _BAR)
                if not value.known:
                    plot.text(middle, 0, _NO_RUNS, replace(_SOFT, turned=True))
                    continue
                own = style.look(places[i]) if places else its
                plot.bar(
                    left,
                    0,
                    right,
                    value.mean,
                    Look(colours[i] if colours else own.colour, hatches[i] if hatches else own.hatch),
                )
                _interval(plot, middle, value, style.INK)
                highest[i] = max(highest[i], value.mean if math.isnan(value.high) else value.high)
            for i, ideal in enumerate(one.ideal):
                if ideal is not None:
                    left, _, right = at.slot(i, place, len(series), _BAR)
                    plot.bar(left, 0, right, ideal, Look(edge=style.IDEAL, dash=IDEAL_DASH), z=2)
                    highest[i] = max(highest[i], ideal)
            for i, mark in enumerate(one.published):
                if mark is not None:
                    middle = at.slot(i, place, len(series), _BAR)[1]
                    plot.mark(middle, mark[0], Mark("D", 7, style.PUBLISHED, style.INK, 0.8), z=5)
                    highest[i] = max(highest[i], mark[0])
                    if mark[1]:
                        plot.text(middle, mark[0], mark[1], Setting(dy=6, colour="#7a3b62"))
            if len(series) > 1:
                plot.keys.append(Key(one.name, fill=its.colour, hatch=its.hatch))
        for i, note in enumerate(notes):
            if note:
                marked = any(len(one.published) > i and one.published[i] is not None for one in series)
                plot.text(at.places[i], highest[i], note, Setting(dy=8 if marked else 4))
        plot.keys += [Key(name, fill=colour, hatch=hatch) for name, colour, hatch in legend]
        if any(value is not None for one in series for value in one.ideal):
            plot.keys.append(_IDEAL)
        if any(mark is not None for one in series for mark in one.published):
            plot.keys.append(_published(published_label))
        _names(plot, at, xlabel)
        plot.y.label, plot.y.grid, plot.y.low = unit, True, 0
        most = top if top is not None else max([*highest, 0.0]) * 1.06
        plot.y.high = most if most > 0 else 1

    lines = [line for one in series for line in one.rows(labels, unit)]
    return Drawing(paint, style.WIDE if wide or len(labels) > _MANY else style.WIDTH, style.HEIGHT, lines)


def profile(
    labels: Sequence[str], series: Sequence[Series], unit: str, *, xlabel: str = "", wide: bool = False
) -> Drawing:
    """Lines with markers over nodes (or other ordered categories); ideals are hollow marks of the same
    colour.
    """
    at = placed(labels)

    def paint(plot: Plot) -> None:
        for place, one in enumerate(series):
            its = one.look(place)
            dash = style.DASHES[1] if one.dashed else its.dash
            x = [
                at.aside(i, (place - (len(series) - 1) / 2) * _ASIDE) for i in range(len(labels))
            ]  # of equal series, the last would hide the others
            known = [i for i, value in enumerate(one.values) if value.known]
            plot.line([(x[i], one.values[i].mean) for i in known], its.colour, dash=dash)
            for i in known:
                _interval(plot, x[i], one.values[i], its.colour, wide=1.6)
                plot.mark(x[i], one.values[i].mean, Mark(its.marker, 6, its.colour, "#ffffff"))
            plot.keys.append(Key(one.name, stroke=its.colour, marker=its.marker, fill=its.colour, dash=dash))
            ideals = [i for i, value in enumerate(one.ideal) if value is not None]
            plot.line([(x[i], one.ideal[i]) for i in ideals], its.colour, 1.2, "1 2", z=1)
            for i in ideals:
                plot.mark(x[i], one.ideal[i], Mark(its.marker, 9, "", its.colour, 1.3), z=3)
        if any(value is not None for one in series for value in one.ideal):
            plot.keys.append(
                Key("ideal (no loss)", stroke=style.SOFT, dash="1 2", marker="o", edge=style.SOFT, size=9)
            )
        _names(plot, at, xlabel)
        plot.y.label, plot.y.grid, plot.y.low = unit, True, 0

    lines = [line for one in series for line in one.rows(labels, unit)]
    return Drawing(paint, style.WIDE if wide or len(labels) > _MANY else style.WIDTH, style.HEIGHT, lines)


def course(
    begins: Sequence[str], width: float, series: Sequence[Series], unit: str, xlabel: str, event: str
) -> Drawing:
    """Shares over time in windows of that width, each drawn at its middle; something happens at 0, marked
    with its name.
    """

    def paint(plot: Plot) -> None:
        plot.upright(0, style.INK, 1.2, "4 2")
        plot.text(0, 0, event, Setting(9, dx=4, dy=6, anchor="start", of_axes="y"))
        for place, one in enumerate(series):
            its = one.look(place)
            # Side by side within the window: equal values would hide one another.
            aside = (place - (len(series) - 1) / 2) * width / (2 * len(series))
            x = [float(begin) + width / 2 + aside for begin in begins]
            known = [i for i, value in enumerate(one.values) if value.known]
            plot.line([(x[i], one.values[i].mean) for i in known], its.colour, 1.0, its.dash)
            for i in known:
                _interval(plot, x[i], one.values[i], its.colour, wide=1.2)
                plot.mark(x[i], one.values[i].mean, Mark(its.marker, 4, its.colour))
            plot.keys.append(
                Key(
                    one.name,
                    stroke=its.colour,
                    wide=1.0,
                    dash=its.dash,
                    marker=its.marker,
                    fill=its.colour,
                    size=5,
                )
            )
        plot.x.low, plot.x.high, plot.x.label = float(begins[0]), float(begins[-1]) + width, xlabel
        plot.y.low, plot.y.high, plot.y.label, plot.y.grid = 0, 100, unit, True
        plot.columns = 4

    lines = [line for one in series for line in one.rows(begins, unit)]
    return Drawing(paint, style.WIDTH, style.HEIGHT, lines)


@dataclass(frozen=True)
class Row:
    """One line of a forest plot: a label and one estimate a series (None: not there). `gap`: a line goes
    above it.
    """

    label: str
    values: Sequence[Estimate | None]
    gap: bool = False


def rows_down(plot: Plot, labels: Sequence[str], unit: str) -> None:
    """The axes of a chart of one row a label, top to bottom."""
    plot.y.ticks = list(enumerate(labels))
    plot.y.low, plot.y.high = len(labels) - 0.5, -0.5
    plot.x.label, plot.x.at_end, plot.x.grid = (
        unit,
        True,
        True,
    )  # beside long names the axis is shorter than its label


def forest(
    rows: Sequence[Row],
    names: Sequence[str],
    unit: str,
    *,
    reference: Sequence[float] = (),
    published: Sequence[tuple[float, str]] = (),
    colours: Sequence[str] = (),
    bounds: tuple[float, float] | None = None,
    linear_to: float | None = None,
    legend: bool = True,
    wide: bool = False,
) -> Drawing:
    """Estimates as marks with intervals, one row each, top to bottom; `reference` lines are dashed, published
    ones dotted with their label; `bounds` are the axis's. Where something lies beyond +-`linear_to`, the axis
    is logarithmic from there on."""

    def paint(plot: Plot) -> None:
        used = [False] * len(names)
        for y, line in enumerate(rows):
            shift = 0.16 if len([v for v in line.values if v is not None]) > 1 else 0.0
            for place, value in enumerate(line.values):
                if value is None or not value.known:
                    continue
                used[place] = True
                its = style.look(place)
                colour, at = (
                    colours[place] if colours else its.colour,
                    y + (place - (len(names) - 1) / 2) * 2 * shift,
                )
                if not math.isnan(value.half):
                    plot.interval(value.mean, at, value.low, value.high, Whisker(colour, 1.5, across=True))
                plot.mark(value.mean, at, Mark(its.marker, 6, colour))
            if line.gap and y:
                plot.across(y - 0.5, style.FAINT, 0.8)
            if not any(v is not None and v.known for v in line.values):
                plot.text(0.02, y, _NO_RUNS, replace(_SOFT, anchor="start", dy=-3, of_axes="x"))
        for value in reference:
            plot.upright(value, style.INK, 0.9, "5 3")
        plot.keys += [
            Key(name, marker=style.look(i).marker, fill=colours[i] if colours else style.look(i).colour)
            for i, name in enumerate(names)
            if used[i] and name and legend
        ]
        for value, label in published:
            plot.upright(value, style.PUBLISHED, 1.8, "1 1.65")
            plot.keys.append(Key(label, stroke=style.PUBLISHED, wide=1.8, dash="1 1.65"))
        rows_down(plot, [one.label for one in rows], unit)
        if bounds:
            plot.x.low, plot.x.high = bounds
        every = [
            v
            for line in rows
            for value in line.values
            if value is not None and value.known
            for v in (value.mean, value.low, value.high)
        ]
        if linear_to is not None and max((abs(v) for v in every if math.isfinite(v)), default=0) > linear_to:
            plot.x.kind, plot.x.linear_to = LOGARITHMIC, linear_to
        plot.columns = 2

    lines = [
        row(one.label, name, value, unit)
        for one in rows
        for name, value in zip(names, one.values)
        if value is not None
    ]
    lines += [("reference line", "", None, value, None, None, None, None, unit) for value in reference]
    lines += [(label, "", None, None, None, None, None, value, unit) for value, label in published]
    return Drawing(paint, style.WIDE if wide else style.WIDTH, 1.3 + 0.36 * len(rows), lines)


def spans(
    labels: Sequence[str],
    low: Sequence[float],
    middle: Sequence[float],
    mean: Sequence[float],
    high: Sequence[float],
    unit: str,
) -> Drawing:
    """From low to high quantile a bar, the median a line across it, the mean a dot; one row a label."""

    def paint(plot: Plot) -> None:
        for y in range(len(labels)):
            if all(map(math.isfinite, (low[y], high[y]))):
                plot.bar(low[y], y - 0.25, high[y], y + 0.25, Look(style.FAINT, edge=style.SOFT, wide=0.8))
            if math.isfinite(middle[y]):
                plot.line([(middle[y], y - 0.25), (middle[y], y + 0.25)], style.INK, 2)
            plot.mark(mean[y], y, Mark("o", 5, style.VERMILLION, "#ffffff", 0.5))
        rows_down(plot, labels, unit)
        plot.x.low = 0
        known = [value for value in high if not math.isnan(value)]
        if known and max(known) > 0:
            plot.x.kind, plot.x.linear_to, plot.x.high = LOGARITHMIC, 10, max(known) * 1.3
        plot.keys += [
            Key("5th to 95th percentile", fill=style.FAINT, edge=style.SOFT),
            Key("median", stroke=style.INK, wide=2),
            Key("mean", marker="o", fill=style.VERMILLION, size=5),
        ]

    quantiles = (("p05", low), ("p50", middle), ("mean", mean), ("p95", high))
    lines = [
        (label, key, None, values[i], None, None, None, None, unit)
        for i, label in enumerate(labels)
        for key, values in quantiles
    ]
    return Drawing(paint, style.WIDTH, 1.2 + 0.34 * len(labels), lines)


def curves(
    series: Sequence[tuple[str, Sequence[float], Sequence[float]]],
    xlabel: str,
    ylabel: str,
    *,
    places: Sequence[int] | None = None,
) -> Drawing:
    """Step curves (name, x, y), for cumulative distributions; x on a logarithmic axis. `places`: their looks
    (style.look).
    """

    def paint(plot: Plot) -> None:
        plot.y.label, plot.y.grid, plot.y.low, plot.y.high = ylabel, True, 0, 1.02
        plot.x.label, plot.x.low, plot.x.kind, plot.x.linear_to = xlabel, 0, LOGARITHMIC, 10
        for place, (name, x, y) in enumerate(series):
            its = style.look(places[place] if places else place)
            # Within six curves no two may share their dashes; the look's are those of its turn.
            dash = style.DASHES[style.SERIES.index(its.colour)]
            steps = (
                [
                    (x[0], y[0]),
                    *(
                        (at, share)
                        for i in range(1, len(x))
                        for at, share in ((x[i], y[i - 1]), (x[i], y[i]))
                    ),
                ]
                if len(x)
                else []
            )
            plot.line(steps, its.colour, 1.8, dash)
            plot.keys.append(Key(name, stroke=its.colour, wide=1.8, dash=dash))

    lines = [
        (name, f"{at:g}", None, float(share), None, None, None, None, ylabel)
        for name, x, y in series
        for at, share in zip(x, y, strict=True)
    ]
    return Drawing(paint, style.WIDTH, 3.7, lines)
