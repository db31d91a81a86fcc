# SPDX-License-Identifier: Apache-2.0
"""Figures 8 to 13: completion times against deadlines and ages against validity, as simulated.

They are the maxima over several runs of the simulated schedule, each over 100 periods of the slowest source.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

from orchestrator.features.distribution.paper import drawn
from orchestrator.features.distribution.paper.drawn import Drawn, Series
from orchestrator.features.distribution.paper.systems import SCENARIOS, analysed, data, system
from orchestrator.features.distribution.schedulability.simulate import Job, Schedule, simulate
from orchestrator.features.distribution.tasks import TRANSMISSION, Task
from orchestrator.papers.check import FAILS, HOLDS, Check, checks_table
from orchestrator.papers.result import Found
from orchestrator.report.model import Entry, Section, Table, paragraph
from orchestrator.words import counted

_RUNS = (
    "all runs begin alike, and chance draws how long each execution takes, between half and all of its worst "
    "case"
)


@cache
def runs(name: str) -> tuple[Schedule, ...]:
    """Return the schedules of a scenario's runs."""
    published, judged = data.load("published.yaml"), analysed(name)
    longest = max(source.timing.period for source in judged.system.sources.values())
    scenarios = []
    for seed in range(1, published["runs"] + 1):
        chance = random.Random(seed)

        def execution(task: Task, _: int, chance: random.Random = chance) -> int:
            # A transmission takes the network's delay; an execution at most its worst case.
            return (
                chance.randint(-(-task.execution // 2), task.execution) if task.preemptive else task.execution
            )

        scenarios.append(simulate(judged.tasks, published["periods"] * longest, execution))
    return tuple(scenarios)


def completions(name: str, distribution: str) -> list[int]:
    """Return the largest completion time of each period over all runs, us from the distribution's release."""
    tasks = analysed(name).tasks
    by_run = [[time for _, time in run.completions(tasks, distribution)] for run in runs(name)]
    return [max(times) for times in zip(*by_run)]


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


def _series(picture: Drawn) -> Series:
    return picture.series(completions, ages)


def tables(results: Found) -> Sequence[Table]:
    """Return the largest values of each figure, beside the paper's lines."""
    rows = [
        picture.row(Entry(what), values, line)
        for picture in drawn.figures()
        for what, values, line in _series(picture)
    ]
    return [
        Table(
            "Figures 8 to 13: the largest times in the simulated schedule",
            drawn.COLUMNS,
            tuple(rows),
            note=f"Maxima over {_counted_runs()}: {_RUNS}. {drawn.LENGTH} The paper prints the lines of its "
            "figures, deadline and validity, as numbers, but not their points. A simulated schedule has no "
            "start-up.",
        )
    ]


def checks(results: Found) -> list[Check]:
    """Test the paper's statements about its tests over all scenarios."""
    ended: list[Job] = []
    old, reads = [], 0
    for name in SCENARIOS:
        judged = analysed(name)
        for run in runs(name):
            ended += [job for there in run.jobs.values() for job in there]
            with_data = [read for read in run.reads(judged.system, judged.tasks) if read.stamp is not None]
            reads += len(with_data)
            old += [
                (name, read.target)
                for read in with_data
                if read.oldest > judged.system.objects[judged.system.targets[read.target].object]
            ]
    late = [job for job in ended if job.late]
    sent = sum(job.task.kind == TRANSMISSION for job in ended)
    return [
        Check(
            "deadlines-held",
            "All deadlines are met, in all scenarios, after the first few periods",
            "5.3",
            FAILS if late else HOLDS,
            f"{len(late):,} of {len(ended) - sent:,} simulated jobs and {sent:,} simulated transmissions are "
            "late, the first periods included",
        ),
        Check(
            "valid",
            "All targets read temporally consistent data, in each period",
            "5.3",
            FAILS if old else HOLDS,
            f"{len(old):,} of {reads:,} simulated reads are of outdated data",
        ),
    ]


def sections(results: Found) -> list[Section]:
    """Return the figures beside the paper's lines."""
    caption = f"The largest of {_counted_runs()} of the simulated schedule: {_RUNS}."
    figures = [picture.figure(_series(picture), False, caption) for picture in drawn.figures()]
    text = paragraph(
        "Completion times count from a distribution's release; an age is that of the value as its target "
        "ends. This is the schedule of the model: no set-up delays its first periods, whose tasks the paper "
        "reports as late."
    )
    blocks = (
        text,
        *tables(results),
        checks_table(checks(results), "What the paper says of its tests"),
        *figures,
    )
    return [Section("figures", "Completion times and ages", blocks, "Figures")]
