# SPDX-License-Identifier: Apache-2.0
"""The deadlines of Tables 2 and 3: as they are printed, and as each reading gives them."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.features.distribution.deadlines import Deadline, deadlines, shared
from orchestrator.features.distribution.model import Step
from orchestrator.features.distribution.paper.systems import analysed, system
from orchestrator.features.distribution.readings import PERIOD_START, READINGS, Reading
from orchestrator.features.distribution.timeline import timeline
from orchestrator.papers.check import FAILS, HOLDS, Check, checks_table
from orchestrator.papers.result import Found
from orchestrator.report import style
from orchestrator.report.drawing import Drawing
from orchestrator.report.model import Entry, Figure, Section, Table, paragraph

TABLES = {"Table 2": "scenario-1.yaml", "Table 3": "scenario-4.yaml"}


def by_reading(name: str) -> list[dict[str, int]]:
    """Return the deadline of each step, in each reading."""
    return [shared(system(name), deadlines(system(name), reading)) for reading in READINGS]


def printed(step: Step, reading: Reading) -> int:
    """Return the printed deadline of a step, us, counted from the release that a reading assumes.

    The tables print D from the release R. A reading that releases at the start of the period counts the same
    moment as R + D.
    """
    timing = step.printed
    return timing.deadline + (timing.release if reading.release == PERIOD_START else 0)  # type: ignore[union-attr]


def tables(results: Found) -> list[Table]:
    """Return a table for each of the paper's, and one of the superperiods."""
    rows = [
        Table(
            f"{table}: deadlines as printed and as computed, us",
            ("Row", "Printed D", "Printed R + D", *(reading.name for reading in READINGS)),
            tuple(_rows(name)),
            note="Every reading's deadline counts from the release that the reading assumes. The reading "
            f"{PERIOD_START} releases at the start of the period, so its deadlines are compared with the "
            "printed R + D, and all others with the printed D.",
            cards=False,
        )
        for table, name in TABLES.items()
    ]
    return [*rows, _superperiods()]


def _rows(name: str) -> Iterator[tuple[Entry, ...]]:
    """Yield a row for each step of a scenario: the printed deadlines, and the one of each reading."""
    computed = by_reading(name)
    for step in system(name).steps.values():
        timing = step.printed
        entries = [
            Entry(
                f"{deadline[step.name]:,}" if step.name in deadline else "none",
                tone="good" if deadline.get(step.name) == printed(step, reading) else "bad",
                number=True,
            )
            for deadline, reading in zip(computed, READINGS, strict=True)
        ]
        both = (timing.deadline, timing.release + timing.deadline)  # type: ignore[union-attr]
        yield (Entry(step.name), *(Entry(f"{value:,}", number=True) for value in both), *entries)


def _superperiods() -> Table:
    """Return N and n of each distribution (section 4.2)."""
    rows = []
    for table, name in TABLES.items():
        for deadline in analysed(name).deadlines:
            periods = sorted({each.target.timing.period for each in deadline.all})
            numbers = (deadline.period, deadline.superperiod, deadline.periods)
            rows.append(
                (
                    Entry(deadline.distribution.name, table),
                    Entry(f"{numbers[0]:,}", number=True),
                    Entry("; ".join(f"{period:,}" for period in periods), number=True),
                    *(Entry(f"{value:,}", number=True) for value in numbers[1:]),
                )
            )
    return Table(
        "Superperiods: the periods that the algorithm considers",
        ("Distribution", "Period p, us", "Periods of its targets, us", "N, us", "n = N / p"),
        tuple(rows),
        note="N is the least common multiple of the periods of the targets and of the source (section 4.2). "
        "The paper prints neither N nor n for its scenarios.",
        cards=False,
    )


def checks(results: Found) -> list[Check]:
    """Test that one reading gives every printed deadline, and what sections 3 and 4.2 say."""
    steps = [step for name in TABLES.values() for step in system(name).steps.values()]
    return [*(_computed(table, name) for table, name in TABLES.items()), _within(steps), _release(steps)]


def _computed(table: str, name: str) -> Check:
    steps = system(name).steps.values()
    computed = shared(system(name), analysed(name).deadlines)
    equal = [step.name for step in steps if computed.get(step.name) == step.printed.deadline]  # type: ignore[union-attr]
    claim = f"The deadlines of {table} are those of the algorithm (reading {Reading().name})"
    verdict = HOLDS if len(equal) == len(steps) else FAILS
    evidence = f"{len(equal)} of {len(steps)} rows"
    return Check(f"deadlines-{table}", claim, f"5.3, {table}", verdict, evidence)


def _within(steps: list[Step]) -> Check:
    beyond = [
        step.name
        for step in steps
        if step.printed.release + step.printed.deadline > step.printed.period  # type: ignore[union-attr]
    ]
    claim, evidence = "D is a deadline within the period (R + D is at most P)", "all rows"
    if beyond:
        evidence = f"{len(beyond)} rows of Table 3 have R + D > P: {beyond[0]} and others"
    return Check("within", claim, "3, Figure 2", FAILS if beyond else HOLDS, evidence)


def _release(steps: list[Step]) -> Check:
    late = {step.printed.release for step in steps}  # type: ignore[union-attr]
    return Check(
        "release",
        "The release time of a distribution is the start of its period",
        "4.2",
        HOLDS if late == {0} else FAILS,
        f"Tables 2 and 3 print releases of {' and '.join(f'{value:,}' for value in sorted(late))} us, "
        "their sources' deadlines",
    )


def sections(results: Found) -> list[Section]:
    """Return the section of the paper's page, with the drawings after its Figure 3."""
    figures = [_timeline(deadline) for name in TABLES.values() for deadline in analysed(name).deadlines]
    text = paragraph(
        "Uvarov et al. (2004), Static Real-Time Data Distribution, place the release of a distribution at "
        "the start of its period (section 4.2), but Tables 2 and 3 print later releases. Section 3 asks for "
        "a deadline within the period, but Table 3 prints R + D > P. The tables below show the deadlines of "
        "each reading beside the printed ones."
    )
    return [
        Section(
            "deadlines",
            "Deadlines",
            (text, *tables(results), checks_table(checks(results), "What the paper says"), *figures),
            "Deadlines",
        )
    ]


def _timeline(deadline: Deadline) -> Figure:
    picture, name = timeline(deadline), deadline.distribution.name
    rows = [
        (each.target.name, each.case, each.deadline, each.period, each.begins, each.ends)
        for each in deadline.all
    ]
    columns = ("target", "case", "deadline_us", "period", "window_begins_us", "window_ends_us")
    high = style.WIDE * picture.height / picture.width
    return Figure(
        f"timeline-{name}",
        f"Figure 3 for {name}",
        Drawing(None, style.WIDE, high, rows, columns, picture),
        caption="Invalid intervals, data access windows and the deadline, around the period that decides.",
        alt=f"Periods of {name} with its invalid intervals",
        wide=True,
    )
