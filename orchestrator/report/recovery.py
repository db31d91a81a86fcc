# SPDX-License-Identifier: Apache-2.0
"""Delivery by window before and after a mote's death: one figure a cell, for experiments that have it."""

from __future__ import annotations

import re

from orchestrator.report import charts
from orchestrator.report.data import Results, natural
from orchestrator.report.metrics import METRICS
from orchestrator.report.model import Figure
from orchestrator.report.statistics import estimate

METRIC = "delivery_ratio"


def figures(results: Results) -> list[Figure]:
    return [_figure(results, cell) for cell in results.cells_with(METRIC)]


def _figure(results: Results, cell: str) -> Figure:
    how = METRICS[METRIC]
    pairs = [key.rpartition("/")[::2] for key in results.keys(METRIC, cell)]
    names = sorted({name for name, _ in pairs} - {"total"}, key=natural)
    windows = sorted({window for _, window in pairs}, key=float)
    series = [
        charts.Series(name, [estimate((results.values(cell, METRIC, f"{name}/{window}") * how.scale).tolist()) for window in windows], cell=cell)
        for name in names
    ]
    drawing = charts.profile(windows, series, how.unit, xlabel="begin of the window, renewals after the death", wide=True)
    seeds = len(results.seeds(cell))
    return Figure(
        "repair-" + (re.sub(r"[^a-z0-9]+", "-", cell.lower()).strip("-")[:60] or "cell"), f"Delivery before and after a mote's death, {cell}",
        drawing, alt=f"Delivery ratio of each subscriber over time in {cell}", caption=(
            "Events delivered to each subscriber, in % of those published on its topics, by the time of publication in windows of half "
            f"a renewal; the mote dies at 0. Mean with 95 % confidence interval over {seeds} seed{'s' if seeds != 1 else ''}."))
