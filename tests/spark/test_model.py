# SPDX-License-Identifier: Apache-2.0
"""What families of metrics are made with: quantiles, and rows of several metrics."""

from __future__ import annotations

import pyarrow as pa
import pytest
from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import (
    QUANTILES,
    counter,
    each_and_all,
    quantile,
    text,
    unpivot,
)

pytestmark = pytest.mark.spark


def test_a_quantile_is_the_least_value_that_so_many_per_cent_do_not_exceed(spark):
    """Of 1 to 205 values: each is its own rank, so that the rank's bound shows."""
    assert QUANTILES == {"p05": 5, "p50": 50, "p95": 95}
    shares = (*QUANTILES.values(), 1, 99, 100)
    rows = [{"count": count, "values": list(range(1, count + 1))} for count in range(1, 206)]
    frame = spark().createDataFrame(pa.Table.from_pylist(rows))
    found = frame.select("count", *(quantile("values", share).alias(f"p{share}") for share in shares))
    for row in found.toArrow().to_pylist():
        ranks = {f"p{share}": -(-row["count"] * share // 100) for share in shares}
        assert row == {"count": row["count"], **ranks}


def test_each_row_gives_one_of_every_metric_that_has_a_value(spark):
    rows = [
        {"run_id": "a", "node": "S", "x": 1, "y": None, "counters": {"sent": 3}},
        {"run_id": "b", "node": None, "x": None, "y": 2.5, "counters": {}},
    ]
    schema = pa.schema(
        [
            ("run_id", pa.string()),
            ("node", pa.string()),
            ("x", pa.int64()),
            ("y", pa.float64()),
            ("counters", pa.map_(pa.string(), pa.int64())),
        ]
    )
    frame = spark().createDataFrame(pa.Table.from_pylist(rows, schema=schema))
    odd = "it's a \\ b"
    made = unpivot(
        frame,
        ("x", F.coalesce("node", F.lit("none")), "x"),
        ("y", F.lit("k"), F.col("y") * 2),
        ("sent", text(odd), counter("sent")),
    ).toArrow()
    assert made.column_names == ["run_id", "metric", "key", "value"] and str(made["value"].type) == "double"
    told = sorted(tuple(row.values()) for row in made.to_pylist())
    assert told == [("a", "sent", odd, 3.0), ("a", "x", "S", 1.0), ("b", "y", "k", 5.0)]
    grouped = each_and_all(frame.where("node is not null"), "node").groupBy("node").agg(F.sum("x").alias("x"))
    assert sorted(grouped.toArrow()["node"].to_pylist()) == ["S", "total"]
