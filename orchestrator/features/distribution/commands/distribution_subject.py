# SPDX-License-Identifier: Apache-2.0
"""orchestrate distribution subject: by when the events of a scenario have to be there."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.features.distribution.subjects import Due

DESCRIPTION = """For a scenario whose application is given a validity (`application: {validity:
2 s}`; aggregation, event-service, blackboard-paper): by when after its
publication an event has to be there, so that no subscriber ever has an outdated
one; how long each hop may keep it; and whether the network can hold that. Lost
events aren't in it. The exit code is 1 if a cell can't hold its deadline."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take no options."""


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate distribution subject`; return 1 if a cell can't hold its deadline."""
    from orchestrator.applications.place import place
    from orchestrator.errors import WrongUsage
    from orchestrator.features.distribution.subjects import APPLICATIONS, NOT_HELD, due
    from orchestrator.scenario.load import load

    by_cell = {}
    for cell in load(args.file).cells:
        placed = place(cell)
        values = placed.application.complete(placed.cell.application.parameters)
        deadlines = due(placed.application.name, values, placed.layout)
        if deadlines is not None:
            by_cell[cell.name] = deadlines
    if not by_cell:
        raise WrongUsage(
            f"{args.file}: no cell's application has a validity\n"
            f"    add `validity: 2 s` to its section `application` ({', '.join(APPLICATIONS)})"
        )
    if args.json:
        print(json.dumps({cell: described(due_) for cell, due_ in by_cell.items()}, indent=2))
    else:
        _show(by_cell)
    return 1 if any(due_.verdict == NOT_HELD for due_ in by_cell.values()) else 0


def described(due: Due) -> dict:
    """Return it as plain values; times in us."""
    return {
        "validity": due.validity,
        "interval": due.subject.interval,
        "deadline": due.deadline,
        "hops": due.subject.hops,
        "least": due.least,
        "most": due.most,
        "time_out": list(due.time_out),
        "set_time_out": due.subject.hold,
        "set_deadline": due.subject.limit,
        "verdict": due.verdict,
    }


def _show(by_cell: dict[str, Due]) -> None:
    from orchestrator.cli.tables import Table, numbers
    from orchestrator.console import show
    from orchestrator.features.distribution.commands.distribution_common import us
    from orchestrator.features.distribution.subjects import HELD, NOT_HELD

    rows = [
        (
            cell,
            us(due.validity),
            us(due.subject.interval),
            us(due.deadline),
            str(due.subject.hops),
            us(due.least),
            us(due.most),
            f"{us(due.time_out[0])} / {us(due.time_out[1])}" if due.subject.hold else None,
            us(due.subject.limit),
            (due.verdict, "red" if due.verdict == NOT_HELD else "" if due.verdict == HELD else "yellow"),
        )
        for cell, due in by_cell.items()
    ]
    due = numbers("validity, us", "interval, us", "deadline, us", "hops", "least, us", "most, us")
    own = numbers("time-out, us", "own deadline, us")
    note = (
        "deadline: validity less interval. least: the way with the set time-outs and without any back-off; "
        "most: with all back-offs of the MAC. time-out: the longest for which each hop may keep an event, "
        "without and with all back-offs. own deadline: what the application asks of its blackboard."
    )
    show(Table("Deadlines of events", ["cell", *due, *own, "verdict"], rows, note))
