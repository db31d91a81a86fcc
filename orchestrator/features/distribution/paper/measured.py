# SPDX-License-Identifier: Apache-2.0
"""Section 5.3 as it ran: completion times against deadlines and ages against validity.

They are the maxima over the runs of a cell, from their logs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from orchestrator.features.distribution.paper import drawn
from orchestrator.features.distribution.paper.drawn import Drawn, Series
from orchestrator.features.distribution.paper.systems import SCENARIOS, analysed, system
from orchestrator.features.distribution.tasks import last_of
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.papers.result import Found
from orchestrator.report.model import Entry, Section, Table, paragraph
from orchestrator.words import counted

RUN_TIME, RADIO = "jitdd-run-time", "jitdd-radio"
SCALE = 20  # of radio.yaml


@dataclass(frozen=True)
class Logged:
    """The logged results of one cell, by run; times in us, ages with the error of the clocks.

    Jobs are task -> [(number, response, deadline)], ages target -> [(number, age, validity)].
    """

    jobs: tuple[dict[str, list[tuple[int, int, int]]], ...]
    ages: tuple[dict[str, list[tuple[int, int, int]]], ...]

    def completions(self, names: Sequence[str]) -> list[int]:
        """Return the largest completion time of each period, of the last of these tasks, over all runs."""
        by_run = [
            [max(responses) for responses in zip(*([job[1] for job in run.get(name, [])] for name in names))]
            for run in self.jobs
        ]
        return [max(times) for times in zip(*by_run)]

    def oldest(self, target: str) -> list[int]:
        """Return the largest age of each of a target's reads, over all runs."""
        by_run = [{number: age for number, age, _ in run.get(target, [])} for run in self.ages]
        numbers = sorted({number for run in by_run for number in run})
        return [max(run[number] for run in by_run if number in run) for number in numbers]

    def late(self, first: int = 0) -> list[str]:
        """Return the tasks of all jobs that missed their deadline, from a period on."""
        return _beyond(self.jobs, first)

    def outdated(self) -> list[str]:
        """Return the targets of all values that were older than their validity."""
        return _beyond(self.ages, 0)

    @property
    def counts(self) -> tuple[int, int]:
        """The number of jobs and values."""
        return _count(self.jobs), _count(self.ages)


def _beyond(runs: Iterable[dict], first: int) -> list[str]:
    return [
        name
        for run in runs
        for name, rows in run.items()
        for number, value, bound in rows
        if value > bound and number >= first
    ]


def _count(runs: Iterable[dict]) -> int:
    return sum(len(rows) for run in runs for rows in run.values())


@cache
def _read(folder: Path) -> dict[str, Logged]:
    """Return what an experiment's ingested runs logged, by cell."""
    from orchestrate_spark.load import load

    tables = load(folder, "arrow", ["jobs", "ages"])
    by_cell = {}
    for cell in tables["jobs"]["cell"].unique().to_pylist():
        runs = []
        for table, name, value, bound in (
            ("jobs", "task", "response_us", "deadline_us"),
            ("ages", "target", "age_us", "validity_us"),
        ):
            rows = (row for row in tables[table].to_pylist() if row["cell"] == cell)
            wanted = ("seed", name, "number", value, bound)
            by_seed: dict[int, dict[str, list[tuple[int, int, int]]]] = {}
            for seed, what, *entry in sorted(tuple(row[column] for column in wanted) for row in rows):
                by_seed.setdefault(seed, {}).setdefault(what, []).append(tuple(entry))
            runs.append(tuple(by_seed.values()))
        by_cell[cell] = Logged(*runs)
    return by_cell


def logged(found: Found, experiment: str) -> dict[str, Logged]:
    """Return the logged results of an experiment by cell; empty if there are no runs."""
    results = found.get(experiment)
    return _read(Path(results.folder)) if results is not None else {}


def last_tasks(name: str, distribution: str) -> list[str]:
    """Return the steps at whose ends a distribution is complete."""
    return [task.name for task in last_of(analysed(name).tasks, distribution)]


def _series_of(runs: dict[str, Logged], picture: Drawn, scale: int = 1) -> Series | None:
    """Return what ran of a figure; None if its scenario did not."""
    logs = runs.get(SCENARIOS[picture.name].split(",")[0])
    if logs is None:
        return None
    return picture.series(
        lambda name, distribution: logs.completions(last_tasks(name, distribution)),
        lambda _, target: logs.oldest(target),
        scale,
    )


def _rows(runs: dict[str, Logged], scale: int) -> Iterator[tuple[Entry, ...]]:
    every = drawn.figures()
    if scale == 1:  # those of the scenarios that the paper draws no figures of, too
        every += [
            Drawn(None, name, list(system(name).distributions), kind)
            for name in ("scenario-2.yaml", "scenario-3.yaml")
            for kind in ("completion", "age")
        ]
    for series in every:
        for what, values, line in _series_of(runs, series, scale) or ():
            beyond = Entry(f"{sum(value > line for value in values):,}", number=True)
            yield (*series.row(Entry(what, f"scenario {SCENARIOS[series.name]}"), values, line), beyond)


def table(runs: dict[str, Logged], title: str, note: str, scale: int = 1) -> Table:
    """Return the largest values of each figure beside the paper's lines."""
    *columns, line = drawn.COLUMNS
    if scale > 1:
        line = f"Line of the paper times {scale}, us"
    return Table(title, (*columns, line, "Beyond it"), tuple(_rows(runs, scale)), note=note, cards=False)


_NOTE = (
    "Chance draws how long each execution takes, between half and all of its worst case. Completion times "
    "count from a distribution's release; an age is that of the value when its target had used it. Each node "
    "is a mote of the embedded engine. Its tasks are threads whose computing is modelled, and the network "
    "between the nodes has the paper's delays. All tasks exist before the system begins, so set-up makes no "
    "first period late here, as it did in the paper."
)
_RADIO_NOTE = (
    f"This is not the paper's system: all of its times are {SCALE} times as long, and values go over the "
    "radio, in frames of IEEE 802.15.4 with CSMA's back-offs. The error of the aligned clocks is added to "
    "the ages."
)


def _largest(runs: dict[str, Logged]) -> str:
    """Say of how many runs the values are the largest."""
    counts = sorted({len(logs.jobs) for logs in runs.values()})
    words = counted(counts[-1], "run")
    return f"The largest of {words}." if len(counts) == 1 else f"The largest of {counts[0]} to {words}."


def tables(results: Found) -> list[Table]:
    """Return the tables of the measured runs."""
    tables_ = []
    if runs := logged(results, RUN_TIME):
        tables_.append(
            table(
                runs,
                "Figures 8 to 13 as they ran in the embedded engine",
                f"{_largest(runs)} {drawn.LENGTH} {_NOTE}",
            )
        )
    if runs := logged(results, RADIO):
        tables_.append(
            table(
                runs,
                f"Scenarios 1 and 4 over the radio, {SCALE} times as slow",
                f"{_largest(runs)} {_RADIO_NOTE}",
                SCALE,
            )
        )
    return tables_


def checks(results: Found) -> list[Check]:
    """Test the paper's statements about its tests on the measured runs."""
    checks_ = []
    for experiment, where in ((RUN_TIME, "in all four scenarios"), (RADIO, "over the radio")):
        runs = logged(results, experiment)
        late = [name for cell in runs.values() for name in cell.late()]
        old = [name for cell in runs.values() for name in cell.outdated()]
        jobs, ages = (sum(cell.counts[place] for cell in runs.values()) for place in (0, 1))
        checks_ += [
            Check(
                f"{experiment}-deadlines",
                f"All deadlines are met after the first few periods, {where}",
                "5.3",
                MISSING if not jobs else FAILS if late else HOLDS,
                f"{len(late):,} of {counted(jobs, 'job')} were late, the first periods included; the motes "
                "log no transmissions",
            ),
            Check(
                f"{experiment}-ages",
                f"All targets read temporally consistent data, {where}",
                "5.3",
                MISSING if not ages else FAILS if old else HOLDS,
                f"{len(old):,} of {counted(ages, 'value')} were outdated",
            ),
        ]
    return checks_


def sections(results: Found) -> list[Section]:
    """Return the figures beside the paper's lines."""
    runs = logged(results, RUN_TIME)
    tables_ = tables(results)
    if not tables_:
        return []
    figures = [
        picture.figure(series, True, _largest(runs))
        for picture in drawn.figures()
        if (series := _series_of(runs, picture)) is not None
    ]
    text = paragraph(
        "This is what ran; the section on completion times and ages has the schedule of the model. A network "
        "delay of 150 us is shorter than any frame of IEEE 802.15.4, so the motes stand for the paper's "
        "computers, and their network is modelled. Only the scaled version uses the radio."
    )
    blocks = (text, *tables_, checks_table(checks(results), "What the paper says of its tests"), *figures)
    return [Section("run-time", "The run time", blocks, "Run time")]
