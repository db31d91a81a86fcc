# SPDX-License-Identifier: Apache-2.0
"""Follows datagrams from their origin's first frame to their destination: delivery, latency, hops.

The source is the record of the air (sources/air), so any firmware has these metrics. A datagram that its
mote never sent, because a queue was full, say, is not in them: only the application knows of it.
"""

from __future__ import annotations

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import (
    QUANTILES,
    TOTAL,
    Family,
    Inputs,
    Metric,
    between,
    each_and_all,
    quantile,
    unpivot,
    with_names,
)
from orchestrate_spark.sources.air import APPLICATIONS, ENDED


def rows(inputs: Inputs) -> F.DataFrame:
    """Compute the metrics of datagrams."""
    motes = inputs.table("motes")
    sent = inputs.table("datagrams").where(F.col("protocol").isin(*APPLICATIONS))
    single = sent.where(F.col("fate").isin(*ENDED))
    arrived = F.col("fate") == "delivered"
    return (
        _delivery(single, motes, arrived)
        .union(_latency(single.where(arrived)))
        .union(_by_hops(single.where(arrived)))
        .union(_by_flow(single, motes, arrived))
        .union(_by_hop(inputs.table("hops")))
        .union(_throughput(single.where(arrived), inputs.runs))
        .union(_round_trips(sent))
        .union(_multicast(sent.where("fate = 'multicast'")))
        .union(_fates(sent.where("fate != 'multicast'")))
    )


def _delivery(single: F.DataFrame, motes: F.DataFrame, arrived: F.Column) -> F.DataFrame:
    by_origin = single.select(
        "run_id",
        F.col("origin").alias("mote"),
        arrived.cast("bigint").alias("arrived"),
        F.col("transmissions").cast("bigint").alias("transmissions"),
        F.coalesce("duplicates", F.lit(0)).cast("bigint").alias("duplicates"),
        F.when(arrived, F.col("end_us") - F.col("t_us")).alias("us"),
    )
    all_and_each = each_and_all(with_names(by_origin, motes, "node").drop("mote"), "node")
    summed = all_and_each.groupBy("run_id", "node").agg(
        F.sum("arrived").alias("arrived"),
        F.count("*").alias("datagrams"),
        F.sum("transmissions").alias("transmissions"),
        F.sum("duplicates").alias("duplicates"),
        F.avg("us").alias("us"),
    )
    whole = F.col("node") == TOTAL
    return unpivot(
        summed,
        ("pdr", F.when(whole, F.lit(TOTAL)), F.when(whole, F.col("arrived") / F.col("datagrams"))),
        ("pdr_by_mote", F.col("node"), F.when(~whole, F.col("arrived") / F.col("datagrams"))),
        ("datagrams_sent", F.col("node"), F.col("datagrams")),
        ("latency_by_mote_ms", F.col("node"), F.when(~whole, F.col("us") / 1000)),
        ("frames_per_datagram", F.col("node"), F.col("transmissions") / F.col("datagrams")),
        ("duplicate_datagrams", F.col("node"), F.col("duplicates")),
    )


def _latency(arrived: F.DataFrame) -> F.DataFrame:
    runs = arrived.groupBy("run_id").agg(
        F.array_sort(F.collect_list(F.col("end_us") - F.col("t_us"))).alias("us"),
        F.avg(F.col("end_us") - F.col("t_us")).alias("mean_us"),
    )
    return unpivot(
        runs,
        *(("latency_ms", F.lit(name), quantile("us", share) / 1000) for name, share in QUANTILES.items()),
        ("latency_ms", F.lit("mean"), F.col("mean_us") / 1000),
        ("mean_latency_ms", F.lit(TOTAL), F.col("mean_us") / 1000),
    )


def _by_hops(arrived: F.DataFrame) -> F.DataFrame:
    counted = arrived.groupBy("run_id", "hops").agg(
        F.count("*").alias("datagrams"), F.sum(F.col("end_us") - F.col("t_us")).alias("us")
    )
    of_run = counted.groupBy("run_id").agg(
        (F.sum(F.col("hops") * F.col("datagrams")) / F.sum("datagrams")).alias("mean")
    )
    hops = F.format_string("%d", F.col("hops").cast("int"))
    return unpivot(of_run, ("path_length", F.lit(TOTAL), F.col("mean"))).union(
        unpivot(
            counted,
            ("deliveries_by_hops", hops, F.col("datagrams")),
            ("latency_by_hops_ms", hops, F.col("us") / F.col("datagrams") / 1000),
        )
    )


def _by_flow(single: F.DataFrame, motes: F.DataFrame, arrived: F.Column) -> F.DataFrame:
    latency = F.when(arrived, F.col("end_us") - F.col("t_us"))
    flows = single.groupBy("run_id", "origin", "destination").agg(
        F.sum(arrived.cast("bigint")).alias("arrived"),
        F.count("*").alias("datagrams"),
        F.avg(latency).alias("us"),
        F.round(F.avg(F.when(arrived, F.col("hops")))).cast("int").alias("distance"),
    )
    distances = (
        flows.where("distance is not null")
        .groupBy("run_id", "distance")
        .agg(F.sum("arrived").alias("arrived"), F.sum("datagrams").alias("datagrams"))
    )
    share = F.col("arrived") / F.col("datagrams")
    return unpivot(
        between(flows, "origin", "destination", motes),
        ("pdr_by_flow", F.col("pair"), share),
        ("latency_by_flow_ms", F.col("pair"), F.col("us") / 1000),
    ).union(unpivot(distances, ("pdr_by_hops", F.format_string("%d", "distance"), share)))


def _by_hop(hops: F.DataFrame) -> F.DataFrame:
    took = hops.where(F.col("to").isNotNull() & F.col("end_us").isNotNull()).select(
        "run_id", (F.col("end_us") - F.col("t_us")).alias("us")
    )
    runs = took.groupBy("run_id").agg(F.array_sort(F.collect_list("us")).alias("us"))
    return unpivot(
        runs,
        *(("hop_latency_ms", F.lit(name), quantile("us", share) / 1000) for name, share in QUANTILES.items()),
    )


def _throughput(arrived: F.DataFrame, runs: F.DataFrame) -> F.DataFrame:
    bits = arrived.groupBy("run_id").agg((8 * F.sum("payload_length")).alias("bits"))
    of_run = bits.join(F.broadcast(runs.select("run_id", "sim_us")), on="run_id")
    return unpivot(
        of_run,
        (
            "throughput_bps",
            F.lit(TOTAL),
            F.when(F.col("sim_us") > 0, F.col("bits") * 1000000 / F.col("sim_us")),
        ),
    )


def _round_trips(sent: F.DataFrame) -> F.DataFrame:
    asked = sent.select("run_id", F.col("datagram").alias("answers"), F.col("t_us").alias("asked_us"))
    answers = sent.where(F.col("answers").isNotNull() & F.col("end_us").isNotNull()).select(
        "run_id", "answers", "end_us"
    )
    trips = answers.join(asked, on=["run_id", "answers"]).select(
        "run_id", (F.col("end_us") - F.col("asked_us")).alias("us")
    )
    runs = trips.groupBy("run_id").agg(
        F.array_sort(F.collect_list("us")).alias("us"), F.avg("us").alias("mean_us")
    )
    return unpivot(
        runs,
        *(("round_trip_ms", F.lit(name), quantile("us", share) / 1000) for name, share in QUANTILES.items()),
        ("round_trip_ms", F.lit("mean"), F.col("mean_us") / 1000),
    )


def _multicast(sent: F.DataFrame) -> F.DataFrame:
    runs = sent.groupBy("run_id").agg(F.avg("delivered").alias("receivers"))
    return unpivot(runs, ("multicast_receivers", F.lit(TOTAL), F.col("receivers")))


def _fates(single: F.DataFrame) -> F.DataFrame:
    fate = F.when(F.col("cause").isNull(), F.col("fate")).otherwise(F.concat_ws(": ", "fate", "cause"))
    counted = single.groupBy("run_id", fate.alias("fate")).agg(F.count("*").alias("datagrams"))
    return unpivot(counted, ("datagram_fates", F.col("fate"), F.col("datagrams")))


FAMILY = Family(
    "flows",
    rows,
    {
        "pdr": Metric(
            "share",
            "unicast datagrams of applications that reached their destination / those that were on the air; "
            "without those that ended on the way to a host outside, or shortly before the run did",
            title="Packet delivery ratio",
            kind="total",
            better="higher",
            decimals=3,
            meaning="of datagrams that were on the air",
            place=8,
            column=4,
            step=8,
        ),
        "pdr_by_mote": Metric(
            "share",
            "the packet delivery ratio of the datagrams that a mote originates",
            title="Packet delivery ratio by origin",
            kind="node",
            better="higher",
            decimals=3,
            place=11,
        ),
        "latency_ms": Metric(
            "ms",
            "from the beginning of a datagram's first frame to the end of the frame that completes it at "
            "its destination: quantiles p05, p50, p95, and mean",
            title="Latency",
            kind="quantiles",
            better="lower",
            decimals=1,
            meaning="from the first frame to delivery",
            place=12,
        ),
        "mean_latency_ms": Metric(
            "ms",
            "the mean of `latency_ms` over the datagrams that were delivered",
            title="Mean latency",
            kind="total",
            better="lower",
            decimals=1,
            place=9,
            column=5,
            step=12,
        ),
        "latency_by_mote_ms": Metric(
            "ms",
            "the mean latency of the datagrams that a mote originates",
            title="Latency by origin",
            kind="node",
            better="lower",
            decimals=1,
            place=13,
        ),
        "pdr_by_hops": Metric(
            "share",
            "the packet delivery ratio of the datagrams between motes that are so many hops apart, "
            "the rounded mean of those delivered between the two; flows without a delivery don't count",
            title="Packet delivery ratio by hops",
            kind="node",
            better="higher",
            decimals=3,
            meaning="of datagrams between motes that are so many hops apart",
            by="hops",
            axis="hops",
            apart=True,
        ),
        "pdr_by_flow": Metric(
            "share",
            "the packet delivery ratio of the datagrams from mote A to mote B (`A > B`)",
            title="Packet delivery ratio by flow",
            kind="hidden",
            better="higher",
            decimals=3,
            by="flow",
        ),
        "latency_by_flow_ms": Metric(
            "ms",
            "the mean latency of the datagrams that were delivered from mote A to mote B (`A > B`)",
            title="Latency by flow",
            kind="hidden",
            better="lower",
            decimals=1,
            by="flow",
        ),
        "hop_latency_ms": Metric(
            "ms",
            "from the beginning of a datagram's first frame on a hop to the end of the frame that completes "
            "it at the next mote, all protocols: quantiles p05, p50, p95",
            title="Latency of a hop",
            kind="quantiles",
            better="lower",
            decimals=1,
            place=20,
        ),
        "round_trip_ms": Metric(
            "ms",
            "from the beginning of a request's first frame to the delivery of its answer: quantiles p05, "
            "p50, p95, and mean; paired by CoAP's token or message id, an echo's numbers, or the ports",
            title="Round-trip time",
            kind="quantiles",
            better="lower",
            decimals=1,
            place=13,
        ),
        "latency_by_hops_ms": Metric(
            "ms",
            "the mean latency of the datagrams that took so many hops",
            title="Latency by hops",
            meaning="of the datagrams that took so many hops",
            kind="table",
            better="lower",
            decimals=1,
            by="hops",
            axis="hops",
            place=14,
        ),
        "deliveries_by_hops": Metric(
            "datagrams",
            "the datagrams that were delivered after so many hops",
            title="Deliveries by hops",
            kind="histogram",
            by="hops",
            axis="hops",
            place=15,
        ),
        "path_length": Metric(
            "hops",
            "the mean number of hops of the datagrams that were delivered",
            title="Path length",
            kind="total",
            decimals=2,
            place=16,
            column=7,
        ),
        "datagrams_sent": Metric(
            "datagrams",
            "unicast datagrams of applications that were on the air, by origin",
            title="Datagrams sent",
            kind="node",
            place=17,
        ),
        "datagram_fates": Metric(
            "datagrams",
            "unicast datagrams of applications by how they ended, with the cause if a hop was lost",
            title="How datagrams ended",
            kind="hidden",
            by="fate",
        ),
        "throughput_bps": Metric(
            "bit/s",
            "bits of payload (behind UDP's or TCP's header) that were delivered / the simulated time",
            title="Throughput",
            kind="total",
            better="higher",
            decimals=1,
            place=18,
        ),
        "frames_per_datagram": Metric(
            "frames",
            "frames with a datagram or a part of it, on all hops and with retransmissions / datagrams, of "
            "all motes and by origin",
            title="Frames per datagram",
            kind="total",
            better="lower",
            decimals=2,
            place=19,
        ),
        "multicast_receivers": Metric(
            "motes",
            "the mean number of motes that received a multicast datagram or a broadcast of an application; a "
            "group's members can't be seen in frames",
            title="Receivers of a multicast datagram",
            kind="total",
            decimals=2,
            meaning="mean over the multicast datagrams of applications",
            place=22,
            column=9,
            step=14,
        ),
        "duplicate_datagrams": Metric(
            "datagrams",
            "arrivals of a datagram at a destination that has it already, on another hop, of all motes and "
            "by origin",
            title="Duplicates",
            kind="total",
            better="lower",
            place=21,
        ),
    },
    of=("datagrams", "hops"),
)
