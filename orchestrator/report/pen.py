# SPDX-License-Identifier: Apache-2.0
"""What a picture is made of, as SVG elements: rectangles with hatches, paths, texts, marks. Lengths are points, 1/72 inch."""

from __future__ import annotations

from xml.sax.saxutils import escape

from orchestrator.report import style

_T = 0.38  # half of a plus sign's or a cross's arm
_PLUS = ((-_T, -1), (_T, -1), (_T, -_T), (1, -_T), (1, _T), (_T, _T), (_T, 1), (-_T, 1), (-_T, _T), (-1, _T), (-1, -_T), (-_T, -_T))
_CORNERS = {
    "^": ((0, -1.1), (1.1, 0.95), (-1.1, 0.95)), "v": ((0, 1.1), (1.1, -0.95), (-1.1, -0.95)), ">": ((1.1, 0), (-0.95, 1.1), (-0.95, -1.1)),
    "D": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)), "P": _PLUS,
    "X": tuple(((x - y) * 0.75, (x + y) * 0.75) for x, y in _PLUS),
}  # fmt: skip
# Name of a pattern, its tile's side, and what is drawn in it.
HATCHES = {
    "////": ("hatch-up", 5, "M-1 1L1 -1M0 5L5 0M4 6L6 4"), "\\\\\\\\": ("hatch-down", 5, "M-1 4L1 6M0 0L5 5M4 -1L6 1"),
    "xxxx": ("hatch-cross", 5, "M0 0L5 5M0 5L5 0"), "++": ("hatch-plus", 6, "M3 0L3 6M0 3L6 3"),
    "....": ("hatch-dots", 4, "M1.4 2L2.6 2"),
}  # fmt: skip


def short(value: float) -> str:
    """A coordinate with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def pattern(hatch: str, scale: float) -> str:
    name, side, d = HATCHES[hatch]
    wide = 1.2 if name == "hatch-dots" else 0.9
    return (f'<pattern id="{name}" patternUnits="userSpaceOnUse" width="{side}" height="{side}" patternTransform="scale({scale:g})">'
            f'<path d="{d}" fill="none" stroke="#ffffff" stroke-width="{wide}"/></pattern>')


class Pen:
    """Writes elements to `out`. `scale`: of lines, dashes and marks; places and the size of texts are as given."""

    def __init__(self, scale: float):
        self.scale = scale
        self.out: list[str] = []

    def rect(self, x, y, wide, high, fill, hatch="", edge="", line=1.0, dash="", opacity=1.0) -> None:
        place = f'x="{short(x)}" y="{short(y)}" width="{short(wide)}" height="{short(high)}"'
        look = f'fill="{fill or "none"}"' + (f' fill-opacity="{opacity:g}"' if opacity < 1 else "")
        self.out.append(f"<rect {place} {look}{self._stroke(edge, line, dash) if edge else ''}/>")
        if hatch:
            self.out.append(f'<rect {place} fill="url(#{HATCHES[hatch][0]})"/>')

    def path(self, d: str, colour: str, wide: float, dash: str = "") -> None:
        self.out.append(f'<path d="{d}" fill="none"{self._stroke(colour, wide, dash)}/>')

    def _stroke(self, colour: str, wide: float, dash: str = "") -> str:
        dashes = " ".join(short(float(part) * wide * self.scale) for part in dash.split())
        return f' stroke="{colour}" stroke-width="{short(wide * self.scale)}"' + (f' stroke-dasharray="{dashes}"' if dash else "")

    def text(self, x, y, text, size, anchor, colour=style.INK, turn=0) -> None:
        turned = f' transform="rotate({turn} {short(x)} {short(y)})"' if turn else ""
        where = f' text-anchor="{anchor}"' if anchor != "start" else ""
        if text.strip():
            self.out.append(f'<text x="{short(x)}" y="{short(y)}" font-size="{short(size)}" fill="{colour}"{where}{turned}>{escape(text)}</text>')

    def mark(self, x, y, marker, size, fill, edge="", wide=0.6) -> None:
        r = size * self.scale / 2
        look = f'fill="{fill or "none"}"' + (self._stroke(edge, wide) if edge else "")
        if marker == "o":
            self.out.append(f'<circle cx="{short(x)}" cy="{short(y)}" r="{short(r)}" {look}/>')
        elif marker == "s":
            self.out.append(f'<rect x="{short(x - r)}" y="{short(y - r)}" width="{short(2 * r)}" height="{short(2 * r)}" {look}/>')
        elif marker == "|":
            self.path(f"M{short(x)} {short(y - r)}L{short(x)} {short(y + r)}", fill, wide)
        else:
            corners = " ".join(f"{short(x + dx * r)},{short(y + dy * r)}" for dx, dy in _CORNERS[marker])
            self.out.append(f'<polygon points="{corners}" {look}/>')
