# SPDX-License-Identifier: Apache-2.0
"""Lines over numbers, with the range around each: for what is measured over a quantity that was swept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.report import style
from orchestrator.report.drawing import Drawing
from orchestrator.report.style import pt

COLUMNS = ("series", "x", "y", "low", "high", "unit")
ROOM = 104  # characters beside each other in the legend of a wide figure
_DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1)), (0, (8, 3)))  # no line is told by its colour alone


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


def lines(series: Sequence[Line], xlabel: str, ylabel: str, *, band: str = "", marks: Sequence[tuple[float, str]] = (),
          steps: Sequence[tuple[float, str]] = (), logarithmic: bool = False, bounds: tuple[float, float] | None = None,
          wide: bool = True) -> Drawing:
    """`band`: what the bands are, for the legend. `marks`: values of the y axis, dotted, with a name; `steps`: of the x axis.
    `bounds`: of the y axis."""

    def paint(figure, axes) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        handles = []
        for place, one in enumerate(series):
            colour = one.colour or style.SERIES[place % len(style.SERIES)]
            marker = "" if one.plain else style.MARKERS[place % len(style.MARKERS)]
            dashes = (0, (5, 2)) if one.dashed else _DASHES[place % len(_DASHES)] if one.plain else "-"
            look = {"color": colour, "marker": marker or None, "linestyle": dashes, "markersize": pt(4),
                    "linewidth": 1.6, "markeredgecolor": "white", "markeredgewidth": 0.4}
            if len(one.low):
                axes.fill_between(one.x, one.low, one.high, color=colour, alpha=0.16, linewidth=0)
            axes.plot(one.x, one.y, **look)
            if one.name:
                handles.append(Line2D([], [], label=one.name, **look))
        if band:
            handles.append(Patch(facecolor="#888", alpha=0.25, linewidth=0, label=band))
        if logarithmic:
            axes.set_yscale("log")
            _plain(axes.yaxis)
        highest = max((value for value, _ in marks), default=0.0)
        for value, label in marks:
            above = value == highest  # of two that are near each other, one is named above its line and one below
            axes.axhline(value, color=style.INK, linestyle=(0, (1, 2)), linewidth=1.0)
            axes.annotate(label, (1, value), xycoords=("axes fraction", "data"), xytext=(-pt(2), pt(2 if above else -2)),
                          textcoords="offset points", ha="right", va="bottom" if above else "top", fontsize=pt(8))
        for value, label in steps:
            axes.axvline(value, color=style.FAINT, linewidth=1.0, zorder=0)
            axes.annotate(label, (value, 1), xycoords=("data", "axes fraction"), xytext=(pt(2), -pt(2)), textcoords="offset points",
                          ha="left", va="top", fontsize=pt(8), color="#667")
        if bounds:
            axes.set_ylim(*bounds)
        axes.set_xlabel(xlabel)
        axes.set_ylabel(ylabel)
        if handles:
            longest = max(len(handle.get_label()) for handle in handles)
            columns = max(1, min(len(handles), (ROOM if wide else ROOM // 2) // (longest + 6)))
            figure.legend(handles=handles, loc="outside upper center", ncols=columns, handlelength=1.8, columnspacing=1.4)

    rows = [(one.name, float(x), float(y), float(one.low[i]) if len(one.low) else None, float(one.high[i]) if len(one.high) else None, ylabel)
            for one in series for i, (x, y) in enumerate(zip(one.x, one.y, strict=True))]
    return Drawing(paint, style.WIDE if wide else style.WIDTH, 3.6 if wide else style.HEIGHT, rows, COLUMNS)


def _plain(axis) -> None:
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
