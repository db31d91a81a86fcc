# SPDX-License-Identifier: Apache-2.0
"""orchestrate distribution deadlines: the latest ones at which no target reads outdated data, and why."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.cli.tables import Table
    from orchestrator.features.distribution.deadlines import Deadline
    from orchestrator.features.distribution.model import System

DESCRIPTION = """Compute the latest deadline of each distribution at which no target reads an
outdated value, with the target and the period that decide on it. Where the
readings of the paper differ, all of them stand side by side. The exit code is
1 if a distribution has no positive deadline."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `orchestrate distribution deadlines`."""
    parser.add_argument("--targets", action="store_true", help="show what each target alone asks for")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate distribution deadlines`; return 1 if a distribution has none."""
    from orchestrator.features.distribution.commands.distribution_common import described, reading
    from orchestrator.features.distribution.deadlines import deadlines, shared
    from orchestrator.features.distribution.load import load
    from orchestrator.features.distribution.readings import READINGS

    system = load(args.file)
    results = deadlines(system, reading(args))
    if args.json:
        by = {
            reading_: {each.distribution.name: each.deadline for each in deadlines(system, reading_)}
            for reading_ in READINGS
        }
        content = {
            "system": system.name,
            "reading": vars(reading(args)),
            "distributions": [described(deadline) for deadline in results],
            "steps": shared(system, results),
            "readings": [vars(reading_) | {"deadlines": each} for reading_, each in by.items()],
        }
        print(json.dumps(content, indent=2))
    else:
        _show(system, results, args.targets)
    return int(any(deadline.deadline is None for deadline in results))


def _show(system: System, results: list[Deadline], targets: bool) -> None:
    from orchestrator.cli.tables import Column, Table, numbers
    from orchestrator.console import show
    from orchestrator.features.distribution.commands.distribution_common import us

    times = numbers("period, us", "superperiod, us", "periods", "release, us", "deadline, us")
    columns = ["distribution", *times, Column("why", prose=True)]
    rows = [
        (
            deadline.distribution.name,
            us(deadline.period),
            us(deadline.superperiod),
            us(deadline.periods),
            us(deadline.release),
            us(deadline.deadline) if deadline.deadline else ("none", "red"),
            why(deadline),
        )
        for deadline in results
    ]
    show(Table(f"{system.name}: deadlines", columns, rows, results[0].reading.name if results else ""))
    if targets:
        for deadline in results:
            show(_targets(deadline))
    if differing := readings_table(system):
        show(differing)


def why(deadline: Deadline) -> str:
    """Return what decided on a deadline, in a sentence."""
    from orchestrator.vocabulary.units import TIME, show

    if deadline.by is None:
        return "case 1: no target's window overlaps an invalid interval, so the longest deadline will do"
    by = deadline.by
    window = f"{by.target.name}'s window from {show(by.begins, TIME)} to {show(by.ends, TIME)}"
    if by.case == 2:
        reason = (
            f"case 2: {window} begins in the invalid interval of period {by.period}, which ends before it"
        )
    else:
        invalid = show(by.period * deadline.period + deadline.expires, TIME)
        reason = f"case 3: {window} is open as the data becomes invalid at {invalid}, in period {by.period}"
    if deadline.deadline is None:
        return f"{reason}; this is not after the release, so no deadline keeps it valid"
    return reason


def _targets(deadline: Deadline) -> Table:
    from orchestrator.cli.tables import Table, numbers
    from orchestrator.features.distribution.commands.distribution_common import us

    rows = [
        (
            each.target.name,
            str(each.case),
            us(each.deadline),
            *((us(each.period), us(each.begins), us(each.ends)) if each.case != 1 else (None, None, None)),
        )
        for each in deadline.all
    ]
    columns = ["target", "case", *numbers("deadline, us", "in period", "window from, us", "to, us")]
    note = (
        f"Data of the period before is invalid from {us(deadline.expires)} us of a period on; "
        f"OV_i - P_i, from the release, is {us(deadline.minimum)} us."
    )
    return Table(f"{deadline.distribution.name}: what each target alone asks for", columns, rows, note)


def readings_table(system: System) -> Table | None:
    """All readings side by side, for the distributions in which they differ; None if they never do."""
    from orchestrator.cli.tables import Column, Table, numbers
    from orchestrator.features.distribution.commands.distribution_common import us
    from orchestrator.features.distribution.deadlines import deadlines
    from orchestrator.features.distribution.readings import READINGS

    by = [deadlines(system, reading) for reading in READINGS]
    names = [
        place
        for place, same in enumerate(zip(*by))
        if len({(deadline.release, deadline.deadline) for deadline in same}) > 1
    ]
    if not names:
        return None
    rows = [
        (
            reading.name,
            each[place].distribution.name,
            us(each[place].release),
            us(each[place].deadline) or "none",
            us(each[place].ends),
        )
        for place in names
        for reading, each in zip(READINGS, by)
    ]
    columns = [Column("reading", prose=True), "distribution", *numbers("R, us", "D, us", "R + D, us")]
    return Table("Where the readings differ", columns, rows)
