# SPDX-License-Identifier: Apache-2.0
"""Section 5.3 as it ran: completion times against deadlines and ages against validity.

They are the maxima over ten runs, from the runs' logs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from orchestrator.distribution.scaled import scaled
from orchestrator.distribution.tasks import last_of
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.papers.jitdd.systems import SCENARIOS, analysed, data, system
from orchestrator.papers.result import Found
from orchestrator.report.lines import Guides, Line, lines
from orchestrator.report.model import Entry, Figure, Section, Table, Text
from orchestrator.words import counted

RUN_TIME, RADIO = "jitdd-run-time", "jitdd-radio"
SCALE = 20  # of radio.yaml


@dataclass(frozen=True)
class Logged:
    """What the runs of one cell logged, by run; times in us, ages with the error of the clocks.

    Jobs are task -> [(number, response, deadline)], ages target -> [(number, age, validity)].
    """

    jobs: tuple[dict[str, list[tuple[int, int, int]]], ...]
    ages: tuple[dict[str, list[tuple[int, int, int]]], ...]

    def completions(self, names: Sequence[str]) -> list[int]:
        """Return the largest completion time of each period, of the last of these tasks, over all runs."""
        by_run = [
            [max(responses) for responses in zip(*([job[1] for job in run.get(one, [])] for one in names))]
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
        """How many jobs and values there are."""
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

    tables = load(folder, "polars", ["jobs", "ages"])
    made = {}
    for cell in tables["jobs"]["cell"].unique().to_list():
        runs = []
        for table, name, value, bound in (
            ("jobs", "task", "response_us", "deadline_us"),
            ("ages", "target", "age_us", "validity_us"),
        ):
            rows = tables[table].filter(tables[table]["cell"] == cell).sort("seed", name, "number")
            by_seed: dict[int, dict[str, list[tuple[int, int, int]]]] = {}
            for seed, what, *one in rows.select("seed", name, "number", value, bound).iter_rows():
                by_seed.setdefault(seed, {}).setdefault(what, []).append(tuple(one))
            runs.append(tuple(by_seed.values()))
        made[cell] = Logged(*runs)
    return made


def logged(found: Found, experiment: str) -> dict[str, Logged]:
    """Return what the runs of an experiment logged, by cell; nothing if there are none."""
    results = found.get(experiment)
    return _read(Path(results.folder)) if results is not None else {}


def last_tasks(name: str, distribution: str) -> list[str]:
    """Return the steps at whose ends a distribution is complete."""
    return [task.name for task in last_of(analysed(name).tasks, distribution)]


def _drawn() -> list[tuple[int, str, list[str], str]]:
    figures = data.load("published.yaml")["figures"]
    return [(number, name, names.split(), kind) for number, (name, names, kind) in figures.items()]


def _deadline(name: str, distribution: str, scale: int) -> int:
    (found,) = [one.deadline for one in analysed(name).deadlines if one.distribution.name == distribution]
    return (found or 0) * scale


def _all(scale: int) -> list[tuple[int | None, str, list[str], str]]:
    """Return the figures' rows, then those of the scenarios that the paper draws no figures of."""
    rows: list[tuple[int | None, str, list[str], str]] = list(_drawn())
    if scale == 1:
        rows += [
            (None, name, list(system(name).distributions), kind)
            for name in ("scenario-2.yaml", "scenario-3.yaml")
            for kind in ("completion", "age")
        ]
    return rows


def table(runs: dict[str, Logged], title: str, note: str, scale: int = 1) -> Table:
    """Return the largest values of each figure beside the paper's lines."""
    rows = []
    for number, name, distributions, kind in _all(scale):
        cell = SCENARIOS[name].split(",")[0]
        if cell not in runs:
            continue
        for what, values, line in _series(runs[cell], name, distributions, kind, scale):
            rows.append(
                (
                    Entry("–" if number is None else str(number)),
                    Entry(what, f"scenario {SCENARIOS[name]}"),
                    Entry(f"{len(values):,}", number=True),
                    Entry(
                        f"{max(values, default=0):,}",
                        number=True,
                        tone="good" if values and max(values) <= line else "bad",
                    ),
                    Entry(f"{line:,}", number=True),
                    Entry(f"{sum(value > line for value in values):,}", number=True),
                )
            )
    columns = ("Figure", "What", "Values", "Largest, us", "Line of the paper, us", "Beyond it")
    if scale > 1:
        columns = (*columns[:4], f"Line of the paper times {scale}, us", columns[5])
    return Table(title, columns, tuple(rows), note=note, cards=False)


def _series(
    runs: Logged, name: str, distributions: list[str], kind: str, scale: int
) -> list[tuple[str, list[int], int]]:
    """Return (what, values, line) of a figure."""
    found = []
    for one in distributions:
        of = system(name).distributions[one]
        if kind == "completion":
            found.append((one, runs.completions(last_tasks(name, one)), _deadline(name, one, scale)))
        else:
            validity = scaled(system(name), scale).objects[of.object]
            found += [(target, runs.oldest(target), validity) for target in of.targets]
    return found


_NOTE = (
    "The largest of ten runs in each of 100 periods, executions between half and all of their worst case by "
    "chance; completion times from a distribution's release, ages as a target had used the value. Each node "
    "is a mote of the embedded engine, its tasks threads whose computing is modelled; the network between "
    "them has the paper's delays. Here all tasks are there before the system begins, so that no first "
    "period is late for want of them; some of the paper's were."
)
_RADIO_NOTE = (
    f"Not the paper's system: all of its times are {SCALE} times as long, and values go over the radio, by "
    "frames of IEEE 802.15.4 with CSMA's back-offs. Ages have the error of the aligned clocks added."
)


def tables(found: Found) -> list[Table]:
    """Return the tables of what ran."""
    made = []
    if runs := logged(found, RUN_TIME):
        made.append(table(runs, "Figures 8 to 13 as they ran in the embedded engine", _NOTE))
    if runs := logged(found, RADIO):
        made.append(
            table(runs, f"Scenarios 1 and 4 over the radio, {SCALE} times as slow", _RADIO_NOTE, SCALE)
        )
    return made


def checks(found: Found) -> list[Check]:
    """Test what the paper says of its tests, over what ran."""
    made = []
    for experiment, where in ((RUN_TIME, "in all four scenarios"), (RADIO, "over the radio")):
        runs = logged(found, experiment)
        late = [name for cell in runs.values() for name in cell.late()]
        old = [name for cell in runs.values() for name in cell.outdated()]
        jobs, ages = (sum(cell.counts[place] for cell in runs.values()) for place in (0, 1))
        made += [
            Check(
                f"{experiment}-deadlines",
                f"All deadlines are met after the first few periods, {where}",
                "5.3",
                MISSING if not jobs else FAILS if late else HOLDS,
                f"{len(late):,} of {counted(jobs, 'job')} were late, the first periods included",
            ),
            Check(
                f"{experiment}-ages",
                f"All targets read temporally consistent data, {where}",
                "5.3",
                MISSING if not ages else FAILS if old else HOLDS,
                f"{len(old):,} of {counted(ages, 'value')} were outdated",
            ),
        ]
    return made


def sections(found: Found) -> list[Section]:
    """Return the figures beside the paper's lines."""
    runs = logged(found, RUN_TIME)
    made = tables(found)
    if not made:
        return []
    figures = [
        _figure(number, name, distributions, kind, runs[cell])
        for number, name, distributions, kind in _drawn()
        if (cell := SCENARIOS[name].split(",")[0]) in runs
    ]
    text = Text(
        (
            "What ran, beside the schedule of the model above. A network delay of 150 us is shorter than any "
            "frame of IEEE 802.15.4: the motes stand for the paper's computers, and their network is "
            "modelled. The version over the radio is a scaled one.",
        )
    )
    blocks = (text, *made, checks_table(checks(found), "What the paper says of its tests"), *figures)
    return [Section("run-time", "The run time", blocks, "Run time")]


def _figure(number: int, name: str, distributions: list[str], kind: str, runs: Logged) -> Figure:
    series = _series(runs, name, distributions, kind, 1)
    what = "completion time, ms" if kind == "completion" else "age, ms"
    levels = {
        line: (f"deadline {one}" if len(distributions) > 1 else "deadline")
        if kind == "completion"
        else "validity"
        for one, _, line in series
    }
    return Figure(
        f"figure-{number}-run",
        f"Figure {number} as it ran: {'deadlines' if kind == 'completion' else 'ages'} of "
        f"{' and '.join(distributions)}, scenario {SCENARIOS[name]}",
        lines(
            [Line(one, range(1, len(v) + 1), [us / 1000 for us in v]) for one, v, _ in series],
            "period" if kind == "completion" else "read",
            what,
            guides=Guides([(us / 1000, text) for us, text in levels.items()]),
        ),
        caption="The largest of ten runs. Dotted: the paper's line."
        + (" The section cites them as Figures 20 and 21." if number > 11 else ""),
        alt=f"{what} over periods",
        wide=True,
    )
