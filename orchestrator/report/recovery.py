# SPDX-License-Identifier: Apache-2.0
"""Figures of the delivery ratio in windows before and after a mote's death, one for each cell."""

from __future__ import annotations

import math
import re

from orchestrator.report import charts
from orchestrator.report.data import Results, natural
from orchestrator.report.model import Figure
from orchestrator.words import counted

METRIC = "delivery_ratio"
WINDOW = 0.5  # renewals; the metric's keys end with the beginning of a window


def figures(results: Results) -> list[Figure]:
    """Draw a figure for each cell that has the metric."""
    return [_figure(results, cell) for cell in results.cells_with(METRIC)]


def _figure(results: Results, cell: str) -> Figure:
    how = results.shown(METRIC)
    pairs = [key.rpartition("/")[::2] for key in results.keys(METRIC, cell)]
    names = sorted({name for name, _ in pairs} - {"total"}, key=natural)
    windows = sorted({window for _, window in pairs}, key=float)
    series = [
        charts.Series(
            name,
            [results.estimate(cell, METRIC, f"{name}/{window}", how.scale) for window in windows],
            cell=cell,
        )
        for name in names
    ]
    drawing = charts.course(
        windows, WINDOW, series, how.unit, "time of publication, renewals after the death", "a mote dies"
    )
    seeds = len(results.seeds(cell))
    return Figure(
        "repair-" + (re.sub(r"[^a-z0-9]+", "-", cell.lower()).strip("-")[:60] or "cell"),
        f"Delivery before and after a mote's death, {cell}",
        drawing,
        alt=f"Delivery ratio of each subscriber over time in {cell}",
        caption=(
            "Events delivered to each subscriber, in % of those published on its topics, in windows of "
            f"half a renewal by the time of publication.{_recovered(results, cell)} "
            f"{'Mean with 95 % confidence interval over' if seeds > 1 else 'Of'} {counted(seeds, 'seed')}."
        ),
    )


def _recovered(results: Results, cell: str) -> str:
    """Return a sentence on how soon delivery recovered; "" if the metrics don't say."""
    # Subscribers with events published for them after the death; those without a value never recovered.
    names = sorted(
        {
            name
            for name, _, window in (key.rpartition("/") for key in results.keys(METRIC, cell))
            if name != "total" and float(window) >= 0
        }
    )
    values = [
        value
        for name in names
        for value in results.values(cell, "recovery_renewals", name).tolist()
        if not math.isnan(value)
    ]
    owed = len(names) * len(results.seeds(cell))
    if not names:
        return ""
    if not values:
        return " In no seed did any subscriber's delivery return to 90 % of its earlier value."
    if not any(values) and len(values) == owed:
        return (
            " In the first window after the death, delivery was at least 90 % of its earlier value for every "
            "subscriber in every seed."
        )
    never = f"; in {owed - len(values)} of {owed} cases it never did" if len(values) < owed else ""
    return (
        f" Delivery returned to 90 % of its earlier value within {max(values):g} renewals, over all "
        f"subscribers and seeds{never}."
    )
