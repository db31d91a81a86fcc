# SPDX-License-Identifier: Apache-2.0
"""Says how the channel was used: links, collisions, control traffic, radios, joining and parents.

The source is the record of the air (sources/air), so any firmware has these metrics.
"""

from __future__ import annotations

from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import (
    TOTAL,
    Family,
    Inputs,
    Metric,
    between,
    each_and_all,
    unpivot,
    with_names,
)
from orchestrate_spark.sources.air import APPLICATIONS

CAPACITY_MAH = 2500  # two alkaline AA cells in series, a round figure


def rows(inputs: Inputs) -> F.DataFrame:
    """Compute the metrics of the channel."""
    motes = inputs.table("motes")
    return (
        _links(inputs.table("links"), motes)
        .union(_traffic(inputs.table("traffic")))
        .union(_radios(inputs.table("radio_states"), motes, inputs.table("platforms")))
        .union(_joining(inputs.table("datagrams"), motes))
        .union(_parents(inputs.table("rpl")))
    )


def _links(links: F.DataFrame, motes: F.DataFrame) -> F.DataFrame:
    counts = ("hops", "received", "acked", "frames", "frames_received", "collided")
    runs = links.groupBy("run_id").agg(*(F.sum(name).alias(name) for name in counts))
    return unpivot(
        runs,
        ("link_prr", F.lit(TOTAL), F.try_divide("frames_received", "frames")),
        ("link_etx", F.lit(TOTAL), F.try_divide("frames", "acked")),
        ("hop_delivery", F.lit(TOTAL), F.try_divide("received", "hops")),
        ("collided_share", F.lit(TOTAL), F.try_divide("collided", "frames")),
    ).union(
        unpivot(
            between(links, "mote", "to", motes),
            ("prr_by_link", F.col("pair"), F.try_divide("frames_received", "frames")),
            ("etx_by_link", F.col("pair"), F.try_divide("frames", "acked")),
        )
    )


def _traffic(traffic: F.DataFrame) -> F.DataFrame:
    control = ~F.col("protocol").isin(*APPLICATIONS, "ack")
    by_protocol = each_and_all(traffic.select("run_id", "protocol", "frames", "bytes", "air_us"), "protocol")
    summed = by_protocol.groupBy("run_id", "protocol").agg(
        F.sum("frames").alias("frames"), F.sum("bytes").alias("bytes"), F.sum("air_us").alias("air_us")
    )
    shares = traffic.groupBy("run_id").agg(
        F.sum(F.when(control, F.col("air_us")).otherwise(0)).alias("control_us"),
        F.sum("air_us").alias("air_us"),
    )
    channels = traffic.groupBy("run_id", "channel").agg(F.sum("frames").alias("frames"))
    return (
        unpivot(
            summed,
            ("air_frames", F.col("protocol"), F.col("frames")),
            ("air_bytes", F.col("protocol"), F.col("bytes")),
            ("air_time_ms", F.col("protocol"), F.col("air_us") / 1000),
        )
        .union(unpivot(shares, ("control_share", F.lit(TOTAL), F.try_divide("control_us", "air_us"))))
        .union(
            unpivot(
                channels.where("channel >= 0"),
                ("channel_frames", F.format_string("%d", F.col("channel").cast("int")), F.col("frames")),
            )
        )
    )


def time_where(holds: F.Column) -> F.Column:
    """Return the sum of `time_us`, us, over the rows for which this holds."""
    return F.sum(F.when(holds, F.col("time_us")).otherwise(0))


def radio_times(states: F.DataFrame) -> F.DataFrame:
    """Return how long each mote's radio transmits and listens, and the time of all its states, us."""
    return states.groupBy("run_id", "mote").agg(
        time_where(F.col("state") == "transmitting").alias("transmit_us"),
        time_where(~F.col("state").isin("off", "transmitting")).alias("listen_us"),
        F.sum("time_us").alias("us"),
    )


def _radios(states: F.DataFrame, motes: F.DataFrame, platforms: F.DataFrame) -> F.DataFrame:
    by_mote = radio_times(states)
    all_motes = by_mote.groupBy("run_id").agg(
        *(F.sum(name).alias(name) for name in ("transmit_us", "listen_us", "us")),
        F.count("*").alias("motes"),
    )
    by_state = states.groupBy("run_id", "state").agg(F.sum("time_us").alias("us"))
    duty_cycle = F.try_divide(F.col("transmit_us") + F.col("listen_us"), "us")
    currents = platforms.select("run_id", "platform", "volts", "transmit_ma", "listen_ma", "chosen")
    with_currents = all_motes.join(F.broadcast(currents), on="run_id")
    # us x mA x V = nJ
    ma_us = F.col("transmit_us") * F.col("transmit_ma") + F.col("listen_us") * F.col("listen_ma")
    mj = ma_us * F.col("volts") / 1000000
    days = F.when(ma_us > 0, CAPACITY_MAH * F.col("us") / ma_us / 24)
    named_motes = with_names(by_mote, motes, "node")
    of_chosen = named_motes.join(F.broadcast(currents.where("chosen")), on="run_id")
    return (
        unpivot(named_motes, ("radio_duty_cycle_by_mote", F.col("node"), duty_cycle))
        .union(
            unpivot(
                of_chosen,
                ("mote_energy_mj", F.col("node"), mj),
            )
        )
        .union(
            unpivot(
                of_chosen.groupBy("run_id").agg(F.min(days).alias("days")),
                ("first_death_days", F.lit(TOTAL), F.col("days")),
            )
        )
        .union(
            unpivot(
                by_state.join(all_motes.select("run_id", "motes"), on="run_id"),
                ("radio_state_s", F.col("state"), F.col("us") / F.col("motes") / 1000000),
            )
        )
        .union(unpivot(all_motes, ("radio_duty_cycle", F.lit(TOTAL), duty_cycle)))
        .union(
            unpivot(
                with_currents,
                ("mote_energy_mj", F.lit(TOTAL), F.when(F.col("chosen"), mj / F.col("motes"))),
                ("radio_energy_mj", F.col("platform"), mj / F.col("motes")),
                ("radio_lifetime_days", F.col("platform"), days),
            )
        )
    )


def _joining(datagrams: F.DataFrame, motes: F.DataFrame) -> F.DataFrame:
    acknowledged = datagrams.where("rpl_kind = 'dao-ack' and fate = 'delivered'").select(
        "run_id", F.col("destination").alias("mote"), "end_us"
    )
    first = acknowledged.groupBy("run_id", "mote").agg(F.min("end_us").alias("us"))
    data = datagrams.where(F.col("protocol").isin(*APPLICATIONS) & (F.col("fate") == "delivered")).select(
        "run_id", F.col("origin").alias("mote"), "end_us"
    )
    first_data = data.where("mote is not null").groupBy("run_id", "mote").agg(F.min("end_us").alias("us"))
    latest = first.groupBy("run_id").agg(F.max("us").alias("us"))
    return (
        unpivot(with_names(first, motes, "node"), ("join_s", F.col("node"), F.col("us") / 1000000))
        .union(unpivot(latest, ("all_joined_s", F.lit(TOTAL), F.col("us") / 1000000)))
        .union(
            unpivot(
                with_names(first_data, motes, "node"), ("first_data_s", F.col("node"), F.col("us") / 1000000)
            )
        )
    )


def _parents(rpl: F.DataFrame) -> F.DataFrame:
    order = F.Window.partitionBy("run_id", "ip_src").orderBy("frame")
    # In storing mode a DAO names no parent: it is sent to it.
    parent = F.coalesce("parent", "ip_dst")
    advertised = rpl.where("kind = 'dao' and coalesce(path_lifetime, 1) > 0").select(
        "run_id", parent.alias("parent"), F.lag(parent).over(order).alias("before")
    )
    changes = advertised.groupBy("run_id").agg(
        F.sum(
            F.when(F.col("before").isNotNull() & (F.col("before") != F.col("parent")), 1).otherwise(0)
        ).alias("changes")
    )
    return unpivot(changes, ("parent_changes", F.lit(TOTAL), F.col("changes")))


FAMILY = Family(
    "channel",
    rows,
    {
        "link_prr": Metric(
            "share",
            "unicast frames that the mote to which they were sent received / those that were sent",
            title="Packet reception ratio of links",
            kind="total",
            better="higher",
            decimals=3,
            place=22,
            column=8,
        ),
        "link_etx": Metric(
            "frames",
            "unicast frames sent / datagrams of which the sender has an acknowledgement, on one hop",
            title="ETX of links",
            kind="total",
            better="lower",
            decimals=2,
            place=23,
        ),
        "prr_by_link": Metric(
            "share",
            "unicast frames that mote B received / those that mote A sent to it, by link (`A > B`)",
            title="Packet reception ratio by link",
            kind="hidden",
            better="higher",
            decimals=3,
            by="link",
        ),
        "etx_by_link": Metric(
            "frames",
            "unicast frames that mote A sent to mote B / datagrams of which A has an acknowledgement, by "
            "link (`A > B`)",
            title="ETX by link",
            kind="hidden",
            better="lower",
            decimals=2,
            by="link",
        ),
        "hop_delivery": Metric(
            "share",
            "datagrams that reached the next hop / those that were sent to one, with retransmissions",
            title="Delivery per hop",
            kind="total",
            better="higher",
            decimals=3,
            place=24,
        ),
        "collided_share": Metric(
            "share",
            "unicast frames that another transmission destroyed at their receiver / those that were sent",
            title="Collisions",
            kind="total",
            better="lower",
            decimals=3,
            place=25,
        ),
        "radio_duty_cycle": Metric(
            "share",
            "the time in which a radio is not off / the simulated time, all motes",
            title="Radio duty cycle",
            kind="total",
            better="lower",
            decimals=4,
            place=26,
            column=12,
        ),
        "radio_duty_cycle_by_mote": Metric(
            "share",
            "the time in which a mote's radio is not off / the simulated time",
            title="Radio duty cycle by mote",
            kind="node",
            better="lower",
            decimals=4,
            place=27,
        ),
        "mote_energy_mj": Metric(
            "mJ",
            "the energy that a mote's transceiver takes in the simulated time with the currents of the "
            "scenario's platform (`air: {platform: ...}`, by default cc2420): transmitting at 0 dBm, else "
            "listening if it is on; the total is the mean over all motes",
            title="Energy of a mote's radio",
            kind="total",
            better="lower",
            decimals=1,
            meaning="transceiver only, mean over all motes",
            place=10,
            column=6,
            step=13,
        ),
        "radio_energy_mj": Metric(
            "mJ",
            "the energy that a transceiver takes in the simulated time, the mean over all motes, with a "
            "platform's currents (profiles/profiles.yaml): transmitting at 0 dBm, else listening if it is on",
            title="Energy of a transceiver",
            meaning="of a mote, with a platform's currents",
            kind="table",
            better="lower",
            decimals=1,
            by="platform",
            axis="platform",
            place=39,
        ),
        "radio_lifetime_days": Metric(
            "days",
            f"how long {CAPACITY_MAH:,} mAh last if nothing but the transceiver takes current, on "
            "the average of motes and time",
            title="Lifetime by the transceiver alone",
            meaning=f"with {CAPACITY_MAH:,} mAh and nothing else that takes current",
            kind="table",
            better="higher",
            decimals=1,
            by="platform",
            axis="platform",
            place=41,
        ),
        "first_death_days": Metric(
            "days",
            f"how long {CAPACITY_MAH:,} mAh last at the mote whose transceiver takes most, if nothing else "
            "takes current, with the scenario's platform",
            title="Time until the first mote's battery is empty",
            kind="total",
            better="higher",
            decimals=1,
            meaning=f"with {CAPACITY_MAH:,} mAh and nothing but the transceiver that takes current",
            place=40,
        ),
        "radio_state_s": Metric(
            "s",
            "the time that a transceiver is in a state, the mean over all motes",
            title="Time in the radio's states",
            kind="table",
            decimals=2,
            by="state",
            axis="state",
            meaning="of a mote's transceiver",
            place=28,
        ),
        "control_share": Metric(
            "share",
            "air time of RPL, neighbour discovery, 6P, beacons, commands and keep-alives / all air time",
            title="Control overhead",
            kind="total",
            better="lower",
            decimals=3,
            place=29,
            column=13,
        ),
        "air_time_ms": Metric(
            "ms",
            "the time on the air, by protocol",
            title="Air time",
            better="lower",
            decimals=1,
            by="protocol",
            axis="protocol",
            apart=True,
            place=31,
        ),
        "air_bytes": Metric(
            "bytes",
            "bytes of frames with their FCS, by protocol",
            title="Bytes on the air",
            better="lower",
            by="protocol",
            axis="protocol",
            apart=True,
            place=32,
        ),
        "air_frames": Metric(
            "frames",
            "frames on the air, by protocol",
            title="Frames on the air",
            better="lower",
            by="protocol",
            axis="protocol",
            apart=True,
            place=33,
        ),
        "channel_frames": Metric(
            "frames",
            "frames by the channel of IEEE 802.15.4 on which they were sent",
            title="Use of channels",
            kind="histogram",
            by="channel",
            axis="channel",
            place=34,
        ),
        "join_s": Metric(
            "s",
            "until a mote has RPL's first acknowledgement of a DAO",
            title="Time to join",
            kind="node",
            better="lower",
            decimals=1,
            place=35,
        ),
        "all_joined_s": Metric(
            "s",
            "until the last of the motes that joined has RPL's first acknowledgement of a DAO",
            title="Time until all have joined",
            kind="total",
            better="lower",
            decimals=1,
            place=36,
            column=14,
        ),
        "first_data_s": Metric(
            "s",
            "until a mote's first datagram of an application is delivered",
            title="Time to first delivery",
            kind="node",
            better="lower",
            decimals=1,
            place=37,
        ),
        "parent_changes": Metric(
            "changes",
            "how often a mote advertised another parent in a DAO than in its DAO before (in storing mode the "
            "parent is the mote to which it goes), all motes",
            title="Parent changes",
            kind="total",
            better="lower",
            place=38,
        ),
    },
    of=("links", "traffic", "radio_states", "platforms", "datagrams", "rpl"),
)
