# SPDX-License-Identifier: Apache-2.0
"""The links of a surveyed .csc, according to its radio medium at full power and without interference."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from orchestrator.csc import classes
from orchestrator.csc.model import FARTHEST, Udgm
from orchestrator.csc.survey import SeenMote, Survey

_DEFAULTS = Udgm()


@dataclass(frozen=True)
class Ranges:
    """The reach of motes: ranges in metres; `interference` is None if the medium has none.

    Ratios 0..1: of sending, and at the range's edge.
    """

    transmitting: float
    interference: float | None
    tx: float
    rx: float
    constant: bool  # the ratio holds everywhere in the range

    def ratio(self, distance: float) -> float:
        """Return the share of frames that arrive over a distance in range."""
        share = 1.0 if not self.transmitting else (distance / self.transmitting) ** 2
        return self.tx * (self.rx if self.constant else 1 - share * (1 - self.rx))


def ranges(survey: Survey) -> Ranges | None:
    """Return the ranges of a unit disk medium; for logistic loss, whose reception is drawn, the range alone.

    None for other media.
    """
    if survey.medium not in (classes.UDGM, classes.UDGM_CONSTANT_LOSS, classes.LOGISTIC_LOSS):
        return None

    def value(name: str, default: float) -> float:
        text = survey.values.get(name, default)
        return min(text, FARTHEST) if isinstance(text, float) and text >= 0 else default

    logistic = survey.medium == classes.LOGISTIC_LOSS
    return Ranges(
        value("transmitting_range", _DEFAULTS.transmitting_range),
        None if logistic else value("interference_range", _DEFAULTS.interference_range),
        value("success_ratio_tx", 1.0),
        1.0 if logistic else value("success_ratio_rx", 1.0),
        survey.medium == classes.UDGM_CONSTANT_LOSS,
    )


def links(survey: Survey) -> dict[tuple[int, int], float]:
    """(from, to) -> ratio of reception, by places in `survey.motes`, for both directions of a link."""
    reach = ranges(survey)
    if reach is not None:
        return _in_range(survey.motes, reach)
    if survey.medium != classes.DIRECTED_GRAPH:
        return {}
    places: dict = {}
    for place, mote in enumerate(survey.motes):
        places.setdefault(mote.id, place)
    ratios: dict[tuple[int, int], float] = {}
    for edge in survey.edges:
        if edge.source in places and edge.destination in places:
            ratio = edge.values.get("ratio", 1.0)
            ratios.setdefault(
                (places[edge.source], places[edge.destination]), ratio if isinstance(ratio, float) else 1.0
            )
    return ratios


def _in_range(motes: tuple[SeenMote, ...], reach_m: Ranges) -> dict[tuple[int, int], float]:
    """Find links by squares as wide as the range, so that the time grows with the number of links."""
    reach = reach_m.transmitting
    if reach <= 0:
        return {}
    squares: dict[tuple[int, int], list[int]] = defaultdict(list)
    placed = [place for place, mote in enumerate(motes) if mote.placed]
    for place in placed:
        squares[math.floor(motes[place].x / reach), math.floor(motes[place].y / reach)].append(place)
    ratios = {}
    for place in placed:
        mote = motes[place]
        column, row = math.floor(mote.x / reach), math.floor(mote.y / reach)
        for other in sorted(
            other
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
            for other in squares.get((column + dx, row + dy), ())
        ):
            away = math.dist((mote.x, mote.y, mote.z), (motes[other].x, motes[other].y, motes[other].z))
            if other != place and away <= reach:
                ratios[place, other] = reach_m.ratio(away)
    return ratios


def islands(count: int, ratios: dict[tuple[int, int], float]) -> int:
    """Into how many parts the motes fall, a link counting in both directions."""
    parent = list(range(count))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for (first, other), ratio in ratios.items():
        if ratio > 0:
            parent[root(first)] = root(other)
    return sum(1 for node in range(count) if root(node) == node)
