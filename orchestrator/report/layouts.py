# SPDX-License-Identifier: Apache-2.0
"""The section "Topology": a drawing of every different layout among the cells, from the manifests' motes."""

from __future__ import annotations

import json
from typing import Any

from orchestrator.pictures.elements import Picture
from orchestrator.report import style
from orchestrator.report.data import Results
from orchestrator.report.drawing import Drawing
from orchestrator.report.generic import file_name
from orchestrator.report.model import Figure, Gallery, Section
from orchestrator.scenario.model import Link
from orchestrator.topology.model import Layout, Node

MOST = 12


def section(results: Results) -> Section | None:
    """None if no manifest tells of motes."""
    groups: dict[str, list[str]] = {}
    for cell in results.cells:
        manifest = results.manifest(cell)
        if manifest and manifest.get("motes"):
            key = json.dumps(
                [manifest["motes"], _range_m(manifest), _shape(manifest), _links(manifest)], sort_keys=True
            )
            groups.setdefault(key, []).append(cell)
    if not groups:
        return None
    from orchestrator.topology import draw

    figures = []
    for key, cells in list(groups.items())[:MOST]:
        motes, range_m, shape, links = json.loads(key)
        reach = tuple(Link(**link) for link in links) or range_m
        radio = (
            f"radio range {range_m:g} m at full power"
            if not links
            else "measured links with their ratio of reception"
        )
        layout = Layout(shape, tuple(_node(mote) for mote in motes))
        figures.append(
            Figure(
                file_name("topology", cells[0]),
                f"{shape} of {len(motes)} motes: {', '.join(cells)}",
                drawing(layout, draw.picture(layout, reach)),
                alt=f"Drawing of the {shape} topology",
                caption=(
                    f"Positions in metres, {radio}. Used by {', '.join(cells)}. {draw.thinned(layout, reach)}"
                ).strip(),
                wide=True,
            )
        )
    return Section("topology", "Topology", (Gallery(tuple(figures)),))


def drawing(layout: Layout, picture: Picture) -> Drawing:
    """Its numbers are the motes' positions, metres."""
    rows = [
        (node.mote, node.name, node.role, float(node.x), float(node.y), node.parent or None)
        for node in layout.nodes
    ]
    return Drawing(
        None,
        style.WIDE,
        style.WIDE * picture.height / picture.width,
        rows,
        ("mote", "name", "role", "x_m", "y_m", "parent"),
        picture,
    )


def _node(mote: dict[str, Any]) -> Node:
    return Node(
        int(mote["mote"]),
        str(mote.get("name", "")),
        str(mote.get("role", "")),
        float(mote.get("x", 0)),
        float(mote.get("y", 0)),
        int(mote.get("parent") or 0),
        also=str(mote.get("also", "")),
        dies=bool(mote.get("dies", False)),
    )


def _range_m(manifest: dict[str, Any]) -> float:
    radio = (manifest.get("parameters") or {}).get("radio") or {}
    return float(radio.get("range_m", 50.0))


def _links(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """Of a directed graph; else none."""
    radio = (manifest.get("parameters") or {}).get("radio") or {}
    return list(radio.get("links") or ())


def _shape(manifest: dict[str, Any]) -> str:
    topology = (manifest.get("parameters") or {}).get("topology") or {}
    return str(topology.get("shape", "layout"))
