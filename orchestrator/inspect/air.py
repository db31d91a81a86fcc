# SPDX-License-Identifier: Apache-2.0
"""When frames were on the air, as far as a trace tells, and which others may have destroyed one that was
lost.

A trace has the time at which a frame was handed to the MAC (`snd`), and the time at which motes heard it to
its end (`rcv`, or `drp` with reason off-topology: a frame for somebody else). A frame that anybody heard was
on the air in the time of its bytes before that. One that nobody heard lies somewhere between its `snd` and
the sender's next frame, but not while its sender or the next hop heard another frame to its end: a radio does
one thing at a time.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

BEFORE_US, AFTER_US = 500_000, 2_500_000  # what is looked at around a frame's `snd`
LATEST_US = (
    2_000_000  # from `snd` to the air at most: five CSMA back-offs (2^3 to 2^5 periods) of a queue of frames
)
BYTE_US, TICK_US = (
    32,
    1000,
)  # a byte at 250 kbit/s (IEEE 802.15.4, 2.4 GHz); Cooja's motes act every millisecond
CYCLE_US = math.lcm(
    BYTE_US, TICK_US
)  # 4 ms or 125 bytes: below it, a number of whole bytes is known by its end in a tick
OVERHEARD = "off-topology"


@dataclass
class Frame:
    """One frame: `sender` and `to` are motes, `sent_us` its `snd`, `heard` mote -> end of reception."""

    sender: int
    number: int
    to: int
    sent_us: int
    events: tuple[tuple[int, int], ...]
    heard: dict[int, int]
    refused: bool = False  # by its own MAC: it was never on the air
    earliest_us: int = 0
    latest_us: int = 0

    @property
    def known(self) -> bool:
        """Whether the time on the air is exact."""
        return bool(self.heard)


@dataclass(frozen=True)
class Other:
    """A frame that was, or may have been, on the air at the same time. `certain`: both times are exact."""

    frame: Frame
    certain: bool
    by_next_hop: bool


@dataclass(frozen=True)
class Medium:
    """Where motes stand (m) and how far their frames disturb (m; None: unknown medium, every mote may)."""

    places: Mapping[int, tuple[float, float]]
    interference_m: float | None
    tx_ratio: float = 1.0
    rx_ratio: float = 1.0

    def reaches(self, sender: int, mote: int) -> bool:
        if self.interference_m is None or sender not in self.places or mote not in self.places:
            return True
        return math.dist(self.places[sender], self.places[mote]) <= self.interference_m


@dataclass(frozen=True)
class Loss:
    """What the trace tells of a frame that its next hop did not get. `window`: from when to when it was, or
    can have been, on the air; `heard_by` the motes that heard it; `others` what may have destroyed it, the
    likeliest first."""

    frame: Frame
    window: tuple[int, int]
    heard_by: tuple[int, ...]
    others: tuple[Other, ...]


def lost(
    rows: Iterable[Mapping[str, Any]], sender: int, number: int, sent_us: int, hop: int, medium: Medium
) -> Loss | None:
    """`rows`: the trace's records from BEFORE_US before `sent_us` to AFTER_US after it, in order. None if the
    frame is not among them."""
    rows = list(rows)
    frames = _frames(rows)
    frame = next(
        (one for one in frames if (one.sender, one.number, one.sent_us) == (sender, number, sent_us)), None
    )
    if frame is None:
        return None
    air = _air_times(frames)
    _place(frames, air)
    gaps = [(frame.earliest_us, frame.latest_us)]
    if not frame.known:
        busy = [
            (row["time_us"] - air(len(row["events"] or ())), row["time_us"])
            for row in rows
            if row["mote"] in (sender, hop) and _hears(row)
        ]
        gaps = [gap for gap in _without(gaps[0], busy) if gap[1] - gap[0] >= air(len(frame.events))] or gaps
    others = []
    for one in frames:
        own = one.sender == hop
        if one is frame or one.sender == sender or one.refused or not medium.reaches(one.sender, hop):
            continue
        if hop in one.heard and not own:
            continue  # heard whole at the next hop: it met nothing there
        if any(one.earliest_us < end and begin < one.latest_us for begin, end in gaps):
            others.append(Other(one, frame.known and one.known, own))
    others.sort(key=lambda other: (not other.certain, _span(other.frame), abs(other.frame.sent_us - sent_us)))
    return Loss(frame, (gaps[0][0], gaps[-1][1]), tuple(sorted(frame.heard)), tuple(others))


def _frames(rows: list[Mapping[str, Any]]) -> list[Frame]:
    """Every frame sent in these rows, with who heard it and whether its MAC refused it."""
    frames: list[Frame] = []
    latest: dict[tuple[int, int], Frame] = {}
    for row in rows:
        if row["kind"] == "snd":
            events = tuple((one["publisher"], one["sequence"]) for one in row["events"] or ())
            frame = Frame(row["mote"], row["frame"], row["peer"], row["time_us"], events, {})
            frames.append(frame)
            latest[frame.sender, frame.number] = frame
        elif (frame := latest.get((row["peer"], row["frame"]))) is not None:
            if _hears(row):
                frame.heard[row["mote"]] = row["time_us"]
            elif row["kind"] == "drp" and row["mote"] == frame.sender:
                frame.refused = True
    return frames


def _hears(row: Mapping[str, Any]) -> bool:
    return row["kind"] == "rcv" or (row["kind"] == "drp" and row["reason"] == OVERHEARD)


def _air_times(frames: list[Frame]):
    """A function: events in a frame -> its time on the air, us.

    A frame begins at a whole millisecond and lasts a whole number of bytes, so the end of its reception gives
    its length, up to 125 bytes. Where that does not fit (a MAC that sends in between), the fastest frame's
    time from `snd` counts.
    """
    ends: dict[int, Counter] = defaultdict(Counter)
    fastest: dict[int, int] = {}
    for frame in frames:
        for end in set(frame.heard.values()):
            count = len(frame.events)
            ends[count][end % TICK_US] += 1
            fastest[count] = min(fastest.get(count, LATEST_US), end - frame.sent_us)
    known: dict[int, int] = {}
    for count, seen in ends.items():
        rest = min(seen.items(), key=lambda item: (-item[1], item[0]))[0]
        exact = next((us for us in range(BYTE_US, CYCLE_US + 1, BYTE_US) if us % TICK_US == rest), LATEST_US)
        known[count] = max(BYTE_US, min(exact, fastest[count]))

    def air(count: int) -> int:
        if not known:
            return TICK_US
        return known[min(known, key=lambda other: (abs(other - count), -other))]

    return air


def _place(frames: list[Frame], air) -> None:
    """The earliest and latest time on the air of each frame: a MAC sends its frames one after the other."""
    by_sender: dict[int, list[Frame]] = defaultdict(list)
    for frame in frames:
        if not frame.refused:
            by_sender[frame.sender].append(frame)
    for queue in by_sender.values():
        free = 0
        for frame in queue:
            if frame.known:
                frame.latest_us = max(frame.heard.values())
                frame.earliest_us = frame.latest_us - air(len(frame.events))
                free = frame.latest_us
            else:
                frame.earliest_us = max(frame.sent_us, free)
        limit = math.inf
        for frame in reversed(queue):
            if not frame.known:
                frame.latest_us = int(min(limit, frame.sent_us + LATEST_US))
            limit = min(limit, frame.earliest_us if frame.known else frame.latest_us)


def _without(span: tuple[int, int], busy: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """What is left of a span."""
    left, begin = [], span[0]
    for start, end in sorted(busy):
        if end <= begin or start >= span[1]:
            continue
        if start > begin:
            left.append((begin, start))
        begin = max(begin, end)
    if begin < span[1]:
        left.append((begin, span[1]))
    return left


def _span(frame: Frame) -> int:
    return frame.latest_us - frame.earliest_us
