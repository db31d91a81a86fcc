# SPDX-License-Identifier: Apache-2.0
"""Delivery delay, from an event's publication to its first delivery at a subscriber.

Motes count delays in buckets, each at most an eighth wide of its upper end; a quantile is the upper end of the bucket
it falls in, so it is never too small and at most an eighth too large. The mean is exact where motes print
`delay_total_ms`, else the buckets' upper ends stand for their delays. Where motes don't count them but trace `sub`, `pub`
and `dlv`, delays are of the trace, quantiles and mean exact, and the histogram has the same buckets.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql.functions import expr

from orchestrate_spark.metrics.model import Family, Inputs, sums, unpivot
from orchestrate_spark.metrics.owed import without_index

QUANTILES = {"p05": 5, "p50": 50, "p95": 95}  # per cent


# The bucket of a delay of so many ms, as contiki-apps/apps/aggregation/delay-histogram.c has it: one each below 8 ms, then
# eight an octave. The number of binary digits says the octave.
BUCKET_MS = "if(ms < 8, ms, shiftleft(shiftright(ms, length(bin(ms)) - 4) + 1, length(bin(ms)) - 4) - 1)"


def rows(inputs: Inputs) -> DataFrame:
    return _counted(inputs).union(_traced(inputs))


def _counted(inputs: Inputs) -> DataFrame:
    runs = inputs.delays.where("count > 0").groupBy("run_id").agg(
        expr("array_sort(collect_list(struct(upper_ms, count))) as b"), expr("sum(count) as n"),
        expr("sum(upper_ms * count) as rough"))
    # b with the running count: the first bucket that reaches a share of n holds the quantile
    ranked = runs.selectExpr("run_id", "b", "n", "rough", """
        transform(sequence(1, size(b)), i -> struct(b[i - 1].upper_ms as upper_ms,
            aggregate(slice(b, 1, i), 0L, (sum, bucket) -> sum + bucket.count) as rank)) as ranked""")
    found = ranked.join(sums(inputs.motes, "delay_total_ms"), "run_id", "left")
    quantiles = (("delay_ms", f"'{name}'", f"filter(ranked, r -> r.rank * 100 >= {share} * n)[0].upper_ms")
                 for name, share in QUANTILES.items())
    each = inputs.delays.where("count > 0").groupBy("run_id", "upper_ms").agg(expr("sum(count) as count"))
    return unpivot(each, ("delay_histogram", "cast(upper_ms as string)", "count")).union(
        unpivot(found, *quantiles, ("delay_ms", "'mean'", "coalesce(delay_total_ms, rough) / n")))


def _traced(inputs: Inputs) -> DataFrame:
    counted = inputs.delays.select("run_id").distinct()
    delays = without_index(inputs.owed, inputs.motes).join(counted, "run_id", "left_anti").where("delivered_us is not null").selectExpr(
        "run_id", "delivered_us - published_us as us", "floor((delivered_us - published_us) / 1000) as ms")
    runs = delays.groupBy("run_id").agg(expr("array_sort(collect_list(us)) as us"), expr("count(*) as n"), expr("avg(us) as mean_us"))
    quantiles = (("delay_ms", f"'{name}'", f"us[cast(ceil({share} * n / 100) as int) - 1] / 1000") for name, share in QUANTILES.items())
    buckets = delays.groupBy("run_id", expr(f"{BUCKET_MS} as upper_ms")).agg(expr("count(*) as count"))
    return unpivot(runs, *quantiles, ("delay_ms", "'mean'", "mean_us / 1000")).union(
        unpivot(buckets, ("delay_histogram", "cast(upper_ms as string)", "count")))


FAMILY = Family("delay", rows, {
    "delay_ms": ("ms", "delivery delay of individual events: quantiles p05, p50, p95, and mean", "-"),
    "delay_histogram": ("events",
                        "individual events delivered after at most upper_ms (the key) and more than the key before",
                        "-"),
}, histograms=("delay_histogram",))
