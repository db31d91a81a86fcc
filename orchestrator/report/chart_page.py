# SPDX-License-Identifier: Apache-2.0
"""Lays out a chart as a picture: the legend above, the data, the axes and their names around them.

This takes arithmetic only. Matplotlib took a third of a second for each figure, most of it to lay out each
label three times. Lengths are points, 1/72 inch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from orchestrator.pictures.elements import Element, Picture, Steps, printable
from orchestrator.report import letters, style
from orchestrator.report.axis import LOGARITHMIC
from orchestrator.report.pen import Look, Pen, pattern, short, stroke
from orchestrator.report.plot import Key, Plot, Setting, Whisker

Point = tuple[float, float]

FONTS = "DejaVu Sans, Verdana, Liberation Sans, Helvetica, Arial, sans-serif"
LABEL, TICK, LEGEND = 10.0, 9.5, 9.0  # sizes of text
_GAP = 5.0  # the least between two names on an axis
_PAD = 4.0  # around the picture
_TURNED = {45: 1.75, 90: 1.2}  # the least distance of names turned by so many degrees, in sizes of the text


def picture(plot: Plot) -> Picture:
    """Lay out a chart."""
    plot.settle()
    return _ChartPage(plot).picture()


def places(plot: Plot, points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the places of data points in the picture, as shares of its width and height."""
    plot.settle()
    page = _ChartPage(plot)
    return [(page.px(x) / plot.width, page.py(y) / plot.height) for x, y in points]


class _ChartPage:
    """The layout of a chart: the legend first, then the names on the axes; the data gets the rest."""

    def __init__(self, plot: Plot):
        self.plot, self.s = plot, plot.scale
        self.pen = Pen(plot.scale)
        top = _PAD * self.s + self._legend()
        self._label = LABEL * self.s * letters.LINE
        self._tick = TICK * self.s
        self.top = top + self._tick * 0.5
        self.x_label: list[str] = []
        self._margins()
        self._head_room()

    def px(self, value: float) -> float:
        """Return where a value of the x axis is in the picture."""
        return self.left + (self.right - self.left) * self.plot.x.share(value)

    def py(self, value: float) -> float:
        """Return where a value of the y axis is in the picture."""
        return self.bottom - (self.bottom - self.top) * self.plot.y.share(value)

    def _margins(self) -> None:
        plot, s = self.plot, self.s
        guess = plot.height - self.top - 3.2 * self._tick - self._label
        most = max(2, int(guess / (self._tick * 2.6)))
        self.y_ticks = [
            (value, letters.shortened(printable(name), self._tick, plot.width * 0.45))
            for value, name in plot.y.named(most)
        ]
        self.y_label = (
            letters.wrapped(printable(plot.y.label), LABEL * s, max(guess, 20.0)) if plot.y.label else []
        )
        widest = max((letters.width(name, self._tick) for _, name in self.y_ticks), default=0.0)
        self.left = _PAD * s + len(self.y_label) * self._label + widest + 6 * s
        self.right = plot.width - 2 * _PAD * s
        named = plot.x.named(
            max(2, int((self.right - self.left) / (4 * self._tick))), lambda ticks: self._fit(ticks, 0)
        )
        names = [
            (value, letters.shortened(printable(name), self._tick, plot.height * 0.42))
            for value, name in named
        ]
        self.x_ticks, self.x_turn = self._thinned(names)
        ends = (self.px(value) + letters.width(name, self._tick) / 2 for value, name in self.x_ticks)
        last = max(ends, default=0.0) if not self.x_turn else 0.0
        self.right -= max(0.0, last - (plot.width - _PAD * s / 2))
        self.names_high = self._names_high()
        room = (plot.width if plot.x.at_end else self.right - self.left) - 2 * _PAD * s
        self.x_label = letters.wrapped(printable(plot.x.label), LABEL * s, room) if plot.x.label else []
        bottom = plot.height - _PAD * s - len(self.x_label) * self._label - self.names_high - 4 * s
        self.bottom = max(bottom, self.top + 20.0)

    def _names_high(self) -> float:
        """Return how high the names on the x axis are, turned as they are."""
        if not self.x_ticks:
            return 0.0
        longest = max(letters.width(name, self._tick) for _, name in self.x_ticks)
        turned = {
            0: self._tick * letters.LINE,
            45: longest * 0.71 + self._tick,
            90: longest + 0.2 * self._tick,
        }
        return turned[self.x_turn]

    def _fit(self, ticks: list[tuple[float, str]], turn: int) -> bool:
        places = [(self.px(value), letters.width(name, self._tick)) for value, name in sorted(ticks)]
        pairs = list(zip(places, places[1:], strict=False))
        if turn:
            near = _TURNED[turn] * self._tick
            return all(abs(b - a) >= near for (a, _), (b, _) in pairs)
        return all(abs(b - a) >= (wide + other) / 2 + _GAP * self.s for (a, wide), (b, other) in pairs)

    def _thinned(self, ticks: list[tuple[float, str]]) -> tuple[list[tuple[float, str]], int]:
        """Return the names that fit and by how many degrees they are turned.

        These are all names if they fit, turned if need be and allowed; else every 2nd, 5th, 10th ... of them.
        """
        steps = [
            1,
            *(digit * 10**power for power in range(5) for digit in (1, 2, 5) if digit * 10**power > 1),
        ]
        for step in steps:
            some = ticks[::step]
            if self._fit(some, 0):
                return some, 0
            if self.plot.x.turned:
                for turn in (45, 90):
                    if self._fit(some, turn):
                        return some, turn
        return ticks[:1], 0

    def _head_room(self) -> None:
        """Raise the upper end of the y axis so that texts above marks lie below it."""
        y, high = self.plot.y, self.bottom - self.top
        if y.kind == LOGARITHMIC or y.low > y.high:
            return
        for _, part in self.plot._parts:
            if part[0] != "text":
                continue
            _, _, at, text, how = part
            if "y" in how.of_axes or how.below or how.turned:
                continue
            needs = (how.dy + how.size * letters.LINE * (text.count("\n") + 1)) * self.s
            if needs < high * 0.8 and y.share(at) * high + needs > high:
                y.high = y.low + (at - y.low) * high / (high - needs)

    def _legend(self) -> float:
        """Draw the legend and return its height."""
        keys, s = self.plot.keys, self.s
        if not keys:
            return 0.0
        size, handle, between = LEGEND * s, 18.0 * s, 13.0 * s
        most = self.plot.width - 2 * _PAD * s
        names = [letters.shortened(printable(key.name), size, most - handle - 6 * s) for key in keys]
        wide = [handle + 6 * s + letters.width(name, size) for name in names]
        for columns in range(min(self.plot.columns, len(keys)), 0, -1):
            # Entries follow each other in rows; a column is as wide as its widest entry.
            widths = [max(wide[place::columns]) for place in range(columns)]
            if sum(widths) + between * (columns - 1) <= most:
                break
        row = size * 1.45
        left = (self.plot.width - sum(widths) - between * (columns - 1)) / 2
        for place, (key, name) in enumerate(zip(keys, names, strict=True)):
            x = left + sum(widths[: place % columns]) + between * (place % columns)
            y = _PAD * s + row * (place // columns) + row / 2
            self._handle(key, x, y, handle)
            self.pen.text(x + handle + 6 * s, y + size * letters.CAPITAL / 2, name, size, "start")
        return row * math.ceil(len(keys) / columns) + 3 * s

    def _handle(self, key: Key, x: float, y: float, wide: float) -> None:
        s = self.s
        if key.hatch:
            self.plot._hatches.add(key.hatch)
        if key.fill and not key.marker or key.edge and not key.marker:
            self.pen.rect(
                x, y - 4 * s, wide, 8 * s, Look(key.fill, key.hatch, key.edge, 1.0, key.dash, key.opacity)
            )
            return
        if key.stroke:
            self.pen.path(stroke((x, y), (x + wide, y)), key.stroke, key.wide, key.dash)
        if key.marker:
            self.pen.mark(x + wide / 2, y, key.marker, key.size, Look(key.fill, edge=key.edge, wide=0.8))

    def picture(self) -> Picture:
        """Draw everything but the legend, and return the picture."""
        self._grid()
        for _, part in sorted(self.plot._parts, key=lambda entry: entry[0]):
            getattr(self, "_draw_" + part[0])(*part[1:])
        self._axes()
        wide, high = short(self.plot.width), short(self.plot.height)
        ground = Element("rect", {"x": "0", "y": "0", "width": wide, "height": high, "fill": "#ffffff"})
        return Picture(
            float(wide),
            float(high),
            {
                "width": f"{wide}pt",
                "height": f"{high}pt",
                "viewBox": f"0 0 {wide} {high}",
                "font-family": FONTS,
            },
            (ground, *self.pen.out),
            '<?xml version="1.0" encoding="utf-8"?>\n',
            tuple(pattern(hatch, self.s) for hatch in sorted(self.plot._hatches)),
        )

    def _grid(self) -> None:
        for axis, ticks in ((self.plot.y, self.y_ticks), (self.plot.x, self.x_ticks)):
            if axis.grid:
                lines = sum(
                    (self._level(at) if axis is self.plot.y else self._upright(at) for at, _ in ticks),
                    Steps(),
                )
                if lines:
                    self.pen.path(lines, style.GRID, 0.8)

    def _axes(self) -> None:
        s = self.s
        self.pen.path(
            stroke((self.left, self.top), (self.left, self.bottom), (self.right, self.bottom)), style.INK, 0.9
        )
        for value, name in self.y_ticks:
            self.pen.text(
                self.left - 4 * s, self.py(value) + self._tick * letters.CAPITAL / 2, name, self._tick, "end"
            )
        for value, name in self.x_ticks:
            self._x_tick(self.px(value), name)
        self._labels()

    def _x_tick(self, x: float, name: str) -> None:
        s, size = self.s, self._tick
        if self.x_turn == 0:
            self.pen.text(x, self.bottom + 3 * s + size * 0.85, name, size, "middle")
        elif self.x_turn == 45:
            self.pen.text(x + 0.3 * size, self.bottom + 3 * s + 0.6 * size, name, size, "end", turn=-45)
        else:
            self.pen.text(x + size * letters.CAPITAL / 2, self.bottom + 4 * s, name, size, "end", turn=-90)

    def _labels(self) -> None:
        s, plot = self.s, self.plot
        size, y = LABEL * s, self.bottom + 3 * s + self.names_high + LABEL * s
        for line in self.x_label:
            if plot.x.at_end:
                self.pen.text(max(self.right, letters.width(line, size) + _PAD * s), y, line, size, "end")
            else:
                self.pen.text((self.left + self.right) / 2, y, line, size, "middle")
            y += self._label
        for place, line in enumerate(self.y_label):
            self.pen.text(
                _PAD * s + size * 0.85 + place * self._label,
                (self.top + self.bottom) / 2,
                line,
                size,
                "middle",
                turn=-90,
            )

    def _draw_bar(self, x0: float, y0: float, x1: float, y1: float, look: Look) -> None:
        xs, ys = sorted((self._in_x(x0), self._in_x(x1))), sorted((self._in_y(y0), self._in_y(y1)))
        if xs[0] == xs[1] and not look.edge:
            return
        self.pen.rect(xs[0], ys[0], xs[1] - xs[0], ys[1] - ys[0], look)

    def _draw_line(self, points: Sequence[Point], colour: str, wide: float, dash: str) -> None:
        pieces = Steps()
        end = None
        for first, other in zip(points, points[1:], strict=False):
            cut = _clipped(
                (self.px(first[0]), self.py(first[1])),
                (self.px(other[0]), self.py(other[1])),
                (self.left, self.top, self.right, self.bottom),
            )
            if cut is None:
                continue
            pieces += stroke(*cut)[1 if end == cut[0] else 0 :]
            end = cut[1]
        if pieces:
            self.pen.path(pieces, colour, wide, dash)

    def _draw_area(self, points: Sequence[Point], fill: str, opacity: float) -> None:
        self.pen.area(stroke(*((self._in_x(x), self._in_y(y)) for x, y in points)), fill, opacity)

    def _draw_mark(self, x: float, y: float, form: str, size: float, look: Look) -> None:
        self.pen.mark(self.px(x), self.py(y), form, size, look)

    def _draw_interval(self, x: float, y: float, low: float, high: float, whisker: Whisker) -> None:
        across = whisker.across
        axis = self.plot.x if across else self.plot.y
        ends = []
        for value in (low, high):
            share = axis.share(value)
            ends.append((value, -1e-9 <= share <= 1 + 1e-9))
        a, b = (self._in_x(low), self._in_x(high)) if across else (self._in_y(low), self._in_y(high))
        at, half = (self.py(y) if across else self.px(x)), whisker.cap * self.s
        d = stroke((a, at), (b, at)) if across else stroke((at, a), (at, b))
        for end, (_, inside) in zip((a, b), ends, strict=True):
            if inside and low != high:
                d += (
                    stroke((end, at - half), (end, at + half))
                    if across
                    else stroke((at - half, end), (at + half, end))
                )
        self.pen.path(d, whisker.colour, whisker.wide)

    def _draw_text(self, x: float, y: float, text: str, how: Setting) -> None:
        size = how.size * self.s
        left = self.left + (self.right - self.left) * x if "x" in how.of_axes else self.px(x)
        left += how.dx * self.s
        base = self.bottom - (self.bottom - self.top) * y if "y" in how.of_axes else self.py(y)
        base -= how.dy * self.s
        lines = [printable(line) for line in text.split("\n")]
        wide = letters.width("\n".join(lines), size)
        if not how.turned:  # move it into the picture, wherever its place is
            before = {"middle": wide / 2, "start": 0.0, "end": wide}[how.anchor]
            left = min(max(left, before + 1), max(self.plot.width - 1 - (wide - before), before + 1))
        above = (len(lines) - 1) * size * letters.LINE + 0.15 * size * (not how.turned)
        base += size * 0.85 if how.below else -above
        for place, line in enumerate(lines):
            if how.turned:
                self.pen.text(
                    left + size * letters.CAPITAL / 2, base - 2 * self.s, line, size, "start", how.colour, -90
                )
            else:
                self.pen.text(left, base + place * size * letters.LINE, line, size, how.anchor, how.colour)

    def _draw_across(self, y: float, colour: str, wide: float, dash: str) -> None:
        self.pen.path(self._level(y), colour, wide, dash)

    def _draw_upright(self, x: float, colour: str, wide: float, dash: str) -> None:
        self.pen.path(self._upright(x), colour, wide, dash)

    def _level(self, y: float) -> Steps:
        return stroke((self.left, self.py(y)), (self.right, self.py(y)))

    def _upright(self, x: float) -> Steps:
        return stroke((self.px(x), self.top), (self.px(x), self.bottom))

    def _in_x(self, value: float) -> float:
        return min(max(self.px(value), self.left), self.right)

    def _in_y(self, value: float) -> float:
        return min(max(self.py(value), self.top), self.bottom)


def _clipped(
    first: Point, other: Point, box: tuple[float, float, float, float]
) -> tuple[Point, Point] | None:
    """Return the part of a line within a box, None if there is none (Liang and Barsky, 1984)."""
    (x, y), dx, dy = first, other[0] - first[0], other[1] - first[1]
    start, end = 0.0, 1.0
    for step, room in ((-dx, x - box[0]), (dx, box[2] - x), (-dy, y - box[1]), (dy, box[3] - y)):
        if step == 0:
            if room < -1e-6:
                return None
        elif step < 0:
            start = max(start, room / step)
        else:
            end = min(end, room / step)
    return ((x + start * dx, y + start * dy), (x + end * dx, y + end * dy)) if start <= end else None
