# SPDX-License-Identifier: Apache-2.0
"""The paper's twelve configurations, from scenario to report, and the order of their results."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as parquet

from orchestrator.execution import pipeline
from orchestrator.features.aggregation import paper as aggregation
from orchestrator.scenario.changed import with_seeds
from orchestrator.scenario.load import loads
from tools.bench.row import Row

LIMIT_S = 300.0  # for 30 seeds of the twelve configurations on two cores


def rows(folder: Path, seeds: str) -> Iterator[Row]:
    name, text = aggregation.scenarios()[0]
    scenario = with_seeds(loads(text, name), seeds)
    runs = len(scenario.cells) * len(scenario.seeds)
    minutes = sum(cell.duration_us for cell in scenario.cells) * len(scenario.seeds) / 60e6
    started = time.monotonic()
    result = pipeline.run(scenario, folder)
    seconds = time.monotonic() - started
    yield Row(
        f"{runs} runs, {minutes:.0f} measured minutes, to the report", seconds, "s", LIMIT_S * runs / 360
    )
    for step, taken in result.seconds.items():
        yield Row(f"  of it: {step}", taken, "s")
    yield Row(
        "  simulated time over real time, simulation only", minutes * 60 / result.seconds["simulate"], "x"
    )
    yield Row("  runs that did not end well", len(result.summary.failures), "runs", 0)
    yield from order(means(folder, scenario.experiment))


def means(folder: Path, experiment: str) -> dict[tuple[str, str, str], float]:
    """(cell, metric, key) -> mean over seeds."""
    table = parquet.read_table(folder / experiment / "metrics" / "summary").to_pylist()
    return {(row["cell"], row["metric"], row["key"]): row["mean"] for row in table}


def order(mean: dict[tuple[str, str, str], float]) -> Iterator[Row]:
    """The order of the paper's results (section 6), as ratios of the two sides."""
    for rate in "HL":
        ten, five = (mean[f"{rate}{size}A", "reduction", "total"] for size in (10, 5))
        yield Row(f"reduction of {rate}10A, at least that of {rate}5A", ten, "", five, at_least=True)
    for cell in ("H5", "H10", "L5", "L10"):
        plain, merged = (mean[name, "event_loss_rate", "total"] for name in (cell, f"{cell}A"))
        yield Row(f"loss rate of {cell}A, at most that of {cell}", merged, "", plain)
    for cell in ("L5", "L10"):
        plain, merged = (mean[name, "event_loss_rate", "total"] for name in (f"{cell}D", f"{cell}AD"))
        yield Row(f"loss rate of {cell}AD (paper: more than {cell}D's {plain:.3g})", merged, "")
    yield Row("full aggregates in L10AD", mean["L10AD", "full_aggregates", "total"], "", 0)
