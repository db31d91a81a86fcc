# SPDX-License-Identifier: Apache-2.0
"""The elements of a picture, as values with SVG's names, written as SVG here.

On Matplotlib, report/painted.py paints them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape


class Steps(tuple):
    """A path's: (letter, its numbers as they are written) each; M, L, Q, Z absolute, v and h relative."""

    def __str__(self) -> str:
        return "".join([letter + " ".join(numbers) for letter, *numbers in self])

    def __add__(self, other: Steps) -> Steps:
        return Steps((*self, *other))


class Element(NamedTuple):
    """`inside`: elements, or a text."""

    tag: str
    attributes: dict[str, object]
    inside: tuple[Element, ...] | str | None = None

    def svg(self) -> str:
        """Return the SVG text of an element.

        The same element gives the same text; whatever a text is, it is escaped.
        """
        head = self.tag + "".join([f' {name}="{value}"' for name, value in self.attributes.items()])
        if self.inside is None:
            return f"<{head}/>"
        if isinstance(self.inside, str):
            return f"<{head}>{escape(self.inside)}</{self.tag}>"
        return "\n".join([f"<{head}>", *(element.svg() for element in self.inside), f"</{self.tag}>"])


class Picture(NamedTuple):
    """`attributes`: those of its <svg>; `before`: what stands in front of the elements in a file only."""

    width: float
    height: float
    attributes: dict[str, object]
    elements: tuple[Element, ...]
    prologue: str = ""
    before: tuple[str, ...] = ()

    def svg(self, inches: float | None = None) -> str:
        """As wide as it is, or scaled to a width."""
        size = (
            {}
            if inches is None
            else {"width": f"{inches:.4f}in", "height": f"{inches * self.height / self.width:.4f}in"}
        )
        look = {"xmlns": "http://www.w3.org/2000/svg", **self.attributes, **size}
        head = "<svg" + "".join(f' {name}="{value}"' for name, value in look.items()) + ">"
        return (
            "\n".join(
                [self.prologue + head, *self.before, *(element.svg() for element in self.elements), "</svg>"]
            )
            + "\n"
        )


def printable(text: str) -> str:
    """Without the characters that XML can't hold."""
    return (
        text
        if text.isprintable()
        else "".join([char if char.isprintable() or char in "\u202f\u00a0" else " " for char in text])
    )


_PLAIN = frozenset({"fill", "stroke", "rx", "transform"})


def _look(look: dict[str, object]) -> dict[str, object]:
    return {
        name if name in _PLAIN else name.replace("_", "-"): value
        for name, value in look.items()
        if value is not None
    }


def steps(*parts: Sequence) -> Steps:
    """Of (letter, numbers...): coordinates in pixels, to a tenth."""
    return Steps([(letter, *[f"{number:.1f}" for number in numbers]) for letter, *numbers in parts])


def path(d: Steps, **look: object) -> Element:
    """Make a path."""
    return Element("path", {"d": d} | _look(look))


def line(x1: float, y1: float, x2: float, y2: float, **look: object) -> Element:
    """Make a straight line."""
    return Element(
        "line", {"x1": f"{x1:.1f}", "y1": f"{y1:.1f}", "x2": f"{x2:.1f}", "y2": f"{y2:.1f}"} | _look(look)
    )


def circle(x: float, y: float, radius: float, **look: object) -> Element:
    """Make a circle."""
    return Element("circle", {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": f"{radius:.1f}"} | _look(look))


def rect(x: float, y: float, wide: float, high: float, **look: object) -> Element:
    """Make a rectangle."""
    return Element(
        "rect",
        {"x": f"{x:.1f}", "y": f"{y:.1f}", "width": f"{wide:.1f}", "height": f"{high:.1f}"} | _look(look),
    )


def polygon(corners: Iterable[tuple[float, float]], **look: object) -> Element:
    """Make a closed polygon."""
    return Element("polygon", {"points": " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)} | _look(look))


def text(x: float, y: float, content: str, **look: object) -> Element:
    """Make a line of text."""
    return Element("text", {"x": f"{x:.1f}", "y": f"{y:.1f}"} | _look(look), printable(content))


def title(content: str) -> Element:
    """Make a tooltip for the group in which it stands."""
    return Element("title", {}, printable(content))


def group(inside: Iterable[Element], **look: object) -> Element:
    """Make a group of elements."""
    return Element("g", _look(look), tuple(inside))
