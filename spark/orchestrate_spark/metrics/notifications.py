# SPDX-License-Identifier: Apache-2.0
"""How soon the blackboard's subscribers are notified, and the deadlines that are missed.

Mean, largest delay and misses are what the motes counted; quantiles need a trace. Modelled as metrics/threads.py.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql.functions import expr

from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, named, text, unpivot

QUANTILES = {"p05": 5, "p50": 50, "p95": 95}  # per cent

# node/event/subscriber and its thread/deadline; a thread's name is the application's
_DEADLINE = "if(deadline_us > 0, concat(cast(deadline_us / 1000D as string), ' ms'), 'none')"
KEY = f"concat_ws('/', node, event, concat(subscriber, ' ', replace(thread, '/', '_')), replace({_DEADLINE}, '.0 ms', ' ms'))"


def rows(inputs: Inputs) -> DataFrame:
    counted = named(inputs, inputs.table("subscriptions")).selectExpr("*", f"{KEY} as key")
    due = counted.where("deadline_us > 0").groupingSets([["run_id", "key"], ["run_id"]], "run_id", "key").agg(
        expr("sum(missed) as missed"), expr("sum(notified) as notified"))
    traced = named(inputs, inputs.table("execution").where("kind = 'ntf'")).selectExpr("run_id", f"{KEY} as key", "delay_us")
    ranked = traced.groupBy("run_id", "key").agg(expr("array_sort(collect_list(delay_us)) as d"))
    of = f"coalesce(key, {text(TOTAL)})"
    return unpivot(counted, ("notification_delay_ms", "concat(key, '/mean')", "total_us / nullif(notified, 0) / 1000D"),
                   ("notification_delay_ms", "concat(key, '/max')", "if(notified > 0, max_us / 1000D, null)")).union(
        unpivot(ranked, *(
            ("notification_delay_ms", f"concat(key, '/{name}')", f"d[cast(ceil(size(d) * {share} / 100) as int) - 1] / 1000D")
            for name, share in QUANTILES.items()))).union(
        unpivot(due, ("notification_misses", of, "missed"), ("notification_miss_rate", of, "missed / nullif(notified, 0)")))


FAMILY = Family("notifications", rows, {
    "notification_delay_ms": ("ms", "from a publication to the blackboard until the subscriber's thread runs: mean and max, "
                              "of traced runs quantiles p05, p50, p95; key: node/event/subscriber/deadline/which; modelled",
                              "blackboard, section 6.1"),
    "notification_misses": ("notifications", "those that came after more than the subscriber's deadline; key: "
                            "node/event/subscriber/deadline, and total; modelled", "blackboard, section 6.1"),
    "notification_miss_rate": ("share", "misses / notifications of subscribers with a deadline; modelled",
                               "blackboard, section 6.1"),
}, of=("subscriptions", "execution"))
