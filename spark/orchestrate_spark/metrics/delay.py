# SPDX-License-Identifier: Apache-2.0
"""Computes the delivery delay, from an event's publication to its first delivery at a subscriber.

Motes count delays in buckets, whose width is at most an eighth of their upper end. A quantile is the upper
end of the bucket it falls in, so it is never too small and at most an eighth too large. The mean is exact
where motes print `delay_total_ms`; otherwise the buckets' upper ends stand for the delays. Where motes don't
count delays but trace `sub`, `pub` and `dlv`, delays come from the trace: quantiles and mean are exact, and
the histogram has the same buckets.
"""

from __future__ import annotations

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import QUANTILES, Family, Inputs, Metric, counter, quantile, unpivot


def rows(inputs: Inputs) -> F.DataFrame:
    """Compute the metrics of delivery delay."""
    return _counted(inputs).union(_traced(inputs))


def _counted(inputs: Inputs) -> F.DataFrame:
    buckets = (
        inputs.delays.where(F.col("count") > 0)
        .groupBy("run_id", "upper_ms")
        .agg(F.sum("count").alias("count"))
    )
    of_run = F.Window.partitionBy("run_id")
    ranked = buckets.select(
        "run_id",
        "upper_ms",
        "count",
        F.sum("count").over(of_run).alias("events"),
        F.sum("count").over(of_run.orderBy("upper_ms")).alias("rank"),
    )
    reached = {name: F.col("rank") * 100 >= F.col("events") * share for name, share in QUANTILES.items()}
    runs = ranked.groupBy("run_id").agg(
        *(F.min(F.when(condition, F.col("upper_ms"))).alias(name) for name, condition in reached.items()),
        F.sum("count").alias("events"),
        F.sum(F.col("upper_ms") * F.col("count")).alias("upper_ends_ms"),
    )
    found = runs.join(F.broadcast(inputs.totals), on="run_id", how="left")
    mean = F.coalesce(counter("delay_total_ms"), "upper_ends_ms") / F.col("events")
    return _rows(found, {name: F.col(name) for name in QUANTILES}, mean, buckets)


def _traced(inputs: Inputs) -> F.DataFrame:
    counted = inputs.delays.select("run_id").distinct()
    delivered = inputs.owed.join(counted, on="run_id", how="left_anti").where(
        F.col("delivered_us").isNotNull()
    )
    delays = delivered.select("run_id", (F.col("delivered_us") - F.col("published_us")).alias("delay_us"))
    runs = delays.groupBy("run_id").agg(
        F.array_sort(F.collect_list("delay_us")).alias("delays_us"), F.avg("delay_us").alias("mean_us")
    )
    buckets = delays.groupBy("run_id", _bucket_ms(F.floor(F.col("delay_us") / 1000)).alias("upper_ms")).agg(
        F.count("*").alias("count")
    )
    return _rows(
        runs,
        {name: quantile("delays_us", share) / 1000 for name, share in QUANTILES.items()},
        F.col("mean_us") / 1000,
        buckets,
    )


def _rows(
    runs: F.DataFrame, quantiles: dict[str, F.Column], mean: F.Column, buckets: F.DataFrame
) -> F.DataFrame:
    return unpivot(
        runs,
        *(("delay_ms", F.lit(name), value) for name, value in quantiles.items()),
        ("delay_ms", F.lit("mean"), mean),
    ).union(unpivot(buckets, ("delay_histogram", F.col("upper_ms").cast("string"), F.col("count"))))


def _bucket_ms(delay_ms: F.Column) -> F.Column:
    """Return the upper end of a delay's bucket, as contiki-apps/apps/aggregation/delay-histogram.c counts.

    Below 8 ms each ms has a bucket; above, each octave has eight. The number of binary digits tells the
    octave.
    """
    width = F.greatest(F.pow(F.lit(2), F.length(F.bin(delay_ms)) - 4), F.lit(1)).cast("bigint")
    return (F.floor(delay_ms / width) + 1) * width - 1


FAMILY = Family(
    "delay",
    rows,
    {
        "delay_ms": Metric(
            "ms",
            "delivery delay of individual events: quantiles p05, p50, p95, and mean",
            title="Delivery delay",
            kind="quantiles",
            better="lower",
            needs="dly or sub pub dlv",
            place=160,
            step=20,
            expected=60,
        ),
        "delay_histogram": Metric(
            "events",
            "individual events delivered after at most upper_ms (the key) and more than the key before",
            title="Delivery delay, cumulative",
            kind="cumulative",
            needs="dly or sub pub dlv",
            place=170,
        ),
    },
)
