# SPDX-License-Identifier: Apache-2.0
"""How every figure looks, and how it becomes the same bytes each time.

Colours are Okabe and Ito's (2008) palette, told apart by every common colour vision; no figure relies on colour
alone (markers, hatches and order repeat it). An SVG's text is drawn as paths, so that it looks the same without our
fonts.
"""

from __future__ import annotations

import io
from contextlib import contextmanager
from contextvars import ContextVar

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILLION, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7")
SERIES = (BLUE, ORANGE, GREEN, PURPLE, VERMILLION, SKY)
MARKERS = ("o", "s", "^", "D", "v", "P")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++")
INK, FAINT = "#1d2733", "#c9d1da"
PLAIN, AGGREGATED, IDEAL, PUBLISHED = ORANGE, BLUE, INK, PURPLE

WIDTH, HEIGHT = 4.7, 3.2  # inches; on a screen of 400 CSS pixels the 10 pt text is still 10 pixels high
WIDE = 7.5

_RC = {
    "svg.fonttype": "path", "svg.hashsalt": "orchestrate", "text.parse_math": False, "font.family": "DejaVu Sans",
    "font.size": 10, "axes.titlesize": 10, "axes.labelsize": 10, "xtick.labelsize": 9.5, "ytick.labelsize": 9.5,
    "legend.fontsize": 9, "axes.edgecolor": INK, "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK,
    "ytick.color": INK, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.grid.axis": "y",
    "grid.color": "#e6eaef", "grid.linewidth": 0.8, "axes.axisbelow": True, "axes.linewidth": 0.9,
    "legend.frameon": False, "figure.facecolor": "white", "savefig.facecolor": "white", "hatch.linewidth": 0.7,
    "path.simplify": True, "pdf.fonttype": 42, "pdf.use14corefonts": False, "axes.unicode_minus": True,
}


_scale: ContextVar[float] = ContextVar("scale", default=1.0)


def pt(points: float) -> float:
    """A size of text, marker or line in the canvas that is being painted, points."""
    return points * _scale.get()


@contextmanager
def canvas(width: float = WIDTH, height: float = HEIGHT, scale: float = 1.0):
    """A figure and its axes in our style: `with canvas() as (figure, axes)`; turn it into bytes with svg(figure).

    `scale`: of text, markers and lines.
    """
    import matplotlib

    matplotlib.use("Agg", force=False)
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    scaled = {name: value * scale if name.endswith(("size", "linewidth")) else value for name, value in _RC.items()}
    before = _scale.set(scale)
    try:
        with rc_context(scaled):
            figure = Figure(figsize=(width, height), layout="constrained")
            yield figure, figure.add_subplot()
    finally:
        _scale.reset(before)


def svg(figure) -> bytes:
    """The figure as SVG: no date, no creator's version, ids from a fixed salt. Call inside `canvas`."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def pdf(figure) -> bytes:
    """The figure as PDF with its fonts inside (TrueType, as journals ask): no date, no producer. Call inside `canvas`."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="pdf", metadata={"Creator": None, "Producer": None, "CreationDate": None})
    return buffer.getvalue()
