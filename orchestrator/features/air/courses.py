# SPDX-License-Identifier: Apache-2.0
"""Figures over simulated time: delivery, latency, power, RPL's messages and the routing tree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from orchestrate_spark.sources.air import APPLICATIONS, ENDED

from orchestrator.features.air import routing
from orchestrator.report import style
from orchestrator.report.generic import seeds_phrase
from orchestrator.report.lines import Line, lines
from orchestrator.report.model import Figure
from orchestrator.report.statistics import number
from orchestrator.statistics.estimates import estimate
from orchestrator.words import counted

if TYPE_CHECKING:
    from orchestrate_spark.profiles import Profile

    from orchestrator.report.data import Results

WINDOWS = 30  # at most, over the longest run
WIDTHS_S = (1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600)
MINUTE_US = 60_000_000  # the radios' states are known minute by minute
MOST_CELLS = 6  # of a figure, whose lines differ in colour


@dataclass(frozen=True)
class Course:
    """A quantity over time: its `value` by run_id and window (a Series with this index), and its words."""

    name: str
    title: str
    unit: str
    meaning: str
    width_us: int
    value: pd.Series
    bounds: tuple[float, float] = (0.0, math.inf)


def figures(results: Results, platform: Profile) -> list[Figure]:
    """Return a figure for each quantity over time, with a line for each of the first cells."""
    cells = results.cells[:MOST_CELLS]
    runs = [run for run in results.manifests if run.run_id in results.measured and run.cell in cells]
    ends = {run.run_id: run.statistics.sim_us for run in runs if run.statistics.sim_us > 0}
    if not ends:
        return []
    long_us = max(ends.values())
    width = next((s for s in WIDTHS_S if s * 1_000_000 * WINDOWS >= long_us), WIDTHS_S[-1]) * 1_000_000
    cell_of = {run.run_id: run.cell for run in runs}
    return [
        figure
        for course in _courses(results, ends, platform, width)
        for figure in _drawn(results, course, cell_of)
    ]


def _lengths(ends: dict[str, int], width: int) -> pd.Series:
    """Return the length in us of each window of each run, by run_id and window.

    The last one of a run may be shorter; one of less than half the width is left out.
    """
    lengths = {
        (run_id, window): min(width, end - window * width)
        for run_id, end in ends.items()
        for window in range(-(-end // width))
        if window == 0 or end - window * width >= width / 2
    }
    return pd.Series(lengths).rename_axis(["run_id", "window"])


def _courses(results: Results, ends: dict[str, int], platform: Profile, width: int) -> list[Course]:
    ids = list(ends)
    sent = results.table(
        "datagrams",
        ["run_id", "protocol", "fate", "t_us", "end_us"],
        [("run_id", "in", ids), ("protocol", "in", list(APPLICATIONS)), ("fate", "in", list(ENDED))],
    )
    sent = sent.assign(window=sent["t_us"] // width, arrived=sent["fate"] == "delivered")
    arrived = sent[sent["arrived"]]
    latency = arrived.assign(ms=(arrived["end_us"] - arrived["t_us"]) / 1000)
    by = ["run_id", "window"]
    courses = [
        Course(
            "delivery",
            "Packet delivery ratio over time",
            "%",
            "unicast datagrams of applications by the time of their first frame",
            width,
            100 * sent.groupby(by)["arrived"].mean(),
            (0.0, 100.0),
        ),
        Course(
            "latency",
            "Latency over time",
            "ms",
            "mean of the datagrams that were delivered, by the time of their first frame",
            width,
            latency.groupby(by)["ms"].mean(),
        ),
        _power(results, ends, platform, max(width, MINUTE_US)),
    ]
    rpl = results.table("rpl", ["run_id", "t_us"], [("run_id", "in", ids)])
    return [*courses, _messages(rpl, ends, width), *_tree(results, ends, width)] if len(rpl) else courses


def _power(results: Results, ends: dict[str, int], platform: Profile, width: int) -> Course:
    states = results.table(
        "radio_states",
        ["run_id", "mote", "state", "from_us", "to_us", "time_us"],
        [("run_id", "in", list(ends))],
    )
    ma = states["state"].map({"off": 0.0, "transmitting": platform.currents_ma.get("transmit", 0.0)})
    charge = states["time_us"] * ma.fillna(platform.currents_ma.get("listen", 0.0))
    begin, end = states["from_us"].to_numpy(), states["to_us"].to_numpy()
    long = np.maximum(end - begin, 1)
    lengths = _lengths(ends, width)
    spent = {}
    for window in sorted(set(lengths.index.get_level_values("window"))):
        shared = np.minimum(end, (window + 1) * width) - np.maximum(begin, window * width)
        sums = (charge * np.clip(shared, 0, None) / long).groupby(states["run_id"]).sum()
        spent |= {(run_id, window): value for run_id, value in sums.items()}
    ma_us = pd.Series(spent, dtype=float).reindex(lengths.index)
    motes = lengths.index.get_level_values("run_id").map(states.groupby("run_id")["mote"].nunique())
    return Course(
        "power",
        "Power of a mote's radio over time",
        "mW",
        f"mean over all motes, with the currents of {platform.title}",
        width,
        ma_us * platform.volts / motes / lengths,
    )


def _messages(rpl: pd.DataFrame, ends: dict[str, int], width: int) -> Course:
    lengths = _lengths(ends, width)
    counts = rpl.groupby(["run_id", rpl["t_us"] // width]).size()
    return Course(
        "rpl",
        "Messages of RPL over time",
        "messages/min",
        "DIS, DIO, DAO and DAO-ACK that all motes sent, forwarded ones at each hop",
        width,
        counts.reindex(lengths.index, fill_value=0) * MINUTE_US / lengths,
    )


def _tree(results: Results, ends: dict[str, int], width: int) -> list[Course]:
    """Return how many motes have a parent at the end of each window, their depth, and parent changes."""
    changes = routing.parents(results, list(ends))
    if changes.empty:
        return []
    joined: dict[tuple[str, int], float] = {}
    depth: dict[tuple[str, int], float] = {}
    for run_id, rows in changes.groupby("run_id"):
        known: dict[int, int] = {}
        steps = list(zip(rows["t_us"] // width, rows["mote"], rows["parent"]))
        at = 0
        for window in range(-(-ends[run_id] // width)):
            while at < len(steps) and steps[at][0] <= window:
                known[steps[at][1]] = steps[at][2]
                at += 1
            hops = [far for far in routing.depths(known).values() if far]
            joined[run_id, window] = float(len(known))
            if hops:
                depth[run_id, window] = sum(hops) / len(hops)
    again = changes[changes.duplicated(["run_id", "mote"])]
    counts = again.groupby(["run_id", again["t_us"] // width]).size()
    with_tree = {run_id: ends[run_id] for run_id in changes["run_id"].unique()}
    return [
        Course(
            "joined",
            "Motes with a parent",
            "motes",
            "motes that have announced a parent in a DAO",
            width,
            pd.Series(joined),
        ),
        Course(
            "depth",
            "Depth of the routing tree",
            "hops",
            "mean hops to the root along the parents of the last DAOs",
            width,
            pd.Series(depth, dtype=float),
        ),
        Course(
            "parents",
            "Parent changes over time",
            "changes",
            "DAOs that name another parent than their mote's DAO before, all motes, in each window",
            width,
            counts.reindex(_lengths(with_tree, width).index, fill_value=0),
        ),
    ]


def _drawn(results: Results, course: Course, cells: dict[str, str]) -> list[Figure]:
    value = course.value[course.value.notna()]
    if value.index.nlevels < 2 or value.index.get_level_values(1).nunique() < 2:
        return []
    cell = value.index.get_level_values(0).map(cells)
    shown = [name for name in results.cells if name in set(cell)]
    if not shown or (course.name == "parents" and not value.any()):
        return []
    left = len(results.cells) - MOST_CELLS
    series = [_line(results, name, value[cell == name], course, alone=len(shown) == 1) for name in shown]
    banded = any(line.band for line in series)
    means = "means over" if any(len(results.seeds(name)) > 1 for name in shown) else "the values of"
    return [
        Figure(
            f"air-over-time-{course.name}",
            course.title,
            lines(
                series,
                "simulated time, min",
                f"{course.title.removesuffix(' over time')}, {course.unit}",
                bounds=(0.0, 1.05 * max(value.max(), 1e-9)),
                wide=False,
            ),
            f"{course.title}, in {course.unit}: {course.meaning}; windows of "
            f"{number(course.width_us / 1e6, 0)} s. Lines are {means} {seeds_phrase(results, shown)}"
            + ("; the band is the 95\u00a0% confidence interval." if banded else ".")
            + (f" Not shown: {counted(left, 'further cell')}." if left > 0 else ""),
            alt=f"{course.title}, a line for each cell",
        )
    ]


def _line(results: Results, cell: str, value: pd.Series, course: Course, alone: bool) -> Line:
    of_window = value.groupby(level=1)
    windows = sorted(of_window.groups)
    means = [estimate(of_window.get_group(window).tolist(), course.bounds) for window in windows]
    banded = alone and all(each.n > 1 for each in means)
    return Line(
        cell,
        [(window + 0.5) * course.width_us / MINUTE_US for window in windows],
        [each.mean for each in means],
        [each.low for each in means] if banded else (),
        [each.high for each in means] if banded else (),
        "95\u00a0% interval" if banded else "",
        colour=style.look(results.place(cell)).colour,
        plain=True,
    )
