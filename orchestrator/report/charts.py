# SPDX-License-Identifier: Apache-2.0
"""The few kinds of chart we draw. Each takes estimates and returns a Drawing; error bars are 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.report import style
from orchestrator.report.drawing import Drawing, row
from orchestrator.report.statistics import Estimate
from orchestrator.report.style import pt


@dataclass(frozen=True)
class Series:
    """One row of values, one for each x. `ideal` (outlined) and `published` (diamond) may hold None for no mark.

    `colour` and `hatch` default by the series' place; `dashed` draws a line without emphasis. `cell` is whose numbers
    they are where the x are not cells; `key` is their name in the CSV (default: `name`).
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

    def rows(self, labels: Sequence[str], unit: str) -> list[tuple]:
        """Its numbers as lines of the CSV: the labels are keys of its cell or, without one, cells."""
        found = []
        for i, (label, value) in enumerate(zip(labels, self.values, strict=True)):
            name = self.key or self.name
            ideal = self.ideal[i] if i < len(self.ideal) else None
            mark = self.published[i] if i < len(self.published) else None
            where = (self.cell, label if name == self.cell else f"{name}/{label}") if self.cell else (label, name)
            found.append(row(*where, value, unit, ideal, mark[0] if mark else None))
        return found


_ASIDE = 0.1  # of the distance of two labels: how far apart the marks of two series stand


def _look(series: Series, place: int) -> tuple[str, str, str]:
    return (series.colour or style.SERIES[place % len(style.SERIES)],
            style.MARKERS[place % len(style.MARKERS)],
            series.hatch if series.hatch is not None else style.HATCHES[place % len(style.HATCHES)])


def _error(value: Estimate) -> float:
    return 0.0 if math.isnan(value.half) else value.half


def _errors(value: Estimate) -> list[list[float]]:
    """Down and up; an interval need not lie evenly about its mean."""
    return [[0.0], [0.0]] if math.isnan(value.half) else [[value.mean - value.low], [value.high - value.mean]]


def _inside(drawn) -> None:
    """A mark at an axis's edge is whole; an interval that goes beyond the axis (below 0) ends there, not in its labels."""
    _, caps, bars = drawn
    for part in (*caps, *bars):
        part.set_clip_on(True)


def _finish(figure, handles: list, *, columns: int = 3) -> None:
    """Room for a legend above the plot, never over the data."""
    if handles:
        figure.legend(handles=handles, loc="outside upper center", ncols=_columns(figure, handles, columns),
                      handlelength=1.6, columnspacing=1.4)


def _columns(figure, handles: list, most: int) -> int:
    """As many columns as fit the width: long labels get fewer."""
    longest = max(len(handle.get_label()) for handle in handles)
    room = 60 * min(1.0, figure.get_figwidth() / style.WIDTH / pt(1))
    return max(1, min(most, len(handles), int(room / (longest + 5))))


def _ideal_handle():
    from matplotlib.patches import Patch

    return Patch(fill=False, edgecolor=style.IDEAL, linestyle=(0, (3, 2)), label="ideal (no loss)")


def _published_handle(label: str = "the paper's number"):
    from matplotlib.lines import Line2D

    return Line2D([], [], marker="D", linestyle="none", markersize=pt(7), markerfacecolor=style.PUBLISHED,
                  markeredgecolor=style.INK, label=label)


def bars(labels: Sequence[str], series: Sequence[Series], unit: str, *, wide: bool = False, top: float | None = None,
         colours: Sequence[str] | None = None, hatches: Sequence[str] | None = None, notes: Sequence[str] = (),
         xlabel: str = "", published_label: str = "the paper's number", legend: Sequence[tuple[str, str, str]] = (),
         ) -> Drawing:
    """Grouped bars. `colours` and `hatches` set them bar by bar (one series); `legend` explains those
    (name, colour, hatch); `notes` are printed above the bars, one a label."""
    from matplotlib.patches import Patch

    def paint(figure, axes) -> None:
        width = 0.78 / max(1, len(series))
        handles, highest = [], [0.0] * len(labels)
        for place, one in enumerate(series):
            colour, _, hatch = _look(one, place)
            at = [x + (place - (len(series) - 1) / 2) * width for x in range(len(labels))]
            for i, (x, value) in enumerate(zip(at, one.values, strict=True)):
                if not value.known:
                    axes.text(x, 0, "no runs", rotation=90, ha="center", va="bottom", fontsize=pt(8), color="#777")
                    continue
                axes.bar(x, value.mean, width * 0.92, color=colours[i] if colours else colour,
                         hatch=hatches[i] if hatches else hatch, edgecolor="white", linewidth=0)
                axes.errorbar(x, value.mean, yerr=_error(value), color=style.INK, capsize=pt(3), linewidth=1.3, capthick=1.3)
                highest[i] = max(highest[i], value.mean + _error(value))
            for i, (x, ideal) in enumerate(zip(at, one.ideal)):
                if ideal is not None:
                    axes.bar(x, ideal, width * 0.92, fill=False, edgecolor=style.IDEAL, linestyle=(0, (3, 2)), linewidth=1.0)
                    highest[i] = max(highest[i], ideal)
            for i, (x, mark) in enumerate(zip(at, one.published)):
                if mark is not None:
                    axes.plot([x], [mark[0]], "D", markersize=pt(7), color=style.PUBLISHED, markeredgecolor=style.INK, zorder=5,
                              clip_on=False)
                    highest[i] = max(highest[i], mark[0])
                    if mark[1]:
                        axes.annotate(mark[1], (x, mark[0]), xytext=(0, pt(7)), textcoords="offset points", ha="center",
                                      fontsize=pt(8.5), color="#7a3b62")
            if len(series) > 1:
                handles.append(Patch(facecolor=colour, hatch=hatch, edgecolor="white", linewidth=0, label=one.name))
        for i, note in enumerate(notes):
            if note:
                marked = any(len(one.published) > i and one.published[i] is not None for one in series)
                axes.annotate(note, (i, highest[i]), xytext=(0, pt(9 if marked else 5)), textcoords="offset points", ha="center", fontsize=pt(8.5))
        handles += [Patch(facecolor=colour, hatch=hatch, edgecolor="white", linewidth=0, label=name)
                    for name, colour, hatch in legend]
        if any(value is not None for one in series for value in one.ideal):
            handles.append(_ideal_handle())
        if any(mark is not None for one in series for mark in one.published):
            handles.append(_published_handle(published_label))
        _category_axis(axes, labels)
        axes.set_ylabel(unit)
        axes.set_xlabel(xlabel)
        limit = top if top is not None else max([*highest, 0.0])
        axes.set_ylim(0, limit * (1.12 if notes or handles else 1.06) if limit > 0 else 1)
        _thousands(axes)
        _finish(figure, handles)

    lines = [line for one in series for line in one.rows(labels, unit)]
    return Drawing(paint, style.WIDE if wide else style.WIDTH, style.HEIGHT, lines)


def profile(labels: Sequence[str], series: Sequence[Series], unit: str, *, xlabel: str = "", wide: bool = False) -> Drawing:
    """Lines with markers over nodes (or other ordered categories); ideals are hollow squares of the same colour."""
    from matplotlib.lines import Line2D

    def paint(figure, axes) -> None:
        handles, ideal_drawn = [], False
        for place, one in enumerate(series):
            colour, marker, _ = _look(one, place)
            aside = (place - (len(series) - 1) / 2) * _ASIDE  # of equal series, the last would hide the others
            x = [i + aside for i in range(len(labels))]
            means = [value.mean for value in one.values]
            _inside(axes.errorbar(x, means, yerr=[_error(value) for value in one.values], color=colour, marker=marker,
                                  markersize=pt(6), markeredgecolor="white", markeredgewidth=0.6, linewidth=1.6, capsize=pt(3),
                                  linestyle="--" if one.dashed else "-", clip_on=False))
            handles.append(Line2D([], [], color=colour, marker=marker, markersize=pt(6), label=one.name,
                                  linestyle="--" if one.dashed else "-"))
            if any(value is not None for value in one.ideal):
                ideal_drawn = True
                at = [i for i, value in enumerate(one.ideal) if value is not None]
                axes.plot([x[i] for i in at], [one.ideal[i] for i in at], clip_on=False, linestyle=(0, (1, 2)), color=colour, linewidth=1.2,
                          marker=marker, markersize=pt(9), markerfacecolor="none", markeredgecolor=colour, markeredgewidth=1.3)
        if ideal_drawn:
            handles.append(Line2D([], [], color="#555", marker="o", markersize=pt(9), markerfacecolor="none",
                                  linestyle=(0, (1, 2)), label="ideal (no loss)"))
        _category_axis(axes, labels)
        axes.set_ylabel(unit)
        axes.set_xlabel(xlabel)
        axes.set_ylim(bottom=0)
        _thousands(axes)
        _finish(figure, handles)

    lines = [line for one in series for line in one.rows(labels, unit)]
    return Drawing(paint, style.WIDE if wide else style.WIDTH, style.HEIGHT, lines)


def course(begins: Sequence[str], width: float, series: Sequence[Series], unit: str, xlabel: str, event: str) -> Drawing:
    """Shares over time in windows of that width, each drawn at its middle; something happens at 0, marked with its name."""
    from matplotlib.lines import Line2D

    def paint(figure, axes) -> None:
        handles = []
        axes.axvline(0, color=style.INK, linestyle=(0, (4, 2)), linewidth=1.2)
        axes.annotate(event, (0, 8), xytext=(pt(5), 0), textcoords="offset points", fontsize=pt(9))
        for place, one in enumerate(series):
            colour, marker, _ = _look(one, place)
            # Side by side within the window: equal values would hide one another.
            aside = (place - (len(series) - 1) / 2) * width / (2 * len(series))
            x = [float(begin) + width / 2 + aside for begin in begins]
            _inside(axes.errorbar(x, [value.mean for value in one.values], yerr=[_error(value) for value in one.values], color=colour,
                                  marker=marker, markersize=pt(4), linewidth=1.0, elinewidth=1.2, capsize=pt(2), clip_on=False,
                                  zorder=3))
            handles.append(Line2D([], [], color=colour, marker=marker, markersize=pt(5), linewidth=1.0, label=one.name))
        axes.set_xlim(float(begins[0]), float(begins[-1]) + width)
        axes.set_ylim(0, 100)
        axes.set_ylabel(unit)
        axes.set_xlabel(xlabel)
        _finish(figure, handles, columns=4)

    lines = [line for one in series for line in one.rows(begins, unit)]
    return Drawing(paint, style.WIDTH, style.HEIGHT, lines)


@dataclass(frozen=True)
class Row:
    """One line of a forest plot: a label and one estimate a series (None: not there). `gap`: a line goes above it."""

    label: str
    values: Sequence[Estimate | None]
    gap: bool = False


def forest(rows: Sequence[Row], names: Sequence[str], unit: str, *, reference: Sequence[float] = (),
           published: Sequence[tuple[float, str]] = (), colours: Sequence[str] = (), bounds: tuple[float, float] | None = None,
           linear_to: float | None = None, legend: bool = True, wide: bool = False) -> Drawing:
    """Estimates as marks with intervals, one row each, top to bottom; `reference` lines are dashed, published ones
    dotted with their label; `bounds` are the axis's. Where something lies beyond +-`linear_to`, the axis is logarithmic
    from there on."""
    from matplotlib.lines import Line2D

    def paint(figure, axes) -> None:
        axes.grid(axis="x")
        axes.grid(False, axis="y")
        used = [False] * len(names)
        for y, line in enumerate(rows):
            shift = 0.16 if len([v for v in line.values if v is not None]) > 1 else 0.0
            for place, value in enumerate(line.values):
                if value is None or not value.known:
                    continue
                used[place] = True
                colour = colours[place] if colours else style.SERIES[place]
                _inside(axes.errorbar(value.mean, y + (place - (len(names) - 1) / 2) * 2 * shift, xerr=_errors(value), color=colour,
                                      marker=style.MARKERS[place], markersize=pt(6), capsize=pt(3), linewidth=1.5,
                                      linestyle="none", clip_on=False))
            if line.gap and y:
                axes.axhline(y - 0.5, color=style.FAINT, linewidth=0.8)
            if not any(v is not None and v.known for v in line.values):
                axes.text(0.02, y, "no runs", transform=axes.get_yaxis_transform(), va="center", fontsize=pt(8), color="#777")
        for value in reference:
            axes.axvline(value, color=style.INK, linestyle="--", linewidth=0.9)
        handles = [Line2D([], [], color=colours[i] if colours else style.SERIES[i], marker=style.MARKERS[i],
                          linestyle="none", label=name) for i, name in enumerate(names) if used[i] and name and legend]
        for value, label in published:
            mark = axes.axvline(value, color=style.PUBLISHED, linestyle=":", linewidth=1.8)
            mark.set_label(label)
            handles.append(mark)
        axes.set_yticks(range(len(rows)), [one.label for one in rows])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        if bounds:
            axes.set_xlim(*bounds)
        if linear_to is not None and max(map(abs, axes.get_xlim())) > linear_to:
            axes.set_xscale("symlog", linthresh=linear_to)
            _plain_numbers(axes.xaxis)
        axes.set_xlabel(unit, loc="right")  # beside long labels the axis is shorter than its own
        _finish(figure, handles, columns=2)

    lines = [row(one.label, name, value, unit) for one in rows for name, value in zip(names, one.values) if value is not None]
    lines += [("reference line", "", None, value, None, None, None, None, unit) for value in reference]
    lines += [(label, "", None, None, None, None, None, value, unit) for value, label in published]
    return Drawing(paint, style.WIDE if wide else style.WIDTH, 1.3 + 0.36 * len(rows), lines)


def spans(labels: Sequence[str], low: Sequence[float], middle: Sequence[float], mean: Sequence[float],
          high: Sequence[float], unit: str) -> Drawing:
    """From low to high quantile a bar, the median a line across it, the mean a dot; one row a label."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    def paint(figure, axes) -> None:
        axes.grid(axis="x")
        axes.grid(False, axis="y")
        for y in range(len(labels)):
            axes.barh(y, high[y] - low[y], left=low[y], height=0.5, color=style.SKY, edgecolor=style.BLUE, linewidth=0.8)
            axes.plot([middle[y]] * 2, [y - 0.25, y + 0.25], color=style.INK, linewidth=2)
            axes.plot([mean[y]], [y], "o", color=style.VERMILLION, markersize=pt(5), markeredgecolor="white", markeredgewidth=0.5,
                      clip_on=False)
        axes.set_yticks(range(len(labels)), labels)
        axes.set_ylim(len(labels) - 0.4, -0.6)
        axes.set_xlabel(unit, loc="right")
        known = [value for value in high if not math.isnan(value)]
        if known and max(known) > 0:
            axes.set_xscale("symlog", linthresh=10)
            axes.set_xlim(0, max(known) * 1.3)
            _plain_numbers(axes.xaxis)
        handles = [Patch(facecolor=style.SKY, edgecolor=style.BLUE, label="5th to 95th percentile"),
                   Line2D([], [], color=style.INK, linewidth=2, label="median"),
                   Line2D([], [], color=style.VERMILLION, marker="o", markersize=pt(5), linestyle="none", label="mean")]
        _finish(figure, handles)

    quantiles = (("p05", low), ("p50", middle), ("mean", mean), ("p95", high))
    lines = [(label, key, None, values[i], None, None, None, None, unit) for i, label in enumerate(labels) for key, values in quantiles]
    return Drawing(paint, style.WIDTH, 1.2 + 0.34 * len(labels), lines)


def curves(series: Sequence[tuple[str, Sequence[float], Sequence[float]]], xlabel: str, ylabel: str) -> Drawing:
    """Step curves (name, x, y), for cumulative distributions; x on a logarithmic axis."""
    def paint(figure, axes) -> None:
        handles = []
        for place, (name, x, y) in enumerate(series):
            dashes = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1)), (0, (8, 3)))[place % 6]
            handles += axes.step(x, y, where="post", color=style.SERIES[place % 6], linestyle=dashes, linewidth=1.8, label=name)
        axes.set_xscale("symlog", linthresh=10)
        axes.set_xlim(left=0)
        _plain_numbers(axes.xaxis)
        axes.set_ylim(0, 1.02)
        axes.set_xlabel(xlabel)
        axes.set_ylabel(ylabel)
        _finish(figure, handles)

    lines = [(name, f"{at:g}", None, float(share), None, None, None, None, ylabel)
             for name, x, y in series for at, share in zip(x, y, strict=True)]
    return Drawing(paint, style.WIDTH, 3.7, lines)


def _category_axis(axes, labels: Sequence[str]) -> None:
    """All labels where they fit, turned where they are long, every k-th where they are many."""
    step = max(1, math.ceil(len(labels) / 24))
    places = list(range(0, len(labels), step))
    longest = max((len(labels[i]) for i in places), default=0)
    turned = sum(len(labels[i]) + 1 for i in places) > 44 * min(1.0, axes.figure.get_figwidth() / style.WIDTH / pt(1))
    axes.set_xticks(places, [labels[i] for i in places], rotation=45 if turned and longest > 3 else 0,
                    ha="right" if turned and longest > 3 else "center")
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.6, len(labels) - 0.4)


def _thousands(axes) -> None:
    if axes.get_ylim()[1] >= 1000:
        _plain_numbers(axes.yaxis)


def _plain_numbers(axis) -> None:
    """With a space between thousands, and no powers of ten."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}".replace(",", " ")))
