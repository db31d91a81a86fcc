# SPDX-License-Identifier: Apache-2.0
"""Paints a picture on a Matplotlib figure, from which PDF and PGF are written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from orchestrator.pictures.elements import Element, Picture, Steps
from orchestrator.report.pen import HATCHES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch
    from matplotlib.path import Path

_INHERITED = ("font-size", "fill", "stroke", "stroke-width")
# Dots are half as dense as in SVG: Matplotlib writes each one, which took 0.7 MB a figure.
_HATCHES = {name: hatch if name != "hatch-dots" else ".." for hatch, (name, *_) in HATCHES.items()}
_TURN = re.compile(r"rotate\((-?[0-9.]+) ")


def paint(picture: Picture, figure: Figure, axes: Axes) -> None:
    """Paint a picture on axes that fill the figure."""
    axes.set_axis_off()
    axes.set_xlim(0, picture.width)
    axes.set_ylim(picture.height, 0)
    point = 72 * figure.get_figwidth() / picture.width  # points for each of the picture's units
    _elements(picture.elements, {}, None, axes, point)


def _elements(
    elements: Iterable[Element], inherited: dict[str, object], clip: Patch | None, axes: Axes, point: float
) -> None:
    from matplotlib.patches import Rectangle

    for tag, attributes, inside in elements:
        look = {**inherited, **attributes}
        below = {key: look[key] for key in _INHERITED if key in look}
        if tag in ("title", "desc"):
            continue
        if tag == "g":
            _elements(inside, below, clip, axes, point)
        elif tag == "svg":
            edge = Rectangle(
                (_number(look, "x"), _number(look, "y")),
                _number(look, "width"),
                _number(look, "height"),
                transform=axes.transData,
            )
            _elements(inside, below, edge, axes, point)
        elif tag == "text":
            _text(inside, look, axes, point)
        else:
            _shape(tag, look, clip, axes, point)


def _shape(tag: str, look: dict[str, object], clip: Patch | None, axes: Axes, point: float) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import PathPatch

    fill, stroke = look.get("fill", "#000000"), look.get("stroke", "none")
    dashes = look.get("stroke-dasharray")
    if fill.startswith("url("):
        patch = PathPatch(
            _outline(tag, look), facecolor="none", edgecolor="white", linewidth=0, hatch=_HATCHES[fill[5:-1]]
        )
        axes.add_patch(patch)
        return
    wide = _number(look, "stroke-width", 1) * point
    patch = PathPatch(
        _outline(tag, look),
        facecolor="none" if fill == "none" else to_rgba(fill, _number(look, "fill-opacity", 1)),
        edgecolor="none" if stroke == "none" else to_rgba(stroke, _number(look, "stroke-opacity", 1)),
        hatch=None,
        linewidth=0 if stroke == "none" else wide,
        capstyle="butt",
        joinstyle="miter",
        linestyle=(0, [float(dash) * point / wide for dash in dashes.split()]) if dashes else "-",
    )
    axes.add_patch(patch)
    if clip is not None:
        patch.set_clip_path(clip)


def _outline(tag: str, look: dict[str, object]) -> Path:
    from matplotlib.path import Path

    if tag == "rect":
        x, y, across, high = (_number(look, name) for name in ("x", "y", "width", "height"))
        return Path([(x, y), (x + across, y), (x + across, y + high), (x, y + high), (x, y)], closed=True)
    if tag == "circle":
        return Path.circle((_number(look, "cx"), _number(look, "cy")), _number(look, "r"))
    if tag == "polygon":
        corners = [tuple(map(float, corner.split(","))) for corner in look["points"].split()]
        return Path([*corners, corners[0]], closed=True)
    if tag == "line":
        return Path([(_number(look, "x1"), _number(look, "y1")), (_number(look, "x2"), _number(look, "y2"))])
    return _path(look["d"])


def _path(steps: Steps) -> Path:
    from matplotlib.path import Path

    vertices: list[tuple[float, float]] = []
    codes: list[int] = []
    for letter, *written in steps:
        numbers = [float(number) for number in written]
        if letter == "Z":
            numbers, kinds = list(vertices[-1]), [Path.CLOSEPOLY]
        elif letter in "vh":
            x, y = vertices[-1]
            numbers, kinds = ([x, y + numbers[0]] if letter == "v" else [x + numbers[0], y]), [Path.LINETO]
        else:
            kinds = {"M": [Path.MOVETO], "L": [Path.LINETO], "Q": [Path.CURVE3, Path.CURVE3]}[letter]
        vertices += zip(numbers[::2], numbers[1::2], strict=True)
        codes += kinds
    return Path(vertices, codes)


def _text(content: str, look: dict[str, object], axes: Axes, point: float) -> None:
    axes.text(
        _number(look, "x"),
        _number(look, "y"),
        content,
        fontsize=_number(look, "font-size", 13) * point,
        color=look.get("fill", "#000000"),
        fontweight="bold" if look.get("font-weight") == "600" else "normal",
        ha={"middle": "center", "end": "right"}.get(look.get("text-anchor", ""), "left"),
        va="baseline",
        rotation=-float(turn[1]) if (turn := _TURN.match(look.get("transform", ""))) else 0,
        rotation_mode="anchor",
    )


def _number(look: dict[str, object], name: str, default: float = 0.0) -> float:
    return float(look.get(name, default))
