# SPDX-License-Identifier: Apache-2.0
"""Maps of a network: the energy of each mote, and the routing tree with the quality of its links."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from orchestrator.features.air import routing
from orchestrator.pictures import network
from orchestrator.pictures.elements import Element, Picture, group, rect, text, title
from orchestrator.report import style
from orchestrator.report.drawing import Drawing
from orchestrator.report.generic import file_name, seeds_phrase
from orchestrator.report.layouts import drawing
from orchestrator.report.model import Figure
from orchestrator.report.statistics import number
from orchestrator.scenario.model import Link
from orchestrator.topology import draw
from orchestrator.topology.model import Layout, Node
from orchestrator.words import counted

if TYPE_CHECKING:
    from orchestrator.report.data import Results
    from orchestrator.runs.manifest import Manifest

MOST = 4  # cells with maps
MARGIN, FOOT = 64.0, 56.0
_PALE, _DEEP = (0xFD, 0xE7, 0xC0), (0x8C, 0x2D, 0x04)  # of the least and the greatest energy


def figures(results: Results, platform: str) -> list[Figure]:
    """Return both maps of the first cells whose motes are placed."""
    drawn: list[Figure] = []
    for cell in results.cells_with("radio_duty_cycle")[:MOST]:
        manifest = results.manifest(cell)
        if manifest is not None and manifest.motes:
            drawn += [*_energy(results, manifest, platform), *_tree(results, manifest)]
    return drawn


def _energy(results: Results, manifest: Manifest, platform: str) -> list[Figure]:
    cell = manifest.cell
    measured = {
        node: value.mean
        for node in manifest.motes
        if (value := results.estimate(cell, "mote_energy_mj", node.name)).known
    }
    if not measured:
        return []
    picture = coloured(measured, "mJ")
    return [
        Figure(
            file_name("energy", cell),
            f"Energy of each mote's radio, {cell}",
            Drawing(
                None,
                style.WIDE,
                style.WIDE * picture.height / picture.width,
                [(node.mote, node.name, node.x, node.y, value) for node, value in measured.items()],
                ("mote", "name", "x_m", "y_m", "energy_mj"),
                picture,
            ),
            alt=f"Map of the motes, coloured by the energy of their radios, in {cell}",
            caption=(
                f"Energy of each mote's transceiver in mJ, mean over {seeds_phrase(results, [cell])}, with "
                f"the currents of {platform}; positions in metres. The colour goes from 0 to the largest "
                "value."
            ),
            wide=True,
        )
    ]


def coloured(values: dict[Node, float], unit: str) -> Picture:
    """Return a map of nodes that are coloured by a value, which stands below each."""
    nodes, most = list(values), max(values.values())
    view = network.fit([n.x for n in nodes], [n.y for n in nodes], MARGIN, 520.0, 90.0, 1.0)
    gap = network.typical_gap((n.x, n.y) for n in nodes) * view.scale
    radius = min(max(0.3 * gap, 3.0), 17.0)
    detailed = len(nodes) <= network.MOST_DETAILED
    shapes = []
    for node in nodes:
        (x, y), value = view.at(node.x, node.y), values[node]
        parts = [
            title(f"{node.name}, mote {node.mote}: {number(value, 1)} {unit}"),
            network.form("circle", x, y, radius, **network.filled(_shade(value / most if most else 0.0))),
        ]
        if detailed and gap > 44:
            halo = {"font_size": "11", "fill": network.INK, "text_anchor": "middle", **network.halo(2.5)}
            parts += [
                text(x, y + radius + 13, number(value, 1), **halo),
                text(x, y - radius - 4, node.name, **halo, font_weight="600"),
            ]
        shapes.append(group(parts))
    height, about = view.inner + 2 * MARGIN + FOOT, f"0 to {number(most, 1)} {unit}"
    return network.framed("energy of each mote", about, height, shapes, _foot(view, height, about))


def _shade(share: float) -> str:
    channels = (round(low + (high - low) * share) for low, high in zip(_PALE, _DEEP))
    return "#" + "".join(f"{channel:02x}" for channel in channels)


def _foot(view: network.Fit, height: float, about: str) -> list[Element]:
    top, left, step = height - FOOT + 8, MARGIN / 2, 12.0
    bar = [rect(left + 14 + i * step, top, step, 12, fill=_shade(i / 15)) for i in range(16)]
    return [
        *bar,
        text(left + 20 + 16 * step, top + 11, about),
        *network.scale_bar(view.scale, top + 2, 23, MARGIN),
    ]


def _tree(results: Results, manifest: Manifest) -> list[Figure]:
    """Draw the parents and links in the run of a cell's manifest."""
    cell, chosen = manifest.cell, [("run_id", "==", manifest.run_id)]
    links = results.table("links", ["mote", "to", "frames", "frames_received"], chosen)
    names = {node.mote: node.name for node in manifest.motes}
    measured = tuple(
        Link(names[row.mote], names[row.to], row.frames_received / row.frames)
        for row in links.itertuples()
        if row.frames > 0 and row.mote in names and row.to in names
    )
    if not measured:
        return []
    changes = routing.parents(results, [manifest.run_id])
    last = dict(zip(changes["mote"], changes["parent"]))
    last = {mote: parent for mote, parent in last.items() if parent in names}
    shape = manifest.resolved.topology.shape
    layout = Layout(shape, tuple(replace(node, parent=last.get(node.mote, 0)) for node in manifest.motes))
    return [
        Figure(
            file_name("air", cell),
            f"Parents and links, {cell}, seed {manifest.seed}",
            drawing(layout, draw.picture(layout, measured)),
            alt=f"Map of the motes with their parents and links in {cell}",
            caption=(
                f"Positions in metres; links with unicast frames, and the share of them that arrived"
                f"{'; thick lines lead to the parent of the last DAO' if last else ''}. "
                f"{counted(len(measured), 'link')} in one direction."
            ),
            wide=True,
        )
    ]
