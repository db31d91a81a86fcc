# SPDX-License-Identifier: Apache-2.0
"""Means and intervals of a cell's runs, in one data frame, against what comparisons and pages compute of the
same values (orchestrator/statistics/estimates.py).
"""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from orchestrate_spark.metrics.model import Metric
from orchestrate_spark.metrics.summary import summarise

from orchestrator.statistics.estimates import UNBOUNDED, estimate

pytestmark = pytest.mark.spark
METRICS = {  # with what their means are kept within
    "share": (Metric("share", "-"), (0.0, 1.0)),
    "reduction": (Metric("share", "-", least=None), (-math.inf, 1.0)),
    "count": (Metric("events", "-"), (0.0, math.inf)),
    "level": (Metric("dBm", "-", least=None), UNBOUNDED),
    "histogram": (Metric("events", "-", kind="histogram"), (0.0, math.inf)),
    "cumulative": (Metric("events", "-", kind="cumulative"), (0.0, math.inf)),
}
VALUES = [
    [0.5],
    [0.25, 0.75],
    [0.3, 0.31, 0.29, 0.3, 0.32],
    [0.4, 0.5, 0.7, 0.6],
    [0.0, 0.0, 0.0],
    [1.0, 1.0],
    [0.0, 0.0, 0.2],  # below 0 alone
    [0.99, 1.0, 0.9],  # above 1 alone
    [0.96, 0.95, 0.97, 0.96],  # inside of both
    [0.0, 1.0],  # beyond both
    [0.5, 1.5],  # a mean of 1, and one of 0, whose odds are none
    [-0.5, 0.5],
    [1.0, 2.0, 0.9],
    [-0.1, -0.3],
    [5.0, -4.99],  # odds that no number can hold
    [-4.0, 5.99],
    [1e6, 2e6, 7e6],
]
RUNS = 5  # of each cell: as many as the longest of them has values


@pytest.fixture(scope="module")
def found(spark) -> dict[tuple[str, int], dict]:
    rows = [
        {"experiment": "exp", "cell": f"c{at}", "metric": name, "key": "k", "value": value}
        for name in METRICS
        for at, values in enumerate(VALUES)
        for value in values
    ]
    cells = [{"experiment": "exp", "cell": f"c{at}", "runs": RUNS} for at in range(len(VALUES))]
    session = spark()
    made = summarise(
        session.createDataFrame(pa.Table.from_pylist(rows)),
        session.createDataFrame(pa.Table.from_pylist(cells)),
        RUNS,
        {name: metric for name, (metric, _) in METRICS.items()},
    ).toArrow()
    assert made.column_names == [
        *("experiment", "cell", "metric", "key", "n", "mean", "sd", "ci_low", "ci_high")
    ]
    return {(row["metric"], int(row["cell"][1:])): row for row in made.to_pylist()}


@pytest.mark.parametrize("name", METRICS)
def test_means_and_intervals_are_those_of_the_pages(found, name):
    metric, bounds = METRICS[name]
    for at, values in enumerate(VALUES):
        absent = [0.0] * (RUNS - len(values)) if metric.histogram else []
        wanted, row = estimate([*values, *absent], bounds), found[name, at]
        assert (row["experiment"], row["key"], row["n"]) == ("exp", "k", wanted.n)
        told = [math.nan if row[one] is None else row[one] for one in ("mean", "sd", "ci_low", "ci_high")]
        known = [wanted.mean, wanted.sd, wanted.low, wanted.high]
        assert told == pytest.approx(known, rel=1e-9, abs=1e-300, nan_ok=True), (name, values)


def test_one_run_of_each_cell_has_a_mean_and_no_interval(spark):
    row = {"experiment": "exp", "cell": "A", "metric": "count", "key": "k"}
    session = spark()
    made = summarise(
        session.createDataFrame(pa.Table.from_pylist([row | {"value": 3.0}])),
        session.createDataFrame(pa.Table.from_pylist([{"experiment": "exp", "cell": "A", "runs": 1}])),
        1,
        {"count": METRICS["count"][0]},
    ).toArrow()
    none = dict.fromkeys(("sd", "ci_low", "ci_high"))
    assert made.to_pylist() == [row | {"n": 1, "mean": 3.0} | none]
