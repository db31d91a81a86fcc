# SPDX-License-Identifier: Apache-2.0
"""Draws rectangles with hatches, paths, texts and marks as elements of a picture. Lengths are points."""

from __future__ import annotations

from typing import NamedTuple

from orchestrator.pictures.elements import Element, Steps
from orchestrator.report import style

_T = 0.38  # half of a plus sign's or a cross's arm
_PLUS = (
    (-_T, -1),
    (_T, -1),
    (_T, -_T),
    (1, -_T),
    (1, _T),
    (_T, _T),
    (_T, 1),
    (-_T, 1),
    (-_T, _T),
    (-1, _T),
    (-1, -_T),
    (-_T, -_T),
)
_CORNERS = {
    "^": ((0, -1.1), (1.1, 0.95), (-1.1, 0.95)), "v": ((0, 1.1), (1.1, -0.95), (-1.1, -0.95)), ">": ((1.1, 0), (-0.95, 1.1), (-0.95, -1.1)),  # noqa: E501
    "D": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)), "P": _PLUS,
    "X": tuple(((x - y) * 0.75, (x + y) * 0.75) for x, y in _PLUS),
}  # fmt: skip
# Matplotlib's name of a hatch -> name of the pattern, side of its tile, path in the tile.
HATCHES = {
    "////": ("hatch-up", 5, "M-1 1L1 -1M0 5L5 0M4 6L6 4"), "\\\\\\\\": ("hatch-down", 5, "M-1 4L1 6M0 0L5 5M4 -1L6 1"),  # noqa: E501
    "xxxx": ("hatch-cross", 5, "M0 0L5 5M0 5L5 0"), "++": ("hatch-plus", 6, "M3 0L3 6M0 3L6 3"),
    "....": ("hatch-dots", 4, "M1.4 2L2.6 2"),
}  # fmt: skip


class Look(NamedTuple):
    """How an area or a mark is filled, and its edge drawn (`edge`, `wide`, `dash`)."""

    fill: str = ""
    hatch: str = ""
    edge: str = ""
    wide: float = 1.0
    dash: str = ""
    opacity: float = 1.0


def short(value: float) -> str:
    """Write a coordinate with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def pattern(hatch: str, scale: float) -> str:
    """Return the SVG pattern of a hatch."""
    name, side, d = HATCHES[hatch]
    wide = 1.2 if name == "hatch-dots" else 0.9
    return (
        f'<pattern id="{name}" patternUnits="userSpaceOnUse" width="{side}" height="{side}" '
        f'patternTransform="scale({scale:g})">'
        f'<path d="{d}" fill="none" stroke="#ffffff" stroke-width="{wide}"/></pattern>'
    )


def stroke(*points: tuple[float, float]) -> Steps:
    """Return the path from point to point."""
    return Steps(("L" if place else "M", short(x), short(y)) for place, (x, y) in enumerate(points))


class Pen:
    """Collects elements in `out`. `scale` applies to lines, dashes and marks, not to places and texts."""

    def __init__(self, scale: float):
        self.scale = scale
        self.out: list[Element] = []

    def _draw(self, tag: str, look: dict[str, object], inside: str | None = None) -> None:
        self.out.append(
            Element(
                tag,
                {name: short(value) if isinstance(value, float) else value for name, value in look.items()},
                inside,
            )
        )

    def rect(self, x: float, y: float, wide: float, high: float, look: Look) -> None:
        """Draw a rectangle."""
        place = {"x": float(x), "y": float(y), "width": float(wide), "height": float(high)}
        faint = {"fill-opacity": f"{look.opacity:g}"} if look.opacity < 1 else {}
        self._draw(
            "rect",
            {**place, "fill": look.fill or "none", **faint, **self._stroke(look.edge, look.wide, look.dash)},
        )
        if look.hatch:
            self._draw("rect", {**place, "fill": f"url(#{HATCHES[look.hatch][0]})"})

    def path(self, d: Steps, colour: str, wide: float, dash: str = "") -> None:
        """Draw a path."""
        self._draw("path", {"d": d, "fill": "none", **self._stroke(colour, wide, dash)})

    def area(self, d: Steps, fill: str, opacity: float) -> None:
        """Fill the area that a path encloses."""
        self._draw("path", {"d": d + [("Z",)], "fill": fill, "fill-opacity": f"{opacity:g}"})

    def _stroke(self, colour: str, wide: float, dash: str = "") -> dict[str, object]:
        if not colour:
            return {}
        dashes = " ".join(short(float(part) * wide * self.scale) for part in dash.split())
        return {"stroke": colour, "stroke-width": short(wide * self.scale)} | (
            {"stroke-dasharray": dashes} if dash else {}
        )

    def text(
        self, x: float, y: float, text: str, size: float, anchor: str, colour: str = style.INK, turn: int = 0
    ) -> None:
        """Write a text; `turn`: by so many degrees about its place."""
        where = {"text-anchor": anchor} if anchor != "start" else {}
        turned = {"transform": f"rotate({turn} {short(x)} {short(y)})"} if turn else {}
        if text.strip():
            self._draw(
                "text",
                {"x": float(x), "y": float(y), "font-size": float(size), "fill": colour, **where, **turned},
                text,
            )

    def mark(self, x: float, y: float, marker: str, size: float, look: Look) -> None:
        """Draw a mark with its centre at a place."""
        r = size * self.scale / 2
        inked = {"fill": look.fill or "none", **self._stroke(look.edge, look.wide)}
        if marker == "o":
            self._draw("circle", {"cx": float(x), "cy": float(y), "r": r, **inked})
        elif marker == "s":
            self._draw("rect", {"x": x - r, "y": y - r, "width": 2 * r, "height": 2 * r, **inked})
        elif marker == "|":
            self.path(stroke((x, y - r), (x, y + r)), look.fill, look.wide)
        else:
            self._draw(
                "polygon",
                {
                    "points": " ".join(
                        f"{short(x + dx * r)},{short(y + dy * r)}" for dx, dy in _CORNERS[marker]
                    ),
                    **inked,
                },
            )
