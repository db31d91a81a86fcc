# SPDX-License-Identifier: Apache-2.0
"""`orchestrate trace RUN --datagrams` and `--datagram N`: a run's datagrams, and one of them hop by hop."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from orchestrator.inspect.find import Found

MOST_LISTED = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `orchestrate trace` that concern datagrams."""
    parser.add_argument(
        "--datagrams",
        action="store_true",
        help="list the datagrams of applications of a run with a record of the air, lost ones first",
    )
    parser.add_argument("--datagram", type=int, metavar="N", help="follow the datagram N of that list")


def asked(args: argparse.Namespace) -> bool:
    """Return whether the arguments ask for datagrams."""
    return args.datagrams or args.datagram is not None


def run(args: argparse.Namespace) -> int:
    """List datagrams or follow one; return the exit code. Raises NoSuchThing."""
    from orchestrator.cli.show import named

    found = named(args)
    tables = _tables(found)
    names = {mote.mote: mote.name for mote in found.manifest.motes} if found.manifest else {}
    if args.datagram is None:
        _list(tables["datagrams"], names, args.json)
    else:
        _follow(tables, names, args.datagram, args.json)
    return 0


def _tables(found: Found) -> dict[str, pd.DataFrame]:
    from orchestrate_spark.load import load

    from orchestrator.errors import NoSuchThing

    tables = load(found.where, tables=("datagrams", "hops"))
    if tables["datagrams"].empty:
        raise NoSuchThing(
            f"{found.where}: no datagram in it; either none was sent or the run has no record of the air\n"
            "    write `record: [air]` in its scenario and run it again"
        )
    return tables


def _mote(names: Mapping[int, str], number: Any) -> str:
    return "-" if number is None or number != number else names.get(int(number), f"mote {int(number)}")


def _first(*texts: Any) -> str:
    """Return the first that is there; pandas has NaN where a table has null."""
    return next((text for text in texts if isinstance(text, str) and text), "all")


def _end(row: Any, names: Mapping[int, str]) -> str:
    """Say how a datagram ended."""
    if row.fate == "delivered":
        return "delivered"
    if row.fate == "multicast":
        return f"received by {int(row.delivered)}"
    place = _mote(names, row.fate_mote)
    return (
        f"lost: {row.cause} after {place}" if row.fate == "lost" and row.cause else f"{row.fate} at {place}"
    )


def _list(datagrams: pd.DataFrame, names: Mapping[int, str], as_json: bool) -> None:
    from orchestrate_spark.sources.air import APPLICATIONS

    chosen = datagrams[datagrams["protocol"].isin(APPLICATIONS)]
    chosen = chosen.assign(fine=chosen["fate"].isin(("delivered", "multicast"))).sort_values(
        ["fine", "datagram"], kind="stable"
    )
    if as_json:
        print(chosen.drop(columns="fine").to_json(orient="records", indent=2))
        return
    from orchestrator.cli.numbers import decimal, milliseconds
    from orchestrator.cli.tables import Column, Table, numbers
    from orchestrator.console import show

    columns = (
        Column("datagram", number=True, key=True),
        *numbers("at, s"),
        Column("from"),
        Column("to"),
        Column("protocol"),
        *numbers("bytes", "hops", "frames", "latency, ms"),
        Column("end", prose=True),
    )
    rows = [
        (
            str(row.datagram),
            decimal(row.t_us / 1e6, 6),
            _mote(names, row.origin),
            _mote(names, row.destination) if row.fate != "multicast" else _first(row.ip_dst, row.link_dst),
            row.protocol,
            "" if row.payload_length != row.payload_length else str(int(row.payload_length)),
            "" if row.hops != row.hops else str(int(row.hops)),
            str(row.transmissions),
            "" if row.end_us != row.end_us else milliseconds(row.end_us - row.t_us),
            (_end(row, names), "" if row.fine else "red"),
        )
        for row in chosen.head(MOST_LISTED).itertuples()
    ]
    left = len(chosen) - len(rows)
    note = f"{left} more, all with --json" if left > 0 else ""
    show(Table(f"{len(chosen)} datagrams of applications", columns, rows, note))


def _follow(tables: dict[str, pd.DataFrame], names: Mapping[int, str], number: int, as_json: bool) -> None:
    from orchestrator.errors import NoSuchThing

    datagrams = tables["datagrams"].set_index("datagram", drop=False)
    if number not in datagrams.index:
        raise NoSuchThing(
            f"no datagram {number} in this run; it has 0 to {int(datagrams.index.max())}\n"
            "    list them with --datagrams"
        )
    row = next(datagrams.loc[[number]].itertuples())
    hops = tables["hops"][tables["hops"]["datagram"] == number]
    if as_json:
        plain = json.loads(datagrams.loc[[number]].to_json(orient="records"))[0]
        print(json.dumps({**plain, "way": json.loads(hops.to_json(orient="records"))}, indent=2))
        return
    from rich.text import Text

    from orchestrator.cli.numbers import decimal, milliseconds
    from orchestrator.cli.tables import Column, Table, numbers
    from orchestrator.console import show

    ports = "" if row.src_port != row.src_port else f", port {int(row.src_port)} to {int(row.dst_port)}"
    known = isinstance(row.ip_src, str)
    addresses = f"{row.ip_src} to {row.ip_dst}{ports}" if known else f"to {_first(row.link_dst)}"
    latency = "" if row.end_us != row.end_us else f" after {milliseconds(row.end_us - row.t_us)} ms"
    good = row.fate in ("delivered", "multicast")
    show(
        Text.assemble((f"datagram {number}", "bold"), f": {row.protocol}, {addresses}"),
        Text(f"{_mote(names, row.origin)} sent it at {row.t_us / 1e6:.6f} s; ").append(
            f"{_end(row, names)}{latency}", "green" if good else "red"
        ),
    )
    columns = (
        *numbers("hop", "at, s"),
        Column("from", key=True),
        Column("to", key=True),
        *numbers("frames", "first frame", "took, ms"),
        Column("end", prose=True),
    )
    rows = [
        (
            str(hop.hop),
            decimal(hop.t_us / 1e6, 6),
            _mote(names, hop.mote),
            _mote(names, hop.to) if hop.to == hop.to else _first(hop.link_dst),
            str(hop.frames),
            str(hop.first_frame),
            "" if hop.end_us != hop.end_us else milliseconds(hop.end_us - hop.t_us),
            (_hop_end(hop), "" if hop.receivers else "red"),
        )
        for hop in hops.itertuples()
    ]
    show(Table("", columns, rows))


def _hop_end(hop: Any) -> str:
    if not hop.receivers:
        return f"lost: {hop.cause}" if hop.cause else "nobody received it"
    received = "received" if hop.to == hop.to else f"received by {int(hop.receivers)}"
    silent = hop.acked is not None and hop.acked == hop.acked and not hop.acked
    return f"{received}; the sender has no acknowledgement" if silent else received
