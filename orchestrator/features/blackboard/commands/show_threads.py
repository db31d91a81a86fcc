# SPDX-License-Identifier: Apache-2.0
"""`orchestrate show` of runs with threads: tables for the terminal, and the run-time diagram as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orchestrator.cli.numbers import count, decimal, milliseconds
from orchestrator.cli.tables import Column, Table, numbers

MODELLED = "modelled: computing takes the time that the firmware says (cpu_use)"


def of_threads(rows: list[dict[str, Any]]) -> Table:
    """Make the table of threads."""
    columns = (
        Column("mote", key=True),
        Column("thread", key=True),
        *numbers("priority", "CPU, ms", "CPU, %", "switched to", "stack, bytes"),
    )
    entries = [
        (
            row["mote"],
            row["thread"],
            str(row["priority"]),
            milliseconds(row["cpu_us"]),
            None if row["share"] is None else decimal(100 * row["share"], 2),
            count(row["switches"]),
            f"{row['stack_used']:,} of {row['stack_size']:,}" if row["stack_used"] else None,
        )
        for row in rows
    ]
    return Table("Threads", columns, entries, MODELLED)


def of_notifications(rows: list[dict[str, Any]]) -> Table:
    """Make the table of the blackboard's notifications."""
    columns = (
        Column("mote", key=True),
        Column("event", number=True, key=True),
        Column("subscriber", key=True),
        *numbers("deadline, ms", "notified", "mean, ms", "largest, ms", "missed"),
    )
    entries = [
        (
            row["mote"],
            str(row["event"]),
            f"{row['subscriber']} {row['thread']}",
            milliseconds(row["deadline_us"]),
            count(row["notified"]),
            milliseconds(row["mean_us"]),
            milliseconds(row["max_us"]),
            count(row["missed"]),
        )
        for row in rows
    ]
    return Table("Notifications of the blackboard", columns, entries, MODELLED)


def diagram(run: Path, target: Path, mote: str | None, at_us: int | None, for_us: int | None) -> Path:
    """Write the run-time diagram of a run folder or log.

    Raises NoSuchThing without threads in its trace, or where none of them ran in that window, WrongUsage for
    a file of another form.
    """
    from orchestrator.cli.files import write
    from orchestrator.errors import NoSuchThing, WrongUsage
    from orchestrator.features.blackboard.threads.diagram import diagram as drawing
    from orchestrator.features.blackboard.threads.execution import read
    from orchestrator.report.drawing import FORMATS

    form = target.suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise WrongUsage(f"{target}: a figure is a file of {', '.join(f'.{form}' for form in FORMATS)}")
    if for_us == 0:
        raise WrongUsage("--for: the diagram has no length\n    name a time such as '200 ms'")
    execution = read(run, mote)
    picture = drawing(execution, at_us, for_us)
    if not picture.rows:
        begin, end = execution.spans[0].begin_us / 1e6, execution.spans[-1].end_us / 1e6
        raise NoSuchThing(
            f"no thread of {execution.mote} ran in that time; its trace is from {begin:.6f} to {end:.6f} s"
        )
    write(target, picture.file(form))
    return target
