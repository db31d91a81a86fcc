# SPDX-License-Identifier: Apache-2.0
"""Hypotheses about what the paper leaves open (hypotheses.yaml, grid.yaml), ranked by their distance.

A hypothesis is a medium access below the middleware, a placement of the motes, a jitter between publishers
and a threshold of carrier sense. It is ranked by its distance from the numbers that don't depend on the
id-based delay, in percentage points (`RANKED`).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from orchestrator.errors import NoSuchThing
from orchestrator.features.aggregation.paper.checks import CLAIMS, Claim
from orchestrator.features.aggregation.paper.data import numbers
from orchestrator.features.aggregation.paper.measures import MEASURES
from orchestrator.report.data import Results, read
from orchestrator.statistics.estimates import Estimate, distance, range_coverage
from orchestrator.words import counted

EXPERIMENT = "aggregation-paper-hypotheses"
GRID = "aggregation-paper-grid"
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
    r"(?P<stack>csma|none|radio-csma)(?:-c(?P<cca>\d+))?(?:-j(?P<jitter>\d+))?"
    r"-(?P<shape>line|folded)-(?P<metres>\d+)-(?P<cell>[HL]\d+A?D?)(?P<step>[\d.]*)"
)
SHAPES = {"line": "straight", "folded": "folded"}
# The two readings of section 6.3, as published.yaml names them. The first is the paper's definition.
COUNTED, TRANSMISSIONS = "generated plus forwarded", "transmissions"
# The savings in each reading, and the share of full aggregates: what a hypothesis is ranked by.
RANKED = {
    reading: tuple(
        row["id"]
        for row in numbers()
        if row.get("reading") == reading or row["id"] == "full-share-counts-H10A"
    )
    for reading in (COUNTED, TRANSMISSIONS)
}
# The assumptions unless a cell's name says otherwise (hypotheses.yaml).
JITTER_MS, CCA_DBM, STEP = 20, -95, "1.25"
RANGE_M, INTERFERENCE_M = 50.0, 100.0
# The reach of carrier sense, m, by its threshold in Cooja's dBm: -10 beside the sender, -95 at the range.
SENSED_M = {-96: INTERFERENCE_M, -95: RANGE_M, -76: RANGE_M * 66 / 85}


@dataclass(frozen=True)
class Stack:
    """The layers below the middleware.

    `name`: heads a column. `brief`: for use in a sentence. `what`: a description.
    """

    key: str
    name: str
    brief: str
    what: str


MODERN = Stack("csma", "CSMA/CA", "CSMA/CA", "that of a modern stack, in software")
NONE = Stack("none", "No CSMA", "no CSMA", "nullmac to the letter, which sends at once")
RADIO = Stack(
    "radio-csma",
    "CSMA in the radio",
    "CSMA in the radio",
    "that of the chip under nullmac, as on the platform of the paper's motes",
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
class Hypothesis:
    """Jitter: each publisher waits a random part of it. `cca_dbm`: the channel is busy above it."""

    stack: Stack
    place: Place
    jitter_ms: int = JITTER_MS
    cca_dbm: int = CCA_DBM

    @property
    def base(self) -> bool:
        """Whether all but the stack and the placement is as in the main experiment."""
        return (self.jitter_ms, self.cca_dbm) == (JITTER_MS, CCA_DBM)

    @property
    def supposed(self) -> str:
        """The assumptions about jitter and carrier sense, in words."""
        jitter = f"jitter up to {self.jitter_ms} ms" if self.jitter_ms else "no jitter"
        return (
            jitter if self.stack is NONE else f"{jitter}, carrier sense over {SENSED_M[self.cca_dbm]:.0f} m"
        )

    @property
    def words(self) -> str:
        """The hypothesis in a sentence; jitter and carrier sense unless they are the main experiment's."""
        chain = f"{self.stack.brief} in a {SHAPES[self.place.shape]} chain with hops of {self.place.metres} m"
        return chain if self.base else f"{chain} ({self.supposed})"

    @property
    def hidden(self) -> tuple[int, int] | None:
        """Over how many hops of a straight chain a mote senses the channel, and disturbs; None if folded.

        Signals end just before the range: at 50 m, a hop of 25 m is one hop.
        """
        if self.place.shape != "line":
            return None
        sensed = 0.0 if self.stack is NONE else SENSED_M[self.cca_dbm]
        sensed, disturbed = (math.ceil(reach / self.place.metres) - 1 for reach in (sensed, INTERFERENCE_M))
        return max(0, sensed), disturbed


@dataclass(frozen=True)
class Judged:
    """A published number (an entry of published.yaml) and the runs under a hypothesis."""

    number: dict[str, Any]
    hypothesis: Hypothesis
    values: tuple[float, ...]
    ours: Estimate

    @property
    def inside(self) -> bool:
        return self.ours.has_run(float(self.number["value"]), float(self.number.get("rounded", 0)))

    @property
    def apart(self) -> float:
        """Our mean minus the paper's number."""
        return self.ours.mean - float(self.number["value"])

    @property
    def distance(self) -> float:
        """The distance of the runs from the number, without a reward for noise."""
        return distance(self.values, float(self.number["value"]))


@dataclass(frozen=True)
class Ranked:
    """A hypothesis with the numbers that rank it, and the mean of their distances."""

    hypothesis: Hypothesis
    judged: tuple[Judged, ...]

    @property
    def distance(self) -> float:
        return math.fsum(result.distance for result in self.judged) / len(self.judged)


@dataclass(frozen=True)
class Shown:
    """A claim and the runs under a hypothesis, of which `so` of `runs` show it."""

    claim: Claim
    hypothesis: Hypothesis
    so: int
    runs: int


def judge(number: dict[str, Any], hypothesis: Hypothesis, results: Results) -> Judged:
    """Compare a published number with runs of the paper's configurations."""
    of = MEASURES[number["measure"]]
    values = of.of(results, number["cell"]).dropna()
    return Judged(number, hypothesis, tuple(map(float, values)), of.estimate(results, number["cell"]))


class Hypotheses:
    """The results of the hypotheses' experiments; of cells that two have, the first one's."""

    def __init__(self, *experiments: Results):
        self.experiments = experiments
        # (hypothesis, step of the delay) -> its experiment, and its cells by their names in the paper.
        self._cells: dict[tuple[Hypothesis, str], tuple[Results, dict[str, str]]] = {}
        stacks = {stack.key: stack for stack in STACKS}
        for results in experiments:
            there = set(results.per_run["cell"])
            for cell in results.cells:
                if (match := _CELL.fullmatch(cell)) and cell in there:
                    hypothesis = Hypothesis(
                        stacks[match["stack"]],
                        Place(match["shape"], int(match["metres"])),
                        int(match["jitter"] or JITTER_MS),
                        -int(match["cca"] or -CCA_DBM),
                    )
                    view = self._cells.setdefault((hypothesis, match["step"] or STEP), (results, {}))
                    if view[0] is results:
                        view[1][match["cell"]] = cell
        self.hypotheses = tuple(dict.fromkeys(hypothesis for hypothesis, _ in self._cells))
        base = [hypothesis for hypothesis in self.hypotheses if hypothesis.base]
        self.stacks = tuple(
            stack for stack in STACKS if any(hypothesis.stack is stack for hypothesis in base)
        )
        places = {hypothesis.place for hypothesis in base}
        self.places = tuple(sorted(places, key=lambda place: (place.shape != "line", place.metres)))
        self._views: dict[tuple[Hypothesis, str], Results] = {}

    @cached_property
    def _rows(self) -> dict[str, dict[str, pd.DataFrame]]:
        """The needed metrics by experiment and cell, split once because there are many cells."""
        return {
            results.experiment: {
                str(cell): rows
                for cell, rows in results.per_run[results.per_run["metric"].isin(METRICS)].groupby(
                    "cell", sort=False
                )
            }
            for results in self.experiments
        }

    def view(self, hypothesis: Hypothesis, step: str = STEP) -> Results:
        """Return the runs under a hypothesis as an experiment whose cells are H5, H5A, ..."""
        key = (hypothesis, step)
        if key not in self._views:
            results, cells = self._cells.get(key, (self.experiments[0], {}))
            split = self._rows[results.experiment]
            there = (split[cell].assign(cell=name) for name, cell in cells.items() if cell in split)
            names = {cell: name for name, cell in cells.items()}
            manifests = tuple(
                replace(manifest, cell=names[manifest.cell])
                for manifest in results.manifests
                if manifest.cell in names
            )
            rows = pd.concat([results.per_run.iloc[:0], *there])
            self._views[key] = replace(results, per_run=rows, manifests=manifests, cells=tuple(cells))
        return self._views[key]

    @cached_property
    def judged(self) -> tuple[Judged, ...]:
        """Every published number in each of its readings, by stack and placement."""
        return tuple(
            judge(number, Hypothesis(stack, place), self.view(Hypothesis(stack, place)))
            for number in numbers()
            for stack in self.stacks
            for place in self.places
        )

    @cached_property
    def shown(self) -> tuple[Shown, ...]:
        """Every claim, by stack and placement."""
        return tuple(
            Shown(claim, hypothesis, int(runs.sum()), len(runs))
            for claim in CLAIMS
            for stack in self.stacks
            for place in self.places
            for hypothesis in [Hypothesis(stack, place)]
            for runs in [claim.in_runs(self.view(hypothesis))]
        )

    def ranking(self, reading: str = COUNTED) -> list[Ranked]:
        """Return the hypotheses under which all ranked numbers were measured, the closest one first."""
        wanted = [number for number in numbers() if number["id"] in RANKED[reading]]
        found = [
            Ranked(hypothesis, tuple(judge(number, hypothesis, self.view(hypothesis)) for number in wanted))
            for hypothesis in self.hypotheses
        ]
        complete = [ranked for ranked in found if all(judged.ours.known for judged in ranked.judged)]
        return sorted(complete, key=lambda ranked: ranked.distance)

    def shares(self, hypothesis: Hypothesis) -> dict[str, Judged]:
        """Return step of the id-based delay (s) -> the aggregated share of L10AD with it, where that ran."""
        [number] = (number for number in numbers() if number["id"] == "aggregated-L10AD")
        steps = [step for supposed, step in self._cells if supposed == hypothesis]
        judged = {step: judge(number, hypothesis, self.view(hypothesis, step)) for step in steps}
        return {step: judged[step] for step in sorted(judged, key=float) if judged[step].ours.known}

    @property
    def coverage(self) -> float:
        """The least probability that one more run lies in the range of single runs of a base hypothesis."""
        return range_coverage(self.seeds)

    @cached_property
    def all_shares(self) -> dict[str, list[Judged]]:
        """Step of the id-based delay (s) -> the aggregated share of L10AD under each hypothesis."""
        shares: dict[str, list[Judged]] = {}
        for hypothesis in self.hypotheses:
            for step, judged in self.shares(hypothesis).items():
                shares.setdefault(step, []).append(judged)
        return shares

    @cached_property
    def _runs(self) -> list[int]:
        """The numbers of runs of base hypotheses' cells, in ascending order."""
        views = [self.view(hypothesis) for hypothesis in self.hypotheses if hypothesis.base]
        return sorted({len(view.seeds(cell)) for view in views for cell in view.cells})

    @property
    def seeds(self) -> int:
        """The least number of runs that a cell of a base hypothesis has."""
        return self._runs[0] if self._runs else 0

    @property
    def runs_in_words(self) -> str:
        """The number of runs of these cells: "10 runs", "5 to 10 runs"."""
        span = f"{self._runs[0]} to " if len(self._runs) > 1 else ""
        return span + counted(self._runs[-1] if self._runs else 0, "run")


def read_beside(results: Results) -> Hypotheses | None:
    """Read the hypotheses' experiments of the same store; None if none has been run."""
    others = []
    for experiment in (EXPERIMENT, GRID):
        try:
            others.append(read(results.folder.parent, experiment))
        except NoSuchThing:
            continue
    return Hypotheses(*others) if others else None
