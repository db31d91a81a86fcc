# SPDX-License-Identifier: Apache-2.0
"""All values of the runs whose logs are written down in measured_runs.py, as somebody last looked at them.

What a value means is compared in the tests of its family; here nothing is left out. Runs whose numbers are
drawn are no part of it: another version of NumPy may draw others.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from measured_runs import CHAINS

from tests.recorded import same

pytestmark = pytest.mark.spark
RECORDED = Path(__file__).parent / "recorded"
DRAWN = [*(chain.name for chain in CHAINS), "without"]


def lines(rows: pd.DataFrame, keys: list[str], values: list[str]) -> list[str]:
    """A line for each cell and metric, and under it one for each key."""
    found = rows[~rows.cell.isin(DRAWN)].sort_values(["cell", "metric", *keys])
    told = []
    for (cell, metric), part in found.groupby(["cell", "metric"]):
        told.append(f"{cell}: {metric}")
        for row in part.itertuples():
            key = " ".join(str(getattr(row, name)) for name in keys)
            told.append(f"  {key}: {' '.join(f'{getattr(row, name):.9g}' for name in values)}")
    return told


def test_every_value_of_every_run(measured):
    rows = pd.read_parquet(measured / "metrics" / "per_run")
    same("\n".join(lines(rows, ["key", "seed"], ["value"])) + "\n", RECORDED / "per_run.txt")


def test_every_mean_with_its_interval(measured):
    rows = pd.read_parquet(measured / "metrics" / "summary")
    values = ["n", "mean", "sd", "ci_low", "ci_high"]
    same("\n".join(lines(rows, ["key"], values)) + "\n", RECORDED / "summary.txt")
