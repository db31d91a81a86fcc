# SPDX-License-Identifier: Apache-2.0
"""A deadline that grows by a unit each time it is missed: its course and end, which the paper leaves open."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from orchestrator.features.blackboard.paper.notifications import MODELLED, Delays, sweep
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.papers.result import Found, without_runs
from orchestrator.report import style
from orchestrator.report.lines import Line, lines
from orchestrator.report.model import Entry, Figure, Section, Table, paragraph
from orchestrator.report.statistics import number

EXPERIMENT = "blackboard-adaptive"
SERIES = "A"
UNIT = 1.0  # ms
DRAWN = (4, 10, 14, 20, 30)  # ms of extra work whose courses are drawn


@dataclass(frozen=True)
class Course:
    """The deadlines at each notification, in ms, of all seeds with one amount of extra work."""

    delays: Delays

    def __iter__(self):
        return (frame.reset_index(drop=True) for _, frame in self.delays.frame.groupby("seed"))

    @property
    def ends(self) -> list[float]:
        """The deadline of each seed's last notification."""
        return [float(frame["deadline"].iloc[-1]) for frame in self]

    @property
    def last_change(self) -> list[int]:
        """The notification after which the deadline grew for the last time, by seed; 0 if it never grew."""
        return [int((frame["deadline"].diff() > 0).to_numpy().nonzero()[0].max(initial=0)) for frame in self]

    @property
    def grown(self) -> list[tuple[float, float]]:
        """The last deadline and the latest notification, ms, of each seed whose deadline grew."""
        return [
            (float(frame["deadline"].iloc[-1]), float(frame["delay"].max()))
            for frame in self
            if frame["deadline"].iloc[-1] > frame["deadline"].iloc[0]
        ]

    def missed(self, since: float = 0.0) -> int:
        """Count missed deadlines in all seeds, from this share of each seed's notifications on."""
        return sum(
            int((frame["delay"] > frame["deadline"]).iloc[int(since * len(frame)) :].sum()) for frame in self
        )


def courses(results: Found) -> dict[int, Course]:
    """Return the courses by extra work in ms."""
    ours = sweep(results.get(EXPERIMENT))
    return {extra: Course(delays) for extra, delays in ours.of(SERIES).items()} if ours else {}


def tables(results: Found) -> list[Table]:
    """Return the tables for the terminal."""
    of = courses(results)
    if not of:
        return []
    texts = (
        (
            str(extra),
            _span(course.ends),
            number(course.delays.high, 2),
            f"{course.missed()} of {course.delays.n}",
            str(course.missed(0.5)),
            _span(course.last_change),
        )
        for extra, course in of.items()
    )
    rows = tuple(tuple(Entry(text, number=True) for text in row) for row in texts)
    return [
        Table(
            "The deadline that adapts itself",
            (
                "Extra work, ms",
                "Deadline at the end, ms",
                "Latest notification, ms",
                "Missed",
                "of them in the second half",
                "Last grown after notification",
            ),
            rows,
            cards=False,
            note=(
                "It begins at 10 ms and grows by 1 ms each time that it is missed. Where two numbers stand: "
                f"least and most of {_seeds(of)} seeds. {MODELLED}"
            ),
        )
    ]


def _seeds(of: dict[int, Course]) -> int:
    return max(course.delays.seeds for course in of.values())


def _span(values: list) -> str:
    low, high = (number(value, 0) for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def checks(results: Found) -> list[Check]:
    """Check the paper's claims."""
    of = courses(results)
    claim = (
        "Increasing the deadline by one unit each time it is not met makes it be met (feasible): no miss in "
        "the second half of a run"
    )
    if not of:
        return [Check("feasible", claim, "6.1", MISSING, f"no runs of {EXPERIMENT}")]
    late, misses = (sum(course.missed(since) for course in of.values()) for since in (0.5, 0.0))
    n = sum(course.delays.n for course in of.values())
    grown = {extra: max(course.ends) for extra, course in of.items()}
    still = [extra for extra, course in of.items() if course.missed(0.5)]
    most = max(grown, key=lambda extra: grown[extra])
    feasible = Check(
        "feasible",
        claim,
        "6.1, left open",
        HOLDS if late == 0 else FAILS,
        f"{misses} of {n} notifications missed, {late} of them in the second half"
        + (f" (extra work {', '.join(map(str, still))} ms)" if still else "")
        + f"; it ends at most at {number(grown[most], 0)} ms, with {most} ms of extra work",
    )
    return [feasible, _tight(of)]


def _tight(of: dict[int, Course]) -> Check:
    """Check that deadlines stop near the latest notification, in the runs in which they grew."""
    claim = (
        f"A deadline that grew stops within {UNIT:g} ms, one unit, of the run's latest notification (useful: "
        "neither longer than was needed nor too short)"
    )
    ends = [end for course in of.values() for end in course.grown]
    runs = sum(len(course.ends) for course in of.values())
    if not ends:
        return Check("tight", claim, "6.1, left open", MISSING, f"the deadline grew in none of {runs} runs")
    near = [end for end, latest in ends if abs(end - latest) <= UNIT]
    apart = [end - latest for end, latest in ends]
    return Check(
        "tight",
        claim,
        "6.1, left open",
        HOLDS if len(near) == len(ends) else FAILS,
        f"it grew in {len(ends)} of {runs} runs and stopped so near in {len(near)} of them, between "
        f"{_apart(min(apart))} and {_apart(max(apart))} the latest notification; runs in which it never grew "
        "are not judged",
    )


def _apart(ms: float) -> str:
    return f"{number(abs(ms), 2)} ms {'below' if ms < 0 else 'above'}"


def sections(results: Found) -> list[Section]:
    """Return the sections of the paper's page."""
    of = courses(results)
    title = "The deadline that adapts itself"
    if not of:
        return without_runs("adaptive", title, EXPERIMENT, "Adaptive deadline")
    return [
        Section(
            "adaptive",
            title,
            (
                paragraph(
                    "Section 6.1 proposes to increase the deadline value by one unit every time it is not "
                    "met, and leaves open whether that is feasible and useful. Here the subscriber asks for "
                    "the longer deadline itself (modify), one millisecond a time, and never for a shorter "
                    "one. A longer deadline is also a later turn: at 20 ms it is no sooner than subscriber "
                    "2's, which may then run first, and subscriber 1's notification comes 0.5 ms later than "
                    "in Figure 7 (21 ms)."
                ),
                _course_figure(of),
                _end_figure(of),
                checks_table(checks(results), "Is it feasible, is it useful?"),
                *tables(results),
            ),
            "Adaptive deadline",
        )
    ]


def _course_figure(of: dict[int, Course]) -> Figure:
    first = {extra: next(iter(course)) for extra, course in of.items()}
    drawn = [
        Line(f"extra work {extra} ms", *_course(first[extra]), plain=True)
        for extra in DRAWN
        if extra in first
    ]
    return Figure(
        "adaptive-course",
        "The deadline's course",
        lines(drawn, "notification", "deadline, ms"),
        alt="Deadline over notifications",
        wide=True,
        caption=f"Subscriber 1's deadline at each notification of the first seed. {MODELLED}",
    )


def _end_figure(of: dict[int, Course]) -> Figure:
    ends = Line(
        "deadline at the end, mean",
        list(of),
        [sum(c.ends) / len(c.ends) for c in of.values()],
        [min(c.ends) for c in of.values()],
        [max(c.ends) for c in of.values()],
        "least to most of the seeds",
        colour=style.BLUE,
    )
    latest = Line(
        "latest notification",
        list(of),
        [c.delays.high for c in of.values()],
        colour=style.VERMILLION,
        dashed=True,
    )
    return Figure(
        "adaptive-end",
        "Where the deadline ends",
        lines([ends, latest], "publisher's extra work after the publication, ms", "ms"),
        alt="Last deadline over extra work",
        wide=True,
        caption=f"The deadline after {max(c.delays.n // c.delays.seeds for c in of.values())} notifications "
        f"or fewer, and the latest notification of all seeds. {MODELLED}",
    )


def _course(frame: pd.DataFrame) -> tuple[list[float], list[float]]:
    """Return notification numbers and deadlines as steps: at changes and at the end."""
    x, y, before = [], [], None
    for place, deadline in enumerate(frame["deadline"], 1):
        if before is not None and (deadline != before or place == len(frame)):
            x.append(place)
            y.append(before)
        if deadline != before:
            x.append(place)
            y.append(deadline)
            before = deadline
    return x, y
