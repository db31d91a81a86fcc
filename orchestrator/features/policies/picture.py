# SPDX-License-Identifier: Apache-2.0
"""Draws a policy as a state machine, as in the paper's Figures 4 and 12.

The labels of transitions are numbers. They are explained below the drawing in the form of Figure 4:
[condition] event {action}.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable

from orchestrator.features.policies import formatter
from orchestrator.features.policies.meaning import Meant
from orchestrator.pictures.elements import Element, Picture, circle, path, polygon, steps, text, title
from orchestrator.pictures.network import BLUE, INK, SOFT, WIDTH, filled, framed, halo
from orchestrator.words import counted

MARGIN, LINE, WRAPPED = 90.0, 17.0, 128  # pixels, pixels, characters of 12 pixels in the width
LARGEST = 28.0  # radius of a state


def picture(policy: Meant) -> Picture:
    """Return the picture of a policy; the same policy gives the same one."""
    labels = list(transitions(policy))
    lines = [line for number, label in enumerate(labels, 1) for line in _wrapped(number, label)]
    states = len(policy.states)
    gap = (WIDTH - 2 * MARGIN) / max(states - 1, 1)
    radius = min(LARGEST, gap / 3)
    left = MARGIN if states > 1 else WIDTH / 2
    spans = [abs(rule.new_state - rule.state) for rule in policy.rules]
    rise = 60 + 22 * max(spans, default=0)
    across = rise + radius + 20
    places = [(left + gap * number, across) for number in range(states)]
    foot = across + rise + radius
    drawn = [*_initial(places[0], radius), *_arcs(policy, places, radius), *_states(policy, places, radius)]
    below = [
        text(24, foot + LINE * (number + 1), line, font_family="monospace", font_size="12")
        for number, line in enumerate(lines)
    ]
    about = f"{counted(states, 'state')}; " + "; ".join(labels)
    return framed(policy.name, about, foot + LINE * (len(lines) + 1), drawn, below)


def transitions(policy: Meant) -> Iterable[str]:
    """Yield the text of each rule, in the order of the source."""
    for event in policy.written.events:
        head = formatter.trigger(event.trigger, event.formals).removeprefix("on ")
        for rule in event.rules:
            action = " ".join(
                line.strip() for statement in rule.action for line in formatter.statement(statement)
            )
            states = f"{rule.state}-{rule.new_state}"
            yield f"{states}: [{formatter.expression(rule.condition)}] {head} {{{action}}}"


def _wrapped(number: int, label: str) -> list[str]:
    indent = " " * 5
    return textwrap.wrap(f"{number:>3}  {label}", WRAPPED, subsequent_indent=indent)


def _initial(place: tuple[float, float], radius: float) -> list[Element]:
    x, y = place
    begin = x - radius - 34
    return [
        circle(begin, y, 5, fill=INK),
        path(steps(("M", begin, y), ("L", x - radius - 7, y)), fill="none", stroke=INK),
        _head(x - radius, y, 0.0),
    ]


def _states(policy: Meant, places: list[tuple[float, float]], radius: float) -> Iterable[Element]:
    for name, (x, y) in zip(policy.states, places, strict=True):
        yield circle(x, y, radius, **filled(BLUE, 2))
        size = min(14.0, 2.4 * radius / max(len(name), 2))
        yield text(
            x,
            y + size / 3,
            name,
            font_size=f"{size:.1f}",
            font_weight="600",
            fill="#ffffff",
            text_anchor="middle",
        )
        yield title(f"state {name}")


def _arcs(policy: Meant, places: list[tuple[float, float]], radius: float) -> Iterable[Element]:
    """Draw one arc for all rules between two states: forward ones above, backward ones below."""
    between: dict[tuple[int, int], list[int]] = {}
    for rule in policy.rules:
        between.setdefault((rule.state, rule.new_state), []).append(rule.number + 1)
    for (old, new), numbers in sorted(between.items()):
        label = ", ".join(map(str, sorted(numbers)))
        (x1, y), (x2, _) = places[old], places[new]
        if old == new:
            yield from _loop(x1, y, radius, label)
            continue
        side = -1 if new > old else 1
        high = side * (34 + 22 * abs(new - old))
        lean = math.radians(50)
        ax, bx = radius * math.cos(lean), radius * math.sin(lean)
        toward = 1 if new > old else -1
        begin, end = (x1 + toward * ax, y + side * bx), (x2 - toward * ax, y + side * bx)
        middle = (x1 + x2) / 2, y + side * bx + 2 * high
        yield path(steps(("M", *begin), ("Q", *middle, *end)), fill="none", stroke=SOFT, stroke_width="1.5")
        yield _head(*end, math.degrees(math.atan2(end[1] - middle[1], end[0] - middle[0])))
        top = y + side * bx + high
        yield text(middle[0], top + 4, label, font_size="13", fill=INK, text_anchor="middle", **halo(4))


def _loop(x: float, y: float, radius: float, label: str) -> Iterable[Element]:
    wide, high = radius * 1.5, radius + 46
    begin, end = (x - radius * 0.4, y - radius * 0.92), (x + radius * 0.4, y - radius * 0.92)
    top = y - high
    yield path(
        steps(("M", *begin), ("Q", x - wide, top, x, top), ("Q", x + wide, top, *end)),
        fill="none",
        stroke=SOFT,
        stroke_width="1.5",
    )
    yield _head(*end, 118.0)
    yield text(x, top - 4, label, font_size="13", fill=INK, text_anchor="middle", **halo(4))


def _head(x: float, y: float, degrees: float) -> Element:
    """Return an arrow's head with its tip at a place."""
    turn = math.radians(degrees)
    cos, sin = math.cos(turn), math.sin(turn)
    corners = ((0.0, 0.0), (-9.0, -4.0), (-9.0, 4.0))
    return polygon([(x + a * cos - b * sin, y + a * sin + b * cos) for a, b in corners], fill=INK)
