# SPDX-License-Identifier: Apache-2.0
"""Estimates the seeds that a campaign needs, from the spread of the existing runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestrator.features.campaigns import samples
from orchestrator.features.campaigns.judging.judge import OfMetric, width
from orchestrator.features.campaigns.written import Judging
from orchestrator.report.data import Results
from orchestrator.statistics import nights
from orchestrator.statistics.estimates import Estimate, estimate
from orchestrator.statistics.power import seeds_to_tell
from orchestrator.statistics.regression import fewest
from orchestrator.statistics.stopping import half_width, seeds_to_stop


@dataclass(frozen=True)
class Need(OfMetric):
    """The seeds that one metric of one cell needs.

    `apart`: the change that is to be found, in its unit; `seeds`: on each side, None if a million don't do;
    `half`: half the width of its confidence sequence now; `wanted`: how wide that may be; `stop`: after how
    many seeds it is as narrow, None if not after a million.
    """

    value: Estimate
    apart: float
    seeds: int | None
    half: float
    wanted: float
    stop: int | None

    @property
    def enough(self) -> bool:
        """Whether one may stop: the interval is as narrow as it has to be, however often one has looked."""
        return self.half <= self.wanted


def needs(
    experiments: Iterable[tuple[str, Results]],
    judging: Judging,
    change: float,
    power: float,
    half: float,
    metrics: Sequence[str] = (),
) -> list[Need]:
    """Return the needs of each metric with a better direction, or of those named, in each cell.

    `change`: that is to be found with the probability `power` in the first night after a promotion; `half`:
    half the width of an interval that is narrow enough. Both are shares of the mean, and points of a share.
    """
    cells = [
        (experiment, results, cell, name, series)
        for experiment, results in experiments
        for cell in results.cells
        for name, series in samples.measures(results, cell).items()
    ]
    level = nights.level(judging.false_alarms, 1) / max(1, len(cells))
    rows = []
    for experiment, results, cell, (metric, key), series in cells:
        how = results.shown(metric)
        if metric not in metrics and (metrics or not how.declared.better):
            continue
        value = estimate(series.tolist(), (how.bounds[0] * how.scale, how.bounds[1] * how.scale))
        if value.n < 2:
            continue
        apart, wanted = width(change, how, value.mean), width(half, how, value.mean)
        excess = apart - width(judging.effect, how, value.mean)
        if value.sd == 0:  # it is the same in each run: the fewest that a test needs show any change
            seeds_needed = 2
        else:
            seeds_needed = seeds_to_tell(value.sd, excess, level, power) if excess > 0 else None
        rows.append(
            Need(
                experiment,
                cell,
                metric,
                key,
                how,
                value,
                apart,
                None if seeds_needed is None else max(seeds_needed, fewest(level)),
                half_width(value.n, value.sd),
                wanted,
                seeds_to_stop(value.sd, wanted) if wanted > 0 or value.sd == 0 else None,
            )
        )
    return rows


def most(rows: Iterable[Need]) -> int | None:
    """Return the seeds with which all are found; None if there are none, or a million don't do for one."""
    seeds_needed = [math.inf if row.seeds is None else row.seeds for row in rows]
    largest = max(seeds_needed, default=math.inf)
    return None if math.isinf(largest) else int(largest)
