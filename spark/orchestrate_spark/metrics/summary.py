# SPDX-License-Identifier: Apache-2.0
"""Over a cell's runs: mean, standard deviation and the 95 % confidence interval of each metric and key."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

CONFIDENCE = 0.95


def summarise(per_run: DataFrame, most: int) -> DataFrame:
    """experiment, cell, metric, key, n, mean, sd (n - 1), ci_low, ci_high.

    The interval is Student's t over seeds (mean +- t * sd / sqrt(n), n - 1 degrees of freedom); null for n = 1.
    `most`: the largest n that can occur. Values are summed in sorted order, so that the last bit does not depend on
    how Spark spread the rows.
    """
    from scipy.stats import t

    quantiles = [float(t.ppf((1 + CONFIDENCE) / 2, n - 1)) for n in range(2, max(most, 2) + 1)]
    table = F.split(F.lit(",".join(map(repr, quantiles))), ",")
    add = lambda total, value: total + value  # noqa: E731
    groups = per_run.groupBy("experiment", "cell", "metric", "key").agg(F.array_sort(F.collect_list("value")).alias("v"))
    means = groups.withColumn("n", F.size("v").cast("long")).withColumn(
        "mean", F.aggregate("v", F.lit(0.0), add) / F.col("n"))
    squares = F.aggregate(F.transform("v", lambda x: (x - F.col("mean")) * (x - F.col("mean"))), F.lit(0.0), add)
    spread = means.withColumn("sd", F.when(F.col("n") > 1, F.sqrt(squares / (F.col("n") - 1))))
    half = F.when(F.col("n") > 1, F.get(table, (F.col("n") - 2).cast("int")).cast("double") * F.col("sd") / F.sqrt("n"))
    return spread.select("experiment", "cell", "metric", "key", "n", "mean", "sd", (F.col("mean") - half).alias("ci_low"),
                         (F.col("mean") + half).alias("ci_high"))
