# SPDX-License-Identifier: Apache-2.0
"""The routing tree over time: which parent each mote announced in its DAOs (RFC 6550), and when."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from orchestrator.report.data import Results

COLUMNS = ["run_id", "frame", "t_us", "mote", "kind", "ip_src", "ip_dst", "parent", "path_lifetime"]


def parents(results: Results, runs: list[str]) -> pd.DataFrame:
    """Return the changes of parents in these runs; see `announced`."""
    return announced(results.table("rpl", COLUMNS, [("run_id", "in", runs)]))


def announced(rpl: pd.DataFrame) -> pd.DataFrame:
    """Return run_id, t_us, mote and parent for each time that a mote announced another parent than before.

    `rpl`: rows of this table. In non-storing mode a DAO names the parent; in storing mode it is sent to the
    parent. A parent that is no mote of the run, such as a router outside, is left out.
    """
    sent = rpl[rpl["ip_src"].notna()].sort_values(["run_id", "frame"])
    # A forwarded message has its origin's address, and was sent by the origin first.
    first = sent.assign(interface=_interfaces(sent["ip_src"])).drop_duplicates(["run_id", "interface"])
    motes = first[["run_id", "interface", "mote"]].rename(columns={"mote": "owner"})
    daos = sent[(sent["kind"] == "dao") & (sent["path_lifetime"].fillna(1) > 0)]
    daos = daos.assign(
        own=_interfaces(daos["ip_src"]), target=_interfaces(daos["parent"].fillna(daos["ip_dst"]))
    )
    for column, name in (("own", "origin"), ("target", "to")):
        known = motes.rename(columns={"interface": column, "owner": name})
        daos = daos.merge(known, on=["run_id", column], how="inner")
    daos = daos[(daos["origin"] == daos["mote"]) & (daos["to"] != daos["mote"])]
    daos = daos.sort_values(["run_id", "frame"])
    changed = daos["to"] != daos.groupby(["run_id", "mote"])["to"].shift()
    return daos[changed][["run_id", "t_us", "mote", "to"]].rename(columns={"to": "parent"})


def depths(parent_of: dict[int, int]) -> dict[int, int]:
    """Return each mote's hops to the root, the mote that has no parent; motes in a loop are left out."""
    hops: dict[int, int] = {}
    for mote in parent_of:
        way = [mote]
        while (above := parent_of.get(way[-1])) is not None and above not in way:
            way.append(above)
        if above is None:
            hops[mote] = len(way) - 1
    return hops


def _interfaces(addresses: pd.Series) -> pd.Series:
    """Return the interface identifiers, by which a mote's link-local and global addresses agree."""
    known = {text: _interface(text) for text in addresses.dropna().unique()}
    return addresses.map(known)


def _interface(address: str) -> str:
    return ipaddress.IPv6Address(address).exploded[20:]
