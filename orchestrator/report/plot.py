# SPDX-License-Identifier: Apache-2.0
"""A chart before it is laid out: marks in the data's coordinates, two axes, a legend. Lengths are points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from orchestrator.report import style
from orchestrator.report.axis import Axis
from orchestrator.report.pen import Look


@dataclass(frozen=True)
class Key:
    """An entry of the legend: a patch (`fill`), a line (`stroke`, `dash`), a mark, or a line with a mark."""

    name: str
    fill: str = ""
    hatch: str = ""
    stroke: str = ""
    dash: str = ""
    marker: str = ""
    edge: str = ""
    size: float = 6.0
    wide: float = 1.6
    opacity: float = 1.0


@dataclass(frozen=True)
class Mark:
    """How a mark is drawn: its form (pen.py has them), size and look."""

    form: str
    size: float
    fill: str
    edge: str = ""
    wide: float = 0.6


@dataclass(frozen=True)
class Whisker:
    """How an interval is drawn. `across`: along the x axis. `cap`: half the length of the end caps."""

    colour: str
    wide: float = 1.3
    across: bool = False
    cap: float = 3.0


@dataclass(frozen=True)
class Setting:
    """The setting of a text.

    It stands above its place, or `below` it, moved by `dx` to the right and `dy` upwards, and gets room
    within the axes. `of_axes` ("x", "y" or "xy") says which of its coordinates are shares of that axis.
    """

    size: float = 8.5
    dx: float = 0.0
    dy: float = 0.0
    anchor: str = "middle"
    colour: str = style.INK
    turned: bool = False
    of_axes: str = ""
    below: bool = False


@dataclass
class Plot:
    """A chart that is being drawn.

    `scale`: of texts, marks and lines, for narrow figures. Marks are never cut; bars, lines and intervals end
    at the axes. Parts with a higher `z` are drawn later.
    """

    width: float
    height: float
    scale: float = 1.0
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    columns: int = 3  # the most columns that the legend may have
    keys: list[Key] = field(default_factory=list)
    _parts: list[tuple[int, tuple]] = field(default_factory=list)
    _values: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    _ends: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    _hatches: set[str] = field(default_factory=set)

    def bar(self, x0: float, y0: float, x1: float, y1: float, look: Look, z: int = 1) -> None:
        """Draw a rectangle between two corners."""
        self._see((x0, x1), (y0, y1))
        self._hatches.update([look.hatch] if look.hatch else [])
        self._parts.append((z, ("bar", x0, y0, x1, y1, look)))

    def line(
        self,
        points: Sequence[tuple[float, float]],
        colour: str,
        wide: float = 1.6,
        dash: str = "",
        z: int = 2,
    ) -> None:
        """Draw a line through those of the points that are finite."""
        points = [point for point in points if all(map(math.isfinite, point))]
        self._see([x for x, _ in points], [y for _, y in points])
        self._parts.append((z, ("line", points, colour, wide, dash)))

    def area(self, points: Sequence[tuple[float, float]], fill: str, opacity: float, z: int = 0) -> None:
        """Fill a polygon."""
        self._see([x for x, _ in points], [y for _, y in points])
        self._parts.append((z, ("area", points, fill, opacity)))

    def mark(self, x: float, y: float, mark: Mark, z: int = 4) -> None:
        """Draw a mark, if its place is finite."""
        if math.isfinite(x) and math.isfinite(y):
            self._see((x,), (y,))
            look = Look(mark.fill, edge=mark.edge, wide=mark.wide)
            self._parts.append((z, ("mark", x, y, mark.form, mark.size, look)))

    def interval(self, x: float, y: float, low: float, high: float, whisker: Whisker) -> None:
        """Draw the interval of a value at (x, y), with caps at the ends that are within the axes."""
        if math.isfinite(low) and math.isfinite(high):
            self._ends[0 if whisker.across else 1].extend((low, high))
            self._parts.append((3, ("interval", x, y, low, high, whisker)))

    def text(self, x: float, y: float, text: str, setting: Setting) -> None:
        """Write a text at a place."""
        self._parts.append((5, ("text", x, y, text, setting)))

    def across(self, y: float, colour: str, wide: float, dash: str = "") -> None:
        """Draw a line from side to side."""
        self._values[1].append(y)
        self._parts.append((0, ("across", y, colour, wide, dash)))

    def upright(self, x: float, colour: str, wide: float = 1.0, dash: str = "") -> None:
        """Draw a line from bottom to top."""
        self._values[0].append(x)
        self._parts.append((0, ("upright", x, colour, wide, dash)))

    def _see(self, xs: Sequence[float], ys: Sequence[float]) -> None:
        self._values[0].extend(xs)
        self._values[1].extend(ys)

    def settle(self) -> None:
        """Fit the axes to everything that was drawn."""
        self.x.settle(self._values[0], self._ends[0])
        self.y.settle(self._values[1], self._ends[1])
