# SPDX-License-Identifier: Apache-2.0
"""Links of a lab, measured: of the frames that each mote said aloud, the share that each other one heard.

Both directions are measured apart, and each over the stretches of the run, so that a link that comes and goes
is seen. A mote that was dead is no bad link: such a run has no survey.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from orchestrate_testbed.model import Lab, Layout

SAID = re.compile(r"say ([0-9]{1,9})", re.ASCII)  # of the application hello-nullnet
HEARD = re.compile(r"heard ([0-9]{1,9}) from ([0-9]{1,5})", re.ASCII)
STRETCHES = 4
LAST_US = 1_000_000  # of the log: a frame that was said then may not have been heard yet
FILES = ("links.csv", "links-over-time.csv", "positions.csv", "survey.yaml", "simulate.yaml")


@dataclass(frozen=True)
class MeasuredLink:
    """One direction: frames that were sent and heard, in each stretch of the run."""

    source: int
    destination: int
    sent: tuple[int, ...]
    heard: tuple[int, ...]

    @property
    def ratio(self) -> float:
        """Of all frames, the share that was heard."""
        return sum(self.heard) / sum(self.sent) if sum(self.sent) else 0.0


def measure(lines: Iterable[str], ids: Iterable[int]) -> list[MeasuredLink]:
    """All directions between these motes, of a log's lines, also those on which nothing was heard."""
    ids = sorted(ids)
    said: dict[int, dict[int, int]] = {number: {} for number in ids}
    heard: dict[tuple[int, int], set[int]] = {}
    last = 0
    for line in lines:
        time, _, rest = line.partition("\t")
        mote, _, text = rest.partition("\t")
        if not (time.isdecimal() and mote[:3] == "ID:" and mote[3:].isdecimal()):
            continue
        last, number = int(time), int(mote[3:])
        if found := SAID.fullmatch(text.strip()):
            said.setdefault(number, {})[int(found[1])] = last
        elif found := HEARD.fullmatch(text.strip()):
            heard.setdefault((int(found[2]), number), set()).add(int(found[1]))
    end = last - LAST_US
    counted = {
        number: {frame: time * STRETCHES // (end + 1) for frame, time in frames.items() if time <= end}
        for number, frames in said.items()
    }
    return [
        MeasuredLink(
            source,
            destination,
            _by_stretch(counted[source].values()),
            _by_stretch(
                stretch
                for frame, stretch in counted[source].items()
                if frame in heard.get((source, destination), ())
            ),
        )
        for source in ids
        for destination in ids
        if source != destination
    ]


def _by_stretch(stretches: Iterable[int]) -> tuple[int, ...]:
    counts = [0] * STRETCHES
    for stretch in stretches:
        counts[stretch] += 1
    return tuple(counts)


def links_csv(links: Iterable[MeasuredLink], names: Mapping[int, str]) -> str:
    """As a scenario's directed graph reads it (radio: {medium: directed-graph, links: FILE}); directions on
    which nothing was heard are none.
    """
    rows = [
        f"{names[link.source]},{names[link.destination]},{link.ratio:.6f}" for link in links if link.ratio > 0
    ]
    return "\n".join(["from,to,ratio", *rows]) + "\n"


def over_time_csv(links: Iterable[MeasuredLink], names: Mapping[int, str]) -> str:
    """Every direction and stretch of the run."""
    rows = [
        f"{names[link.source]},{names[link.destination]},{stretch + 1},{sent},{heard}"
        for link in links
        for stretch, (sent, heard) in enumerate(zip(link.sent, link.heard, strict=True))
    ]
    return "\n".join(["from,to,stretch,sent,heard", *rows]) + "\n"


def positions_csv(layout: Layout) -> str:
    """Where the motes stand, under their names in the lab; the first is the subscriber."""
    rows = [
        f"{spot.mote},{'publisher' if number else 'subscriber'},{spot.x:g},{spot.y:g}"
        for number, spot in enumerate(layout.spots)
    ]
    return "\n".join(["name,role,x,y", *rows]) + "\n"


def scenario(lab: Lab, duration: str, engine: str, radio: str) -> str:
    """The scenario in which every mote counts aloud; it stands beside positions.csv."""
    return (
        f"experiment: survey-{lab.name}-{engine}\n"
        "topology: {shape: positions, file: positions.csv}\n"
        f"radio: {radio}\n"
        "application: {name: hello-nullnet}\n"
        f"duration: {duration}\n"
        "seeds: 1\n"
        f"engine: {engine}\n"
    )
