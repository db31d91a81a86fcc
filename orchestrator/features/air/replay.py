# SPDX-License-Identifier: Apache-2.0
"""The way of each datagram as records of a trace, for the replay of a run whose firmware prints none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

TABLES = ("datagrams", "hops", "frames", "receptions", "rpl")
COLUMNS = ["time_us", "mote", "kind", "peer", "frame", "reason", "subject", "publisher", "sequence"]
KINDS = ("pub", "snd", "rcv", "drp", "dlv", "parent")
MOST_FRAMES = 9  # of a hop that are counted; for more the text is "many frames"


def events(run_folder: Path) -> pa.Table | None:
    """Return rows of the table `events` that say how datagrams moved; None without a record of the air.

    Raises NoSuchThing if nothing was on the air.

    `pub`: a mote sends a datagram's first frame (publisher: the mote, sequence: the datagram's number);
    `snd`: the first frame of a hop; `rcv`: a mote has all of it; `drp`: it is not forwarded; `dlv`: it is at
    its destination; `parent`: a mote's DAO names another parent (peer). Beacons and frames without content
    are `snd` without a datagram.
    """
    import pandas as pd
    import pyarrow as pa
    from orchestrate_spark.load import load
    from orchestrate_spark.sources.air import FILE
    from orchestrate_spark.tables import fitted

    from orchestrator.errors import NoSuchThing

    if not (run_folder / FILE).is_file():
        return None
    tables = load(run_folder, tables=TABLES)
    if tables["frames"].empty:
        raise NoSuchThing(
            f"no frame was on the air in run {run_folder.name[:12]}: there is nothing to replay"
        )
    parts = [
        *_datagrams(tables["datagrams"]),
        *_hops(tables),
        _others(tables["frames"]),
        _parents(tables["rpl"]),
    ]
    rows = pd.concat([part.reindex(columns=COLUMNS) for part in parts if len(part)], ignore_index=True)
    order = rows["kind"].map({kind: place for place, kind in enumerate(KINDS)})  # within a microsecond
    rows = rows.assign(order=order).sort_values(["time_us", "order"], kind="stable")
    table = pa.Table.from_pandas(rows, preserve_index=False)
    return fitted("events", table)


def _datagrams(datagrams: pd.DataFrame) -> list[pd.DataFrame]:
    known = datagrams.rename(columns={"origin": "publisher", "datagram": "sequence", "protocol": "subject"})
    began = known.assign(kind="pub", time_us=known["t_us"], mote=known["publisher"])
    at_end = known[(known["fate"] == "delivered") & known["end_us"].notna() & known["destination"].notna()]
    ended = at_end.assign(kind="dlv", time_us=at_end["end_us"], mote=at_end["destination"])
    stuck = known[(known["fate"] == "not-forwarded") & known["fate_mote"].notna()]
    dropped = stuck.assign(
        kind="drp", time_us=stuck["last_us"], mote=stuck["fate_mote"], reason="not forwarded"
    )
    return [began[began["publisher"].notna()], ended, dropped]


def _hops(tables: dict[str, pd.DataFrame]) -> list[pd.DataFrame]:
    of = tables["datagrams"][["datagram", "origin", "protocol"]].rename(
        columns={"origin": "publisher", "protocol": "subject"}
    )
    hops = tables["hops"].merge(of, on="datagram").rename(columns={"datagram": "sequence"})
    hops = hops.assign(frame=hops["first_frame"], peer=hops["to"])
    lost = hops["receivers"] == 0
    tries = (
        hops["frames"]
        .clip(upper=MOST_FRAMES)
        .map(lambda count: "" if count < 2 else f"{count} frames" if count < MOST_FRAMES else "many frames")
    )
    sent = hops.assign(
        kind="snd",
        time_us=hops["t_us"],
        reason=tries.where(~lost, ("lost: " + hops["cause"]).fillna("nobody received it")),
    )
    single = hops[hops["to"].notna() & hops["end_us"].notna()]
    received = single.assign(kind="rcv", time_us=single["end_us"], mote=single["to"], peer=single["mote"])
    open_ = hops[hops["to"].isna()].rename(columns={"mote": "sender"}).drop(columns=["peer", "t_us"])
    ends = tables["frames"][["frame", "end_us"]].rename(columns={"end_us": "time_us"})
    heard = tables["receptions"]
    heard = heard[heard["outcome"] == "received"][["frame", "mote"]].merge(ends, on="frame")
    multicast = open_.merge(heard, on="frame").assign(kind="rcv").rename(columns={"sender": "peer"})
    return [sent, received, multicast[multicast["time_us"].notna()]]


def _others(frames: pd.DataFrame) -> pd.DataFrame:
    """Return the frames without a datagram, except acknowledgements."""
    names = {"eb": "beacon", "empty": "keep-alive"}
    subject = (
        frames["network"].map(names).fillna(frames["type"].where(frames["type"].isin(["beacon", "command"])))
    )
    chosen = frames.assign(subject=subject, kind="snd", time_us=frames["t_us"])
    return chosen[subject.notna() & chosen["mote"].notna()]


def _parents(rpl: pd.DataFrame) -> pd.DataFrame:
    from orchestrator.features.air.routing import announced

    return announced(rpl).rename(columns={"t_us": "time_us", "parent": "peer"}).assign(kind="parent")
