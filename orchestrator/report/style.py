# SPDX-License-Identifier: Apache-2.0
"""The look of all figures, and the canvas on which a picture is painted for PDF and PGF.

Colours are Okabe and Ito's (2008) palette, which people with any common kind of colour vision can tell apart.
No figure relies on colour alone: markers, hatches and order repeat it.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    """The look of one of several series, which differs from others in more than its colour."""

    colour: str
    marker: str
    hatch: str
    dash: str


def look(place: int) -> Look:
    """Return the look of the place-th series, from 0; the first 36 differ.

    A cell has the same look in all figures, because its place is that among all cells of the experiment.
    """
    across, down = place % len(SERIES), place // len(SERIES)
    turned = (across + down) % len(MARKERS)
    return Look(SERIES[across], MARKERS[turned], HATCHES[turned], DASHES[turned])


@contextmanager
def canvas(width: float, height: float) -> Iterator[tuple[Figure, Axes]]:
    """Provide a Matplotlib figure and axes that fill it, for painted.py; sizes are inches."""
    import matplotlib

    matplotlib.use("Agg", force=False)
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_RC):
        figure = Figure(figsize=(width, height))
        yield figure, figure.add_axes((0, 0, 1, 1))


def pdf(figure: Figure) -> bytes:
    """Return the figure as PDF without date and producer. Call inside `canvas`.

    Fonts are embedded as TrueType, as journals ask.
    """
    buffer = io.BytesIO()
    figure.savefig(buffer, format="pdf", metadata={"Creator": None, "Producer": None, "CreationDate": None})
    return buffer.getvalue()
