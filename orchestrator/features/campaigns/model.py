# SPDX-License-Identifier: Apache-2.0
"""The parts of a campaign's round: plain values, no I/O.

A campaign is a file that names scenarios; a round is one execution of it (a night, for a nightly one); a part
is one scenario with its overrides, which is one experiment of the store.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

from orchestrator.runs.model import Outcome
from orchestrator.runs.spec import EngineUsed


class State(StrEnum):
    """The state of a round, or of one of its shards."""

    RUNNING = "running"
    COMPLETE = "complete"  # all was run that is not in quarantine
    RESULTS_MISSING = "results missing"  # its runs have ended; tables, reports or verdict are not made yet
    BUDGET = "budget"  # its time was over first
    FAILED = "failed"  # it has ended, and the machine or the simulator failed some of its runs
    INTERRUPTED = "interrupted"  # by Ctrl-C or a kill; the next call goes on with it
    INCOMPLETE = "incomplete"  # some shard never came


class Product(StrEnum):
    """The products of a round's ended runs, in the order in which they are made."""

    RESULTS = "results"  # tables, metrics and reports of its experiments
    VERDICT = "verdict"


class Why(StrEnum):
    """Why a planned run has no result in its round."""

    BUDGET = "budget"  # the time was over
    QUARANTINE = "quarantine"
    DRAINED = "drained"  # the round was interrupted, or is still running
    MACHINE = "machine"  # it failed for no reason of the run's own (runs.model.UNDECIDED)
    SHARD = "shard"  # the shard that has it never came


class RunKey(NamedTuple):
    """The identity of a planned run in a round."""

    experiment: str
    cell: str
    seed: int


class Left(NamedTuple):
    """A planned run without a result, and why."""

    experiment: str
    cell: str
    seed: int
    why: Why


class Shard(NamedTuple):
    """Part `number` of `of` of a round's runs (from 1), for one of several machines."""

    number: int = 1
    of: int = 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


@dataclass(frozen=True)
class CellPlan:
    """A cell of a part: the digests of its inputs, and its seeds.

    `digest`: of the cell alone, the same before and after a rebuild; with the seed it gives the trend id.
    `made_of`: of everything that determines its runs but the seed (cell, .csc, firmware, engine); two workers
    for whom it differs would not make the same runs. `settings`: what the matrix sets, as written.
    """

    cell: str
    digest: str
    made_of: str
    firmware: Mapping[str, str]
    engine: EngineUsed
    seeds: tuple[int, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PartPlan:
    """One experiment of the store.

    `scenario`: as the campaign names it; `text`: the scenario that was run, overrides included; `overrides`:
    path -> value as written.
    """

    experiment: str
    scenario: str
    text: str
    overrides: Mapping[str, str]
    cells: tuple[CellPlan, ...]

    def keys(self) -> Iterator[RunKey]:
        """All its runs, cells in matrix order."""
        for cell in self.cells:
            for seed in cell.seeds:
                yield RunKey(self.experiment, cell.cell, seed)


@dataclass(frozen=True)
class Quarantined:
    """A cell or seed that the round leaves out on purpose (seed None: all), why, and until which date."""

    experiment: str
    cell: str | None
    seed: int | None
    until: str
    reason: str

    def covers(self, key: RunKey) -> bool:
        return (
            self.experiment == key.experiment
            and self.cell in (None, key.cell)
            and self.seed in (None, key.seed)
        )


@dataclass(frozen=True)
class Checkout:
    """A git checkout that the round's runs are made of.

    `what`: orchestrate, Contiki-NG, or the folder of a user's application; `top`: where it lies; `described`:
    by `git describe`; `changed`: files of it are otherwise than in the commit.
    """

    what: str
    top: str
    commit: str
    described: str
    changed: bool


@dataclass(frozen=True)
class RoundPlan:
    """The plan of a round; it never changes.

    `number`: from 1, in the order of beginning, whatever the clock said; `at`: what it said. `file`: the
    campaign file's text. `version`: orchestrate's. `shards`: over how many machines it is spread. `fresh`:
    seeds that this round drew and no earlier one had. `notes`: what was odd when it began (a clock that was
    set back, an edited file). `checkouts`: of which commits it is; none in rounds older than this field.
    """

    campaign: str
    number: int
    at: datetime
    file: str
    file_sha256: str
    version: str
    host: str
    shards: int
    parts: tuple[PartPlan, ...]
    fresh: tuple[int, ...] = ()
    quarantine: tuple[Quarantined, ...] = ()
    notes: tuple[str, ...] = ()
    checkouts: tuple[Checkout, ...] = ()

    @property
    def id(self) -> str:
        """Its name in the store; ids sort in the order of rounds."""
        return f"{self.number:06d}"

    def keys(self) -> Iterator[RunKey]:
        """All planned runs: parts in the file's order, cells in matrix order, seeds in order."""
        for part in self.parts:
            yield from part.keys()

    @property
    def total(self) -> int:
        return sum(len(cell.seeds) for cell in self.cells.values())

    @cached_property
    def cells(self) -> Mapping[tuple[str, str], CellPlan]:
        """All cells by experiment and name, in the file's order."""
        return {(part.experiment, cell.cell): cell for part in self.parts for cell in part.cells}

    def part(self, experiment: str) -> PartPlan:
        """Return the part that is this experiment. Raises KeyError."""
        match = next((part for part in self.parts if part.experiment == experiment), None)
        if match is None:
            raise KeyError(experiment)
        return match

    def why_left_out(self, key: RunKey) -> Quarantined | None:
        """Return the quarantine that covers a run, if one does."""
        return next((entry for entry in self.quarantine if entry.covers(key)), None)

    def of_shard(self, shard: Shard) -> Iterator[RunKey]:
        """Yield the runs of one shard: every n-th, so that each cell's seeds are spread over the shards."""
        for index, key in enumerate(self.keys()):
            if index % shard.of == shard.number - 1:
                yield key


@dataclass(frozen=True)
class RoundRun:
    """A run that a round has.

    `made`: simulated by it; else it was in the store already. `wall_s`: what the simulation took.
    """

    experiment: str
    cell: str
    seed: int
    run_id: str
    trend_id: str
    outcome: Outcome
    made: bool
    wall_s: float

    @property
    def key(self) -> RunKey:
        return RunKey(self.experiment, self.cell, self.seed)


@dataclass(frozen=True)
class End:
    """The end of a round's shard: state, time, and wall time (s) of runs and of tables and reports.

    The times are those of the last call. `wants`: what the call was to make of the round.
    """

    shard: Shard
    state: State
    at: datetime
    host: str
    seconds: float
    results_s: float = 0.0
    wants: tuple[Product, ...] = ()
