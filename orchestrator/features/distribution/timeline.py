# SPDX-License-Identifier: Apache-2.0
"""Draws a distribution's deadline in time (Figure 3): periods, invalid intervals, and when targets read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from orchestrator.features.distribution.deadlines import UNBOUND, Deadline
from orchestrator.pictures import elements
from orchestrator.pictures.elements import Element, Picture, group, line, rect, text
from orchestrator.pictures.network import BLUE, GREEN, INK, ORANGE, SOFT, WIDTH, framed
from orchestrator.vocabulary.units import TIME, show

RIGHT, TOP, ROW = 30.0, 74.0, 30.0
LETTER = 7.4  # about the width of one, at 13 pixels
MOST_PERIODS = 12


def timeline(deadline: Deadline, periods: int = 0) -> Picture:
    """Draw periods, from the one before the period that decided.

    `periods`: how many; 0 for as many as show a window of each target, at most twelve.
    """
    first = (deadline.by.period if deadline.by else 0) - 1
    count = min(periods or min(_enough(deadline, first), MOST_PERIODS), deadline.periods + 2)
    begins, ends = first * deadline.period, (first + count) * deadline.period
    left = 24 + LETTER * max(len("source's periods"), *(len(each.target.name) for each in deadline.all))
    scale = (WIDTH - left - RIGHT) / (ends - begins)

    def at(time: int) -> float:
        return left + (min(max(time, begins), ends) - begins) * scale

    height = TOP + ROW * (len(deadline.all) + 1) + 76
    name = f"{deadline.distribution.name}: " + (
        "no deadline keeps its data valid"
        if deadline.deadline is None
        else f"deadline {show(deadline.deadline, TIME)}"
    )
    about = (
        f"Periods of {show(deadline.period, TIME)}, {count} of {deadline.periods} of a superperiod of "
        f"{show(deadline.superperiod, TIME)}, the invalid intervals in them and the data access windows of "
        f"{len(deadline.all)} targets."
    )
    drawn = [
        text(left, 28, name, font_size="17", font_weight="600", fill=INK),
        text(left, 48, _words(deadline), font_size="13", fill=SOFT),
        *_periods(deadline, first, count, at, height),
        *_windows(deadline, begins, ends, at),
    ]
    foot = [
        *_key(left, height - 18, ORANGE, "invalid interval", "0.25"),
        *_key(left + 170, height - 18, BLUE, "data access window"),
        *_key(left + 360, height - 18, ORANGE, "window that decides"),
        line(left + 552, height - 30, left + 552, height - 14, stroke=GREEN, stroke_width="3"),
        text(left + 560, height - 18, "deadline"),
    ]
    return framed(name, about, height, drawn, foot)


def _words(deadline: Deadline) -> str:
    if deadline.by is None:
        return f"case 1: no window overlaps an invalid interval, so that {show(deadline.most, TIME)} will do"
    by = deadline.by
    return f"case {deadline.case}: {by.target.name} in period {by.period} of {deadline.periods}"


def _enough(deadline: Deadline, first: int) -> int:
    """Return how many periods show a whole window of each target and the one that decides."""
    longest = max(each.target.timing.period + each.target.timing.deadline for each in deadline.all)
    return max(3, -(-longest // deadline.period) + 1)


def _periods(
    deadline: Deadline, first: int, count: int, at: Callable[[int], float], height: float
) -> Iterator[Element]:
    """Yield the axis, the invalid intervals and the deadline of each period."""
    bottom = TOP + ROW * (len(deadline.all) + 1)
    yield text(
        at(first * deadline.period) - 10,
        TOP + ROW - 10,
        "source's periods",
        text_anchor="end",
        font_size="13",
        fill=INK,
    )
    apart = max(1, -(-count // 8))
    for number in range(first, first + count + 1):
        start = number * deadline.period
        yield line(at(start), TOP, at(start), bottom, stroke=SOFT, stroke_width="1")
        if number < first + count and (number - first) % apart == 0:
            yield text(at(start) + 3, TOP - 4, f"P{number}", font_size="12", fill=SOFT)
        if (number - first) % apart == 0:
            yield text(
                at(start), bottom + 16, show(start, TIME), font_size="11", fill=SOFT, text_anchor="middle"
            )
    # A deadline may lie beyond its period, so that earlier periods reach into the drawn ones.
    for number in range(first - 3, first + count):
        start = number * deadline.period
        invalid, due = start + deadline.expires, start + deadline.release + (deadline.deadline or 0)
        if at(due) > at(invalid):
            yield group(
                [
                    elements.title(f"invalid from {show(invalid, TIME)} to {show(due, TIME)}"),
                    rect(
                        at(invalid),
                        TOP + 6,
                        at(due) - at(invalid),
                        bottom - TOP - 6,
                        fill=ORANGE,
                        fill_opacity="0.25",
                    ),
                ]
            )
        if at(start) < at(due) < at((first + count) * deadline.period) and deadline.deadline is not None:
            yield line(at(due), TOP, at(due), bottom, stroke=GREEN, stroke_width="3")


def _windows(deadline: Deadline, begins: int, ends: int, at: Callable[[int], float]) -> Iterator[Element]:
    for place, each in enumerate(deadline.all):
        timing, top = each.target.timing, TOP + ROW * (place + 1)
        yield text(at(begins) - 10, top + 20, each.target.name, text_anchor="end", font_size="13", fill=INK)
        start = timing.release + (begins - timing.deadline - timing.release) // timing.period * timing.period
        while start < ends:
            end = start + timing.deadline
            if end > begins:
                decides = each is deadline.by and start == each.begins and each.case != UNBOUND
                about = f"{each.target.name} reads from {show(start, TIME)} to {show(end, TIME)}"
                bar = rect(
                    at(start),
                    top + 6,
                    max(at(end) - at(start), 1),
                    ROW - 10,
                    rx="2",
                    fill=ORANGE if decides else BLUE,
                    fill_opacity="0.85",
                )
                yield group([elements.title(about), bar])
            start += timing.period


def _key(x: float, y: float, fill: str, name: str, opacity: str = "0.85") -> list[Element]:
    return [rect(x, y - 11, 14, 14, fill=fill, fill_opacity=opacity), text(x + 20, y, name)]
