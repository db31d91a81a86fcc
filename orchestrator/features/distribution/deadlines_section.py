# SPDX-License-Identifier: Apache-2.0
"""The report's section "Deadlines and ages": completion times and ages of data against their limits.

Experiments whose runs distribute data have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from orchestrator.report import style
from orchestrator.report.charts import rows_down
from orchestrator.report.data import Results
from orchestrator.report.drawing import Drawing
from orchestrator.report.generic import in_parts, seeds_phrase
from orchestrator.report.model import Block, Entry, Figure, Gallery, Section, Table
from orchestrator.report.plot import Look, Plot
from orchestrator.words import counted

MOST_ROWS = 30  # of a figure
LAST, TARGET = "last", "target"
_READABLE = "the step at whose end a target can read the value"


@dataclass(frozen=True)
class Measured:
    """The largest value over all runs of a cell, against its bound; times in us. `error`: of the clocks."""

    cell: str
    node: str
    name: str
    kind: str
    bound: int
    largest: float
    count: float
    beyond: float
    error: float | None = None

    @property
    def share(self) -> float:
        """Of the bound, in %."""
        return 100 * self.largest / self.bound


def section(results: Results) -> Section | None:
    """Return the section; None if no run has jobs with deadlines."""
    cells = list(dict.fromkeys([*results.cells_with("completion_us"), *results.cells_with("data_age_us")]))
    if not cells:
        return None
    jobs = [completion for cell in cells for completion in completions(results, cell)]
    used = [age for cell in cells for age in ages(results, cell)]
    last = [job for job in jobs if job.kind == LAST] or jobs
    blocks: list[Block] = []
    figures = [
        *_figures("completions", "Completion times against deadlines", "largest, % of the deadline", last),
        *_figures("data-ages", "Ages of data against validity", "largest, % of the validity", used),
    ]
    blocks += [Gallery(tuple(figures))] if figures else []
    blocks += [_jobs_table(results, cells, jobs)] if jobs else []
    blocks += [_ages_table(results, cells, used)] if used else []
    return Section("deadlines", "Deadlines and ages", tuple(blocks), "Deadlines")


def completions(results: Results, cell: str) -> list[Measured]:
    """Return the tasks of a cell's runs."""
    metrics = ("completion_us", "jobs_ended", "deadlines_missed")
    return [_measured(results, cell, key, 2, metrics) for key in results.keys(metrics[0], cell)]


def ages(results: Results, cell: str) -> list[Measured]:
    """Return the targets of a cell's runs that used values."""
    metrics = ("data_age_us", "values_used", "outdated_reads")
    return [
        replace(
            _measured(results, cell, key, 1, metrics),
            error=float(results.values(cell, "clock_error_us", key).max()),
        )
        for key in results.keys(metrics[0], cell)
    ]


def _measured(results: Results, cell: str, key: str, behind: int, metrics: tuple[str, str, str]) -> Measured:
    """Read node/task/kind/bound or node/target/bound. `metrics`: times, their number, beyond it."""
    times, count, beyond = metrics
    node, _, rest = key.partition("/")
    name, *kind, bound = rest.rsplit("/", behind)
    return Measured(
        cell,
        node,
        name,
        *(kind or [TARGET]),
        int(bound),
        float(results.values(cell, times, key).max()),
        float(results.values(cell, count, key).sum()),
        float(results.values(cell, beyond, name).sum()),
    )


def chart(measured: Sequence[Measured], labels: Sequence[str], unit: str) -> Drawing:
    """Draw a bar for each, and a line where the bound is."""

    def paint(plot: Plot) -> None:
        for y, series in enumerate(measured):
            colour = style.BLUE if series.largest <= series.bound else style.VERMILLION
            plot.bar(0, y - 0.3, series.share, y + 0.3, Look(colour, ""))
        rows_down(plot, labels, unit)
        plot.upright(100, style.INK)
        plot.x.low, plot.x.high = 0, max([105.0, *(1.05 * series.share for series in measured)])

    rows = [
        (series.cell, label, series.largest, series.bound)
        for series, label in zip(measured, labels, strict=True)
    ]
    return Drawing(
        paint, style.WIDTH, 1.3 + 0.3 * len(measured), rows, ("cell", "row", "largest_us", "bound_us")
    )


def _figures(name: str, title: str, unit: str, measured: list[Measured]) -> list[Figure]:
    # A log may say a bound of 0, of which nothing is a share.
    measured = [series for series in measured if series.bound > 0]
    several = len({series.cell for series in measured}) > 1
    return [
        Figure(
            f"{name}-{part}" if which else name,
            title + which,
            chart(some, [_label(series, several) for series in some], unit),
            alt=f"{title}, a bar for each",
            caption="The largest value over all runs; 100 % is the most that is allowed.",
        )
        for part, which, some in in_parts(measured, MOST_ROWS)
    ]


def _label(series: Measured, several: bool) -> str:
    return f"{series.cell} {series.name}" if several else series.name


def _jobs_table(results: Results, cells: list[str], jobs: list[Measured]) -> Table:
    return Table(
        "Completion times",
        ("Cell", "Task", "Kind", "Jobs", "Largest, us", "Deadline, us", "Missed"),
        tuple(_entries(job, Entry(job.kind)) for job in jobs),
        cards=False,
        note=f"Over {seeds_phrase(results, cells)}: the largest of all jobs, from the release (of a step: "
        f"its path's) to the job's end. last: {_READABLE}. Missed: {_beyond('job', jobs)}.",
    )


def _ages_table(results: Results, cells: list[str], used: list[Measured]) -> Table:
    return Table(
        "Ages of data",
        ("Cell", "Target", "Values", "Oldest, us", "Validity, us", "Outdated", "Clocks' error, us"),
        tuple((*_entries(age), _whole(age.error or 0)) for age in used),
        cards=False,
        note=f"Over {seeds_phrase(results, cells)}: the largest age since the value's update, as the target "
        f"had used it, with the error of the clocks added. Outdated: {_beyond('value', used)}.",
    )


def _entries(series: Measured, *kind: Entry) -> tuple[Entry, ...]:
    times = (_whole(value) for value in (series.count, series.largest, series.bound))
    return (
        Entry(series.cell, series.node),
        Entry(series.name),
        *kind,
        *times,
        _whole(series.beyond, series.beyond > 0),
    )


def _beyond(what: str, measured: list[Measured]) -> str:
    beyond, count = sum(series.beyond for series in measured), sum(series.count for series in measured)
    return f"{beyond:,.0f} of {counted(int(count), what)}"


def _whole(value: float, bad: bool = False) -> Entry:
    return Entry(f"{value:,.0f}", number=True, tone="bad" if bad else "")
