# SPDX-License-Identifier: Apache-2.0
"""The metrics of a campaign over its nights, and where they changed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from orchestrator.campaign import samples
from orchestrator.campaign.record import Round
from orchestrator.report.metrics import Shown
from orchestrator.statistics.change_points import change_points
from orchestrator.statistics.estimates import Estimate, estimate

MOST_NIGHTS = 60  # the latest, that a trend looks at


@dataclass(frozen=True)
class Night:
    """A round with the metrics that were kept of it."""

    round: Round
    frame: pd.DataFrame

    @cached_property
    def by_cell(self) -> Mapping[tuple[str, str], pd.DataFrame]:
        """Its rows by experiment and cell."""
        return {
            (str(experiment), str(cell)): rows
            for (experiment, cell), rows in self.frame.groupby(["experiment", "cell"], sort=False)
        }

    @cached_property
    def digests(self) -> Mapping[tuple[str, str], str]:
        """What its cells were."""
        return {
            (part.experiment, cell.cell): cell.digest for part in self.round.plan.parts for cell in part.cells
        }


@dataclass(frozen=True)
class Point:
    """A metric of a cell in one night. `runs`: the ids of its runs."""

    round: Round
    value: Estimate
    runs: frozenset[str]


@dataclass(frozen=True)
class Trend:
    """A metric of a cell over the nights. `changes`: indices of the points with which it changed."""

    experiment: str
    cell: str
    metric: str
    key: str
    how: Shown
    points: tuple[Point, ...]
    changes: tuple[int, ...] = ()

    @property
    def title(self) -> str:
        return self.how.title if self.key == "total" else f"{self.how.title}, {self.key}"


def trends(nights: Sequence[Night]) -> list[Trend]:
    """Those of the last night's cells, over the nights in which each was the same cell."""
    if not nights:
        return []
    last = nights[-1]
    return [
        trend
        for place in last.by_cell
        for trend in _of_cell(
            place,
            [
                night
                for night in nights[-MOST_NIGHTS:]
                if place in night.by_cell and night.digests.get(place) == last.digests.get(place)
            ],
        )
    ]


def _of_cell(place: tuple[str, str], nights: Sequence[Night]) -> list[Trend]:
    experiment, cell = place
    points: dict[tuple[str, str], list[Point]] = {}
    shown: dict[tuple[str, str], Shown] = {}
    for night in nights:
        own = night.by_cell[place]
        results = samples.of_rows(experiment, cell, own)
        runs = frozenset(own["run_id"])
        for name, series in samples.measures(results, cell).items():
            shown[name] = how = results.shown(name[0])
            bounds = how.bounds[0] * how.scale, how.bounds[1] * how.scale
            value = estimate(series.tolist(), bounds)
            if value.known:
                points.setdefault(name, []).append(Point(night.round, value, runs))
    return [Trend(experiment, cell, *name, shown[name], tuple(those)) for name, those in points.items()]


def changed(trend: Trend, level: float) -> tuple[int, ...]:
    """The points with which a trend changed. Nights that had the very runs of the night before are one point:
    they are no evidence of their own. `level`: the probability of finding any where nothing changed.
    """
    places = [
        place
        for place, point in enumerate(trend.points)
        if point.value.n > 1 and (place == 0 or point.runs != trend.points[place - 1].runs)
    ]
    values = [trend.points[place].value for place in places]
    freedom = sum(value.n - 1 for value in values)
    if not freedom:
        return ()
    sd = math.sqrt(sum((value.n - 1) * value.sd**2 for value in values) / freedom)
    found = change_points(
        [value.mean for value in values], [sd / math.sqrt(value.n) for value in values], level
    )
    return tuple(places[one] for one in found)
