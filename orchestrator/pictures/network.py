# SPDX-License-Identifier: Apache-2.0
"""Draw networks, for topologies (topology/draw.py) and .csc files (csc/picture.py).

This module computes places and draws nodes, names, links, the scale bar and the frame, for 2 to some 400
nodes. Colours are of the Okabe-Ito palette, which people with any common colour vision can tell apart; nodes
that differ in colour differ in form as well. The y axis points down, as in Cooja's window.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from orchestrator.pictures import elements
from orchestrator.pictures.elements import Element, Picture, group, path, steps, text
from orchestrator.vocabulary.units import LENGTH, show

WIDTH = 960.0
MOST_DETAILED = (
    1000  # nodes; beyond, names, hops and arrow heads would be smaller than a pixel or two, and megabytes
)
ORANGE, BLUE, GREEN, PURPLE, BLACK, OCHRE = "#d55e00", "#0072b2", "#00795a", "#8f4f78", "#3a3a3a", "#9a6a00"
INK, SOFT = "#333333", "#5c6370"
_FONTS = "system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"
_CORNERS = {
    "diamond": ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
    "triangle": ((0, -1.25), (1.3125, 1), (-1.3125, 1)),
}
# Sizes of scale bars, metres: the largest that is at most a quarter of the picture is taken.
_BARS = [digit * 10.0**power for power in range(-3, 7) for digit in (1, 2, 5)]


class Fit(NamedTuple):
    """Metres to pixels, and how high the part of the picture is that shows the places, without margins."""

    scale: float
    left: float
    top: float
    inner: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        return self.left + x * self.scale, self.top + y * self.scale


def fit(
    xs: Sequence[float],
    ys: Sequence[float],
    margin: float,
    tallest: float,
    least: float,
    alone: float | None = None,
) -> Fit:
    """Scale places to the width and at most `tallest`, at least `least` high, and centre them.

    `alone`: the scale if there is only one place.
    """
    wide, high = max(xs) - min(xs), max(ys) - min(ys)
    scale = min((WIDTH - 2 * margin) / max(wide, 1e-3), tallest / max(high, 1e-3), 1e6)
    if alone is not None and wide == high == 0:
        scale = alone
    inner = max(high * scale, least)
    return Fit(
        scale,
        (WIDTH - wide * scale) / 2 - min(xs) * scale,
        margin + (inner - high * scale) / 2 - min(ys) * scale,
        inner,
    )


def typical_gap(places: Iterable[tuple[float, float]]) -> float:
    """Return a low quartile of nearest neighbours' distances (m): few nodes touch, the others are legible."""
    ordered = sorted(places)
    if len(ordered) < 2:
        return math.inf
    gaps = []
    for index, (x, y) in enumerate(ordered):
        best = math.inf
        for step in (1, -1):
            other = index + step
            while 0 <= other < len(ordered) and abs(ordered[other][0] - x) < best:
                best = min(best, math.hypot(ordered[other][0] - x, ordered[other][1] - y))
                other += step
        gaps.append(best)
    return sorted(gaps)[len(gaps) // 4]


def form(name: str, x: float, y: float, radius: float, **look: object) -> Element:
    """Return a node's mark: square, circle, diamond or triangle, so that no one needs the colours."""
    if name == "circle":
        return elements.circle(x, y, radius, **look)
    if name == "square":
        return elements.rect(x - radius, y - radius, 2 * radius, 2 * radius, rx=f"{radius / 4:.1f}", **look)
    return elements.polygon([(x + dx * radius, y + dy * radius) for dx, dy in _CORNERS[name]], **look)


def filled(colour: str, edge: float = 1) -> dict[str, object]:
    """Return the look of a mark."""
    return {"fill": colour, "stroke": "#ffffff", "stroke_width": f"{edge:g}"}


def halo(size: float) -> dict[str, object]:
    """Return the look of a text that may lie upon lines: white around."""
    return {"stroke": "#ffffff", "stroke_width": f"{size:g}", "paint_order": "stroke"}


def name_in_mark(x: float, y: float, size: float, name: str) -> Element:
    """Make a mote's name, to be drawn inside its mark."""
    return text(x, y, name, font_size=f"{size:.1f}", font_weight="600", fill="#ffffff", text_anchor="middle")


def scale_bar(scale: float, top: float, drop: float, margin: float) -> list[Element]:
    """Below `top`, at the right; its length stands `drop` lower."""
    bar = max((size for size in _BARS if size * scale <= WIDTH / 4), default=_BARS[0])
    right, pixels = WIDTH - margin / 2, bar * scale
    return [
        path(
            steps(("M", right - pixels, top)) + [("v", "8"), ("h", f"{pixels:.1f}"), ("v", "-8")],
            fill="none",
            stroke=INK,
            stroke_width="1.5",
        ),
        text(right - pixels / 2, top + drop, show(bar, LENGTH), text_anchor="middle"),
    ]


def framed(
    name: str, about: str, height: float, drawn: Iterable[Element], foot: Iterable[Element]
) -> Picture:
    """Wrap a picture with a title, and a description for those who can't see it.

    `drawn` may reach out of the picture; `foot`: what stands below.
    """
    size = {"width": f"{WIDTH:.0f}", "height": f"{height:.0f}"}
    return Picture(
        WIDTH,
        float(size["height"]),
        {
            "role": "img",
            "viewBox": f"0 0 {WIDTH:.0f} {height:.0f}",
            **size,
            "style": "max-width:100%;height:auto",
            "font-family": _FONTS,
        },
        (
            elements.title(name),
            Element("desc", {}, elements.printable(about)),
            Element("rect", {**size, "fill": "#ffffff"}),
            *drawn,
            group(foot, font_size="13", fill=INK),
        ),
    )


def clipped(drawn: Iterable[Element], bottom: float) -> Element:
    """Return what ends at the sides of the picture and at the foot."""
    return Element(
        "svg", {"x": "0", "y": "0", "width": f"{WIDTH:.0f}", "height": f"{bottom:.0f}"}, tuple(drawn)
    )
