# SPDX-License-Identifier: Apache-2.0
"""Draws a layout: roles by colour and form, next hops as arrows, links, hop counts, scale.

Links are those in range, or measured ones with their ratio of reception.
"""

from __future__ import annotations

import math

from orchestrator.pictures.elements import Element, Picture, circle, group, path, steps, text
from orchestrator.pictures.network import (
    INK,
    MOST_DETAILED,
    ORANGE,
    SOFT,
    WIDTH,
    clipped,
    fit,
    framed,
    halo,
    scale_bar,
    typical_gap,
)
from orchestrator.scenario.model import Link
from orchestrator.topology import marks
from orchestrator.topology.connectivity import (
    Connectivity,
    Reach,
    connectivity,
    neighbours,
    network,
    ratios,
    subscriber,
)
from orchestrator.topology.marks import BROKEN, FAINT, View
from orchestrator.topology.model import Layout, Node
from orchestrator.vocabulary.units import LENGTH, show
from orchestrator.words import counted

MARGIN, FOOT = 64.0, 78.0
MOST_LABELS = 80  # of links; beyond, they would hide each other
_LABELLED = 0.36  # where a link's label stands, as a share of the way
CROWDED = 2  # links for each node; with more, labels would cover one another
MOST_LINKS = 4000  # beyond, the lines would only make the picture grey


def picture(layout: Layout, reach: Reach) -> Picture:
    """Return the picture of a layout at a range in metres, or with measured links.

    The same layout and reach give the same picture.
    """
    view = _view(layout)
    connections = connectivity(layout, reach)
    about = summary(layout, connections)
    drawn = [
        *(() if connections.range_m is None else _range(layout, view, connections.range_m)),
        *(_measured(layout, view, reach) if isinstance(reach, tuple) else _links(layout, view, reach)),
        *_arrows(layout, view, connections),
        *(_labels(layout, view, reach) if isinstance(reach, tuple) else ()),
        *marks.nodes(layout, view, connections),
    ]
    return framed(
        f"{layout.shape} of {len(network(layout))} nodes",
        about,
        view.height,
        drawn,
        _foot(layout, view, connections, about),
    )


def summary(layout: Layout, connectivity: Connectivity) -> str:
    """Return whether it is connected, with hops and degree, as a sentence without capital and full stop."""
    root = subscriber(layout).mote
    hops = [
        count
        for mote, count in connectivity.hops.items()
        if (mote != root if connectivity.routed else count) and count >= 0
    ]
    degrees = list(connectivity.degree.values())
    state = "connected" if connectivity.connected else "not connected"
    name = "hops" if connectivity.routed else "hops to the nearest subscriber"
    ways = f"{name} {_spread(hops)}" if hops else "no way to the subscriber"
    how = (
        "by measured links"
        if connectivity.range_m is None
        else f"at a range of {show(connectivity.range_m, LENGTH)}"
    )
    return f"{state} {how}; {ways}; degree {_spread(degrees)}"


def thinned(layout: Layout, reach: Reach) -> str:
    """Return a sentence about what is not drawn because there is too much of it; "" if all is drawn."""
    left = ["names, hops and arrow heads"] if len(layout.nodes) > MOST_DETAILED else []
    links = (
        len(_pairs(layout, reach))
        if isinstance(reach, tuple)
        else sum(map(len, neighbours(network(layout), reach).values())) // 2
    )
    if links > MOST_LINKS:
        left.append(f"the {counted(links, 'link')}".replace(",", "\u202f"))
    return f"Not drawn, as there are so many: {' and '.join(left)}." if left else ""


def _spread(numbers: list[int]) -> str:
    if min(numbers) == max(numbers):
        return str(numbers[0])
    return f"{min(numbers)} to {max(numbers)}, mean {sum(numbers) / len(numbers):.1f}"


def _view(layout: Layout) -> View:
    nodes = network(layout)
    view = fit(
        [node.x for node in nodes],
        [node.y for node in nodes],
        MARGIN,
        min(900.0, max(420.0, 28.0 * math.sqrt(len(nodes)) + 340.0)),
        90.0,
    )
    gap = typical_gap((node.x, node.y) for node in nodes) * view.scale
    # Among very many nodes, the lines between them must still be seen.
    radius = (
        min(max(0.34 * gap, 3.0), 15.0)
        if len(layout.nodes) <= MOST_DETAILED
        else min(max(0.25 * gap, 1.2), 3.0)
    )
    at = {node.mote: view.at(node.x, node.y) for node in nodes}
    for node in layout.nodes:
        if node.mote not in at:
            at[node.mote] = _beside(node, subscriber(layout), nodes, at, view.scale, radius)
    lowest = max(y for _, y in at.values()) + radius
    rows = sorted({round(node.y, 3) for node in nodes})
    apart = (
        min((low - high for high, low in zip(rows, rows[1:], strict=False)), default=math.inf) * view.scale
    )
    return View(
        view.scale, max(2 * MARGIN + view.inner, lowest + MARGIN * 0.8) + FOOT, radius, gap, apart, at
    )


def _beside(
    node: Node, root: Node, nodes: tuple[Node, ...], at: dict, scale: float, radius: float
) -> tuple[float, float]:
    """Return where the control node is drawn.

    It is drawn in its true place if that is clear of the subscriber. Otherwise it is moved out, so that both
    are seen, in the direction (its own first, then sixteenths of a turn) that is clearest of nodes and
    arrows.
    """
    x, y = at[root.mote]
    away = math.hypot(node.x - root.x, node.y - root.y)
    if away * scale >= 2.9 * radius:
        return x + (node.x - root.x) * scale, y + (node.y - root.y) * scale
    own = math.atan2(node.y - root.y, node.x - root.x)
    best, clearest = (x, y), -1.0
    turns = (0, 8, 1, 15, 2, 14, 3, 13, 4, 12, 5, 11, 6, 10, 7, 9)
    for far, sixteenth in [(far, turn) for far in (2.9, 4.5, 6.5) for turn in turns]:
        angle = own + sixteenth * math.pi / 8
        place = (x + math.cos(angle) * far * radius, y + math.sin(angle) * far * radius)
        room = [math.dist(place, at[other.mote]) / 2.2 for other in nodes if other.mote != root.mote]
        room += [
            _to_line(place, at[other.mote], (x, y)) / 1.6 for other in nodes if other.parent == root.mote
        ]
        clear = min(room, default=radius)
        if clear > clearest + 1e-6:
            best, clearest = place, clear
        if clear >= radius:
            break
    return best


def _to_line(point: tuple[float, float], begin: tuple[float, float], end: tuple[float, float]) -> float:
    """Return the distance of a point from the line between two others."""
    (px, py), (ax, ay), (bx, by) = point, begin, end
    length = (bx - ax) ** 2 + (by - ay) ** 2
    along = min(max(((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / length, 0.0), 1.0) if length else 0.0
    return math.hypot(px - ax - along * (bx - ax), py - ay - along * (by - ay))


def _range(layout: Layout, view: View, range_m: float) -> list[Element]:
    x, y = view.at[subscriber(layout).mote]
    radius = range_m * view.scale
    bottom = view.height - FOOT
    farthest = max(math.hypot(x - corner, y - side) for corner in (0.0, WIDTH) for side in (0.0, bottom))
    if radius > farthest:
        return []  # the whole picture lies inside; the foot says so
    return [
        clipped(
            [
                circle(
                    x,
                    y,
                    radius,
                    fill="#fbf3ea",
                    fill_opacity="0.75",
                    stroke=ORANGE,
                    stroke_opacity="0.55",
                    stroke_dasharray="6 5",
                )
            ],
            bottom,
        )
    ]


def _links(layout: Layout, view: View, range_m: float) -> list[Element]:
    linked = neighbours(network(layout), range_m)
    if sum(map(len, linked.values())) > 2 * MOST_LINKS:
        return []
    lines: list[tuple] = []
    in_a_row = _in_a_row(layout)
    for mote, others in linked.items():
        for other in others:
            if mote < other.mote:
                lines.append(("M", *view.at[mote]))
                lines.append(
                    (
                        "Q" if in_a_row else "L",
                        *(_bend(view, mote, other.mote, True) if in_a_row else ()),
                        *view.at[other.mote],
                    )
                )
    return [path(steps(*lines), fill="none", stroke=FAINT, stroke_width="0.9")] if lines else []


def _in_a_row(layout: Layout) -> bool:
    """Whether straight lines would lie on each other, under the arrows."""
    return len({node.y for node in network(layout)}) == 1


def _pairs(layout: Layout, links: tuple[Link, ...]) -> dict[tuple[int, int], tuple[float, float]]:
    """Return the ratios of both directions by (lower id, higher id), from the lower id's first."""
    by_pair = ratios(network(layout), links)
    pairs = sorted({(min(pair), max(pair)) for pair in by_pair})
    return {
        (first, other): (by_pair.get((first, other), 0.0), by_pair.get((other, first), 0.0))
        for first, other in pairs
    }


def _bend(view: View, first: int, other: int, in_a_row: bool) -> tuple[float, float]:
    """Return the control point of a link's curve: its middle, or above it where all nodes stand in a row."""
    (x1, y1), (x2, y2) = view.at[first], view.at[other]
    return (x1 + x2) / 2, (y1 + y2) / 2 - (min(0.34 * abs(x1 - x2), 130.0) if in_a_row else 0.0)


def _measured(layout: Layout, view: View, links: tuple[Link, ...]) -> list[Element]:
    """Draw measured links: darker where more frames arrive, dotted where one direction is missing."""
    pairs = _pairs(layout, links)
    if len(pairs) > MOST_LINKS:
        return []
    in_a_row = _in_a_row(layout)
    return [
        path(
            steps(("M", *view.at[first]), ("Q", *_bend(view, first, other, in_a_row), *view.at[other])),
            fill="none",
            stroke=SOFT,
            stroke_width="1.1",
            stroke_opacity=f"{0.2 + 0.7 * (up + down) / 2:.2f}",
            stroke_dasharray=None if up and down else "1.5 4",
        )
        for (first, other), (up, down) in pairs.items()
    ]


def _labels(layout: Layout, view: View, links: tuple[Link, ...]) -> list[Element]:
    """Draw the ratios on their links, nearer to the lower id, where few links cross; none if too many.

    Among many links only those to a parent have theirs, if nodes have parents.
    """
    pairs = _pairs(layout, links)
    tree = {(min(pair), max(pair)) for node in layout.nodes if (pair := (node.mote, node.parent))[1]}
    if tree and len(pairs) > CROWDED * len(layout.nodes):
        pairs = {pair: ratio for pair, ratio in pairs.items() if pair in tree}
    if len(pairs) > MOST_LABELS:
        return []
    in_a_row = _in_a_row(layout)
    labels = []
    for (first, other), (up, down) in pairs.items():
        begin, bend, end = view.at[first], _bend(view, first, other, in_a_row), view.at[other]
        weights = (1 - _LABELLED) ** 2, 2 * _LABELLED * (1 - _LABELLED), _LABELLED**2  # of a quadratic curve
        x, y = (sum(w * p for w, p in zip(weights, of)) for of in zip(begin, bend, end))
        labels.append(
            text(x, y - 2, f"{100 * up:.0f} %" if up == down else f"{100 * up:.0f} / {100 * down:.0f} %")
        )
    return [group(labels, font_size="10", fill=INK, **halo(2.5), text_anchor="middle")]


def _arrows(layout: Layout, view: View, connectivity: Connectivity) -> list[Element]:
    width = min(max(view.radius / 6, 0.9), 2.2)
    head = min(max(view.radius * 0.55, 3.0), 8.0) if len(layout.nodes) <= MOST_DETAILED else 0.0
    lines: dict[bool, list[tuple]] = {False: [], True: []}
    heads: dict[bool, list[tuple]] = {False: [], True: []}
    for node in layout.nodes:
        if not node.parent:
            continue
        (x1, y1), (x2, y2) = view.at[node.mote], view.at[node.parent]
        length = math.hypot(x2 - x1, y2 - y1)
        if length <= 2 * view.radius:
            continue
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        tip = (x2 - ux * (view.radius + 1.5), y2 - uy * (view.radius + 1.5))
        back = (tip[0] - ux * head, tip[1] - uy * head)
        side = (-uy * head * 0.5, ux * head * 0.5)
        broken = node.mote in connectivity.broken
        lines[broken] += [("M", x1 + ux * view.radius, y1 + uy * view.radius), ("L", *back)]
        heads[broken] += [
            ("M", *tip),
            ("L", back[0] + side[0], back[1] + side[1]),
            ("L", back[0] - side[0], back[1] - side[1]),
            ("Z",),
        ]
    arrows = []
    for broken, colour, dash in ((False, INK, None), (True, BROKEN, "5 4")):
        if lines[broken]:
            arrows.append(
                path(
                    steps(*lines[broken]),
                    fill="none",
                    stroke=colour,
                    stroke_width=f"{width:.1f}",
                    stroke_dasharray=dash,
                )
            )
        if lines[broken] and len(layout.nodes) <= MOST_DETAILED:
            arrows.append(path(steps(*heads[broken]), fill=colour))
    return arrows


def _foot(layout: Layout, view: View, connectivity: Connectivity, about: str) -> list[Element]:
    """Draw the legend, the summary of the layout, and the scale bar."""
    top = view.height - FOOT
    shapes = []
    x = MARGIN / 2
    counts: dict[str, int] = {}
    for node in layout.nodes:
        counts[node.role] = counts.get(node.role, 0) + 1
    for role, count in counts.items():
        both = sum(bool(node.also) and node.role == role for node in layout.nodes)
        label = f"{count} {role}{'s' if count > 1 else ''}" + (f" ({both} also publishing)" if both else "")
        shapes += [marks.form(role, x + 7, top + 16, 6.5), text(x + 19, top + 20.5, label)]
        x += 40 + 7.3 * len(label)
    if any(node.dies for node in layout.nodes):
        shapes += [marks.cross(x + 7, top + 16, 0, 5, "2"), text(x + 19, top + 20.5, "dies")]
        x += 62
    if connectivity.routed:
        label = (
            "arrow: next hop, small number: hops" if len(layout.nodes) <= MOST_DETAILED else "line: next hop"
        )
    else:
        label = "no configured next hops; small number: hops to the nearest subscriber"
    if connectivity.broken:
        label += ", red dashes: next hop out of range"
    shapes.append(text(x, top + 20.5, label, fill=SOFT))
    shapes.append(text(MARGIN / 2, top + 43, f"{about[0].upper()}{about[1:]}."))
    if connectivity.range_m is None:
        label = (
            "Grey: links with their ratio of reception, to the higher id / back where they differ; dotted: "
            "one way."
        )
    elif _range(layout, view, connectivity.range_m):
        label = f"Dashed circle: the range of {subscriber(layout).name}."
    else:
        label = f"All that is shown lies within the range of {subscriber(layout).name}."
    shapes.append(text(MARGIN / 2, top + 63, label, fill=SOFT))
    return [*shapes, *scale_bar(view.scale, top + 40, 23, MARGIN)]
