# SPDX-License-Identifier: Apache-2.0
"""A layout as a self-contained SVG: roles by colour and form, next hops as arrows, links, hop counts, scale.

Links are those in range, or measured ones with their ratio of reception.

Drawn for 2 to some 400 nodes. Colours are of the Okabe-Ito palette, which people with any common colour vision tell
apart; each role has a form of its own as well. The y axis points down, as in Cooja's window.
"""

from __future__ import annotations

import math
from xml.sax.saxutils import escape

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
from orchestrator.topology.marks import BROKEN, COLOURS, FAINT, INK, View
from orchestrator.topology.model import Layout, Node
from orchestrator.vocabulary.units import LENGTH, show
from orchestrator.words import counted

WIDTH, MARGIN, FOOT = 960.0, 64.0, 78.0
MOST_LABELS = 80  # of links; beyond, they would hide each other
MOST_LINKS = 4000  # beyond, the lines would only make the picture grey
# Sizes of scale bars, metres: the largest that is at most a quarter of the picture is taken.
_BARS = [digit * 10.0**power for power in range(-2, 6) for digit in (1, 2, 5)]


def svg(layout: Layout, reach: Reach) -> str:
    """The drawing, with a range in metres or measured links. The same layout and reach give the same text. Every name is escaped."""
    view = _view(layout)
    known = connectivity(layout, reach)
    about = summary(layout, known)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {WIDTH:.0f} {view.height:.0f}" '
        f'width="{WIDTH:.0f}" height="{view.height:.0f}" style="max-width:100%;height:auto" '
        'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">'
    )
    parts = [
        head,
        f"<title>{escape(layout.shape)} of {len(network(layout))} nodes</title>",
        f"<desc>{escape(about)}</desc>",
        f'<rect width="{WIDTH:.0f}" height="{view.height:.0f}" fill="#ffffff"/>',
        *(() if known.range_m is None else _range(layout, view, known.range_m)),
        *(_measured(layout, view, reach) if isinstance(reach, tuple) else _links(layout, view, reach)),
        *_arrows(layout, view, known),
        *(_labels(layout, view, reach) if isinstance(reach, tuple) else ()),
        *marks.nodes(layout, view, known),
        *_foot(layout, view, known, about),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def summary(layout: Layout, known: Connectivity) -> str:
    """One sentence: connected or not, hops, degree."""
    root = subscriber(layout).mote
    hops = [count for mote, count in known.hops.items() if (mote != root if known.routed else count) and count >= 0]
    degrees = list(known.degree.values())
    state = "connected" if known.connected else "not connected"
    name = "hops" if known.routed else "hops to the nearest subscriber"
    ways = f"{name} {_spread(hops)}" if hops else "no way to the subscriber"
    how = "by measured links" if known.range_m is None else f"at a range of {show(known.range_m, LENGTH)}"
    return f"{state} {how}; {ways}; degree {_spread(degrees)}"


def thinned(layout: Layout, reach: Reach) -> str:
    """What the drawing leaves out as there is so much of it: a sentence, or nothing."""
    left = ["names, hops and arrow heads"] if len(layout.nodes) > marks.MOST_DETAILED else []
    links = len(_pairs(layout, reach)) if isinstance(reach, tuple) else sum(map(len, neighbours(network(layout), reach).values())) // 2
    if links > MOST_LINKS:
        left.append(f"the {counted(links, 'link')}".replace(",", "\u202f"))
    return f"Not drawn, as there are so many: {' and '.join(left)}." if left else ""


def _spread(numbers: list[int]) -> str:
    if min(numbers) == max(numbers):
        return str(numbers[0])
    return f"{min(numbers)} to {max(numbers)}, mean {sum(numbers) / len(numbers):.1f}"


def _view(layout: Layout) -> View:
    nodes = network(layout)
    xs, ys = [node.x for node in nodes], [node.y for node in nodes]
    wide, high = max(xs) - min(xs), max(ys) - min(ys)
    tall = min(900.0, max(420.0, 28.0 * math.sqrt(len(nodes)) + 340.0))
    scale = min((WIDTH - 2 * MARGIN) / max(wide, 1e-3), tall / max(high, 1e-3))
    inner = max(high * scale, 90.0)
    left = (WIDTH - wide * scale) / 2 - min(xs) * scale
    top = MARGIN + (inner - high * scale) / 2 - min(ys) * scale
    gap = _typical_gap(nodes) * scale
    # Of very many nodes the lines between them must still be seen.
    radius = min(max(0.34 * gap, 3.0), 15.0) if len(layout.nodes) <= marks.MOST_DETAILED else min(max(0.25 * gap, 1.2), 3.0)
    at = {node.mote: (left + node.x * scale, top + node.y * scale) for node in nodes}
    for node in layout.nodes:
        if node.mote not in at:
            at[node.mote] = _beside(node, subscriber(layout), nodes, at, scale, radius)
    lowest = max(y for _, y in at.values()) + radius
    rows = sorted({round(node.y, 3) for node in nodes})
    apart = min((low - high for high, low in zip(rows, rows[1:], strict=False)), default=math.inf) * scale
    return View(scale, left, top, max(2 * MARGIN + inner, lowest + MARGIN * 0.8) + FOOT, radius, gap, apart, at)


def _beside(node: Node, root: Node, nodes: tuple[Node, ...], at: dict, scale: float, radius: float) -> tuple[float, float]:
    """Where the control node is drawn: its true place if it is clear of the subscriber, else moved out so that both
    are seen, in the direction (its own first, then sixteenths of a turn) that is clearest of nodes and arrows."""
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
        room += [_to_line(place, at[other.mote], (x, y)) / 1.6 for other in nodes if other.parent == root.mote]
        clear = min(room, default=radius)
        if clear > clearest + 1e-6:
            best, clearest = place, clear
        if clear >= radius:
            break
    return best


def _to_line(point: tuple[float, float], one: tuple[float, float], other: tuple[float, float]) -> float:
    """Distance of a point from the line between two."""
    (px, py), (ax, ay), (bx, by) = point, one, other
    length = (bx - ax) ** 2 + (by - ay) ** 2
    along = min(max(((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / length, 0.0), 1.0) if length else 0.0
    return math.hypot(px - ax - along * (bx - ax), py - ay - along * (by - ay))


def _typical_gap(nodes: tuple[Node, ...]) -> float:
    """A low quartile of the distances to the nearest neighbour, metres: few nodes touch, the others stay legible."""
    if len(nodes) < 2:
        return 1.0
    ordered = sorted(nodes, key=lambda node: (node.x, node.y))
    gaps = []
    for index, node in enumerate(ordered):
        best = math.inf
        for step in (1, -1):
            other = index + step
            while 0 <= other < len(ordered) and abs(ordered[other].x - node.x) < best:
                best = min(best, math.hypot(ordered[other].x - node.x, ordered[other].y - node.y))
                other += step
        gaps.append(best)
    return sorted(gaps)[len(gaps) // 4]


def _range(layout: Layout, view: View, range_m: float) -> list[str]:
    x, y = view.at[subscriber(layout).mote]
    radius = range_m * view.scale
    bottom = view.height - FOOT
    farthest = max(math.hypot(x - corner, y - side) for corner in (0.0, WIDTH) for side in (0.0, bottom))
    if radius > farthest:
        return []  # the whole picture lies inside; the foot says so
    circle = (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="#fbf3ea" fill-opacity="0.75" '
        f'stroke="{COLOURS["subscriber"]}" stroke-opacity="0.55" stroke-dasharray="6 5"/>'
    )
    return [f'<svg x="0" y="0" width="{WIDTH:.0f}" height="{bottom:.0f}">{circle}</svg>']


def _links(layout: Layout, view: View, range_m: float) -> list[str]:
    linked = neighbours(network(layout), range_m)
    if sum(map(len, linked.values())) > 2 * MOST_LINKS:
        return []
    lines = []
    in_a_row = len({node.y for node in network(layout)}) == 1
    for mote, others in linked.items():
        for other in others:
            if mote < other.mote:
                (x1, y1), (x2, y2) = view.at[mote], view.at[other.mote]
                if in_a_row:  # straight lines would lie on each other, under the arrows
                    bend = min(0.34 * abs(x1 - x2), 130.0)
                    lines.append(f"M{x1:.1f} {y1:.1f}Q{(x1 + x2) / 2:.1f} {y1 - bend:.1f} {x2:.1f} {y2:.1f}")
                else:
                    lines.append(f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}")
    return [f'<path d="{"".join(lines)}" fill="none" stroke="{FAINT}" stroke-width="0.9"/>'] if lines else []


def _pairs(layout: Layout, links: tuple[Link, ...]) -> dict[tuple[int, int], tuple[float, float]]:
    """(lower id, higher id) -> ratios up and down, of pairs with a link either way."""
    known = ratios(network(layout), links)
    pairs = sorted({(min(pair), max(pair)) for pair in known})
    return {(one, other): (known.get((one, other), 0.0), known.get((other, one), 0.0)) for one, other in pairs}


def _bend(view: View, one: int, other: int, in_a_row: bool) -> tuple[float, float]:
    """Where a link's curve is pulled to: its middle, or above it where straight lines would lie on each other."""
    (x1, y1), (x2, y2) = view.at[one], view.at[other]
    return (x1 + x2) / 2, (y1 + y2) / 2 - (min(0.34 * abs(x1 - x2), 130.0) if in_a_row else 0.0)


def _measured(layout: Layout, view: View, links: tuple[Link, ...]) -> list[str]:
    """Measured links, the darker the more they let through; dotted where one direction is missing."""
    pairs = _pairs(layout, links)
    if len(pairs) > MOST_LINKS:
        return []
    in_a_row = len({node.y for node in network(layout)}) == 1
    made = []
    for (one, other), (up, down) in pairs.items():
        (x1, y1), (x2, y2) = view.at[one], view.at[other]
        x, y = _bend(view, one, other, in_a_row)
        dots = "" if up and down else ' stroke-dasharray="1.5 4"'
        made.append(
            f'<path d="M{x1:.1f} {y1:.1f}Q{x:.1f} {y:.1f} {x2:.1f} {y2:.1f}" fill="none" stroke="#5c6370" '
            f'stroke-width="1.1" stroke-opacity="{0.2 + 0.7 * (up + down) / 2:.2f}"{dots}/>'
        )
    return made


def _labels(layout: Layout, view: View, links: tuple[Link, ...]) -> list[str]:
    """The ratios, at the middle of each link, where there is room for them."""
    pairs = _pairs(layout, links)
    if len(pairs) > MOST_LABELS:
        return []
    in_a_row = len({node.y for node in network(layout)}) == 1
    made = [f'<g font-size="10" fill="{INK}" stroke="#ffffff" stroke-width="2.5" paint-order="stroke" text-anchor="middle">']
    for (one, other), (up, down) in pairs.items():
        x, y = _bend(view, one, other, in_a_row)
        middle = (view.at[one][1] + view.at[other][1]) / 4 + y / 2  # of the curve
        text = f"{100 * up:.0f} %" if up == down else f"{100 * up:.0f} / {100 * down:.0f} %"
        made.append(f'<text x="{x:.1f}" y="{middle - 2:.1f}">{text}</text>')
    return [*made, "</g>"]


def _arrows(layout: Layout, view: View, known: Connectivity) -> list[str]:
    width = min(max(view.radius / 6, 0.9), 2.2)
    head = min(max(view.radius * 0.55, 3.0), 8.0) if len(layout.nodes) <= marks.MOST_DETAILED else 0.0
    lines: dict[bool, list[str]] = {False: [], True: []}
    heads: dict[bool, list[str]] = {False: [], True: []}
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
        start = (x1 + ux * view.radius, y1 + uy * view.radius)
        broken = node.mote in known.broken
        lines[broken].append(f"M{start[0]:.1f} {start[1]:.1f}L{back[0]:.1f} {back[1]:.1f}")
        side = (-uy * head * 0.5, ux * head * 0.5)
        heads[broken].append(
            f"M{tip[0]:.1f} {tip[1]:.1f}L{back[0] + side[0]:.1f} {back[1] + side[1]:.1f}"
            f"L{back[0] - side[0]:.1f} {back[1] - side[1]:.1f}Z"
        )
    made = []
    for broken, colour, dash in ((False, INK, ""), (True, BROKEN, ' stroke-dasharray="5 4"')):
        if lines[broken]:
            made.append(
                f'<path d="{"".join(lines[broken])}" fill="none" stroke="{colour}" stroke-width="{width:.1f}"{dash}/>'
            )
        if lines[broken] and len(layout.nodes) <= marks.MOST_DETAILED:
            made.append(f'<path d="{"".join(heads[broken])}" fill="{colour}"/>')
    return made


def _foot(layout: Layout, view: View, known: Connectivity, about: str) -> list[str]:
    """Legend, what the layout is like, and the scale bar."""
    top = view.height - FOOT
    made = [f'<g font-size="13" fill="{INK}">']
    x = MARGIN / 2
    counts: dict[str, int] = {}
    for node in layout.nodes:
        counts[node.role] = counts.get(node.role, 0) + 1
    for role, count in counts.items():
        both = sum(bool(node.also) and node.role == role for node in layout.nodes)
        text = f"{count} {role}{'s' if count > 1 else ''}" + (f" ({both} also publishing)" if both else "")
        made.append(marks.form(role, x + 7, top + 16, 6.5, marks.look(role)))
        made.append(f'<text x="{x + 19:.1f}" y="{top + 20.5:.1f}">{escape(text)}</text>')
        x += 40 + 7.3 * len(text)
    if any(node.dies for node in layout.nodes):
        made.append(f'<path d="M{x + 2:.1f} {top + 11:.1f}L{x + 12:.1f} {top + 21:.1f}M{x + 12:.1f} {top + 11:.1f}L{x + 2:.1f} {top + 21:.1f}" fill="none" stroke="{BROKEN}" stroke-width="2"/>')
        made.append(f'<text x="{x + 19:.1f}" y="{top + 20.5:.1f}">dies</text>')
        x += 62
    if known.routed:
        told = "arrow: next hop, small number: hops" if len(layout.nodes) <= marks.MOST_DETAILED else "line: next hop"
    else:
        told = "no configured next hops; small number: hops to the nearest subscriber"
    if known.broken:
        told += ", red dashes: next hop out of range"
    made.append(f'<text x="{x:.1f}" y="{top + 20.5:.1f}" fill="#5c6370">{told}</text>')
    made.append(f'<text x="{MARGIN / 2:.1f}" y="{top + 43:.1f}">{escape(about[0].upper() + about[1:])}.</text>')
    if known.range_m is None:
        circle = "Grey: links with their ratio of reception, to the higher id / back where they differ; dotted: one way."
    elif _range(layout, view, known.range_m):
        circle = f"Dashed circle: the range of {escape(subscriber(layout).name)}."
    else:
        circle = f"All that is shown lies within the range of {escape(subscriber(layout).name)}."
    made.append(f'<text x="{MARGIN / 2:.1f}" y="{top + 63:.1f}" fill="#5c6370">{circle}</text>')
    bar = max((size for size in _BARS if size * view.scale <= WIDTH / 4), default=_BARS[0])
    right, pixels = WIDTH - MARGIN / 2, bar * view.scale
    made.append(
        f'<path d="M{right - pixels:.1f} {top + 40:.1f}v8h{pixels:.1f}v-8" fill="none" stroke="{INK}" stroke-width="1.5"/>'
        f'<text x="{right - pixels / 2:.1f}" y="{top + 63:.1f}" text-anchor="middle">{show(bar, LENGTH)}</text>'
    )
    return [*made, "</g>"]
