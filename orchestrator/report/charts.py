# SPDX-License-Identifier: Apache-2.0
"""Charts of estimates: bars, profiles, courses and forest plots. Error bars are 95 % intervals."""

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
    """A series of values, one for each label.

    `ideal` (an outline) and `published` (a diamond with its text, named `published_label` in the legend) may
    hold None for no mark. `place`: of its look (style.look; default: its place in the chart); `colour` and
    `hatch` replace that look's. `dashed`: draw the line without emphasis. `cell`: the cell of the numbers, if
    the labels are not cells. `key`: the numbers' name in the CSV (default: `name`).
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
    published_label: str = "the paper's number"

    def rows(self, labels: Sequence[str], unit: str) -> list[tuple]:
        """Return its numbers as lines of the CSV; the labels are keys of its cell or, without one, cells."""
        table = []
        for i, (label, value) in enumerate(zip(labels, self.values, strict=True)):
            name = self.key or self.name
            ideal = self.ideal[i] if i < len(self.ideal) else None
            mark = self.published[i] if i < len(self.published) else None
            where = (
                (self.cell, label if name == self.cell else f"{name}/{label}") if self.cell else (label, name)
            )
            table.append(row(*where, value, unit, ideal, mark[0] if mark else None))
        return table

    def look(self, place: int) -> style.Look:
        """Return its look; `place`: its place in the chart."""
        its = style.look(place if self.place is None else self.place)
        return its._replace(
            colour=self.colour or its.colour, hatch=its.hatch if self.hatch is None else self.hatch
        )


@dataclass(frozen=True)
class BarLooks:
    """The looks of single bars, in a chart of one series; `legend` explains them (name, colour, hatch).

    They are given by `colours` and `hatches`, or by `places` (of style.look), one for each label.
    """

    colours: Sequence[str] = ()
    hatches: Sequence[str] = ()
    places: Sequence[int] = ()
    legend: Sequence[tuple[str, str, str]] = ()

    def of(self, i: int, of_series: style.Look) -> Look:
        """Return the look of the i-th bar."""
        its = style.look(self.places[i]) if self.places else of_series
        return Look(
            self.colours[i] if self.colours else its.colour, self.hatches[i] if self.hatches else its.hatch
        )


Slot = tuple[float, float, float]  # left, middle and right of a bar

_OF_SERIES = BarLooks()
_ASIDE = 0.1  # the distance between the marks of two series, as a share of that of two labels
_BAR = 0.78  # the width of all bars above a label, as a share of the distance of two labels
_MANY = 24  # labels; a figure with more is wide
IDEAL_DASH = "3 2"
_IDEAL = Key("ideal (no loss)", edge=style.IDEAL, dash=IDEAL_DASH)
_NO_RUNS, _SOFT = "no runs", Setting(8, colour=style.SOFT)


def _names(plot: Plot, at: Placed, xlabel: str) -> None:
    """Set the x axis to the labels."""
    plot.x.ticks, plot.x.turned = list(zip(at.places, at.names, strict=True)), True
    plot.x.label = xlabel or at.what
    plot.x.low, plot.x.high = at.low, at.high
    if at.logarithmic:
        plot.x.kind = LOGARITHMIC


def _interval(plot: Plot, x: float, value: Estimate, colour: str, *, wide: float = 1.3) -> None:
    if not math.isnan(value.half):
        plot.interval(x, value.mean, value.low, value.high, Whisker(colour, wide))


def bars(
    labels: Sequence[str],
    series: Sequence[Series],
    unit: str,
    *,
    xlabel: str = "",
    ylabel: str = "",
    top: float | None = None,
    notes: Sequence[str] = (),
    looks: BarLooks = _OF_SERIES,
) -> Drawing:
    """Draw grouped bars, one group for each label. `notes` are printed above the groups.

    `ylabel`: of the y axis (default: the unit). `top`: the upper end of that axis (default: a little above
    the highest bar).
    """
    at = placed(labels)

    def paint(plot: Plot) -> None:
        highest = [0.0] * len(labels)
        for place, dataset in enumerate(series):
            slots = [at.slot(i, place, len(series), _BAR) for i in range(len(labels))]
            for tops in (
                _paint_values(plot, slots, dataset, dataset.look(place), looks),
                _paint_ideals(plot, slots, dataset),
                _paint_published(plot, slots, dataset),
            ):
                highest = [max(pair) for pair in zip(highest, tops, strict=True)]
            if len(series) > 1:
                its = dataset.look(place)
                plot.keys.append(Key(dataset.name, fill=its.colour, hatch=its.hatch))
        for i, note in enumerate(notes):
            if note:
                marked = any(
                    len(dataset.published) > i and dataset.published[i] is not None for dataset in series
                )
                plot.text(at.places[i], highest[i], note, Setting(dy=8 if marked else 4))
        plot.keys += [Key(name, fill=colour, hatch=hatch) for name, colour, hatch in looks.legend]
        if any(value is not None for dataset in series for value in dataset.ideal):
            plot.keys.append(_IDEAL)
        published = [dataset for dataset in series if any(mark is not None for mark in dataset.published)]
        if published:
            label = published[0].published_label
            plot.keys.append(Key(label, marker="D", fill=style.PUBLISHED, edge=style.INK, size=7))
        _names(plot, at, xlabel)
        plot.y.label, plot.y.grid, plot.y.low = ylabel or unit, True, 0
        most = top if top is not None else max([*highest, 0.0]) * 1.06
        plot.y.high = most if most > 0 else 1

    return Drawing(paint, _width(labels), style.HEIGHT, _rows(labels, series, unit))


def _paint_values(
    plot: Plot, slots: Sequence[Slot], dataset: Series, its: style.Look, looks: BarLooks
) -> list[float]:
    """Draw the bars of a series with their intervals; return the height of each."""
    tops = [0.0] * len(slots)
    for i, value in enumerate(dataset.values):
        left, middle, right = slots[i]
        if not value.known:
            plot.text(middle, 0, _NO_RUNS, replace(_SOFT, turned=True))
            continue
        plot.bar(left, 0, right, value.mean, looks.of(i, its))
        _interval(plot, middle, value, style.INK)
        tops[i] = value.mean if math.isnan(value.high) else value.high
    return tops


def _paint_ideals(plot: Plot, slots: Sequence[Slot], dataset: Series) -> list[float]:
    """Draw the outlines of the ideal values; return the height of each."""
    tops = [0.0] * len(slots)
    for i, ideal in enumerate(dataset.ideal):
        if ideal is not None:
            left, _, right = slots[i]
            plot.bar(left, 0, right, ideal, Look(edge=style.IDEAL, dash=IDEAL_DASH), z=2)
            tops[i] = ideal
    return tops


def _paint_published(plot: Plot, slots: Sequence[Slot], dataset: Series) -> list[float]:
    """Draw the marks of the published values; return the height of each."""
    tops = [0.0] * len(slots)
    for i, mark in enumerate(dataset.published):
        if mark is not None:
            tops[i], text = mark
            plot.mark(slots[i][1], tops[i], Mark("D", 7, style.PUBLISHED, style.INK, 0.8), z=5)
            if text:
                plot.text(slots[i][1], tops[i], text, Setting(dy=6, colour="#7a3b62"))
    return tops


def _width(labels: Sequence[str]) -> float:
    return style.WIDE if len(labels) > _MANY else style.WIDTH


def _rows(labels: Sequence[str], series: Sequence[Series], unit: str) -> list[tuple]:
    return [line for dataset in series for line in dataset.rows(labels, unit)]


def profile(
    labels: Sequence[str], series: Sequence[Series], unit: str, *, xlabel: str = "", ylabel: str = ""
) -> Drawing:
    """Draw lines with markers over nodes or other ordered categories; ideals are hollow marks.

    `ylabel`: of the y axis (default: the unit).
    """
    at = placed(labels)

    def paint(plot: Plot) -> None:
        for place, dataset in enumerate(series):
            its = dataset.look(place)
            dash = style.DASHES[1] if dataset.dashed else its.dash
            # Side by side, because the last of equal series would hide the others.
            x = [at.aside(i, (place - (len(series) - 1) / 2) * _ASIDE) for i in range(len(labels))]
            present = [i for i, value in enumerate(dataset.values) if value.known]
            plot.line([(x[i], dataset.values[i].mean) for i in present], its.colour, dash=dash)
            for i in present:
                _interval(plot, x[i], dataset.values[i], its.colour, wide=1.6)
                plot.mark(x[i], dataset.values[i].mean, Mark(its.marker, 6, its.colour, "#ffffff"))
            plot.keys.append(
                Key(dataset.name, stroke=its.colour, marker=its.marker, fill=its.colour, dash=dash)
            )
            ideals = [i for i, value in enumerate(dataset.ideal) if value is not None]
            plot.line([(x[i], dataset.ideal[i]) for i in ideals], its.colour, 1.2, "1 2", z=1)
            for i in ideals:
                plot.mark(x[i], dataset.ideal[i], Mark(its.marker, 9, "", its.colour, 1.3), z=3)
        if any(value is not None for dataset in series for value in dataset.ideal):
            plot.keys.append(
                Key("ideal (no loss)", stroke=style.SOFT, dash="1 2", marker="o", edge=style.SOFT, size=9)
            )
        _names(plot, at, xlabel)
        plot.y.label, plot.y.grid, plot.y.low = ylabel or unit, True, 0

    return Drawing(paint, _width(labels), style.HEIGHT, _rows(labels, series, unit))


def course(
    begins: Sequence[str], width: float, series: Sequence[Series], unit: str, xlabel: str, event: str
) -> Drawing:
    """Draw shares over time, one value for each window, at its middle; `event` names what happened at 0.

    `begins` and `width`: of the windows.
    """

    def paint(plot: Plot) -> None:
        plot.upright(0, style.INK, 1.2, "4 2")
        plot.text(0, 0, event, Setting(9, dx=4, dy=6, anchor="start", of_axes="y"))
        for place, dataset in enumerate(series):
            its = dataset.look(place)
            # Side by side within the window, because equal values would hide one another.
            aside = (place - (len(series) - 1) / 2) * width / (2 * len(series))
            x = [float(begin) + width / 2 + aside for begin in begins]
            present = [i for i, value in enumerate(dataset.values) if value.known]
            plot.line([(x[i], dataset.values[i].mean) for i in present], its.colour, 1.0, its.dash)
            for i in present:
                _interval(plot, x[i], dataset.values[i], its.colour, wide=1.2)
                plot.mark(x[i], dataset.values[i].mean, Mark(its.marker, 4, its.colour))
            plot.keys.append(
                Key(
                    dataset.name,
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

    return Drawing(paint, style.WIDTH, style.HEIGHT, _rows(begins, series, unit))


@dataclass(frozen=True)
class Row:
    """A row of a forest plot: a label and for each series an estimate, or None for no mark.

    `gap`: draw a line above the row.
    """

    label: str
    values: Sequence[Estimate | None]
    gap: bool = False


@dataclass(frozen=True)
class Reference:
    """A line across all rows of a forest plot: dashed, or dotted with a label for a `published` value."""

    value: float
    published: str = ""

    def paint(self, plot: Plot) -> None:
        """Draw the line; a published value is in the legend."""
        if not self.published:
            plot.upright(self.value, style.INK, 0.9, "5 3")
            return
        plot.upright(self.value, style.PUBLISHED, 1.8, "1 1.65")
        plot.keys.append(Key(self.published, stroke=style.PUBLISHED, wide=1.8, dash="1 1.65"))

    def row(self, unit: str) -> tuple:
        """Return its line of the CSV."""
        if self.published:
            return (self.published, "", None, None, None, None, None, self.value, unit)
        return ("reference line", "", None, self.value, None, None, None, None, unit)


@dataclass(frozen=True)
class Scale:
    """The x axis of a forest plot: its ends, and the magnitude beyond which it is logarithmic."""

    bounds: tuple[float, float] | None = None
    linear_to: float = math.inf

    def fit(self, plot: Plot, values: Sequence[float]) -> None:
        """Set the x axis of a plot that shows these values."""
        if self.bounds:
            plot.x.low, plot.x.high = self.bounds
        if max((abs(value) for value in values if math.isfinite(value)), default=0) > self.linear_to:
            plot.x.kind, plot.x.linear_to = LOGARITHMIC, self.linear_to


_LINEAR = Scale()


def rows_down(plot: Plot, labels: Sequence[str], unit: str) -> None:
    """Set the axes of a chart with one row for each label, from top to bottom."""
    plot.y.ticks = list(enumerate(labels))
    plot.y.low, plot.y.high = len(labels) - 0.5, -0.5
    # Beside long names the axis may be shorter than its own label.
    plot.x.label, plot.x.at_end, plot.x.grid = unit, True, True


def forest(
    rows: Sequence[Row],
    names: Sequence[str],
    unit: str,
    *,
    references: Sequence[Reference] = (),
    colours: Sequence[str] = (),
    scale: Scale = _LINEAR,
    wide: bool = False,
) -> Drawing:
    """Draw estimates as marks with intervals, one row each; several series (`names`) have a legend."""

    def paint(plot: Plot) -> None:
        used = [False] * len(names)
        for y, line in enumerate(rows):
            there = [(place, value) for place, value in enumerate(line.values) if value is not None]
            present = [(place, value) for place, value in there if value.known]
            shift = 0.16 if len(there) > 1 else 0.0
            for place, value in present:
                used[place] = True
                at = y + (place - (len(names) - 1) / 2) * 2 * shift
                _paint_estimate(plot, at, value, _mark(place, colours))
            if line.gap and y:
                plot.across(y - 0.5, style.FAINT, 0.8)
            if not present:
                plot.text(0.02, y, _NO_RUNS, replace(_SOFT, anchor="start", dy=-3, of_axes="x"))
        keys = [(name, _mark(place, colours)) for place, name in enumerate(names) if used[place]]
        if len(names) > 1:
            plot.keys += [Key(name, marker=mark.form, fill=mark.fill) for name, mark in keys if name]
        for reference in references:
            reference.paint(plot)
        rows_down(plot, [row.label for row in rows], unit)
        every = [value for line in rows for value in line.values if value is not None and value.known]
        scale.fit(
            plot, [number for estimate in every for number in (estimate.mean, estimate.low, estimate.high)]
        )
        plot.columns = 2

    lines = [
        row(line.label, name, value, unit)
        for line in rows
        for name, value in zip(names, line.values)
        if value is not None
    ]
    lines += [reference.row(unit) for reference in references]
    return Drawing(paint, style.WIDE if wide else style.WIDTH, 1.3 + 0.36 * len(rows), lines)


def _mark(place: int, colours: Sequence[str]) -> Mark:
    its = style.look(place)
    return Mark(its.marker, 6, colours[place] if colours else its.colour)


def _paint_estimate(plot: Plot, y: float, value: Estimate, mark: Mark) -> None:
    if not math.isnan(value.half):
        plot.interval(value.mean, y, value.low, value.high, Whisker(mark.fill, 1.5, across=True))
    plot.mark(value.mean, y, mark)
