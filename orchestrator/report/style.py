# SPDX-License-Identifier: Apache-2.0
"""How every figure looks, and the canvas on which a picture is painted for PDF and PGF.

Colours are Okabe and Ito's (2008) palette, told apart by every common colour vision; no figure relies on
colour alone (markers, hatches and order repeat it).
"""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import NamedTuple

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILLION, PURPLE = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#F0E442",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
SERIES = (BLUE, ORANGE, GREEN, PURPLE, VERMILLION, SKY)
MARKERS = ("o", "s", "^", "D", "v", "P")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++")
DASHES = ("", "5 2", "1 1.5", "6 2 1 2", "3 1", "8 3")
INK, FAINT, GRID, SOFT = "#1d2733", "#c9d1da", "#e6eaef", "#667788"
PLAIN, AGGREGATED, IDEAL, PUBLISHED = ORANGE, BLUE, INK, PURPLE

WIDTH, HEIGHT = 4.7, 3.2  # inches; on a screen of 400 CSS pixels the 10 pt text is still 10 pixels high
WIDE = 7.5

_RC = {
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "hatch.linewidth": 0.7,
    "pdf.fonttype": 42,
    "pdf.use14corefonts": False,
}


class Look(NamedTuple):
    """How one of several is drawn, so that none is told by its colour alone."""

    colour: str
    marker: str
    hatch: str
    dash: str


def look(place: int) -> Look:
    """Of the place-th, from 0: of 36 no two are alike. The same everywhere, so that a cell of an experiment,
    whose place is that among all of its cells, keeps its look from figure to figure."""
    across, down = place % len(SERIES), place // len(SERIES)
    turned = (across + down) % len(MARKERS)
    return Look(SERIES[across], MARKERS[turned], HATCHES[turned], DASHES[turned])


@contextmanager
def canvas(width: float, height: float):
    """A Matplotlib figure and axes for painted.py: `with canvas(4, 3) as (figure, axes)`, inches."""
    import matplotlib

    matplotlib.use("Agg", force=False)
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_RC):
        figure = Figure(figsize=(width, height))
        yield figure, figure.add_axes((0, 0, 1, 1))


def pdf(figure) -> bytes:
    """The figure as PDF with its fonts inside (TrueType, as journals ask): no date, no producer. Call inside
    `canvas`.
    """
    buffer = io.BytesIO()
    figure.savefig(buffer, format="pdf", metadata={"Creator": None, "Producer": None, "CreationDate": None})
    return buffer.getvalue()
