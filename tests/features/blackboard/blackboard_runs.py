# SPDX-License-Identifier: Apache-2.0
"""Notifications of the blackboard paper's test case, which a plain model of section 6 writes."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from orchestrator.features.blackboard.paper import figure_7
from orchestrator.report.data import Results
from tests.manifests import manifest

SLICE, BOARD = 20.0, 0.5  # ms
SEEDS, PUBLICATIONS = (1, 2, 3), 60


def delay(extra: float, phase: float, gives_up: bool) -> float:
    """Of a publication `phase` ms after a slice's begin: until the publisher stops, then the blackboard."""
    return (0.0 if gives_up else min(extra, SLICE - phase)) + BOARD


def stored(folder: Path, experiment: str, rows: list[tuple]) -> Results:
    """An experiment of (cell, seed, time us, delay us, deadline us) notifications of subscriber 1."""
    target = folder / experiment / "tables" / "execution"
    target.mkdir(parents=True)
    frame = pd.DataFrame(rows, columns=["cell", "seed", "time_us", "delay_us", "deadline_us"])
    frame["run_id"] = [f"{cell}/{seed}" for cell, seed in zip(frame["cell"], frame["seed"])]
    frame["kind"], frame["thread"] = "ntf", "subscriber1"
    other = frame.iloc[:1].assign(thread="subscriber2", delay_us=99_000_000)
    stray = frame.iloc[:1].assign(run_id="older", delay_us=99_000_000)
    parquet.write_table(pa.Table.from_pandas(pd.concat([frame, other, stray])), target / "part-0.parquet")
    manifests = tuple(
        manifest(run, cell=cell, seed=seed)
        for run, cell, seed in frame[["run_id", "cell", "seed"]].drop_duplicates().values
    )
    return Results(
        experiment, folder / experiment, pd.DataFrame(), manifests, "", tuple(sorted(set(frame["cell"])))
    )


def series(
    board: float = BOARD, *, most: float = 2 * SLICE, names: Iterable[str] = figure_7.SERIES
) -> list[tuple]:
    rows = []
    for name in names:
        for extra in range(41):
            for seed in SEEDS:
                draws = random.Random(f"{name}{extra}{seed}")
                for turn in range(PUBLICATIONS):
                    late = min(delay(extra, draws.uniform(0, SLICE), name == "G10"), most) - BOARD + board
                    rows.append(
                        (f"{name}-{extra:02d}", seed, turn * 50_000, round(1000 * late), 1000 * int(name[1:]))
                    )
    return rows


def grown(extra: int, seed: int, step: int) -> list[tuple]:
    draws, deadline, rows = random.Random(f"{extra}{seed}"), 10_000, []
    for turn in range(400):
        late = round(1000 * delay(extra, draws.uniform(0, SLICE), False))
        rows.append((f"A-{extra:02d}", seed, turn * 50_000, late, deadline))
        deadline += step if late > deadline else 0
    return rows
