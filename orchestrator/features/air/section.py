# SPDX-License-Identifier: Apache-2.0
"""The section "On the air": where datagrams ended, and the routing trees with their links."""

from __future__ import annotations

import ipaddress
from dataclasses import replace
from typing import TYPE_CHECKING

from orchestrator.report.data import Results
from orchestrator.report.generic import file_name
from orchestrator.report.layouts import drawing
from orchestrator.report.model import Block, Entry, Figure, Gallery, Section, Table, paragraph
from orchestrator.report.statistics import number
from orchestrator.scenario.model import Link
from orchestrator.topology.model import Layout
from orchestrator.words import counted

if TYPE_CHECKING:
    from orchestrator.runs.manifest import Manifest

FATES = "datagram_fates"
DELIVERED = "delivered"
MOST_TREES = 6
UNSEEN = (
    "These numbers count datagrams from their first frame on. A datagram that never got on the air, because "
    "its mote had no route or its queue was full, cannot be seen in frames; log patterns for what the "
    "application sends and receives (the key log) count it."
)


def section(results: Results) -> Section | None:
    """Return the section; None if no run has a record of the air."""
    cells = results.cells_with(FATES)
    trees = [
        figure for cell in results.cells_with("link_prr")[:MOST_TREES] for figure in _tree(results, cell)
    ]
    if not cells and not trees:
        return None
    blocks: list[Block] = [_ends(results, cells), paragraph(UNSEEN, "note")] if cells else []
    return Section("air", "On the air", (*blocks, *([Gallery(tuple(trees))] if trees else [])), "On the air")


def _ends(results: Results, cells: list[str]) -> Table:
    keys = sorted(
        {key for cell in cells for key in results.keys(FATES, cell)}, key=lambda key: (key != DELIVERED, key)
    )
    rows = []
    for cell in cells:
        sums = {key: results.values(cell, FATES, key).sum() for key in keys}
        rows.append((Entry(cell), *(Entry(number(sums[key], 0), number=True) for key in keys)))
    return Table(
        "Where unicast datagrams ended",
        ("Cell", *keys),
        tuple(rows),
        "Datagrams of applications, all seeds together. “lost:” is followed by what became of the last "
        "frame at its receiver; “not-forwarded” datagrams reached a mote that sent them no further; "
        "“left-the-air” went to an address that no mote has; “under-way” ones had a frame in the run's last "
        "10 s.",
    )


def _tree(results: Results, cell: str) -> list[Figure]:
    """Draw the parents and links in the run of a cell's manifest, if its motes are placed."""
    manifest = results.manifest(cell)
    if manifest is None or not manifest.motes:
        return []
    from orchestrator.topology import draw

    chosen = [("run_id", "==", manifest.run_id)]
    links = results.table("links", ["mote", "to", "frames", "frames_received"], chosen)
    names = {node.mote: node.name for node in manifest.motes}
    measured = tuple(
        Link(names[row.mote], names[row.to], row.frames_received / row.frames)
        for row in links.itertuples()
        if row.frames > 0 and row.mote in names and row.to in names
    )
    if not measured:
        return []
    parents = _parents(results, manifest)
    shape = manifest.resolved.topology.shape
    layout = Layout(shape, tuple(replace(node, parent=parents.get(node.mote, 0)) for node in manifest.motes))
    return [
        Figure(
            file_name("air", cell),
            f"Parents and links, {cell}, seed {manifest.seed}",
            drawing(layout, draw.picture(layout, measured)),
            alt=f"Map of the motes with their parents and links in {cell}",
            caption=(
                f"Positions in metres; links with unicast frames, and the share of them that arrived"
                f"{'; thick lines lead to the parent of the last DAO' if parents else ''}. "
                f"{counted(len(measured), 'link')} in one direction."
            ),
            wide=True,
        )
    ]


def _parents(results: Results, manifest: Manifest) -> dict[int, int]:
    """Return the mote that each mote named as its parent, or sent its DAO to, in its last DAO."""
    columns = ["mote", "frame", "kind", "ip_src", "ip_dst", "parent"]
    rows = results.table("rpl", columns, [("run_id", "==", manifest.run_id)]).sort_values("frame")
    of_address: dict[int, int] = {}
    for address, mote in zip(rows["ip_src"], rows["mote"], strict=True):
        if isinstance(address, str):
            of_address.setdefault(_interface(address), int(mote))
    parents: dict[int, int] = {}
    for row in rows[rows["kind"] == "dao"].itertuples():
        target = row.parent if isinstance(row.parent, str) else row.ip_dst
        parent = of_address.get(_interface(target), 0) if isinstance(target, str) else 0
        own = isinstance(row.ip_src, str) and of_address.get(_interface(row.ip_src)) == row.mote
        if own and parent not in (0, row.mote):
            parents[int(row.mote)] = parent
    return parents


def _interface(address: str) -> int:
    return int(ipaddress.IPv6Address(address)) & (1 << 64) - 1
