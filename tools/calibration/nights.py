# SPDX-License-Identifier: Apache-2.0
"""Nights made of the calibration's runs, judged by the verdict's own code (campaign.judging.judge)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from orchestrate_spark.metrics.student import quantile_t

from orchestrator.features.campaigns import samples
from orchestrator.features.campaigns.judging.judge import Compared, Finding, judge
from orchestrator.features.campaigns.judging.model import RED_KINDS
from orchestrator.features.campaigns.written import USUAL, Judging
from orchestrator.report.data import Results, per_run_table
from orchestrator.statistics import nights as spending
from orchestrator.statistics.change_points import change_points
from orchestrator.statistics.stopping import half_width
from tools.calibration.cases import BASELINE_NIGHTS, SEEDS, STREAM_NIGHTS, STREAMS, Case

ALPHA = USUAL.false_alarms


@dataclass(frozen=True)
class Cell:
    """The runs of a cell: what is judged of them, by (metric, key), each a series over seeds."""

    name: str
    results: Results
    measures: Mapping[tuple[str, str], pd.Series]
    seeds: np.ndarray

    def of(self, seeds: Sequence[int]) -> dict[tuple[str, str], pd.Series]:
        if isinstance(seeds, range):  # of ascending seeds a slice, which is much faster
            return {name: series.loc[seeds.start : seeds.stop - 1] for name, series in self.measures.items()}
        return {name: series[series.index.isin(seeds)] for name, series in self.measures.items()}


def cells(store: Path, case: Case) -> dict[str, Cell]:
    """A case's cells, by part and name."""
    found = {}
    for part in case.parts:
        frame = per_run_table(store / "runs" / case.experiment(part) / "metrics" / "per_run", case.name)
        for cell, own in frame.groupby("cell"):
            results = samples.of_rows(case.name, str(cell), own)
            measures = samples.measures(results, str(cell))
            name = f"{part} {cell}" if cell else part
            found[name] = Cell(name, results, measures, np.array(results.seeds(str(cell))))
    return found


def compared(base: Cell, base_seeds: Sequence[int], now: Cell, now_seeds: Sequence[int]) -> Compared:
    """Their samples; all seeds of a calibration differ, so none are pairs."""
    return Compared(
        "calibration",
        base.name,
        base.results,
        _Other(now.results, now_seeds),
        base.of(base_seeds),
        now.of(now_seeds),
    )


class _Other:
    """The other side's results. Only its seeds are asked for, which are not the baseline's."""

    def __init__(self, results: Results, seeds: Sequence[int]):
        self.results, self._seeds = results, list(seeds)

    def seeds(self, _: str) -> list[int]:
        return self._seeds


def red(findings: Iterable[Finding]) -> list[Finding]:
    return [one for one in findings if one.kind in RED_KINDS]


@dataclass
class Alarms:
    """What nights of unchanged code gave. `lowest`: each night's smallest adjusted p; `streams`: of each, its
    red nights; `naive`: nights with any test at 5 %, uncorrected.
    """

    tests: int = 0
    lowest: list[float] = field(default_factory=list)
    streams: list[list[int]] = field(default_factory=list)
    naive: int = 0

    def night(self, found: Sequence[Finding]) -> None:
        self.tests += len(found)
        known = [one.p for one in found if not math.isnan(one.p)]
        self.lowest.append(min(known, default=1.0))
        self.naive += any(one.difference.p < 0.05 for one in found)

    @property
    def nights_below(self) -> int:
        return sum(p <= ALPHA for p in self.lowest)


def streams(unchanged: Mapping[str, Cell], effect: float, pool: bool) -> Alarms:
    """STREAMS baselines, each with STREAM_NIGHTS nights. `pool`: nights of a stream have the same code, so
    each is judged with those before it.
    """
    found = Alarms()
    judging = Judging(effect)
    per_stream = (BASELINE_NIGHTS + STREAM_NIGHTS) * SEEDS
    for stream in range(STREAMS):
        base = range(1 + stream * per_stream, 1 + stream * per_stream + BASELINE_NIGHTS * SEEDS)
        reds = []
        for night in range(1, STREAM_NIGHTS + 1):
            end = base.stop + night * SEEDS
            seeds = range(base.stop if pool else end - SEEDS, end)
            level = spending.level(ALPHA, night)
            pairs = [compared(cell, base, cell, seeds) for cell in unchanged.values()]
            findings = judge(pairs, judging, level)
            found.night(findings)
            if red(findings):
                reds.append(night)
        found.streams.append(reds)
    return found


@dataclass
class Detection:
    """How soon a fault was found: of each sequence the night, None if not in STREAM_NIGHTS; by which
    metrics first."""

    nights: list[int | None] = field(default_factory=list)
    by: dict[str, int] = field(default_factory=dict)

    def by_night(self, night: int) -> float:
        return sum(found is not None and found <= night for found in self.nights) / len(self.nights)


def detection(
    unchanged: Mapping[str, Cell], faulty: Mapping[str, Cell], effect: float, sequences: int, base_nights: int
) -> Detection:
    """Sequences of nights with the fault, each with a baseline of its own, drawn from the runs."""
    found, draw = Detection(), np.random.default_rng(1)
    judging = Judging(effect)
    for _ in range(sequences):
        drawn = {
            name: (
                draw.choice(unchanged[name].seeds, base_nights * SEEDS, replace=False),
                draw.choice(cell.seeds, STREAM_NIGHTS * SEEDS, replace=False),
            )
            for name, cell in faulty.items()
        }
        at = None
        for night in range(1, STREAM_NIGHTS + 1):
            pairs = [
                compared(unchanged[name], base, faulty[name], now[: night * SEEDS])
                for name, (base, now) in drawn.items()
            ]
            reds = red(judge(pairs, judging, spending.level(ALPHA, night)))
            if reds:
                at = night
                for one in reds:
                    name = f"{one.title} of {one.cell}"
                    found.by[name] = found.by.get(name, 0) + 1
                break
        found.nights.append(at)
    return found


def size(unchanged: Mapping[str, Cell], faulty: Mapping[str, Cell]) -> list[tuple[str, float, float, float]]:
    """(metric of cell, mean without, mean with, standard errors apart) of all runs, the largest first."""
    rows = []
    for name, cell in faulty.items():
        for (metric, key), series in cell.measures.items():
            base = unchanged[name].measures.get((metric, key))
            if base is None or not len(series):
                continue
            error = math.sqrt(base.var() / len(base) + series.var() / len(series))
            if error:
                title = metric if key == "total" else f"{metric}/{key}"
                apart = (series.mean() - base.mean()) / error
                rows.append((f"{title} of {name}", base.mean(), series.mean(), apart))
    return sorted(rows, key=lambda row: -abs(row[3]))


def false_change_points(unchanged: Mapping[str, Cell]) -> tuple[int, int]:
    """Trends of STREAM_NIGHTS nights of unchanged code: (streams with a change point in any, streams)."""
    per_stream, wrong = (BASELINE_NIGHTS + STREAM_NIGHTS) * SEEDS, 0
    trends = sum(len(cell.measures) for cell in unchanged.values())
    for stream in range(STREAMS):
        first = 1 + stream * per_stream + BASELINE_NIGHTS * SEEDS
        some = False
        for cell in unchanged.values():
            for series in cell.of(range(first, first + STREAM_NIGHTS * SEEDS)).values():
                if len(series) == STREAM_NIGHTS * SEEDS:
                    nights = series.to_numpy().reshape(STREAM_NIGHTS, SEEDS)
                    sd = math.sqrt(nights.var(axis=1, ddof=1).mean() / SEEDS)
                    some |= bool(change_points(nights.mean(axis=1), [sd] * STREAM_NIGHTS, ALPHA / trends))
        wrong += some
    return wrong, STREAMS


def coverage(unchanged: Mapping[str, Cell], seeds: int = 100) -> tuple[int, int, int]:
    """If somebody looks at the interval after every seed from the fifth to the 100th: the number of
    campaigns in which it ever missed the mean of all runs (by the confidence sequence, by Student's t,
    campaigns).
    """
    missed = students = campaigns = 0
    counts = np.arange(5, seeds + 1)
    by_sequence = np.array([half_width(int(n), 1.0) for n in counts])
    by_t = np.array([quantile_t(int(n)) / math.sqrt(n) for n in counts])
    for cell in unchanged.values():
        for series in cell.measures.values():
            values = series.to_numpy()
            truth = values.mean()
            if not values.std() or len(values) != len(cell.seeds):
                continue
            for chunk in values[: len(values) // seeds * seeds].reshape(-1, seeds):
                means = np.cumsum(chunk)[4:] / counts
                variance = (np.cumsum(chunk**2)[4:] - counts * means**2) / (counts - 1)
                sd = np.sqrt(np.maximum(variance, 0))
                off = np.abs(means - truth)
                missed += bool((off > by_sequence * sd + 1e-12).any())
                students += bool((off > by_t * sd + 1e-12).any())
                campaigns += 1
    return missed, students, campaigns
