# SPDX-License-Identifier: Apache-2.0
"""A surveyed .csc as a self-contained SVG: motes by type, ranges, links with their ratios, a legend, a scale.

Mote types differ in colour (the Okabe-Ito palette, told apart with any common colour vision) and in form. The y axis
points down, as in Cooja's window.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

from orchestrator.csc import classes
from orchestrator.csc.links import Ranges, islands, links, ranges
from orchestrator.csc.survey import SeenMote, Survey
from orchestrator.vocabulary.units import LENGTH, show

WIDTH, MARGIN = 960.0, 60.0
MOST_LINKS = 6000  # beyond, lines only make the picture grey
MOST_RATIOS = 80  # beyond, the numbers would hide each other
MOST_NAMED = 1000
_SPARSE = 24  # links
_LEGEND_TYPES = 12
_ROOM = 2.5  # a range that many times as far as the motes are apart would make them tiny
COLOURS = ("#0072b2", "#d55e00", "#00795a", "#8f4f78", "#3a3a3a", "#9a6a00")
INK, FAINT, PALE = "#333333", "#5c6370", "#a9b1bd"
_FORMS = ("circle", "square", "triangle", "diamond")
_BARS = [digit * 10.0**power for power in range(-3, 7) for digit in (1, 2, 5)]


@dataclass(frozen=True)
class _View:
    """Metres to pixels; `at` of each placed mote (by its place in the file), `radius` of a mote."""

    scale: float
    left: float
    top: float
    bottom: float  # of the drawing; the foot is below
    radius: float
    at: dict[int, tuple[float, float]]


def svg(survey: Survey) -> str:
    """The drawing; the same survey gives the same text. Every name is escaped."""
    known = links(survey)
    around = ranges(survey)
    view = _view(survey, around)
    foot, height = _foot(survey, view, known, around)
    title = survey.settings["title"] or survey.file
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {WIDTH:.0f} {height:.0f}" width="{WIDTH:.0f}" '
        f'height="{height:.0f}" style="max-width:100%;height:auto" '
        'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">',
        f"<title>{_text(title)}</title>",
        f"<desc>{_text('. '.join(summary(survey)))}</desc>",
        f'<rect width="{WIDTH:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        f'<clipPath id="drawing"><rect width="{WIDTH:.0f}" height="{view.bottom:.0f}"/></clipPath>',
        '<g clip-path="url(#drawing)">',
        *_ranges(survey, view, around),
        *_links(survey, view, known),
        *_motes(survey, view),
        "</g>",
        *foot,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def summary(survey: Survey) -> list[str]:
    """What the picture shows, a sentence each without its full stop."""
    known, around = links(survey), ranges(survey)
    kinds = len({mote.type for mote in survey.motes})
    told = [f"{_count(len(survey.motes), 'mote')} of {_count(kinds, 'type')}, medium {classes.short(survey.medium) or 'none'}"]
    if around is not None:
        reach = f"transmitting range {show(around.transmitting, LENGTH)}"
        if around.interference is not None:
            reach += f", interference range {show(around.interference, LENGTH)}"
        if (around.tx, around.rx) != (1.0, 1.0):
            reach += f", success ratio {around.tx:g} sending, {around.rx:g} receiving{' everywhere' if around.constant else ' at the edge'}"
        told.append(reach)
    if around is not None or survey.medium == classes.DIRECTED_GRAPH:
        one_way = sum(1 for one, other in known if (other, one) not in known)
        pairs = (len(known) + one_way) // 2
        parts = islands(len(survey.motes), known)
        told.append(f"{_count(pairs, 'link')}{f', {one_way} one way' if one_way else ''}; "
                    + ("all connected" if parts == 1 else f"in {parts} parts that don't hear each other"))
    else:
        told.append("who hears whom is computed by this medium as it runs: no links are drawn")
    unplaced = [str(mote.id) for mote in survey.motes if not mote.placed]
    if unplaced:
        told.append(f"no place that can be drawn: mote {', '.join(unplaced[:10])}{' and more' if len(unplaced) > 10 else ''}")
    if any(isinstance(mote.z, float) and mote.z for mote in survey.motes):
        told.append("seen from above: heights (z) are not drawn")
    if any(name == classes.MOBILITY for name, _ in survey.plugins):
        told.append("the Mobility plugin moves motes: this is where they start")
    return told


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _text(text: str) -> str:
    """Escaped, without the control characters that SVG can't hold."""
    return escape("".join(char if char.isprintable() else " " for char in text))


def _view(survey: Survey, around: Ranges | None) -> _View:
    placed = {place: mote for place, mote in enumerate(survey.motes) if mote.placed}
    xs = [mote.x for mote in placed.values()] or [0.0]
    ys = [mote.y for mote in placed.values()] or [0.0]
    middle = _middle(survey)
    if around is not None and middle is not None and around.transmitting <= _ROOM * _spread(survey):
        for values, centre in ((xs, survey.motes[middle].x), (ys, survey.motes[middle].y)):  # its range is seen whole
            values += [centre - around.transmitting, centre + around.transmitting]
    wide, high = max(xs) - min(xs), max(ys) - min(ys)
    tall = min(900.0, max(460.0, 28.0 * math.sqrt(len(placed)) + 400.0))
    scale = min((WIDTH - 2 * MARGIN) / max(wide, 1e-3), tall / max(high, 1e-3), 1e6)
    if wide == 0 and high == 0:
        scale = 4.0  # pixels a metre, of motes all in one place
    inner = max(high * scale, 160.0)
    left, top = (WIDTH - wide * scale) / 2 - min(xs) * scale, MARGIN + (inner - high * scale) / 2 - min(ys) * scale
    radius = min(max(0.34 * _gap(list(placed.values())) * scale, 3.0), 14.0)
    if len(placed) > MOST_NAMED:
        radius = min(radius, 3.0)
    at: dict[int, tuple[float, float]] = {}
    stacked: dict[tuple[float, float], int] = {}
    for place, mote in placed.items():
        x, y = left + mote.x * scale, top + mote.y * scale
        number = stacked.get((round(x), round(y)), 0)
        stacked[round(x), round(y)] = number + 1
        if number:  # motes of one place: beside each other, so that all are seen
            ring, step = divmod(number - 1, 6)
            angle = step * math.pi / 3
            x, y = x + math.cos(angle) * (ring + 1) * 2.2 * radius, y + math.sin(angle) * (ring + 1) * 2.2 * radius
        at[place] = (x, y)
    return _View(scale, left, top, 2 * MARGIN + inner, radius, at)


def _gap(motes: list[SeenMote]) -> float:
    """A low quartile of the distances to the nearest other place, metres."""
    places = sorted({(mote.x, mote.y) for mote in motes})
    if len(places) < 2:
        return math.inf
    gaps = []
    for index, (x, y) in enumerate(places):
        best = math.inf
        for step in (1, -1):
            other = index + step
            while 0 <= other < len(places) and abs(places[other][0] - x) < best:
                best = min(best, math.dist(places[other], (x, y)))
                other += step
        gaps.append(best)
    return sorted(gaps)[len(gaps) // 4]


def _middle(survey: Survey) -> int | None:
    """The mote whose ranges are drawn: the one nearest to the middle of all."""
    placed = {place: (mote.x, mote.y) for place, mote in enumerate(survey.motes) if mote.placed}
    if not placed:
        return None
    centre = (sum(x for x, _ in placed.values()) / len(placed), sum(y for _, y in placed.values()) / len(placed))
    return min(placed, key=lambda place: (round(math.dist(placed[place], centre), 6), place))


def _ranges(survey: Survey, view: _View, around: Ranges | None) -> list[str]:
    middle = _middle(survey)
    if around is None or middle is None:
        return []
    x, y = view.at[middle]
    made = []
    if around.interference is not None and around.interference > around.transmitting:
        made.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{around.interference * view.scale:.1f}" fill="#d55e00" fill-opacity="0.05" '
                    'stroke="#d55e00" stroke-opacity="0.7" stroke-dasharray="6 5"/>')
    made.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{around.transmitting * view.scale:.1f}" fill="#00795a" fill-opacity="0.08" '
                'stroke="#00795a" stroke-opacity="0.8"/>')
    return made


def _spread(survey: Survey) -> float:
    """How far the motes are apart along either axis, metres."""
    placed = [mote for mote in survey.motes if mote.placed]
    return max(max(axis) - min(axis) for axis in ([mote.x for mote in placed], [mote.y for mote in placed])) if placed else 0.0


def _links(survey: Survey, view: _View, known: dict[tuple[int, int], float]) -> list[str]:
    pairs = sorted({(min(pair), max(pair)) for pair in known if pair[0] != pair[1] and all(end in view.at for end in pair)})
    if len(pairs) > MOST_LINKS:
        return []
    lines, heads, ratios = [], [], []
    lossy = any(ratio < 1 for ratio in known.values())
    for one, other in pairs:
        there, back = known.get((one, other)), known.get((other, one))
        (ax, ay), (bx, by) = view.at[one], view.at[other]
        best = max(ratio for ratio in (there, back) if ratio is not None)
        dots = "" if there is not None and back is not None else ' stroke-dasharray="2 3"'
        lines.append(f'<line x1="{ax:.1f}" y1="{ay:.1f}" x2="{bx:.1f}" y2="{by:.1f}" stroke-opacity="{0.25 + 0.75 * min(max(best, 0), 1):.2f}"{dots}/>')
        if there is None or back is None:
            heads.append(_head((bx, by), (ax, ay), view.radius) if there is None else _head((ax, ay), (bx, by), view.radius))
        if lossy and len(pairs) <= MOST_RATIOS:
            told = [f"{ratio:.2g}" for ratio in (there, back) if ratio is not None]
            told = told[:1] if len(set(told)) == 1 else told
            if not _ordered(survey.motes[one], survey.motes[other]):
                told.reverse()
            along = 0.5 if len(pairs) <= _SPARSE else 0.36  # away from the middle, where many lines cross
            ratios.append(f'<text x="{ax + (bx - ax) * along:.1f}" y="{ay + (by - ay) * along + 3.5:.1f}">{" / ".join(told)}</text>')
    made = [f'<g stroke="{PALE}" stroke-width="1.3">', *lines, "</g>", f'<g fill="{FAINT}">', *heads, "</g>"]
    if ratios:
        made += [f'<g font-size="10.5" fill="{INK}" stroke="#ffffff" stroke-width="3" paint-order="stroke" text-anchor="middle">', *ratios, "</g>"]
    return made


def _ordered(one: SeenMote, other: SeenMote) -> bool:
    """Whether the first has the lower id."""
    return not (isinstance(one.id, int) and isinstance(other.id, int)) or one.id <= other.id


def _head(tail: tuple[float, float], tip: tuple[float, float], radius: float) -> str:
    """An arrow's head that touches the mote at `tip`."""
    dx, dy = tip[0] - tail[0], tip[1] - tail[1]
    length = math.hypot(dx, dy) or 1.0
    dx, dy = dx / length, dy / length
    x, y = tip[0] - dx * (radius + 1.5), tip[1] - dy * (radius + 1.5)
    size = max(4.0, min(9.0, radius * 0.8))
    corners = ((x, y), (x - dx * size - dy * size / 2, y - dy * size + dx * size / 2), (x - dx * size + dy * size / 2, y - dy * size - dx * size / 2))
    return '<polygon points="' + " ".join(f"{px:.1f},{py:.1f}" for px, py in corners) + '"/>'


def _form(kind: int, x: float, y: float, radius: float) -> str:
    look = f'fill="{COLOURS[kind % len(COLOURS)]}" stroke="#ffffff" stroke-width="1.2"' if kind >= 0 else f'fill="#ffffff" stroke="{INK}"'
    form = _FORMS[kind % len(_FORMS)] if kind >= 0 else "circle"
    if form == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" {look}/>'
    if form == "square":
        side = radius * 0.9
        return f'<rect x="{x - side:.1f}" y="{y - side:.1f}" width="{2 * side:.1f}" height="{2 * side:.1f}" rx="{radius * 0.15:.1f}" {look}/>'
    corners = {"triangle": ((0, -1.2), (1.15, 0.85), (-1.15, 0.85)), "diamond": ((0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0))}[form]
    return f'<polygon points="{" ".join(f"{x + dx * radius:.1f},{y + dy * radius:.1f}" for dx, dy in corners)}" {look}/>'


def _motes(survey: Survey, view: _View) -> list[str]:
    made = []
    for place, (x, y) in view.at.items():
        mote = survey.motes[place]
        if len(view.at) > MOST_NAMED:
            made.append(_form(mote.type, x, y, view.radius))
            continue
        kind = survey.types[mote.type].title if mote.type >= 0 else "no mote type"
        name = str(mote.id)
        height = f", {mote.z:g} m" if mote.z else ""
        made.append(f"<g><title>{_text(f'mote {name}, {kind}, at ({mote.x:g} m, {mote.y:g} m{height})')}</title>{_form(mote.type, x, y, view.radius)}")
        size = min(12.0, view.radius * 2.1 / max(len(name), 1), view.radius * 1.05)
        if size >= 5.0 and name:
            drop = size * 0.36 + (view.radius * 0.2 if mote.type % len(_FORMS) == 2 else 0.0)
            made.append(f'<text x="{x:.1f}" y="{y + drop:.1f}" font-size="{size:.1f}" font-weight="600" fill="#ffffff" '
                        f'text-anchor="middle">{_text(name)}</text>')
        made.append("</g>")
    return made


def _foot(survey: Survey, view: _View, known: dict, around: Ranges | None) -> tuple[list[str], float]:
    """Legend, sentences and scale bar, and the picture's height."""
    made = [f'<g font-size="13" fill="{INK}">']
    y = view.bottom + 18.0
    counts = [sum(1 for mote in survey.motes if mote.type == kind) for kind in range(len(survey.types))]
    x = MARGIN / 2
    for kind, count in enumerate(counts[:_LEGEND_TYPES]):
        title = survey.types[kind].title
        text = f"{count} x {title if len(title) <= 60 else title[:57] + '...'} ({classes.short(survey.types[kind].kind)})"
        wide = 34 + 7.4 * len(text)
        if x + wide > WIDTH - MARGIN / 2 and x > MARGIN / 2:
            x, y = MARGIN / 2, y + 22
        made.append(_form(kind, x + 7, y - 4.5, 6.5))
        made.append(f'<text x="{x + 19:.1f}" y="{y:.1f}">{_text(text)}</text>')
        x += wide
    if len(counts) > _LEGEND_TYPES:
        made.append(f'<text x="{x:.1f}" y="{y:.1f}">and {len(counts) - _LEGEND_TYPES} more types</text>')
    bar = max((size for size in _BARS if size * view.scale <= WIDTH / 4), default=_BARS[0])
    right, pixels, base = WIDTH - MARGIN / 2, bar * view.scale, y + 18
    made.append(f'<path d="M{right - pixels:.1f} {base:.1f}v8h{pixels:.1f}v-8" fill="none" stroke="{INK}" stroke-width="1.5"/>'
                f'<text x="{right - pixels / 2:.1f}" y="{base + 24:.1f}" text-anchor="middle">{show(bar, LENGTH)}</text>')
    told = [one[0].upper() + one[1:] for one in summary(survey)]
    middle = _middle(survey)
    if around is not None and middle is not None:
        circles = "Circle" if around.interference is None or around.interference <= around.transmitting else "Circles, dashed for interference"
        visible = around.transmitting <= _ROOM * _spread(survey)
        told.append(f"{circles}: the range of mote {survey.motes[middle].id}, the middle one, at full power"
                    + ("" if visible else "; it is wider than the picture"))
    one_way = any((other, one) not in known for one, other in known)
    if any(ratio < 1 for ratio in known.values()):
        shown = len({(min(pair), max(pair)) for pair in known}) <= MOST_RATIOS
        told.append(("Numbers: ratio of reception, to the higher id / back where they differ" if shown else "Paler lines: fewer frames arrive")
                    + ("; dotted with an arrow: one way" if one_way else ""))
    elif one_way:
        told.append("Dotted with an arrow: one way")
    if len({(min(pair), max(pair)) for pair in known}) > MOST_LINKS:
        told.append("The links are not drawn, as there are so many")
    for number, line in enumerate(told):
        y += 22
        made.append(f'<text x="{MARGIN / 2:.1f}" y="{y + 4:.1f}"{f" fill={chr(34)}{FAINT}{chr(34)}" if number else ""}>{_text(line)}.</text>')
    return [*made, "</g>"], max(y + 22, base + 40)
