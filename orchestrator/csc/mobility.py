# SPDX-License-Identifier: Apache-2.0
"""The positions file of Cooja's Mobility plugin: `mote-index seconds x y` a line, others empty or with #."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from orchestrator.csc.faults import Faults
from orchestrator.csc.model import Move
from orchestrator.csc.values import INT_MAX, LONG_MAX, decimal_value
from orchestrator.errors import Unsupported

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_BYTES = 256 << 20
_MOST_US = 2**53
_NEIGHBOURS = 8


def read(text: str, faults: Faults, element: _Element) -> tuple[Move, ...]:
    """Return the moves in the file's order; what is wrong goes to `faults`, with its line there."""
    moves: list[Move] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.rstrip("\r").split(" ")
        values = [decimal_value(word) for word in words[1:4]]
        place = int(words[0]) if words[0].isascii() and words[0].isdigit() and len(words[0]) < 11 else -1
        if len(words) < 4 or place < 0 or place > INT_MAX or None in values:
            faults.faulty(
                element,
                f"positions: line {number}, {line[:60]!r}, is not `mote-index seconds x y`",
                "separate four numbers by one space each",
            )
            continue
        time_us = _us(values[0])
        if abs(time_us) > _MOST_US:
            faults.faulty(
                element,
                f"positions: line {number}, {words[1][:40]} s",
                f"choose a time below {LONG_MAX >> 10} us",
            )
            continue
        moves.append(Move(place, int(time_us), values[1], values[2]))
    if not moves:
        faults.faulty(element, "positions: the file has no moves", "add lines of `mote-index seconds x y`")
    elif max(move.time_us for move in moves) <= 0:
        faults.faulty(
            element,
            "positions: all moves are at the time 0, and the file begins again at its end",
            "give the last one a later time",
        )
    return tuple(moves)


def write(moves: tuple[Move, ...]) -> bytes:
    """Return the file whose moves these are, in their order."""
    lines = (
        f"{move.place} {_seconds(move.time_us)!r} {float(move.x)!r} {float(move.y)!r}\n" for move in moves
    )
    return "".join(lines).encode("ascii")


def _us(seconds: float) -> float:
    """Return the time by Cooja's arithmetic, which takes the whole part."""
    return seconds * 1000.0 * 1000


def _seconds(time_us: int) -> float:
    """Return a number that is read as that time again.

    Because division and two products round, it may be a little less or more.
    """
    nearest = above = below = time_us / 1e6
    for _ in range(_NEIGHBOURS):
        for seconds in (above, below):
            if int(_us(seconds)) == time_us:
                return seconds
        above, below = math.nextafter(above, math.inf), math.nextafter(below, -math.inf)
    raise Unsupported(
        f"positions: {time_us} us is not an exact number of seconds (about {nearest:g} s); choose another"
    )
