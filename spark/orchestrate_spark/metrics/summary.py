# SPDX-License-Identifier: Apache-2.0
"""Over a cell's runs: mean, standard deviation and the 95 % confidence interval of each metric and key."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql.functions import broadcast, expr

CONFIDENCE = 0.95


def summarise(per_run: DataFrame, cells: DataFrame, most: int, histograms: Sequence[str] = (), shares: Sequence[str] = (),
              positive: Sequence[str] = (), up_to_one: Sequence[str] = ()) -> DataFrame:
    """experiment, cell, metric, key, n, mean, sd (n - 1), ci_low, ci_high.

    The interval is Student's t over seeds (mean +- t * sd / sqrt(n), n - 1 degrees of freedom); null for n = 1.
    `cells`: experiment, cell and `runs`, how many runs of it count; of `histograms` a run without a key is a zero.
    `most`: the largest of these. Where that interval would leave what is possible, it is t of the log odds of `shares` (0 to 1; their
    spread by the delta method), and cut off at 0 of `positive`, at 1 of `up_to_one` (orchestrator.report.statistics has the same
    and says why). Values are summed in sorted order, so that the last bit does not depend on how
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
    def among(metrics: Sequence[str]) -> str:
        return "metric in ({})".format(", ".join(f"'{name}'" for name in ("", *metrics)))

    def by(sign: str) -> str:
        """The end of the interval on that side; exp(300) is far enough for any odds."""
        odds = f"mean / (1 - mean) * exp({sign}least(half / (mean * (1 - mean)), 300D))"
        return f"""case
            when half is null then null  -- greatest() and least() would leave the null out
            when {among(shares)} and (mean - half < 0 or mean + half > 1) and mean > 0 and mean < 1 then 1 / (1 + 1 / ({odds}))
            when {among(positive)} and mean > 0 then greatest(mean {sign} half, 0D)
            when {among(up_to_one)} and mean < 1 then least(mean {sign} half, 1D)
            else mean {sign} half end"""

    return spread.selectExpr("*", f"if(n > 1, {half}, null) as half").selectExpr(
        "experiment", "cell", "metric", "key", "n", "mean", "sd", f"{by('-')} as ci_low", f"{by('+')} as ci_high")
