# SPDX-License-Identifier: Apache-2.0
"""The statistics of a night: finds metrics that changed since the baseline, from samples alone.

Every metric of every cell whose code is another than the baseline's is one test. Their p values are adjusted
together by Holm's method, and compared with the level that the night may spend (statistics.nights).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

import pandas as pd

from orchestrator.execution.spread import Spread, here
from orchestrator.features.campaigns.written import Judging
from orchestrator.report.comparison.cells import by_seed
from orchestrator.report.data import Results
from orchestrator.report.metrics import Shown
from orchestrator.statistics.effects import Difference, holm
from orchestrator.statistics.regression import beyond, change, fewest


class Kind(StrEnum):
    """The kinds of findings."""

    WORSE = "worse"
    CHANGED = "changed"  # for a metric without a better direction
    BETTER = "better"
    SAME = "no change shown"
    UNKNOWN = "too few seeds"  # fewer than two
    BLIND = "too few runs"  # so few runs can't show any change, however large


@dataclass(frozen=True)
class Compared:
    """The two samples of a cell: of the baseline and of now."""

    experiment: str
    cell: str
    base: Results
    now: Results
    base_measures: Mapping[tuple[str, str], pd.Series]
    now_measures: Mapping[tuple[str, str], pd.Series]


@dataclass(frozen=True)
class OfMetric:
    """The result for one metric of one cell."""

    experiment: str
    cell: str
    metric: str
    key: str
    how: Shown

    @property
    def title(self) -> str:
        return self.how.title if self.key == "total" else f"{self.how.title}, {self.key}"


@dataclass(frozen=True)
class Finding(OfMetric):
    """The result of one statistical test, of one metric of one cell.

    `effect`: in the metric's unit; `p` is adjusted; `level`: what it is compared with. `needs`: the runs on
    this side without which no change can be shown at that level.
    """

    difference: Difference
    effect: float
    p: float
    level: float
    needs: int = 2

    @property
    def kind(self) -> Kind:
        if math.isnan(self.p):
            return Kind.UNKNOWN
        if self.p > self.level:
            return Kind.BLIND if self.difference.b.n < self.needs else Kind.SAME
        better = self.how.declared.better
        if not better:
            return Kind.CHANGED
        return Kind.BETTER if (self.difference.mean > 0) == (better == "higher") else Kind.WORSE

    @property
    def percent(self) -> float:
        """The change relative to the baseline's mean, %."""
        mean = self.difference.a.mean
        return 100 * self.difference.mean / abs(mean) if mean else math.nan


def judge(cells: Iterable[Compared], judging: Judging, level: float, spread: Spread = here) -> list[Finding]:
    """Every test of a night, in the order of the cells. `spread` says where the tests are made."""
    cells = list(cells)
    count = sum(len(_common(cell)) for cell in cells)
    parts = spread(partial(_of_cell, judging=judging, level=level, count=count), cells)
    findings = [finding for part in parts for finding in part]
    return [
        replace(finding, p=p)
        for finding, p in zip(findings, holm([finding.p for finding in findings]), strict=True)
    ]


def _common(compared: Compared) -> list[tuple[str, str]]:
    """Return the metrics, as (metric, key), that both samples of a cell have."""
    return [name for name in compared.base_measures if name in compared.now_measures]


def _of_cell(compared: Compared, judging: Judging, level: float, count: int) -> list[Finding]:
    """Return the tests of one cell, with p before the adjustment.

    `count`: the tests of the whole night.
    """
    paired = same_trials(compared)
    findings = []
    for metric, key in _common(compared):
        how = compared.base.shown(metric)
        least, most = how.bounds
        base, now = compared.base_measures[metric, key], compared.now_measures[metric, key]
        apart = change(base, now, paired, (least * how.scale, most * how.scale))
        effect = width(judging.effect, how, apart.a.mean)
        p = beyond(apart, base, now, effect, level / count)
        needs = fewest(level / count, apart.a.n, paired)
        findings.append(
            Finding(compared.experiment, compared.cell, metric, key, how, apart, effect, p, level, needs)
        )
    return findings


def width(effect: float, how: Shown, mean: float) -> float:
    """Return the stated effect in a metric's unit: 1 % is one point of a share, else 1 % of the mean."""
    return 100 * effect if how.unit == "%" else effect * abs(mean)


def same_trials(compared: Compared) -> bool:
    """Whether a seed's two runs are one trial, to be compared seed by seed.

    The seeds must be the same, and so must what each publisher published.
    """
    if compared.base.seeds(compared.cell) != compared.now.seeds(compared.cell):
        return False
    return by_seed(compared.base, compared.now, compared.cell, compared.cell)[0]


def missing(compared: Compared) -> list[str]:
    """Return the metrics that the baseline has of a cell and its runs no longer have."""
    return sorted(
        {metric for metric, _ in compared.base_measures} - {metric for metric, _ in compared.now_measures}
    )
