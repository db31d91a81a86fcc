# SPDX-License-Identifier: Apache-2.0
"""Writes what a survey leaves in its folder: CSV files for people and for the simulator, and scenarios."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from orchestrate_testbed.model import Lab, LabLayout

from orchestrator.features.testbed.survey.measure import MeasuredLink, Noise, Power, Survey
from orchestrator.features.testbed.survey.mesh import Step

LINKS, EVERYTHING, OVER_TIME, NOISE, POWERS, POSITIONS = (
    "links.csv",
    "links-measured.csv",
    "links-over-time.csv",
    "noise.csv",
    "powers.csv",
    "positions.csv",
)
_BEST_LQI = 255
Names = Mapping[int, str]


def links_csv(links: Iterable[MeasuredLink], names: Names) -> str:
    """Return the links as a directed graph's file (radio: {medium: directed-graph, links: FILE}).

    Directions on which nothing was heard are left out.
    """
    rows = [
        f"{names[link.source]},{names[link.destination]},{link.ratio:.6f},{link.rssi:.1f},"
        f"{min(_BEST_LQI, round(link.lqi))}"
        for link in links
        if link.rssi is not None and link.lqi is not None
    ]
    return _csv("from,to,ratio,rssi,lqi", rows)


def measured_csv(
    links: Iterable[MeasuredLink], names: Names, places: Mapping[int, tuple[float, float]]
) -> str:
    """Return every direction at every power, with the link's length and how much its ratio changed."""
    rows = []
    for link in links:
        length = math.dist(places[link.source], places[link.destination])
        rows.append(
            f"{names[link.source]},{names[link.destination]},{_power(link.power)},{length:.4f},{link.sent},"
            f"{link.heard},{link.ratio:.6f},{_number(link.rssi)},{_number(link.rssi_deviation)},"
            f"{_number(link.lqi)},{link.swing:.4f}"
        )
    return _csv("from,to,power,length,sent,heard,ratio,rssi,rssi_deviation,lqi,swing", rows)


def over_time_csv(links: Iterable[MeasuredLink], names: Names) -> str:
    """Return every direction by power and round."""
    rows = [
        f"{names[link.source]},{names[link.destination]},{_power(link.power)},{number},{count.sent},"
        f"{count.heard},{_mean(count.rssi, count.heard)},{_mean(count.lqi, count.heard)}"
        for link in links
        for number, count in link.rounds
    ]
    return _csv("from,to,power,round,sent,heard,rssi,lqi", rows)


def noise_csv(noise: Iterable[Noise], names: Names) -> str:
    """Return the noise of every mote and channel; there is none if the radios' drivers don't report it."""
    rows = [
        f"{names[sample.mote]},{sample.channel},{sample.low},{sample.median:g},{sample.high},{sample.rounds}"
        for sample in noise
    ]
    return _csv("mote,channel,low,median,high,rounds", rows)


def powers_csv(steps: Iterable[Step]) -> str:
    """Return the result for each power."""
    rows = [
        f"{_power(step.power)},{step.pairs},{step.linked},{step.reach:.4f},{step.longest:.4f},{step.parts},"
        f"{_count(step.too_short)},{_count(step.too_long)}"
        for step in steps
    ]
    return _csv("power,pairs,linked,reach,longest,parts,too_short,too_long", rows)


def positions_csv(layout: LabLayout) -> str:
    """Return where the motes stand, under their names in the lab; the first is the subscriber."""
    rows = [
        f"{spot.mote},{'publisher' if number else 'subscriber'},{spot.x:g},{spot.y:g}"
        for number, spot in enumerate(layout.spots)
    ]
    return _csv("name,role,x,y", rows)


def scenario(lab: Lab, part: str, engine: str, radio: str, application: str, duration: str) -> str:
    """Return a scenario in which every mote sends numbered frames; its file is beside positions.csv."""
    return (
        f"experiment: survey-{lab.name}-{part}\n"
        "topology: {shape: positions, file: positions.csv}\n"
        f"radio: {radio}\n"
        f"application: {application}\n"
        f"duration: {duration}\n"
        "seeds: 1\n"
        f"engine: {engine}\n"
    )


def differing(survey: Survey, lab: Lab, names: Names) -> list[str]:
    """Return sentences about motes that say something of themselves that the inventory doesn't."""
    lines = []
    for number, name in sorted(names.items()):
        mote, identity = lab.mote(name), survey.identities[number]
        if identity.eui64 and identity.eui64 != mote.eui64:
            lines.append(
                f"{name} says that its EUI-64 is {identity.eui64}, but the inventory has {mote.eui64}."
            )
    return lines


def _csv(head: str, rows: Iterable[str]) -> str:
    return "\n".join([head, *rows]) + "\n"


def _power(power: Power) -> str:
    return "default" if power is None else str(power)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _mean(total: float, count: int) -> str:
    return f"{total / count:.2f}" if count else ""


def _count(value: int | None) -> str:
    return "" if value is None else str(value)
