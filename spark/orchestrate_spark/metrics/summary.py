# SPDX-License-Identifier: Apache-2.0
"""Over a cell's runs: mean, standard deviation and the 95 % confidence interval of each metric and key."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql.functions import broadcast, expr

CONFIDENCE = 0.95


def summarise(per_run: DataFrame, cells: DataFrame, most: int, histograms: Sequence[str] = ()) -> DataFrame:
    """experiment, cell, metric, key, n, mean, sd (n - 1), ci_low, ci_high.

    The interval is Student's t over seeds (mean +- t * sd / sqrt(n), n - 1 degrees of freedom); null for n = 1.
    `cells`: experiment, cell and `runs`, how many runs of it count; of `histograms` a run without a key is a zero.
    `most`: the largest of these. Values are summed in sorted order, so that the last bit does not depend on how
    Spark spread the rows.
    """
    from scipy.stats import t

    quantiles = ",".join(repr(float(t.ppf((1 + CONFIDENCE) / 2, n - 1))) for n in range(2, max(most, 2) + 1))
    names = ", ".join(f"'{name}'" for name in ("", *histograms))
    groups = per_run.groupBy("experiment", "cell", "metric", "key").agg(expr("collect_list(value) as v"))
    padded = groups.join(broadcast(cells), ["experiment", "cell"]).selectExpr(
        "experiment", "cell", "metric", "key", f"""array_sort(if(metric in ({names}),
            concat(v, array_repeat(0D, cast(runs - size(v) as int))), v)) as v""")
    means = padded.selectExpr("*", "cast(size(v) as bigint) as n", "aggregate(v, 0D, (a, x) -> a + x) / size(v) as mean")
    spread = means.selectExpr(
        "experiment", "cell", "metric", "key", "n", "mean",
        "if(n > 1, sqrt(aggregate(v, 0D, (a, x) -> a + (x - mean) * (x - mean)) / (n - 1)), null) as sd")
    half = f"cast(split('{quantiles}', ',')[cast(n - 2 as int)] as double) * sd / sqrt(n)"
    return spread.selectExpr("*", f"if(n > 1, {half}, null) as half").selectExpr(
        "experiment", "cell", "metric", "key", "n", "mean", "sd", "mean - half as ci_low", "mean + half as ci_high")
