# SPDX-License-Identifier: Apache-2.0
"""Figures 8 to 13: completion times against deadlines and ages against validity, as simulated.

They are the maxima of ten runs of the simulated schedule, over 100 periods.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

from orchestrator.distribution.schedulability.simulate import Schedule, simulate
from orchestrator.distribution.tasks import Task
from orchestrator.papers.check import FAILS, HOLDS, Check, checks_table
from orchestrator.papers.jitdd.systems import SCENARIOS, analysed, data, system
from orchestrator.papers.result import Found
from orchestrator.report.lines import Guides, Line, lines
from orchestrator.report.model import Entry, Figure, Section, Table, Text
from orchestrator.words import counted

_RUNS = "each run from the same start, executions between half and all of their worst case by chance"


@cache
def runs(name: str) -> tuple[Schedule, ...]:
    """Return the schedules of a scenario's runs."""
    published, judged = data.load("published.yaml"), analysed(name)
    longest = max(source.timing.period for source in judged.system.sources.values())
    made = []
    for seed in range(1, published["runs"] + 1):
        chance = random.Random(seed)

        def execution(task: Task, _: int, chance: random.Random = chance) -> int:
            # A transmission takes the network's delay; an execution at most its worst case.
            return (
                chance.randint(-(-task.execution // 2), task.execution) if task.preemptive else task.execution
            )

        made.append(simulate(judged.tasks, published["periods"] * longest, execution))
    return tuple(made)


def completions(name: str, distribution: str) -> list[int]:
    """Return the largest completion time of each period over all runs, us from the distribution's release."""
    tasks = analysed(name).tasks
    by_run = [[time for _, time in run.completions(tasks, distribution)] for run in runs(name)]
    return [max(times) for times in zip(*by_run)][: data.load("published.yaml")["periods"]]


def ages(name: str, target: str) -> list[int]:
    """Return the largest age of each of a target's reads over all runs, us, as the target ends."""
    tasks = analysed(name).tasks
    by_run = [
        [
            read.oldest
            for read in run.reads(system(name), tasks)
            if read.target == target and read.stamp is not None
        ]
        for run in runs(name)
    ]
    return [max(times) for times in zip(*by_run)]


def _counted_runs() -> str:
    return counted(data.load("published.yaml")["runs"], "run")


def _deadline(name: str, distribution: str) -> int:
    return next(
        one.deadline
        for one in analysed(name).deadlines
        if one.distribution.name == distribution and one.deadline
    )


def _drawn() -> list[tuple[int, str, list[str], str]]:
    figures = data.load("published.yaml")["figures"]
    return [(number, name, names.split(), kind) for number, (name, names, kind) in figures.items()]


def tables(found: Found) -> Sequence[Table]:
    """Return the largest values of each figure, beside the paper's lines."""
    rows = []
    for number, name, distributions, kind in _drawn():
        for one in distributions:
            of = system(name).distributions[one]
            if kind == "completion":
                rows.append(_row(number, one, completions(name, one), _deadline(name, one)))
            else:
                rows += [
                    _row(number, target, ages(name, target), system(name).objects[of.object])
                    for target in of.targets
                ]
    return [
        Table(
            "Figures 8 to 13: the largest times in the simulated schedule",
            ("Figure", "What", "Values", "Largest, us", "Line of the paper, us"),
            tuple(rows),
            note=f"Maxima over {_counted_runs()}, {_RUNS}. The figures' points are not printed "
            "as "
            "numbers; their lines, deadline and validity, are. A simulated schedule has no start-up.",
        )
    ]


def _row(number: int, what: str, values: list[int], line: int) -> tuple[Entry, ...]:
    return (
        Entry(str(number)),
        Entry(what),
        Entry(f"{len(values):,}", number=True),
        Entry(f"{max(values):,}", number=True, tone="good" if max(values) <= line else "bad"),
        Entry(f"{line:,}", number=True),
    )


def checks(found: Found) -> list[Check]:
    """Test over all scenarios what the paper says of its tests."""
    late, old, jobs, reads = [], [], 0, 0
    for name in SCENARIOS:
        judged = analysed(name)
        for run in runs(name):
            ended = [job for there in run.jobs.values() for job in there]
            jobs += len(ended)
            late += [(name, job.task.name) for job in ended if job.late]
            read = [one for one in run.reads(judged.system, judged.tasks) if one.stamp is not None]
            reads += len(read)
            old += [
                (name, one.target)
                for one in read
                if one.oldest > judged.system.objects[judged.system.targets[one.target].object]
            ]
    return [
        Check(
            "deadlines-held",
            "All deadlines are met, in all scenarios, after the first few periods",
            "5.3",
            FAILS if late else HOLDS,
            f"{len(late):,} of {jobs:,} simulated jobs are late, the first periods included",
        ),
        Check(
            "valid",
            "All targets read temporally consistent data, in each period",
            "5.3",
            FAILS if old else HOLDS,
            f"{len(old):,} of {reads:,} simulated reads are of outdated data",
        ),
    ]


def sections(found: Found) -> list[Section]:
    """Return the figures beside the paper's lines."""
    figures = []
    for number, name, distributions, kind in _drawn():
        drawn, levels = [], {}
        for one in distributions:
            of = system(name).distributions[one]
            if kind == "completion":
                drawn.append(_line(one, completions(name, one)))
                levels[_deadline(name, one)] = f"deadline {one}" if len(distributions) > 1 else "deadline"
            else:
                drawn += [_line(target, ages(name, target)) for target in of.targets]
                levels[system(name).objects[of.object]] = "validity"
        what = "completion time, ms" if kind == "completion" else "age, ms"
        guides = Guides([(value / 1000, text) for value, text in levels.items()])
        figures.append(
            Figure(
                f"figure-{number}",
                f"Figure {number}: {'deadlines' if kind == 'completion' else 'ages'} of "
                f"{' and '.join(distributions)}, scenario {SCENARIOS[name]}",
                lines(drawn, "period" if kind == "completion" else "read", what, guides=guides),
                caption=f"The largest of {_counted_runs()} of the simulated schedule, "
                f"{_RUNS}. Dotted: the paper's line."
                + (" The section cites them as Figures 20 and 21." if number > 11 else ""),
                alt=f"{what} over periods",
                wide=True,
            )
        )
    text = Text(
        (
            "Completion times are from a distribution's release, ages as a target ends. This is the schedule "
            "of the model: no run time delays its first periods, which the paper's figures show as late.",
        )
    )
    blocks = (text, *tables(found), checks_table(checks(found), "What the paper says of its tests"), *figures)
    return [Section("figures", "Completion times and ages", blocks, "Figures")]


def _line(name: str, values: list[int]) -> Line:
    return Line(name, range(1, len(values) + 1), [value / 1000 for value in values])
