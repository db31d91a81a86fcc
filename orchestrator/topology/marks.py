# SPDX-License-Identifier: Apache-2.0
"""Draws nodes: the form and colour of a node's role, its name, its hops, and its tooltip."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.pictures import network
from orchestrator.pictures.elements import Element, group, path, steps, text, title
from orchestrator.pictures.network import BLACK, BLUE, GREEN, INK, MOST_DETAILED, ORANGE, PURPLE, halo
from orchestrator.topology.connectivity import Connectivity
from orchestrator.topology.model import Layout, Node
from orchestrator.words import counted

# role -> its colour, its form
LOOKS = {
    "subscriber": (ORANGE, "square"),
    "publisher": (BLUE, "circle"),
    "relay": (GREEN, "diamond"),
    "control": (BLACK, "triangle"),
}
OTHER = (PURPLE, "circle")
FAINT, BROKEN = "#c9ced6", "#b00020"
LEGIBLE = 10.0  # pixels of a picture that is shown at four fifths of its size


@dataclass(frozen=True)
class View:
    """The places of a layout's nodes in the picture.

    `scale`: pixels per metre. The rest is in pixels: `radius` of a node, `gap` between near nodes, `row_gap`
    between the rows in which they stand (inf: there is one row), and the places `at` of the motes.
    """

    scale: float
    height: float
    radius: float
    gap: float
    row_gap: float
    at: dict[int, tuple[float, float]]


def form(role: str, x: float, y: float, radius: float) -> Element:
    """Draw the mark of a role."""
    colour, name = LOOKS.get(role, OTHER)
    return network.form(name, x, y, radius, **network.filled(colour))


def cross(x: float, y: float, near: float, far: float, wide: str) -> Element:
    """Draw the mark of a mote that dies: four strokes about its place, `near` to `far` from it."""
    strokes = [
        ("ML"[end], x + dx * r, y + dy * r)
        for dx in (-1, 1)
        for dy in (-1, 1)
        for end, r in enumerate((near, far))
    ]
    return path(steps(*strokes), fill="none", stroke=BROKEN, stroke_width=wide)


def nodes(layout: Layout, view: View, connectivity: Connectivity) -> list[Element]:
    """Draw each node with its name and its tooltip; of very many nodes only the marks are drawn."""
    if len(layout.nodes) <= MOST_DETAILED:
        return [_node(node, view, connectivity) for node in layout.nodes]
    shapes = []
    for role in dict.fromkeys(node.role for node in reversed(layout.nodes)):  # the subscriber last, on top
        colour, name = LOOKS.get(role, OTHER)
        shapes.append(
            group(
                (
                    network.form(name, *view.at[node.mote], view.radius)
                    for node in layout.nodes
                    if node.role == role
                ),
                **network.filled(colour),
            )
        )
    return shapes


def _node(node: Node, view: View, connectivity: Connectivity) -> Element:
    x, y = view.at[node.mote]
    radius = view.radius
    hops = connectivity.hops.get(node.mote, 0)
    role = f"{node.role} and {node.also}" if node.also else node.role
    tooltip = (
        f"{node.name}, mote {node.mote}, {role}{', dies' if node.dies else ''}, at ({node.x:g} m, {node.y:g} "
        "m)"
    )
    if node.role != "control":
        tooltip += f", {counted(hops, 'hop')}" if hops >= 0 else ", no way to the subscriber"
        tooltip += f", {connectivity.degree[node.mote]} in range"
    shapes = [title(tooltip), form(node.role, x, y, radius)]
    if node.also:
        shapes.append(form(node.also, x, y, radius * 0.82))
    if node.dies:  # beyond its mark, so that its name stays legible
        shapes.append(cross(x, y, radius * 0.75, radius * 1.45, f"{max(radius / 5, 1.2):.1f}"))
    shapes += _name(node, x, y, view)
    if radius >= 6.0 and node.role not in ("control", "subscriber"):
        small = min(max(radius * 0.62, 8.0), 11.0)
        shapes.append(
            text(
                x + radius * 0.85,
                y + radius * 1.05 + small * 0.5,
                str(hops) if hops >= 0 else "?",
                font_size=f"{small:.1f}",
                fill=INK if hops >= 0 else BROKEN,
                **halo(2.5),
            )
        )
    return group(shapes)


def _name(node: Node, x: float, y: float, view: View) -> list[Element]:
    """Draw a node's name inside the mark if it is legible there, else above it if there is room.

    Above the mark, a short name is level and a long one upright.
    """
    radius = view.radius
    size = min(12.0, radius * 1.75 / max(len(node.name), 1) * 1.35, radius * 0.95)
    above = y - radius * 1.3 - 3
    wide = 0.62 * LEGIBLE * len(node.name)  # of a bold sans, about
    outside = {"font_size": f"{LEGIBLE:.1f}", "font_weight": "600", "fill": INK, **halo(2.5)}
    room = view.row_gap - 2.6 * radius - 3
    if size < LEGIBLE and wide < view.gap and LEGIBLE < room:
        return [text(x, above, node.name, **outside, text_anchor="middle")]
    if size < LEGIBLE < view.gap and wide < room:
        left = x + LEGIBLE * 0.36
        return [text(left, above, node.name, **outside, transform=f"rotate(-90 {left:.1f} {above:.1f})")]
    if size < 5.0:
        return []
    return [
        network.name_in_mark(
            x, y + size * 0.36 + (radius * 0.25 if node.role == "control" else 0.0), size, node.name
        )
    ]
