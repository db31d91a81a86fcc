# SPDX-License-Identifier: Apache-2.0
"""An SVG of ours (plot.py, topology/draw.py) painted on a Matplotlib figure, so that it can become PDF and PGF as well.

Knows what such drawings use: rect, circle, polygon, path of M L Q v h Z, text (turned, too), g, an inner svg that clips, and the
hatches of pen.py.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree

from orchestrator.report.pen import HATCHES

_NAMESPACE = "{http://www.w3.org/2000/svg}"
_INHERITED = ("font-size", "fill", "stroke", "stroke-width")
# Dots half as dense: Matplotlib writes each of a tile's, 0.7 MB a figure of the others' density.
_HATCHES = {name: hatch if name != "hatch-dots" else ".." for hatch, (name, *_) in HATCHES.items()}
_STEP = re.compile(r"([MLQvhZ])|(-?[0-9]+(?:\.[0-9]+)?)")

_TURN = re.compile(r"rotate\((-?[0-9.]+) ")


def size(svg: str | bytes) -> tuple[float, float]:
    """Width and height of the view box, pixels."""
    return tuple(float(number) for number in etree.fromstring(svg).get("viewBox").split()[2:])


def resized(svg: str, width: float) -> bytes:
    """The same drawing `width` inches wide."""
    across, high = size(svg)
    head, rest = svg.split(">", 1)
    head = re.sub(r' width="[^"]*"', f' width="{width:.4f}in"', head, count=1)
    head = re.sub(r' height="[^"]*"', f' height="{width * high / across:.4f}in"', head, count=1)
    return f"{head}>{rest}".encode()


def paint(svg: str | bytes, figure, axes) -> None:
    """Onto axes that fill the figure. Raises ValueError for an element that this does not know."""
    across, high = size(svg)
    axes.set_axis_off()
    axes.set_xlim(0, across)
    axes.set_ylim(high, 0)
    point = 72 * figure.get_figwidth() / across  # of a pixel, in points
    _children(etree.fromstring(svg), {}, None, axes, point)


def _children(parent, inherited: dict[str, str], clip, axes, point: float) -> None:
    from matplotlib.patches import Rectangle

    for element in parent:
        tag = element.tag.removeprefix(_NAMESPACE)
        look = {**inherited, **{key: value for key, value in element.items()}}
        below = {key: look[key] for key in _INHERITED if key in look}
        if tag in ("title", "desc", "pattern"):
            continue
        if tag == "g":
            _children(element, below, clip, axes, point)
        elif tag == "svg":
            inner = Rectangle((_number(look, "x"), _number(look, "y")), _number(look, "width"), _number(look, "height"),
                              transform=axes.transData)
            _children(element, below, inner, axes, point)
        elif tag == "text":
            _text(element.text or "", look, axes, point)
        else:
            _shape(tag, look, clip, axes, point)


def _shape(tag: str, look: dict[str, str], clip, axes, point: float) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import PathPatch

    fill, stroke = look.get("fill", "#000000"), look.get("stroke", "none")
    dashes = look.get("stroke-dasharray")
    if fill.startswith("url("):
        patch = PathPatch(_outline(tag, look), facecolor="none", edgecolor="white", linewidth=0, hatch=_HATCHES[fill[5:-1]])
        axes.add_patch(patch)
        return
    wide = _number(look, "stroke-width", 1) * point
    patch = PathPatch(
        _outline(tag, look), facecolor="none" if fill == "none" else to_rgba(fill, _number(look, "fill-opacity", 1)),
        edgecolor="none" if stroke == "none" else to_rgba(stroke, _number(look, "stroke-opacity", 1)), hatch=None,
        linewidth=0 if stroke == "none" else wide, capstyle="butt", joinstyle="miter",
        linestyle=(0, [float(dash) * point / wide for dash in dashes.split()]) if dashes else "-")
    axes.add_patch(patch)
    if clip is not None:
        patch.set_clip_path(clip)


def _outline(tag: str, look: dict[str, str]):
    from matplotlib.path import Path

    if tag == "rect":
        x, y, across, high = (_number(look, name) for name in ("x", "y", "width", "height"))
        return Path([(x, y), (x + across, y), (x + across, y + high), (x, y + high), (x, y)], closed=True)
    if tag == "circle":
        return Path.circle((_number(look, "cx"), _number(look, "cy")), _number(look, "r"))
    if tag == "polygon":
        corners = [tuple(map(float, corner.split(","))) for corner in look["points"].split()]
        return Path([*corners, corners[0]], closed=True)
    if tag == "path":
        return _path(look["d"])
    raise ValueError(f"no painter for the SVG element {tag}")


def _path(commands: str):
    from matplotlib.path import Path

    vertices: list[tuple[float, float]] = []
    codes: list[int] = []
    needs = {"M": 2, "L": 2, "Q": 4, "v": 1, "h": 1, "Z": 0}
    parts = _STEP.findall(commands)
    at = 0
    while at < len(parts):
        letter = parts[at][0]
        if letter not in needs:
            raise ValueError(f"a path that is not understood: {commands[:60]}")
        numbers = [float(number) for _, number in parts[at + 1:at + 1 + needs[letter]]]
        at += 1 + needs[letter]
        if letter == "Z":
            numbers, kinds = list(vertices[-1]), [Path.CLOSEPOLY]
        elif letter in "vh":
            x, y = vertices[-1]
            numbers, kinds = ([x, y + numbers[0]] if letter == "v" else [x + numbers[0], y]), [Path.LINETO]
        else:
            kinds = {"M": [Path.MOVETO], "L": [Path.LINETO], "Q": [Path.CURVE3, Path.CURVE3]}[letter]
        vertices += list(zip(numbers[::2], numbers[1::2], strict=True))
        codes += kinds
    return Path(vertices, codes)


def _text(content: str, look: dict[str, str], axes, point: float) -> None:
    axes.text(_number(look, "x"), _number(look, "y"), content, fontsize=_number(look, "font-size", 13) * point,
              color=look.get("fill", "#000000"), fontweight="bold" if look.get("font-weight") == "600" else "normal",
              ha={"middle": "center", "end": "right"}.get(look.get("text-anchor", ""), "left"), va="baseline",
              rotation=-float(turn[1]) if (turn := _TURN.match(look.get("transform", ""))) else 0, rotation_mode="anchor")


def _number(look: dict[str, str], name: str, default: float = 0.0) -> float:
    return float(look.get(name, default))
