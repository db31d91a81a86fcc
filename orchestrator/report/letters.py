# SPDX-License-Identifier: Apache-2.0
"""The width of texts in figures, from a table of DejaVu Sans's advance widths; no font is opened.

DejaVu Sans (and Verdana, which is as wide) is the widest of the fonts that our figures ask for, so a text
that fits by this measure fits in each of them.
"""

from __future__ import annotations

import unicodedata

EM = 2048  # units of the table, as in the font's file
LINE = 1.2  # distance of two lines, in sizes of the text
CAPITAL = 0.73  # height of a capital, in sizes of the text
_ASCII = (
    651, 821, 942, 1716, 1303, 1946, 1597, 563, 799, 799, 1024, 1716, 651, 739, 651, 690, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303,  # noqa: E501
    1303, 1303, 690, 690, 1716, 1716, 1716, 1087, 2048, 1401, 1405, 1430, 1577, 1294, 1178, 1587, 1540, 604, 604, 1343, 1141, 1767, 1532,  # noqa: E501
    1612, 1235, 1612, 1423, 1300, 1251, 1499, 1401, 2025, 1403, 1251, 1403, 799, 690, 799, 1716, 1024, 1024, 1255, 1300, 1126, 1300, 1260,  # noqa: E501
    721, 1300, 1298, 569, 569, 1186, 569, 1995, 1298, 1253, 1300, 1300, 842, 1067, 803, 1298, 1212, 1675, 1212, 1212, 1075, 1303, 690,  # noqa: E501
    1303, 1716)  # fmt: skip
_OTHERS = {
    "\u2212": 1716,
    "\u00b1": 1716,
    "\u00d7": 1716,
    "\u2013": 1024,
    "\u2026": 2048,
    "\u202f": 409,
    "\u00a0": 651,
    "\u2019": 651,
}
_LETTER = 1300  # of most scripts with an alphabet


def width(text: str, size: float) -> float:
    """Return the width of a text's longest line, in the unit of `size`, the size of the text."""
    return max(sum(map(_advance, line)) for line in text.split("\n")) * size / EM


def _advance(char: str) -> int:
    if " " <= char <= "~":
        return _ASCII[ord(char) - 32]
    if char in _OTHERS:
        return _OTHERS[char]
    if unicodedata.combining(char):
        return 0
    if unicodedata.east_asian_width(char) in "WF":
        return EM
    plain = unicodedata.normalize("NFD", char)[0]
    return _LETTER if plain == char else _advance(plain)


def shortened(text: str, size: float, room: float) -> str:
    """Return a text, shortened with an ellipsis if it is wider than `room`."""
    if width(text, size) <= room:
        return text
    while text and width(text + "…", size) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def wrapped(text: str, size: float, room: float) -> list[str]:
    """Break a text into lines no wider than `room`, unless a single word is wider."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and width(longer, size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
