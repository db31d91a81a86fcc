# SPDX-License-Identifier: Apache-2.0
"""Delivery before and after a mote dies, by subscriber and window of half a renewal, and how soon it is back.

Of runs whose trace says who subscribed to what (`sub`) and that a mote died (`die`). An event counts in the window in
which it was published, for whom it is owed to (owed.py); windows are counted from the first death."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql.functions import broadcast, expr

from orchestrate_spark.metrics.model import TOTAL, Family, Inputs, text, unpivot
from orchestrate_spark.metrics.owed import DEATH

RECOVERED = 0.9  # of the delivery ratio before the death


def rows(inputs: Inputs) -> DataFrame:
    died = inputs.events.where(f"kind = {DEATH}").groupBy("run_id").agg(expr("min(time_us) as died"))
    owed = inputs.owed.join(broadcast(died), "run_id").where("renewal_ms > 0").selectExpr(
        "run_id", "node", "cast(floor((published_us - died) / (renewal_ms * 500)) as int) as window",
        "if(delivered_us is null, 0, 1) as got")
    windows = owed.groupingSets([["run_id", "window", "node"], ["run_id", "window"]], "run_id", "window", "node").agg(
        expr("count(*) as owed"), expr("sum(got) as got")).selectExpr(
        "run_id", f"coalesce(node, {text(TOTAL)}) as node", "window", "owed", "got", "got / owed as ratio")
    each = "over (partition by run_id, node)"
    # A window that the run begins or ends in holds few events.
    whole = windows.selectExpr("*", f"max(owed) {each} as most").where("2 * owed >= most").selectExpr(
        "*", f"sum(if(window < 0, got, 0)) {each} / sum(if(window < 0, owed, 0)) {each} as before")
    judged = whole.selectExpr("*", f"ratio >= {RECOVERED} * before as good").selectExpr(
        "*", "good and coalesce(lead(good) over (partition by run_id, node order by window), true) as lasting")
    back = judged.where("window >= 0").groupBy("run_id", "node").agg(expr("min(if(lasting, window, null)) / 2 as renewals"))
    return unpivot(whole, ("delivery_ratio", "concat(node, '/', format_string('%+.1f', window / 2.0D))", "ratio")).union(
        unpivot(back, ("recovery_renewals", "node", "renewals")))


FAMILY = Family("recovery", rows, {
    "delivery_ratio": ("share", "events delivered to the subscriber / events published on its topics, by window of half a "
                       "renewal; the key ends in the window's begin, renewals after the death of a mote", "-"),
    "recovery_renewals": ("renewals", "from the death of a mote to the first window, followed by another, whose delivery "
                          "ratio is at least 90 % of that before the death; absent if there is none", "-"),
})
