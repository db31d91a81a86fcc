# SPDX-License-Identifier: Apache-2.0
"""The deadlines of Tables 2 and 3: as they are printed, and as each reading gives them."""

from __future__ import annotations

from orchestrator.features.distribution.deadlines import Deadline, deadlines, shared
from orchestrator.features.distribution.model import Step
from orchestrator.features.distribution.paper.systems import PAPER, analysed, system
from orchestrator.features.distribution.readings import READINGS, Reading
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


def tables(found: Found) -> list[Table]:
    """Return a table for each of the paper's."""
    made = []
    for table, name in TABLES.items():
        there = by_reading(name)
        rows = []
        for step in system(name).steps.values():
            printed = step.printed.deadline  # type: ignore[union-attr]
            entries = [
                Entry(
                    f"{one[step.name]:,}" if step.name in one else "none",
                    tone="good" if one.get(step.name) == printed else "bad",
                    number=True,
                )
                for one in there
            ]
            rows.append((Entry(step.name), Entry(f"{printed:,}", number=True), *entries))
        made.append(
            Table(
                f"{table}: deadlines as printed and as computed, us from the release",
                ("Row", "Printed", *(reading.name for reading in READINGS)),
                tuple(rows),
                note="In the reading period-start the release is the start of the period, so that its "
                "deadlines are to be compared with the printed R + D.",
                cards=False,
            )
        )
    return made


def checks(found: Found) -> list[Check]:
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


def sections(found: Found) -> list[Section]:
    """Return the section of the paper's page, with the drawings after its Figure 3."""
    figures = [_timeline(one) for name in TABLES.values() for one in analysed(name).deadlines]
    text = paragraph(
        f"{PAPER} place the release of a distribution at the start of its period (4.2), and print later "
        "ones (Tables 2 and 3); they ask for deadlines within the period (3), and print R + D > P. Each "
        "reading stands beside the printed values."
    )
    return [
        Section(
            "deadlines",
            "Deadlines",
            (text, *tables(found), checks_table(checks(found), "What the paper says"), *figures),
            "Deadlines",
        )
    ]


def _timeline(one: Deadline) -> Figure:
    picture, name = timeline(one), one.distribution.name
    rows = [
        (each.target.name, each.case, each.deadline, each.period, each.begins, each.ends) for each in one.all
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
