# SPDX-License-Identifier: Apache-2.0
"""A surveyed .csc as a picture: motes by colour and form of their type, ranges, links, legend, scale."""

from __future__ import annotations

import math
from dataclasses import dataclass

from orchestrator.csc import classes
from orchestrator.csc.links import Ranges, islands, links, ranges
from orchestrator.csc.survey import SeenMote, Survey
from orchestrator.pictures import network
from orchestrator.pictures.elements import Element, Picture, circle, group, line, polygon, text, title
from orchestrator.pictures.network import (
    BLACK,
    BLUE,
    GREEN,
    INK,
    MOST_DETAILED,
    OCHRE,
    ORANGE,
    PURPLE,
    SOFT,
    WIDTH,
)
from orchestrator.vocabulary.units import LENGTH, show

MARGIN = 60.0
MOST_LINKS = 6000  # beyond, lines only make the picture grey
MOST_RATIOS = 80  # beyond, the numbers would hide each other
_SPARSE = 24  # links
_LEGEND_TYPES = 12
_ROOM = 2.5  # a range that many times as far as the motes are apart would make them tiny
_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, BLACK, OCHRE)
_PALE = "#a9b1bd"
_FORMS = ("circle", "square", "triangle", "diamond")


@dataclass(frozen=True)
class _View:
    """Pixels a metre; `at` of each placed mote (by its place in the file), `radius` of a mote.

    Below `bottom` is the foot.
    """

    scale: float
    bottom: float
    radius: float
    at: dict[int, tuple[float, float]]


def picture(survey: Survey) -> Picture:
    """Return the picture of a survey; the same survey gives the same picture."""
    ratios = links(survey)
    around = ranges(survey)
    view = _view(survey, around)
    foot, height = _foot(survey, view, ratios, around)
    drawn = network.clipped(
        [*_ranges(survey, view, around), *_links(survey, view, ratios), *_motes(survey, view)], view.bottom
    )
    return network.framed(
        survey.settings["title"] or survey.file, ". ".join(summary(survey)), height, [drawn], foot
    )


def summary(survey: Survey) -> list[str]:
    """Describe the picture in sentences without their full stops."""
    ratios, around = links(survey), ranges(survey)
    kinds = len({mote.type for mote in survey.motes})
    phrases = [
        f"{_count(len(survey.motes), 'mote')} of {_count(kinds, 'type')}, medium "
        f"{classes.short(survey.medium) or 'none'}"
    ]
    if around is not None:
        reach = f"transmitting range {show(around.transmitting, LENGTH)}"
        if around.interference is not None:
            reach += f", interference range {show(around.interference, LENGTH)}"
        if (around.tx, around.rx) != (1.0, 1.0):
            reach += (
                f", success ratio {around.tx:g} sending, {around.rx:g} "
                f"receiving{' everywhere' if around.constant else ' at the edge'}"
            )
        phrases.append(reach)
    if around is not None or survey.medium == classes.DIRECTED_GRAPH:
        one_way = sum(1 for first, other in ratios if (other, first) not in ratios)
        pairs = (len(ratios) + one_way) // 2
        parts = islands(len(survey.motes), ratios)
        phrases.append(
            f"{_count(pairs, 'link')}{f', {one_way} one way' if one_way else ''}; "
            + ("all connected" if parts == 1 else f"in {parts} parts that don't hear each other")
        )
    else:
        phrases.append("who hears whom is computed by this medium as it runs: no links are drawn")
    unplaced = [str(mote.id) for mote in survey.motes if not mote.placed]
    if unplaced:
        phrases.append(
            "no place that can be drawn: mote "
            f"{', '.join(unplaced[:10])}{' and more' if len(unplaced) > 10 else ''}"
        )
    if any(isinstance(mote.z, float) and mote.z for mote in survey.motes):
        phrases.append("seen from above: heights (z) are not drawn")
    if any(name == classes.MOBILITY for name, _ in survey.plugins):
        phrases.append("the Mobility plugin moves motes: this is where they start")
    return phrases


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _view(survey: Survey, around: Ranges | None) -> _View:
    placed = {place: mote for place, mote in enumerate(survey.motes) if mote.placed}
    xs = [mote.x for mote in placed.values()] or [0.0]
    ys = [mote.y for mote in placed.values()] or [0.0]
    middle = _middle(survey)
    if around is not None and middle is not None and around.transmitting <= _ROOM * _spread(survey):
        for values, centre in (
            (xs, survey.motes[middle].x),
            (ys, survey.motes[middle].y),
        ):  # its range is seen whole
            values += [centre - around.transmitting, centre + around.transmitting]
    tallest = min(900.0, max(460.0, 28.0 * math.sqrt(len(placed)) + 400.0))
    fit = network.fit(xs, ys, MARGIN, tallest, 160.0, alone=4.0)
    gap = network.typical_gap({(mote.x, mote.y) for mote in placed.values()})
    radius = min(max(0.34 * gap * fit.scale, 3.0), 14.0 if len(placed) <= MOST_DETAILED else 3.0)
    at: dict[int, tuple[float, float]] = {}
    stacked: dict[tuple[float, float], int] = {}
    for place, mote in placed.items():
        x, y = fit.at(mote.x, mote.y)
        number = stacked.get((round(x), round(y)), 0)
        stacked[round(x), round(y)] = number + 1
        if number:  # motes of one place: beside each other, so that all are seen
            ring, step = divmod(number - 1, 6)
            angle = step * math.pi / 3
            x, y = (
                x + math.cos(angle) * (ring + 1) * 2.2 * radius,
                y + math.sin(angle) * (ring + 1) * 2.2 * radius,
            )
        at[place] = (x, y)
    return _View(fit.scale, 2 * MARGIN + fit.inner, radius, at)


def _middle(survey: Survey) -> int | None:
    """Return the mote whose ranges are drawn: the one nearest to the middle of all."""
    placed = {place: (mote.x, mote.y) for place, mote in enumerate(survey.motes) if mote.placed}
    if not placed:
        return None
    centre = (
        sum(x for x, _ in placed.values()) / len(placed),
        sum(y for _, y in placed.values()) / len(placed),
    )
    return min(placed, key=lambda place: (round(math.dist(placed[place], centre), 6), place))


def _ranges(survey: Survey, view: _View, around: Ranges | None) -> list[Element]:
    middle = _middle(survey)
    if around is None or middle is None:
        return []

    def disk(metres: float, colour: str, fill: str, stroke: str, **dashes: str) -> Element:
        own = {"fill": colour, "fill_opacity": fill, "stroke": colour, "stroke_opacity": stroke}
        return circle(*view.at[middle], metres * view.scale, **own, **dashes)

    shapes = [disk(around.transmitting, GREEN, "0.08", "0.8")]
    if around.interference is not None and around.interference > around.transmitting:
        shapes.insert(0, disk(around.interference, ORANGE, "0.05", "0.7", stroke_dasharray="6 5"))
    return shapes


def _spread(survey: Survey) -> float:
    """Return the extent of the motes along either axis, metres."""
    placed = [mote for mote in survey.motes if mote.placed]
    return (
        max(max(axis) - min(axis) for axis in ([mote.x for mote in placed], [mote.y for mote in placed]))
        if placed
        else 0.0
    )


def _links(survey: Survey, view: _View, ratio_of: dict[tuple[int, int], float]) -> list[Element]:
    pairs = sorted(
        {
            (min(pair), max(pair))
            for pair in ratio_of
            if pair[0] != pair[1] and all(end in view.at for end in pair)
        }
    )
    if len(pairs) > MOST_LINKS:
        return []
    lines, heads, ratios = [], [], []
    lossy = any(ratio < 1 for ratio in ratio_of.values())
    for first, other in pairs:
        there, back = ratio_of.get((first, other)), ratio_of.get((other, first))
        (ax, ay), (bx, by) = view.at[first], view.at[other]
        best = max(ratio for ratio in (there, back) if ratio is not None)
        lines.append(
            line(
                ax,
                ay,
                bx,
                by,
                stroke_opacity=f"{0.25 + 0.75 * min(max(best, 0), 1):.2f}",
                stroke_dasharray="2 3" if there is None or back is None else None,
            )
        )
        if there is None:
            heads.append(_head((bx, by), (ax, ay), view.radius))
        elif back is None:
            heads.append(_head((ax, ay), (bx, by), view.radius))
        if lossy and len(pairs) <= MOST_RATIOS:
            label = _ratios(there, back, _ordered(survey.motes[first], survey.motes[other]))
            along = 0.5 if len(pairs) <= _SPARSE else 0.36  # away from the middle, where many lines cross
            ratios.append(text(ax + (bx - ax) * along, ay + (by - ay) * along + 3.5, label))
    groups = [group(lines, stroke=_PALE, stroke_width="1.3"), group(heads, fill=SOFT)]
    return (
        [*groups, group(ratios, font_size="10.5", fill=INK, **network.halo(3), text_anchor="middle")]
        if ratios
        else groups
    )


def _ratios(there: float | None, back: float | None, in_order: bool) -> str:
    texts = [f"{ratio:.2g}" for ratio in (there, back) if ratio is not None]
    texts = texts[:1] if len(set(texts)) == 1 else texts
    return " / ".join(texts if in_order else reversed(texts))


def _ordered(mote: SeenMote, other: SeenMote) -> bool:
    """Whether the first has the lower id."""
    return not (isinstance(mote.id, int) and isinstance(other.id, int)) or mote.id <= other.id


def _head(tail: tuple[float, float], tip: tuple[float, float], radius: float) -> Element:
    """Return an arrow's head that touches the mote at `tip`."""
    dx, dy = tip[0] - tail[0], tip[1] - tail[1]
    length = math.hypot(dx, dy) or 1.0
    dx, dy = dx / length, dy / length
    x, y = tip[0] - dx * (radius + 1.5), tip[1] - dy * (radius + 1.5)
    size = max(4.0, min(9.0, radius * 0.8))
    return polygon(
        [
            (x, y),
            (x - dx * size - dy * size / 2, y - dy * size + dx * size / 2),
            (x - dx * size + dy * size / 2, y - dy * size - dx * size / 2),
        ]
    )


def _form(kind: int, x: float, y: float, radius: float) -> Element:
    if kind < 0:
        return circle(x, y, radius, fill="#ffffff", stroke=INK)
    return network.form(
        _FORMS[kind % len(_FORMS)], x, y, radius, **network.filled(_COLOURS[kind % len(_COLOURS)], 1.2)
    )


def _motes(survey: Survey, view: _View) -> list[Element]:
    shapes = []
    for place, (x, y) in view.at.items():
        mote = survey.motes[place]
        mark = _form(mote.type, x, y, view.radius)
        if len(view.at) > MOST_DETAILED:
            shapes.append(mark)
            continue
        kind = survey.types[mote.type].title if mote.type >= 0 else "no mote type"
        name = str(mote.id)
        height = f", {mote.z:g} m" if mote.z else ""
        inside = [title(f"mote {name}, {kind}, at ({mote.x:g} m, {mote.y:g} m{height})"), mark]
        size = min(12.0, view.radius * 2.1 / max(len(name), 1), view.radius * 1.05)
        if size >= 5.0 and name:
            drop = size * 0.36 + (view.radius * 0.2 if mote.type % len(_FORMS) == 2 else 0.0)
            inside.append(network.name_in_mark(x, y + drop, size, name))
        shapes.append(group(inside))
    return shapes


def _legend(survey: Survey, y: float) -> tuple[list[Element], float]:
    """Draw the mote types from the base line `y` on, and return the base line of the last row, too."""
    shapes = []
    x = MARGIN / 2
    counts = [sum(1 for mote in survey.motes if mote.type == kind) for kind in range(len(survey.types))]
    for kind, count in enumerate(counts[:_LEGEND_TYPES]):
        name = survey.types[kind].title
        label = (
            f"{count} x {name if len(name) <= 60 else name[:57] + '...'} "
            f"({classes.short(survey.types[kind].kind)})"
        )
        wide = 34 + 7.4 * len(label)
        if x + wide > WIDTH - MARGIN / 2 and x > MARGIN / 2:
            x, y = MARGIN / 2, y + 22
        shapes += [_form(kind, x + 7, y - 4.5, 6.5), text(x + 19, y, label)]
        x += wide
    if len(counts) > _LEGEND_TYPES:
        shapes.append(text(x, y, f"and {len(counts) - _LEGEND_TYPES} more types"))
    return shapes, y


def _sentences(survey: Survey, ratios: dict, around: Ranges | None) -> list[str]:
    """Return the text below the picture: the survey, and the meaning of links and ranges."""
    sentences = [sentence[0].upper() + sentence[1:] for sentence in summary(survey)]
    middle = _middle(survey)
    if around is not None and middle is not None:
        circles = (
            "Circle"
            if around.interference is None or around.interference <= around.transmitting
            else "Circles, dashed for interference"
        )
        visible = around.transmitting <= _ROOM * _spread(survey)
        sentences.append(
            f"{circles}: the range of mote {survey.motes[middle].id}, the middle one, at full power"
            + ("" if visible else "; it is wider than the picture")
        )
    one_way = any((other, first) not in ratios for first, other in ratios)
    if any(ratio < 1 for ratio in ratios.values()):
        labelled = len({(min(pair), max(pair)) for pair in ratios}) <= MOST_RATIOS
        sentences.append(
            (
                "Numbers: ratio of reception, to the higher id / back where they differ"
                if labelled
                else "Paler lines: fewer frames arrive"
            )
            + ("; dotted with an arrow: one way" if one_way else "")
        )
    elif one_way:
        sentences.append("Dotted with an arrow: one way")
    if len({(min(pair), max(pair)) for pair in ratios}) > MOST_LINKS:
        sentences.append("The links are not drawn, as there are so many")
    return sentences


def _foot(survey: Survey, view: _View, ratios: dict, around: Ranges | None) -> tuple[list[Element], float]:
    """Legend, sentences and scale bar, and the picture's height."""
    shapes, y = _legend(survey, view.bottom + 18.0)
    base = y + 18
    shapes += network.scale_bar(view.scale, base, 24, MARGIN)
    for number, sentence in enumerate(_sentences(survey, ratios, around)):
        y += 22
        shapes.append(text(MARGIN / 2, y + 4, f"{sentence}.", fill=SOFT if number else None))
    return shapes, max(y + 22, base + 40)
