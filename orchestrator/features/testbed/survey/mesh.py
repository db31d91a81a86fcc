# SPDX-License-Identifier: Apache-2.0
"""Finds the transmit power that makes a mesh whose links have a wanted length.

The event service thesis (section 2.2) found by trial that the second lowest power of a TelosB reaches 8 to 10
inches.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.features.testbed.survey.measure import MeasuredLink, Power, Survey

CARRIES = 0.5  # a pair is linked if each direction carries at least this share of the frames
MOST_WRONG = (
    0.1  # of the pairs: a mesh of the wanted length may have so many that are linked, or not, against it
)

Places = Mapping[int, tuple[float, float]]  # by mote id, m


@dataclass(frozen=True)
class Wanted:
    """The wanted length of links, m: pairs from `low` to `high` are to be linked, longer ones not."""

    low: float
    high: float

    def possible(self, places: Places) -> bool:
        """Return whether any two motes stand so far from each other."""
        return any(
            self.low <= math.dist(places[a], places[b]) <= self.high for a in places for b in places if a < b
        )


@dataclass(frozen=True)
class Step:
    """The result for one power.

    `reach`: the length that best separates linked pairs from the others, m (infinite: all pairs are linked).
    `too_short`, `too_long`: of the pairs that contradict what is wanted, those that lack a link, and those
    that have one.
    """

    power: Power
    pairs: int
    linked: int
    reach: float
    longest: float  # of the linked pairs, m; 0: none is
    parts: int  # of the network; 1: it is connected
    too_short: int | None = None
    too_long: int | None = None

    @property
    def wrong(self) -> int | None:
        """The number of pairs that contradict what is wanted; None if nothing is wanted."""
        return None if self.too_short is None or self.too_long is None else self.too_short + self.too_long

    @property
    def fits(self) -> bool:
        """Whether the power makes the wanted mesh."""
        return self.wrong is not None and self.parts == 1 and self.wrong <= MOST_WRONG * self.pairs


def steps(survey: Survey, places: Places, wanted: Wanted | None) -> list[Step]:
    """Return the result for each power, from the highest to the lowest."""
    return [_step(power, survey.at(power), places, wanted) for power in survey.powers]


def best(steps: list[Step]) -> Step:
    """Return the power that comes nearest to the wanted mesh; the highest if nothing is wanted."""
    if any(step.wrong is None for step in steps):
        return steps[0]
    return min(steps, key=lambda step: (not step.fits, step.wrong, step.parts))


def between(steps: list[Step]) -> tuple[int, int] | None:
    """Return the highest and the lowest power still to be tried; None if a power fits or none is left.

    They lie between a power whose links are too long and the next lower one, whose links are too short.
    """
    if any(step.fits for step in steps):
        return None
    for above, below in zip(steps, steps[1:], strict=False):
        if above.power is None or below.power is None:
            return None
        longer = (above.too_long or 0) > (above.too_short or 0)
        shorter = (below.too_short or 0) > (below.too_long or 0)
        if longer and shorter and above.power - below.power > 1:
            return above.power - 1, below.power + 1
    return None


def _step(power: Power, links: list[MeasuredLink], places: Places, wanted: Wanted | None) -> Step:
    ratios = {(link.source, link.destination): link.ratio for link in links}
    lengths = {(a, b): math.dist(places[a], places[b]) for a, b in ratios if a < b and (b, a) in ratios}
    linked = {pair for pair in lengths if min(ratios[pair], ratios[pair[::-1]]) >= CARRIES}
    short = long = None
    if wanted is not None:
        short = sum(
            wanted.low <= length <= wanted.high and pair not in linked for pair, length in lengths.items()
        )
        long = sum(length > wanted.high and pair in linked for pair, length in lengths.items())
    return Step(
        power,
        len(lengths),
        len(linked),
        _reach(lengths, linked),
        max((lengths[pair] for pair in linked), default=0.0),
        _parts({number for pair in ratios for number in pair}, linked),
        short,
        long,
    )


def _reach(lengths: Mapping[tuple[int, int], float], linked: set[tuple[int, int]]) -> float:
    """Return the length with the fewest pairs on the wrong side: not linked below it, or linked above it.

    It is midway to the next longer pair.
    """
    ordered = sorted(lengths, key=lambda pair: lengths[pair])
    wrong = len(linked)  # at length 0
    reach, fewest = 0.0, wrong
    for place, pair in enumerate(ordered):
        wrong += -1 if pair in linked else 1
        last = place + 1 == len(ordered)
        if not last and math.isclose(lengths[ordered[place + 1]], lengths[pair]):
            continue
        if wrong < fewest:
            fewest = wrong
            reach = math.inf if last else (lengths[pair] + lengths[ordered[place + 1]]) / 2
    return reach


def _parts(motes: set[int], linked: set[tuple[int, int]]) -> int:
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    place = {number: at for at, number in enumerate(sorted(motes))}
    rows, columns = [place[a] for a, _ in linked], [place[b] for _, b in linked]
    shape = (len(place), len(place))
    return int(connected_components(coo_array((np.ones(len(rows)), (rows, columns)), shape=shape))[0])
