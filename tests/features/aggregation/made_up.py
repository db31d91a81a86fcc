# SPDX-License-Identifier: Apache-2.0
"""Made-up results of experiments, for tests of what a paper's page and tables say of them.

Each number is drawn from its own name, so that it stays as it is whatever is asked for beside it, and has
more decimals than anybody shows.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from orchestrator.features.aggregation.paper.cells import configuration
from orchestrator.report.data import Results

COLUMNS = ["experiment", "cell", "seed", "run_id", "metric", "key", "value"]
Row = tuple[str, str, str, int, float]  # cell, metric, key, seed, value


def drawn(name: str, low: float, high: float) -> float:
    return random.Random(name).uniform(low, high)


def results(experiment: str, rows: Iterable[Row], cells: Iterable[str], folder: Path = Path()) -> Results:
    frame = pd.DataFrame(
        [
            (experiment, cell, seed, f"{cell}/{seed}", metric, key, float(value))
            for cell, metric, key, seed, value in rows
        ],
        columns=COLUMNS,
    )
    return Results(experiment, folder, frame, (), "", tuple(cells))


def chain(cell: str, name: str, seeds: Iterable[int], **given: float) -> list[Row]:
    """All that the aggregation paper's page asks of the runs of one of its configurations.

    They are stored as `cell`, and of the configuration `name`. Its seeds are apart by up to 15 %. `given`:
    numbers of METRIC or METRIC__KEY that are not drawn, alike in all seeds.
    """
    shape, found = configuration(name), []
    n, apart = shape.publishers, drawn(f"{cell} apart", 0.0, 0.15)

    def add(metric: str, key: str, seed: int, low: float, high: float, whole: bool = True) -> None:
        value = drawn(f"{cell} {metric} {key}", low, high)
        value *= drawn(f"{cell} {metric} {key} {seed}", 1 - apart, 1 + apart)
        value = given.get(metric if key == "total" else f"{metric}__{key.replace('-', '_')}", value)
        found.append((cell, metric, key, seed, round(value) if whole else value))

    for seed in seeds:
        add("events_published", "total", seed, 300 * n, 310 * n)
        add("events_delivered", "total", seed, 200 * n, 250 * n)
        add("event_loss_rate", "total", seed, 0.01, 0.4, False)
        add("packet_loss_rate", "total", seed, 0.05, 0.4, False)
        add("events_transmitted", "total", seed, 150 * n * n, 170 * n * n)
        add("aggregates", "total", seed, 2400, 2600)
        add("full_aggregates", "total", seed, 2200, 2400)
        add("aggregated_share", "total", seed, 0.5, 0.9, False)
        add("delay_ms", "mean", seed, 20, 900, False)
        for cause, most in (("queue", 40), ("channel-access", 300), ("collision", 90), ("contending", 900)):
            add("dropped", cause, seed, 5, most)
        for reason in ("contained", "timeout", "full"):
            add("forwarded", reason, seed, 3, 50)
        if shape.aggregate:
            add("reduction", "total", seed, 0.3, 0.6, False)
            for size in range(1, n + 1):
                add("aggregate_size", str(size), seed, 1, 90)
        for place in range(1, n + 1):
            add("events_transmitted", f"P{place}", seed, 300 * (n - place + 1), 320 * (n - place + 1))
            add("events_published", f"P{place}", seed, 300, 310)
        for node in ("S", *(f"P{place}" for place in range(1, n + 1))):
            add("packets_sent", node, seed, 500, 4000)
            add("packets_received", node, seed, 400, 3500)
    return found
