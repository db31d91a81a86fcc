# SPDX-License-Identifier: Apache-2.0
"""The metrics of a campaign over its nights, and where they changed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import pandas as pd

from orchestrator.execution.spread import Spread, here
from orchestrator.features.campaigns import samples
from orchestrator.features.campaigns.judging.judge import OfMetric
from orchestrator.features.campaigns.record import Round
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
        """The digests of its cells."""
        return {place: cell.digest for place, cell in self.round.plan.cells.items()}


@dataclass(frozen=True)
class Point:
    """A metric of a cell in one night. `runs`: the ids of its runs."""

    round: Round
    value: Estimate
    runs: frozenset[str]


@dataclass(frozen=True)
class Trend(OfMetric):
    """A metric of a cell over the nights. `changes`: indices of the points with which it changed."""

    points: tuple[Point, ...]
    changes: tuple[int, ...] = ()

    @property
    def values(self) -> list[tuple[Estimate, frozenset[str]]]:
        """Each point's value and the ids of its runs."""
        return [(point.value, point.runs) for point in self.points]


def trends(nights: Sequence[Night], level: float, spread: Spread = here) -> list[Trend]:
    """Those of the last night's cells, over the nights in which each was the same cell.

    `level`: the probability of finding any change where nothing changed. `spread` says where the work is
    done.
    """
    last, rounds = nights[-1], {night.round.id: night.round for night in nights}
    places = list(last.by_cell)
    rows = [
        {
            night.round.id: night.by_cell[place]
            for night in nights[-MOST_NIGHTS:]
            if place in night.by_cell and night.digests.get(place) == last.digests.get(place)
        }
        for place in places
    ]
    all_trends = [
        Trend(*place, *name, how, tuple(Point(rounds[round_id], *point) for round_id, *point in points))
        for place, series in zip(places, spread(_series, list(zip(places, rows, strict=True))), strict=True)
        for name, (how, points) in series.items()
    ]
    if not all_trends:
        return []  # no run of the last night has metrics
    changes = spread(partial(changed, level=level / len(all_trends)), [trend.values for trend in all_trends])
    return [replace(trend, changes=at) for trend, at in zip(all_trends, changes, strict=True)]


def _series(
    cell: tuple[tuple[str, str], Mapping[str, pd.DataFrame]],
) -> dict[tuple[str, str], tuple[Shown, list[tuple[str, Estimate, frozenset[str]]]]]:
    """Return a cell's points, (id of the round, value, ids of the runs), by (metric, key).

    `cell`: its experiment and name, and its rows by the id of their round: rounds themselves stay where they
    are, because their plans are large.
    """
    (experiment, name), nights = cell
    groups: dict[tuple[str, str], tuple[Shown, list]] = {}
    for round_id, own in nights.items():
        results = samples.of_rows(experiment, name, own)
        runs = frozenset(own["run_id"])
        for measure, series in samples.measures(results, name).items():
            how = results.shown(measure[0])
            value = estimate(series.tolist(), (how.bounds[0] * how.scale, how.bounds[1] * how.scale))
            if value.known:
                groups.setdefault(measure, (how, []))[1].append((round_id, value, runs))
    return groups


def changed(values: Sequence[tuple[Estimate, frozenset[str]]], level: float) -> tuple[int, ...]:
    """Return the points of a trend, (value, ids of the runs), with which it changed.

    Nights that had the very runs of the night before are one point: they are no evidence of their own.
    `level`: the probability of finding any where nothing changed.
    """
    places = [
        place
        for place, (value, runs) in enumerate(values)
        if value.n > 1 and (place == 0 or runs != values[place - 1][1])
    ]
    present = [values[place][0] for place in places]
    freedom = sum(value.n - 1 for value in present)
    if not freedom:
        return ()
    sd = math.sqrt(sum((value.n - 1) * value.sd**2 for value in present) / freedom)
    points = change_points(
        [value.mean for value in present], [sd / math.sqrt(value.n) for value in present], level
    )
    return tuple(places[point] for point in points)
