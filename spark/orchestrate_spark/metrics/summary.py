# SPDX-License-Identifier: Apache-2.0
"""Computes mean, standard deviation and 95 % confidence interval of each metric over a cell's runs.

Executors do it, which have this package only and may hold more rows than a machine; orchestrator.statistics
computes the same of the values that a figure shows, and tests/spark/test_summary.py compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import SHARE, Metric
from orchestrate_spark.metrics.student import quantile_t

LN2_HIGH, LN2_LOW = (
    float.fromhex("0x1.62e42feep-1"),
    float.fromhex("0x1.a39ef35793c76p-33"),
)  # log(2), of which the first times 2**10 is exact
GROUP = ("experiment", "cell", "metric", "key")


def summarise(
    per_run: F.DataFrame, cells: F.DataFrame, most: int, metrics: Mapping[str, Metric]
) -> F.DataFrame:
    """Return experiment, cell, metric, key, n, mean, sd (n - 1), ci_low and ci_high.

    The interval is Student's t over seeds (mean +- t * sd / sqrt(n), n - 1 degrees of freedom), and null for
    n = 1. `cells` has experiment, cell and `runs`, the number of its runs that count: in histograms, a run
    without a key counts as zero. `most`: the largest of these numbers. Values are summed in sorted order, so
    that the last bit does not depend on how Spark spread the rows.
    """
    runs = (
        per_run.groupBy(*GROUP)
        .agg(F.collect_list("value").alias("values"))
        .join(F.broadcast(cells), on=["experiment", "cell"], how="inner")
    )
    absent = F.array_repeat(F.lit(0.0), (F.col("runs") - F.size("values")).cast("int"))
    histogram = F.col("metric").isin([name for name, metric in metrics.items() if metric.histogram])
    padded = runs.select(
        *GROUP,
        F.array_sort(F.when(histogram, F.concat("values", absent)).otherwise(F.col("values"))).alias(
            "values"
        ),
    )
    means = padded.select(
        "*",
        F.size("values").cast("bigint").alias("n"),
        (_sum(lambda value: value) / F.size("values")).alias("mean"),
    )
    squares = _sum(lambda value: (value - F.col("mean")) * (value - F.col("mean")))
    spread = means.select(
        *GROUP, "n", "mean", F.when(F.col("n") > 1, F.sqrt(squares / (F.col("n") - 1))).alias("sd")
    )
    half = spread.select("*", (_quantile_t(most) * F.col("sd") / F.sqrt("n")).alias("half"))
    mean = F.col("mean")
    of_odds = F.when((mean > 0) & (mean < 1), F.col("half") / (mean * (1 - mean)))
    return _with_power(half, F.least(of_odds, F.lit(300.0))).select(  # exp(300) is far enough for any odds
        *GROUP, "n", "mean", "sd", _end(-1, metrics).alias("ci_low"), _end(1, metrics).alias("ci_high")
    )


def _with_power(rows: F.DataFrame, exponent: F.Column) -> F.DataFrame:
    """Add the column `power`, e to the power of the exponent (at most 300).

    It is made of sums and products, which are the same to the last bit everywhere; the `exp` of Java and that
    of the C library are not. e**x = 2**twos * e**rest with a rest of at most log(2) / 2, of which 14 terms of
    the series are more than a double holds.
    """
    rows = rows.select("*", exponent.alias("exponent"))
    rows = rows.select("*", F.floor(F.col("exponent") * (1 / LN2_HIGH) + 0.5).alias("twos"))
    rest = F.col("exponent") - F.col("twos") * LN2_HIGH - F.col("twos") * LN2_LOW
    rows = rows.select("*", rest.alias("rest"))
    series = F.lit(1.0)
    for term in range(14, 0, -1):
        series = 1 + F.col("rest") / term * series
    return rows.select("*", (series * F.pow(F.lit(2.0), "twos")).alias("power"))


def _sum(of: Callable[[F.Column], F.Column]) -> F.Column:
    return F.aggregate("values", F.lit(0.0), lambda total, value: total + of(value))


def _quantile_t(most: int) -> F.Column:
    """Return Student's t for the mean of n values; null for one value.

    The quantiles are a single literal, because each element of an array of literals would be a call to the
    JVM.
    """
    quantiles = ",".join(repr(quantile_t(n)) for n in range(2, most + 1))
    return F.get(F.split(F.lit(quantiles), ","), (F.col("n") - 2).cast("int")).cast("double")


def _end(sign: int, metrics: Mapping[str, Metric]) -> F.Column:
    """Return the lower (`sign` -1) or upper (1) end of the interval, kept within what is possible.

    Where the interval exceeds that, a share gets t of its log odds (whose spread follows by the delta
    method), and other metrics are cut off; orchestrator.statistics.estimates computes the same and says why.
    """
    mean, half = F.col("mean"), F.col("half")
    end = mean + sign * half

    def among(share: bool, has_least: bool) -> F.Column:
        return F.col("metric").isin(
            [
                name
                for name, metric in metrics.items()
                if (metric.unit == SHARE) is share and (metric.least is not None) is has_least
            ]
        )

    odds = mean / (1 - mean)
    odds = odds * F.col("power") if sign > 0 else odds / F.col("power")
    beyond = (mean - half < 0) | (mean + half > 1)
    return (
        F.when(half.isNull(), None)
        .when(  # greatest() and least() would leave the null out
            among(share=True, has_least=True) & beyond & (mean > 0) & (mean < 1), 1 / (1 + 1 / odds)
        )
        .when(among(share=False, has_least=True) & (mean > 0), F.greatest(end, F.lit(0.0)))
        .when(among(share=True, has_least=False) & (mean < 1), F.least(end, F.lit(1.0)))
        .otherwise(end)
    )
