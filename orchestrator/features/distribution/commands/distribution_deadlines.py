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
    found = deadlines(system, reading(args))
    if args.json:
        by = {
            one: {each.distribution.name: each.deadline for each in deadlines(system, one)}
            for one in READINGS
        }
        told = {
            "system": system.name,
            "reading": vars(reading(args)),
            "distributions": [described(one) for one in found],
            "steps": shared(system, found),
            "readings": [vars(one) | {"deadlines": each} for one, each in by.items()],
        }
        print(json.dumps(told, indent=2))
    else:
        _show(system, found, args.targets)
    return int(any(one.deadline is None for one in found))


def _show(system: System, found: list[Deadline], targets: bool) -> None:
    from orchestrator.cli.tables import Column, Table, numbers
    from orchestrator.console import show
    from orchestrator.features.distribution.commands.distribution_common import us

    times = numbers("period, us", "superperiod, us", "periods", "release, us", "deadline, us")
    columns = ["distribution", *times, Column("why", prose=True)]
    rows = [
        (
            one.distribution.name,
            us(one.period),
            us(one.superperiod),
            us(one.periods),
            us(one.release),
            us(one.deadline) if one.deadline else ("none", "red"),
            why(one),
        )
        for one in found
    ]
    show(Table(f"{system.name}: deadlines", columns, rows, found[0].reading.name if found else ""))
    if targets:
        for one in found:
            show(_targets(one))
    if differing := readings_table(system):
        show(differing)


def why(one: Deadline) -> str:
    """Return what decided on a deadline, in a sentence."""
    from orchestrator.vocabulary.units import TIME, show

    if one.by is None:
        return "case 1: no target's window overlaps an invalid interval, so the longest deadline will do"
    by = one.by
    window = f"{by.target.name}'s window from {show(by.begins, TIME)} to {show(by.ends, TIME)}"
    if by.case == 2:
        said = f"case 2: {window} begins in the invalid interval of period {by.period}, which ends before it"
    else:
        invalid = show(by.period * one.period + one.expires, TIME)
        said = f"case 3: {window} is open as the data becomes invalid at {invalid}, in period {by.period}"
    if one.deadline is None:
        return f"{said}; this is not after the release, so no deadline keeps it valid"
    return said


def _targets(one: Deadline) -> Table:
    from orchestrator.cli.tables import Table, numbers
    from orchestrator.features.distribution.commands.distribution_common import us

    rows = [
        (
            each.target.name,
            str(each.case),
            us(each.deadline),
            *((us(each.period), us(each.begins), us(each.ends)) if each.case != 1 else (None, None, None)),
        )
        for each in one.all
    ]
    columns = ["target", "case", *numbers("deadline, us", "in period", "window from, us", "to, us")]
    note = (
        f"Data of the period before is invalid from {us(one.expires)} us of a period on; "
        f"OV_i - P_i, from the release, is {us(one.minimum)} us."
    )
    return Table(f"{one.distribution.name}: what each target alone asks for", columns, rows, note)


def readings_table(system: System) -> Table | None:
    """All readings side by side, for the distributions in which they differ; None if they never do."""
    from orchestrator.cli.tables import Column, Table, numbers
    from orchestrator.features.distribution.commands.distribution_common import us
    from orchestrator.features.distribution.deadlines import deadlines
    from orchestrator.features.distribution.readings import READINGS

    by = [deadlines(system, one) for one in READINGS]
    names = [
        place for place, same in enumerate(zip(*by)) if len({(one.release, one.deadline) for one in same}) > 1
    ]
    if not names:
        return None
    rows = [
        (
            one.name,
            each[place].distribution.name,
            us(each[place].release),
            us(each[place].deadline) or "none",
            us(each[place].ends),
        )
        for place in names
        for one, each in zip(READINGS, by)
    ]
    columns = [Column("reading", prose=True), "distribution", *numbers("R, us", "D, us", "R + D, us")]
    return Table("Where the readings differ", columns, rows)
