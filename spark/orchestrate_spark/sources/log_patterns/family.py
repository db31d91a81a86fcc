# SPDX-License-Identifier: Apache-2.0
"""Metrics of log patterns: of deliveries, values and states, as an experiment's patterns declare them."""

from __future__ import annotations

import json
from typing import Any

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import (
    QUANTILES,
    SHARE,
    TOTAL,
    Family,
    Inputs,
    Metric,
    each_and_all,
    exact_sum,
    named,
    quantile,
    unpivot,
)

NAME = "log_patterns"
RADIO = ("transmit", "listen")  # states in which a transceiver is on
STATISTICS = {
    "count": "the number of events",
    "sum": "the sum of the values",
    "min": "the least value",
    "mean": "the mean of the values",
    "max": "the largest value",
    "first": "the first value",
    "last": "the last value",
    "rate": "growth of the value in a second, or events in a second, from the first to the last",
}
TOTALS = ("sum", "mean", "min", "max")  # over the motes
USUAL_TOTAL = {"count": "sum", "sum": "sum", "rate": "sum", "min": "min", "max": "max"}  # the others: mean


def family(settings: bytes) -> Family | None:
    """Return the metrics that an experiment's patterns declare; None if they declare none."""
    spec = json.loads(settings)
    metrics = declared(spec)
    return Family(NAME, lambda inputs: rows(inputs, spec), metrics) if metrics else None


def declared(spec: dict[str, Any]) -> dict[str, Metric]:
    """Return the declarations of the metrics of compiled patterns, by name."""
    found: dict[str, Metric] = {}
    for name in spec["deliveries"]:
        found |= _of_delivery(name)
    for name, energy in spec["energy"].items():
        found |= _of_energy(name, energy)
    for name, metric in spec["metrics"].items():
        what = STATISTICS[metric["statistic"]]
        found[name] = Metric(
            metric["unit"],
            metric["definition"] or f"{what} of {metric['of']}",
            title=metric["title"],
            kind="total",
            better=metric["better"],
            decimals=0 if metric["statistic"] == "count" else 3,
            by="mote",
            axis="mote",
            meaning=metric["definition"] or f"{what} of {metric['of']}; over all motes the {metric['total']}",
            least=0.0 if metric["unit"] == SHARE or metric["statistic"] == "count" else None,
        )
    return found


def _of_delivery(name: str) -> dict[str, Metric]:
    words = name.replace("_", " ")
    each = {"kind": "total", "by": "origin", "axis": "origin", "needs": "-"}
    return {
        f"{name}_delivery_ratio": Metric(
            SHARE,
            f"{words}: lines that say sent and have one that says received, with the same key / all sent",
            title=f"Delivery ratio, {words}",
            better="higher",
            decimals=2,
            meaning="by what motes print; by the mote that sent",
            **each,
        ),
        f"{name}_latency_ms": Metric(
            "ms",
            f"{words}: mean time from the line that says sent to the first that says received",
            title=f"Latency, {words}",
            better="lower",
            decimals=1,
            meaning="mean, by the log's times; by the mote that sent",
            **each,
        ),
        f"{name}_latency_quantiles_ms": Metric(
            "ms",
            f"{words}: time from the line that says sent to the first that says received: quantiles",
            title=f"Quantiles of the latency, {words}",
            kind="quantiles",
            better="lower",
            decimals=1,
            by="quantile",
        ),
        f"{name}_sent": Metric("packets", f"{words}: lines that say sent", title=f"Sent, {words}", **each),
        f"{name}_delivered": Metric(
            "packets",
            f"{words}: lines that say sent and have a line that says received, with the same key",
            title=f"Delivered, {words}",
            better="higher",
            **each,
        ),
        f"{name}_duplicates": Metric(
            "packets",
            f"{words}: further lines of a mote that say received, for the same line that says sent",
            title=f"Duplicates, {words}",
            better="lower",
            **each,
        ),
        f"{name}_unmatched": Metric(
            "packets",
            f"{words}: lines that say received and for which no line says sent; they are in no other number",
            title=f"Received but not sent, {words}",
            kind="total",
            better="lower",
        ),
    }


def _of_energy(name: str, energy: dict[str, Any]) -> dict[str, Metric]:
    each = {"kind": "total", "by": "mote", "axis": "mote", "better": "lower", "decimals": 3}
    words, profile = name.replace("_", " "), energy["profile"]
    found = {
        f"{name}_share": Metric(
            SHARE,
            f"{words}: time in a state / time that was looked at, the mean over motes; key: the state",
            title=f"Time in states, {words}",
            kind="table",
            decimals=3,
            by="state",
        )
    }
    if any(state in energy["states"] for state in RADIO):
        found[f"{name}_duty_cycle"] = Metric(
            SHARE,
            f"{words}: time with the transceiver on / time that was looked at; over all motes the mean",
            title=f"Radio duty cycle, {words}",
            **each,
        )
    if profile:
        of = f"by the currents of {profile['title']} at {profile['volts']:g} V"
        found[f"{name}_power_mw"] = Metric(
            "mW",
            f"{words}: mean power, {of}; over all motes the mean",
            title=f"Power, {words}",
            **each,
        )
        found[f"{name}_energy_mj"] = Metric(
            "mJ",
            f"{words}: energy over the time that was looked at, {of}; over all motes the sum",
            title=f"Energy, {words}",
            **each,
        )
    return found


def rows(inputs: Inputs, spec: dict[str, Any]) -> F.DataFrame:
    """Compute the metrics that the patterns declare."""
    parts = []
    if spec["deliveries"]:
        parts += [_deliveries(inputs, spec), _unmatched(inputs)]
    if spec["energy"]:
        parts += [_energy(inputs, name, energy) for name, energy in spec["energy"].items()]
    counts = [name for name, metric in spec["metrics"].items() if metric["counts"]]
    if counts:
        parts.append(_totals(_counts(inputs, spec, counts), spec))
    if len(counts) < len(spec["metrics"]):
        parts.append(_totals(_values(inputs, spec), spec))
    made = parts[0]
    for part in parts[1:]:
        made = made.union(part)
    return made


def _deliveries(inputs: Inputs, spec: dict[str, Any]) -> F.DataFrame:
    there = named(inputs, inputs.table("log_deliveries").where(F.col("sent_line").isNotNull()))
    once = there.groupBy("run_id", "delivery", "node", "sent_line").agg(
        F.max(F.when(F.col("receiver").isNotNull(), 1).otherwise(0)).alias("delivered"),
        F.sum(F.coalesce(F.col("copies") - 1, F.lit(0))).alias("duplicates"),
    )
    counted = (
        each_and_all(once, "node")
        .groupBy("run_id", "delivery", "node")
        .agg(
            F.count("sent_line").alias("sent"),
            F.sum("delivered").alias("delivered"),
            F.sum("duplicates").alias("duplicates"),
        )
        .select("*", (F.col("delivered") / F.col("sent")).alias("delivery_ratio"))
    )
    timed = there.where(F.col("latency_us").isNotNull()).select(
        "run_id", "delivery", "node", (F.col("latency_us") / 1000).alias("ms")
    )
    mean = (
        each_and_all(timed, "node")
        .groupBy("run_id", "delivery", "node")
        .agg((exact_sum("ms") / F.count("ms")).alias("latency_ms"))
    )
    ordered = timed.groupBy("run_id", "delivery").agg(F.array_sort(F.collect_list("ms")).alias("ms"))
    quantiles = ordered.select(
        "run_id", "delivery", *(quantile("ms", share).alias(name) for name, share in QUANTILES.items())
    )
    parts = [
        _long(counted, "delivery", F.col("node"), ("sent", "delivered", "duplicates", "delivery_ratio")),
        _long(mean, "delivery", F.col("node"), ("latency_ms",)),
    ]
    parts += [
        quantiles.select(
            "run_id",
            F.concat("delivery", F.lit("_latency_quantiles_ms")).alias("metric"),
            F.lit(name).alias("key"),
            F.col(name).cast("double").alias("value"),
        )
        for name in QUANTILES
    ]
    made = parts[0]
    for part in parts[1:]:
        made = made.union(part)
    return made


def _long(frame: F.DataFrame, prefix: str, key: F.Column, columns: tuple[str, ...]) -> F.DataFrame:
    """Return run_id, metric, key and value; a metric's name begins with the text in the column `prefix`."""
    rows = unpivot(
        frame.select("run_id", F.concat_ws("\t", F.col(prefix), key).alias("named"), *columns),
        *((column, F.col("named"), F.col(column)) for column in columns),
    )
    parts = F.split("key", "\t")
    return rows.select(
        "run_id",
        F.concat_ws("_", parts[0], F.col("metric")).alias("metric"),
        parts[1].alias("key"),
        "value",
    )


def _unmatched(inputs: Inputs) -> F.DataFrame:
    of = inputs.table("log_deliveries")
    return (
        of.groupBy("run_id", "delivery")
        .agg(F.sum(F.when(F.col("sent_line").isNull(), 1).otherwise(0)).cast("double").alias("value"))
        .select(
            "run_id",
            F.concat("delivery", F.lit("_unmatched")).alias("metric"),
            F.lit(TOTAL).alias("key"),
            "value",
        )
    )


def _energy(inputs: Inputs, name: str, energy: dict[str, Any]) -> F.DataFrame:
    profile = energy["profile"] or {"volts": 0.0, "currents_ma": {}}
    states = inputs.table("log_states").where((F.col("energy") == name) & (F.col("whole") > 0))
    shares = named(inputs, states.select("*", (F.col("ticks") / F.col("whole")).alias("share")))

    def summed(of: dict[str, float]) -> F.Column:
        terms = F.lit(0.0)
        for state, factor in of.items():
            # a mote has one row a state
            terms = (
                terms
                + F.coalesce(F.max(F.when(F.col("state") == state, F.col("share"))), F.lit(0.0)) * factor
            )
        return terms

    radio = {state: 1.0 for state in RADIO if state in energy["states"]}
    currents = {
        state: current * profile["volts"]
        for state, current in profile["currents_ma"].items()
        if state in energy["states"]
    }
    by_mote = shares.groupBy("run_id", "node").agg(
        summed(radio).alias("duty_cycle"),
        summed(currents).alias("power_mw"),
        F.max("seconds").alias("seconds"),
    )
    by_mote = by_mote.select("*", (F.col("power_mw") * F.col("seconds")).alias("energy_mj"))
    metrics = [
        (metric, total)
        for metric, total, there in (
            ("duty_cycle", "mean", radio),
            ("power_mw", "mean", energy["profile"]),
            ("energy_mj", "sum", energy["profile"]),
        )
        if there
    ]
    each = unpivot(by_mote, *((f"{name}_{metric}", F.col("node"), F.col(metric)) for metric, _ in metrics))
    over = by_mote.groupBy("run_id").agg(
        *(
            (exact_sum(metric) / (F.count(metric) if total == "mean" else F.lit(1.0))).alias(metric)
            for metric, total in metrics
        ),
        *(F.count(metric).alias(f"n_{metric}") for metric, _ in metrics),
    )
    all_ = unpivot(
        over,
        *(
            (f"{name}_{metric}", F.lit(TOTAL), F.when(F.col(f"n_{metric}") > 0, F.col(metric)))
            for metric, _ in metrics
        ),
    )
    of_states = (
        shares.groupBy("run_id", "state")
        .agg((exact_sum("share") / F.count("share")).alias("value"))
        .select("run_id", F.lit(f"{name}_share").alias("metric"), F.col("state").alias("key"), "value")
    )
    return each.union(all_).union(of_states) if metrics else of_states


def _counts(inputs: Inputs, spec: dict[str, Any], counts: list[str]) -> F.DataFrame:
    """Return run_id, metric, node, value, n and sum: how many events each mote printed, perhaps none."""
    wanted = [(name, spec["values"][name]["event"]) for name in counts]
    metrics = F.explode(F.array(*(F.lit(name) for name, _ in wanted))).alias("metric")
    motes = inputs.table("motes").select("run_id", "mote", metrics)
    events = inputs.table("log_events").groupBy("run_id", "mote", "event").agg(F.count("line").alias("n"))
    event = F.lit(None).cast("string")
    for name, of in wanted:
        event = F.when(F.col("metric") == name, F.lit(of)).otherwise(event)
    there = motes.select("*", event.alias("event")).join(events, on=["run_id", "mote", "event"], how="left")
    value = F.coalesce("n", F.lit(0)).cast("double")
    return named(inputs, there.select("run_id", "mote", "metric", value.alias("value"))).select(
        "run_id", "metric", "node", "value", F.lit(1).alias("n"), F.col("value").alias("sum")
    )


def _values(inputs: Inputs, spec: dict[str, Any]) -> F.DataFrame:
    """Return run_id, metric, node, value (the metric's statistic), n and sum (of all of its values)."""
    counted = [name for name, metric in spec["metrics"].items() if metric["statistic"] == "rate"]
    values = inputs.table("log_values")
    of_events = [name for name in counted if not spec["values"][name]["value"]]
    for name in of_events:
        events = inputs.table("log_events").where(F.col("event") == spec["values"][name]["event"])
        number = F.row_number().over(F.Window.partitionBy("run_id", "mote").orderBy("line"))
        values = values.union(
            events.select(
                "run_id", "line", "time_us", "mote", F.lit(name).alias("metric"), number.cast("double")
            )
        )
    by_mote = values.groupBy("run_id", "mote", "metric").agg(
        F.count("value").alias("n"),
        exact_sum("value").alias("sum"),
        F.min("value").alias("min"),
        F.max("value").alias("max"),
        F.min("time_us").alias("begin"),
        F.max("time_us").alias("end"),
        F.min(F.struct("line", "value")).alias("head"),
        F.max(F.struct("line", "value")).alias("tail"),
    )
    first, last = F.col("head")["value"], F.col("tail")["value"]
    seconds = (F.col("end") - F.col("begin")) / 1e6
    statistics = {
        "sum": F.col("sum"),
        "min": F.col("min"),
        "max": F.col("max"),
        "mean": F.col("sum") / F.col("n"),
        "first": first,
        "last": last,
        "rate": F.when(seconds > 0, (last - first) / seconds),
    }
    value = F.lit(None).cast("double")
    for statistic, column in statistics.items():
        names = [name for name, metric in spec["metrics"].items() if metric["statistic"] == statistic]
        if names:
            value = F.when(F.col("metric").isin(names), column).otherwise(value)
    made = by_mote.select("run_id", "mote", "metric", value.alias("value"), "n", "sum")
    return named(inputs, made.where(F.col("value").isNotNull())).select(
        "run_id", "metric", "node", "value", "n", "sum"
    )


def _totals(by_mote: F.DataFrame, spec: dict[str, Any]) -> F.DataFrame:
    """Return run_id, metric, key and value: each mote's, and over all of them what the metric says."""
    each = by_mote.select("run_id", "metric", F.col("node").alias("key"), F.col("value").cast("double"))
    over = by_mote.groupBy("run_id", "metric").agg(
        exact_sum("value").alias("all"),
        F.count("value").alias("motes"),
        F.min("value").alias("min"),
        F.max("value").alias("max"),
        exact_sum("sum").alias("sum"),
        F.sum("n").alias("n"),
    )
    value = F.col("all") / F.col("motes")
    for total in TOTALS:
        names = [name for name, metric in spec["metrics"].items() if metric["total"] == total]
        if total == "mean":  # of all values, however many each mote has
            names = [name for name in names if spec["metrics"][name]["statistic"] == "mean"]
        columns = {
            "sum": F.col("all"),
            "min": F.col("min"),
            "max": F.col("max"),
            "mean": F.col("sum") / F.col("n"),
        }
        if names:
            value = F.when(F.col("metric").isin(names), columns[total]).otherwise(value)
    return each.union(over.select("run_id", "metric", F.lit(TOTAL).alias("key"), value.alias("value")))
