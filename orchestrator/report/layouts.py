# SPDX-License-Identifier: Apache-2.0
"""The section "Topology": a drawing of each different layout among the cells, from the manifests' motes."""

from __future__ import annotations

from orchestrator.pictures.elements import Picture
from orchestrator.report import style
from orchestrator.report.data import Results
from orchestrator.report.drawing import Drawing
from orchestrator.report.generic import file_name
from orchestrator.report.model import Figure, Gallery, Section
from orchestrator.scenario.model import Link
from orchestrator.topology.model import Layout

MOST = 12  # drawings


def section(results: Results) -> Section | None:
    """Draw the layouts; return None if no manifest has motes."""
    groups: dict[tuple[Layout, float | tuple[Link, ...]], list[str]] = {}
    for cell in results.cells:
        manifest = results.manifest(cell)
        if manifest and manifest.motes:
            drawn = Layout(manifest.resolved.topology.shape, manifest.motes), manifest.resolved.radio.reach
            groups.setdefault(drawn, []).append(cell)
    if not groups:
        return None
    from orchestrator.topology import draw

    figures = []
    for (layout, reach), cells in list(groups.items())[:MOST]:
        radio = (
            "measured links with their ratio of reception"
            if isinstance(reach, tuple)
            else f"radio range {reach:g} m at full power"
        )
        figures.append(
            Figure(
                file_name("topology", cells[0]),
                f"{layout.shape} of {len(layout.nodes)} motes: {', '.join(cells)}",
                drawing(layout, draw.picture(layout, reach)),
                alt=f"Drawing of the {layout.shape} topology",
                caption=(
                    f"Positions in metres, {radio}. Used by {', '.join(cells)}. {draw.thinned(layout, reach)}"
                ).strip(),
                wide=True,
            )
        )
    return Section("topology", "Topology", (Gallery(tuple(figures)),))


def drawing(layout: Layout, picture: Picture) -> Drawing:
    """Turn a picture of a layout into a Drawing whose numbers are the motes' positions in metres."""
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
