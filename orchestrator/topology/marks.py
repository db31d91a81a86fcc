# SPDX-License-Identifier: Apache-2.0
"""How a node is drawn: its role's form and colour, its name, its hops, and what a reader is told who points at it."""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape

from orchestrator.topology.connectivity import Connectivity
from orchestrator.topology.model import Layout, Node
from orchestrator.words import counted

MOST_DETAILED = 1000  # nodes; beyond, names, hops and arrow heads would be smaller than a pixel or two, and megabytes
COLOURS = {"subscriber": "#d55e00", "publisher": "#0072b2", "relay": "#00795a", "control": "#3a3a3a"}
OTHER = "#8f4f78"
INK, FAINT, BROKEN = "#333333", "#c9ced6", "#b00020"
LEGIBLE = 10.0  # pixels of a picture that is shown at four fifths of its size


@dataclass(frozen=True)
class View:
    """Metres to pixels; the radius of a node, the distance of near ones, and that of the rows in which they stand (inf: one row)."""

    scale: float
    left: float
    top: float
    height: float
    radius: float
    gap: float
    row_gap: float
    at: dict[int, tuple[float, float]]


def look(role: str) -> str:
    return f'fill="{COLOURS.get(role, OTHER)}" stroke="#ffffff" stroke-width="1"'


def form(role: str, x: float, y: float, radius: float, fill: str) -> str:
    """The role's mark: square, circle, diamond or triangle, so that no one needs the colours."""
    if role == "subscriber":
        return (
            f'<rect x="{x - radius:.1f}" y="{y - radius:.1f}" width="{2 * radius:.1f}" height="{2 * radius:.1f}" '
            f'rx="{radius / 4:.1f}" {fill}/>'
        )
    if role in ("relay", "control"):
        long = radius * 1.25
        corners = [(0, -long), (long, 0), (0, long), (-long, 0)]
        if role == "control":
            corners = [(0, -long), (long * 1.05, radius), (-long * 1.05, radius)]
        points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
        return f'<polygon points="{points}" {fill}/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" {fill}/>'


def _cross(x: float, y: float, radius: float) -> str:
    """Over a mote that dies; beyond its mark, so that its name stays legible."""
    far, near = radius * 1.45, radius * 0.75
    strokes = "".join(f"M{x + dx * near:.1f} {y + dy * near:.1f}L{x + dx * far:.1f} {y + dy * far:.1f}" for dx in (-1, 1) for dy in (-1, 1))
    return f'<path d="{strokes}" fill="none" stroke="{BROKEN}" stroke-width="{max(radius / 5, 1.2):.1f}"/>'


def nodes(layout: Layout, view: View, known: Connectivity) -> list[str]:
    """Each with its name and what it is; of very many the marks alone, which share their look."""
    if len(layout.nodes) <= MOST_DETAILED:
        return [mark for node in layout.nodes for mark in _node(node, view, known)]
    made = []
    for role in dict.fromkeys(node.role for node in reversed(layout.nodes)):  # the few last, on top
        marks = (form(role, *view.at[node.mote], view.radius, "") for node in layout.nodes if node.role == role)
        made += [f"<g {look(role)}>", *(mark.replace(" />", "/>") for mark in marks), "</g>"]
    return made


def _node(node: Node, view: View, known: Connectivity) -> list[str]:
    x, y = view.at[node.mote]
    radius = view.radius
    hops = known.hops.get(node.mote, 0)
    role = f"{node.role} and {node.also}" if node.also else node.role
    told = f"{node.name}, mote {node.mote}, {role}{', dies' if node.dies else ''}, at ({node.x:g} m, {node.y:g} m)"
    if node.role != "control":
        told += f", {counted(hops, 'hop')}" if hops >= 0 else ", no way to the subscriber"
        told += f", {known.degree[node.mote]} in range"
    made = [f"<g><title>{escape(told)}</title>", form(node.role, x, y, radius, look(node.role))]
    if node.also:
        made.append(form(node.also, x, y, radius * 0.82, look(node.also)))
    if node.dies:
        made.append(_cross(x, y, radius))
    made += _name(node, x, y, view)
    if radius >= 6.0 and node.role not in ("control", "subscriber"):
        count = str(hops) if hops >= 0 else "?"
        small = min(max(radius * 0.62, 8.0), 11.0)
        colour = INK if hops >= 0 else BROKEN
        made.append(
            f'<text x="{x + radius * 0.85:.1f}" y="{y + radius * 1.05 + small * 0.5:.1f}" font-size="{small:.1f}" '
            f'fill="{colour}" stroke="#ffffff" stroke-width="2.5" paint-order="stroke">{count}</text>'
        )
    return [*made, "</g>"]


def _name(node: Node, x: float, y: float, view: View) -> list[str]:
    """In the mark if it can be read there; else above it where nothing is: level if it is short, else upright."""
    radius, name = view.radius, escape(node.name)
    size = min(12.0, radius * 1.75 / max(len(node.name), 1) * 1.35, radius * 0.95)
    above = y - radius * 1.3 - 3
    wide = 0.62 * LEGIBLE * len(node.name)  # of a bold sans, about
    outside = f'font-size="{LEGIBLE:.1f}" font-weight="600" fill="{INK}" stroke="#ffffff" stroke-width="2.5" paint-order="stroke"'
    room = view.row_gap - 2.6 * radius - 3
    if size < LEGIBLE and wide < view.gap and LEGIBLE < room:
        return [f'<text x="{x:.1f}" y="{above:.1f}" {outside} text-anchor="middle">{name}</text>']
    if size < LEGIBLE < view.gap and wide < room:
        left = x + LEGIBLE * 0.36
        return [f'<text x="{left:.1f}" y="{above:.1f}" {outside} transform="rotate(-90 {left:.1f} {above:.1f})">{name}</text>']
    if size < 5.0:
        return []
    drop = size * 0.36 + (radius * 0.25 if node.role == "control" else 0.0)
    return [f'<text x="{x:.1f}" y="{y + drop:.1f}" font-size="{size:.1f}" font-weight="600" fill="#ffffff" '
            f'text-anchor="middle">{name}</text>']
