# SPDX-License-Identifier: Apache-2.0
"""What a chart's SVG holds, as places and boxes in points."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as etree

from orchestrator.report import letters
from orchestrator.report.drawing import Drawing
from orchestrator.report.style import GRID, INK

NAMESPACE = "{http://www.w3.org/2000/svg}"


class Drawn:
    """`axes`: left, top, right, bottom of the data; `texts`: (text, x, y, box's corners); `marks`: (x, y,
    half size, fill).
    """

    def __init__(self, drawing: Drawing, width: float | None = None):
        self.root = etree.fromstring(drawing.file("svg", width))
        self.size = tuple(map(float, self.root.get("viewBox").split()[2:]))
        shapes = [one for one in self.root.iter() if one.tag != f"{NAMESPACE}pattern"]
        self.texts = [
            (one.text, float(one.get("x")), float(one.get("y")), corners(one))
            for one in shapes
            if one.tag == f"{NAMESPACE}text"
        ]
        self.rects = [
            {name: float(one.get(name)) for name in ("x", "y", "width", "height")}
            | {"fill": one.get("fill"), "stroke": one.get("stroke")}
            for one in shapes
            if one.tag == f"{NAMESPACE}rect"
        ][1:]
        self.paths = [(one.get("d"), one.get("stroke")) for one in shapes if one.tag == f"{NAMESPACE}path"]
        frame = next(
            d
            for d, stroke in reversed(self.paths)
            if stroke == INK and d.count("L") == 2 and d.count("M") == 1
        )
        self.left, self.top, _, self.bottom, self.right, _ = map(float, re.findall(r"-?[0-9.]+", frame))
        self.marks = [
            (float(one.get("cx")), float(one.get("cy")), float(one.get("r")), one.get("fill"))
            for one in shapes
            if one.tag == f"{NAMESPACE}circle"
        ]
        for one in (shape for shape in shapes if shape.tag == f"{NAMESPACE}polygon"):
            points = [tuple(map(float, corner.split(","))) for corner in one.get("points").split()]
            xs, ys = [x for x, _ in points], [y for _, y in points]
            self.marks.append(
                ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2, (max(xs) - min(xs)) / 2, one.get("fill"))
            )
        self.marks = [mark for mark in self.marks if mark[1] >= self.top - 8]  # not the legend's

    def below(self) -> list[tuple[str, float]]:
        """The names on the x axis with where they point, left to right, without its label."""
        rows = [one for one in self.texts if one[2] > self.bottom and one[1] > self.left - 3]
        lowest = max(y for _, _, y, _ in rows)
        level = [one for one in rows if one[2] < lowest - 1] or rows
        return sorted(((text, x) for text, x, _, _ in level), key=lambda one: one[1])

    @property
    def grid(self) -> list[str]:
        return [d for d, stroke in self.paths if stroke == GRID]


def corners(text) -> list[tuple[float, float]]:
    """Of a text's box, turned as it is."""
    size, x, y = (float(text.get(name)) for name in ("font-size", "x", "y"))
    wide = letters.width(text.text, size)
    left = {"middle": -wide / 2, "end": -wide}.get(text.get("text-anchor", ""), 0.0)
    turned = re.match(r"rotate\((-?[0-9.]+)", text.get("transform", ""))
    angle = math.radians(float(turned[1])) if turned else 0.0
    box = [
        (left, 0.0),
        (left + wide, 0.0),
        (left + wide, -letters.CAPITAL * size),
        (left, -letters.CAPITAL * size),
    ]
    return [
        (x + a * math.cos(angle) - b * math.sin(angle), y + a * math.sin(angle) + b * math.cos(angle))
        for a, b in box
    ]


def overlap(one: list[tuple[float, float]], other: list[tuple[float, float]]) -> bool:
    """Whether two rectangles, however turned, have a common area (no line parts them)."""
    for shape in (one, other):
        for (ax, ay), (bx, by) in zip(shape, shape[1:] + shape[:1], strict=True):
            across = (by - ay, ax - bx)
            mine, its = ([x * across[0] + y * across[1] for x, y in box] for box in (one, other))
            if max(mine) <= min(its) + 1e-6 or max(its) <= min(mine) + 1e-6:
                return False
    return True
