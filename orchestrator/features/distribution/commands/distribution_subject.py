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

    found = {}
    for cell in load(args.file).cells:
        placed = place(cell)
        values = placed.application.complete(placed.cell.application.parameters)
        one = due(placed.application.name, values, placed.layout)
        if one is not None:
            found[cell.name] = one
    if not found:
        raise WrongUsage(
            f"{args.file}: no cell's application has a validity\n"
            f"    add `validity: 2 s` to its section `application` ({', '.join(APPLICATIONS)})"
        )
    if args.json:
        print(json.dumps({cell: described(one) for cell, one in found.items()}, indent=2))
    else:
        _show(found)
    return 1 if any(one.verdict == NOT_HELD for one in found.values()) else 0


def described(one: Due) -> dict:
    """Return it as plain values; times in us."""
    return {
        "validity": one.validity,
        "interval": one.subject.interval,
        "deadline": one.deadline,
        "hops": one.subject.hops,
        "least": one.least,
        "most": one.most,
        "time_out": list(one.time_out),
        "set_time_out": one.subject.hold,
        "set_deadline": one.subject.limit,
        "verdict": one.verdict,
    }


def _show(found: dict[str, Due]) -> None:
    from orchestrator.cli.tables import Table, numbers
    from orchestrator.console import show
    from orchestrator.features.distribution.commands.distribution_common import us
    from orchestrator.features.distribution.subjects import HELD, NOT_HELD

    rows = [
        (
            cell,
            us(one.validity),
            us(one.subject.interval),
            us(one.deadline),
            str(one.subject.hops),
            us(one.least),
            us(one.most),
            f"{us(one.time_out[0])} / {us(one.time_out[1])}" if one.subject.hold else None,
            us(one.subject.limit),
            (one.verdict, "red" if one.verdict == NOT_HELD else "" if one.verdict == HELD else "yellow"),
        )
        for cell, one in found.items()
    ]
    due = numbers("validity, us", "interval, us", "deadline, us", "hops", "least, us", "most, us")
    own = numbers("time-out, us", "own deadline, us")
    note = (
        "deadline: validity less interval. least: the way with the set time-outs and without any back-off; "
        "most: with all back-offs of the MAC. time-out: the longest for which each hop may keep an event, "
        "without and with all back-offs. own deadline: what the application asks of its blackboard."
    )
    show(Table("Deadlines of events", ["cell", *due, *own, "verdict"], rows, note))
