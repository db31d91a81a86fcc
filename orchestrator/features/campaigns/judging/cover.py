# SPDX-License-Identifier: Apache-2.0
"""The smallest set of cells that shows all red findings: a set cover, weighted by simulation time.

To find the least one is NP-hard (R. M. Karp, Reducibility among combinatorial problems, 1972). This is the
greedy choice, which takes the cell that shows most per second first (V. Chvatal, A greedy heuristic for the
set-covering problem, 1979); cells that the later ones made superfluous are then left out. So no cell of it
can be left out, but there may be a cheaper set.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Set
from dataclasses import dataclass


@dataclass(frozen=True)
class Shows:
    """A cell of the set, EXPERIMENT/CELL, and the number of red findings that it shows.

    `seconds`: the time to simulate it with all its seeds.
    """

    place: str
    seconds: float
    covers: int


def smallest(covers: Mapping[str, Set[Hashable]], seconds: Mapping[str, float]) -> list[Shows]:
    """Return a set of cells that together show all that any of them shows, in the order of the mapping."""
    left = set().union(*covers.values())
    chosen: list[str] = []
    while left:
        best = max(covers, key=lambda place: _worth(len(covers[place] & left), seconds[place]))
        chosen.append(best)
        left -= covers[best]
    for place in sorted(chosen, key=lambda place: -seconds[place]):
        others = set().union(*(covers[other] for other in chosen if other != place))
        if covers[place] <= others:
            chosen.remove(place)
    return [Shows(place, seconds[place], len(covers[place])) for place in covers if place in chosen]


def _worth(visible: int, seconds: float) -> tuple[float, int]:
    if not visible:
        return (-1.0, 0)
    return (visible / seconds if seconds > 0 else float("inf"), visible)
