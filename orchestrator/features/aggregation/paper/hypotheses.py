# SPDX-License-Identifier: Apache-2.0
"""The twelve configurations under each hypothesis of what lay below the middleware (hypotheses.yaml).

For each hypothesis and placement: which published numbers lie in the range of our single runs, and how many
runs show each claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from orchestrator.errors import NoSuchThing
from orchestrator.features.aggregation.paper.checks import CLAIMS, Claim
from orchestrator.features.aggregation.paper.data import numbers
from orchestrator.features.aggregation.paper.measures import MEASURES
from orchestrator.report.data import Results, read
from orchestrator.statistics.estimates import Estimate, range_coverage
from orchestrator.words import enumerated

EXPERIMENT = "aggregation-paper-hypotheses"
# The metrics that measures.py and causes.py ask for. To sort all metrics of so many cells would take long.
METRICS = (
    "aggregated_share",
    "aggregates",
    "dropped",
    "event_loss_rate",
    "events_delivered",
    "events_published",
    "events_transmitted",
    "forwarded",
    "full_aggregates",
    "packet_loss_rate",
    "reduction",
)
_CELL = re.compile(
    r"(?P<stack>csma|none|radio-csma)-(?P<shape>line|folded)-(?P<metres>\d+)-(?P<cell>[HL]\d+A?D?)"
)
SHAPES = {"line": "straight", "folded": "folded"}
# The two readings of section 6.3, as published.yaml names them.
TRANSMISSIONS, COUNTED = "transmissions", "generated plus forwarded"


@dataclass(frozen=True)
class Stack:
    """What is below the middleware.

    `name`: the head of a column. `words`: the subject of a sentence, with the comma that ends an apposition.
    """

    key: str
    name: str
    words: str


MODERN = Stack("csma", "CSMA/CA", "a modern stack's CSMA/CA in software")
NONE = Stack("none", "No CSMA", "no CSMA at all")
RADIO = Stack(
    "radio-csma", "CSMA in the radio", "CSMA in the radio, as on the platform of the paper's motes,"
)
STACKS = (MODERN, NONE, RADIO)


@dataclass(frozen=True, order=True)
class Place:
    """A placement of the motes: the chain's shape and the length of a hop."""

    shape: str
    metres: int

    @property
    def name(self) -> str:
        return f"{self.metres} m" + (f", {SHAPES[self.shape]}" if self.shape != "line" else "")


@dataclass(frozen=True)
class Judged:
    """A published number (an entry of published.yaml) and our runs with a stack at a placement."""

    number: dict[str, Any]
    stack: Stack
    place: Place
    ours: Estimate

    @property
    def inside(self) -> bool:
        return self.ours.has_run(float(self.number["value"]), float(self.number.get("rounded", 0)))


@dataclass(frozen=True)
class Shown:
    """A claim and our runs with a stack at a placement, of which `so` of `runs` show it."""

    claim: Claim
    stack: Stack
    place: Place
    so: int
    runs: int


class Hypotheses:
    """The experiment's results by stack and placement."""

    def __init__(self, results: Results):
        self.results = results
        # Cell of the sweep -> its stack, its placement, and its name in the paper.
        self._cells = {
            cell: (match["stack"], Place(match["shape"], int(match["metres"])), match["cell"])
            for cell in results.cells
            if (match := _CELL.fullmatch(cell))
        }
        named = {stack for stack, _, _ in self._cells.values()}
        self.stacks = tuple(stack for stack in STACKS if stack.key in named)
        places = {place for _, place, _ in self._cells.values()}
        self.places = tuple(sorted(places, key=lambda place: (place.shape != "line", place.metres)))
        self._views: dict[tuple[str, Place], Results] = {}

    @cached_property
    def _rows(self) -> dict[str, pd.DataFrame]:
        """The needed metrics by cell, split once because there are many cells."""
        wanted = self.results.per_run[self.results.per_run["metric"].isin(METRICS)]
        return {str(cell): rows for cell, rows in wanted.groupby("cell", sort=False)}

    def view(self, stack: Stack, place: Place) -> Results:
        """Return the runs with a stack at a placement as an experiment whose cells are H5, H5A, ..."""
        key = (stack.key, place)
        if key not in self._views:
            names = {cell: name for cell, (*of, name) in self._cells.items() if tuple(of) == key}
            there = (self._rows[cell].assign(cell=name) for cell, name in names.items() if cell in self._rows)
            rows = pd.concat([self.results.per_run.iloc[:0], *there])
            manifests = tuple(
                replace(manifest, cell=names[manifest.cell])
                for manifest in self.results.manifests
                if manifest.cell in names
            )
            # Cells in the paper's order, as the main experiment has them.
            self._views[key] = replace(
                self.results, per_run=rows, manifests=manifests, cells=tuple(names.values())
            )
        return self._views[key]

    @cached_property
    def judged(self) -> tuple[Judged, ...]:
        """Every published number in each of its readings, by stack and placement."""
        return tuple(
            Judged(
                number,
                stack,
                place,
                MEASURES[number["measure"]].estimate(self.view(stack, place), number["cell"]),
            )
            for number in numbers()
            for stack in self.stacks
            for place in self.places
        )

    @cached_property
    def shown(self) -> tuple[Shown, ...]:
        """Every claim, by stack and placement."""
        return tuple(
            Shown(claim, stack, place, int(runs.sum()), len(runs))
            for claim in CLAIMS
            for stack in self.stacks
            for place in self.places
            for runs in [claim.in_runs(self.view(stack, place))]
        )

    def own(self, reading: str = TRANSMISSIONS) -> list[Judged]:
        """Return each published number once, without those that follow from others.

        Numbers that can be counted in two ways (6.3) are in this reading.
        """
        return [
            one
            for one in self.judged
            if one.number.get("reading") == reading
            or not one.number.get("also")
            and one.number.get("reading") is None
        ]

    def inside(self, stack: Stack, place: Place, reading: str = TRANSMISSIONS) -> list[Judged]:
        return [one for one in self.own(reading) if (one.stack, one.place) == (stack, place) and one.inside]

    def best(self, stack: Stack, reading: str = TRANSMISSIONS) -> tuple[int, list[Place]]:
        """Return the most published numbers that a stack has inside at a placement, and these placements."""
        counts = {place: len(self.inside(stack, place, reading)) for place in self.places}
        most = max(counts.values(), default=0)
        return most, [place for place, count in counts.items() if count == most]

    def ever(self, stack: Stack, id: str) -> list[Place]:
        """Return the placements at which a stack has a published number inside."""
        return [
            one.place for one in self.judged if one.stack == stack and one.number["id"] == id and one.inside
        ]

    @property
    def coverage(self) -> float:
        """The least probability that one more run lies in the range of single runs."""
        return range_coverage(self.seeds)

    @property
    def seeds(self) -> int:
        """The least number of runs that a cell has."""
        return min((len(self.results.seeds(cell)) for cell in self.results.cells), default=0)


def read_beside(results: Results) -> Hypotheses | None:
    """Read the hypotheses' experiment of the same store; None if it has not been run."""
    try:
        return Hypotheses(read(results.folder.parent, EXPERIMENT))
    except NoSuchThing:
        return None


def listed(places: Iterable[Place]) -> str:
    """Name placements by shape and length: "10, 15 and 20 m, folded 15 m"."""
    places = list(places)
    parts = []
    for shape in dict.fromkeys(place.shape for place in places):
        metres = [str(place.metres) for place in places if place.shape == shape]
        parts.append(f"{SHAPES[shape] + ' ' if shape != 'line' else ''}{enumerated(metres)} m")
    return ", ".join(parts)
