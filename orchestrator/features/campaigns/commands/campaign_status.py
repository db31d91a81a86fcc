# SPDX-License-Identifier: Apache-2.0
"""orchestrate campaign status: how far the rounds are."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from orchestrator.cli.options import positive
from orchestrator.features.campaigns.commands.campaign import opened

if TYPE_CHECKING:
    from pathlib import Path

    from orchestrator.cli.tables import Table
    from orchestrator.features.campaigns.status import Status

DESCRIPTION = """Show the rounds of a campaign, and how far the last one is: by experiment, and
what has no result and why."""
_ROUNDS = 10
_WHY = {
    "budget": "the time was over",
    "quarantine": "in quarantine",
    "drained": "not begun yet",
    "machine": "the machine or the simulator failed",
    "shard": "the shard has not come",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate campaign status`."""
    parser.add_argument(
        "--rounds", type=positive, default=_ROUNDS, metavar="N", help="show the last N rounds (default: 10)"
    )


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate campaign status`; return the exit code."""
    from orchestrator.features.campaigns import record
    from orchestrator.features.campaigns.status import status

    campaign, store = opened(args)
    name = record.known(store, campaign.name)
    rounds, unreadable = record.readable(store, name)
    statuses = [status(round_) for round_ in rounds[-args.rounds :]]
    if args.json:
        print(json.dumps({"campaign": name, "rounds": [described(status) for status in statuses]}, indent=2))
    else:
        _show(name, statuses, len(rounds), args.file)
    if unreadable:
        raise unreadable[0]
    return 0


def described(status: Status) -> dict:
    """Return a round's status as plain values."""
    plan = status.round.plan
    return {
        "round": plan.number,
        "at": plan.at.isoformat(),
        "state": status.state.value,
        "planned": status.planned,
        "done": status.done,
        "made": status.made,
        "not_ok": {outcome.value: count for outcome, count in sorted(status.not_ok.items())},
        "missing": [product.value for product in status.round.missing],
        "left": {why.value: count for why, count in sorted(status.left.items())},
        "shards": {str(shard): status.round.shard_state(shard).value for shard in status.round.shards},
        "notes": list(plan.notes),
        "experiments": {
            part.experiment: {"planned": part.planned, "done": part.done} for part in status.parts
        },
    }


def _show(name: str, statuses: list[Status], total: int, file: Path) -> None:
    from orchestrator.console import show
    from orchestrator.features.campaigns import begin
    from orchestrator.words import counted

    show(_rounds(f"{name}: {counted(total, 'round')}", statuses))
    if not statuses:
        return
    last = statuses[-1]
    show(_experiments(last))
    for why, count in last.left.items():
        show(f"without a result: {counted(count, 'run')}; {_WHY[why.value]}")
    if last.round.missing:
        show(
            f"round {last.round.plan.number} has {begin.missing(last.round)} yet; "
            f"`orchestrate nightly {file}` and `orchestrate campaign run {file}` make them"
        )
    if len(last.round.shards) > 1:
        show(
            "shards: "
            + ", ".join(f"{shard} {last.round.shard_state(shard).value}" for shard in last.round.shards)
        )
    for note in last.round.plan.notes:
        show(f"note: {note}")


def _rounds(title: str, statuses: list[Status]) -> Table:
    from orchestrator.cli.tables import Table, numbers
    from orchestrator.console import duration

    counts = numbers("runs", "done", "made", "not ok", "processor time")
    columns = [*numbers("round"), "begun (UTC)", "state", *counts]
    rows = [
        (
            str(status.round.plan.number),
            f"{status.round.plan.at:%Y-%m-%d %H:%M}",
            status.state.value,
            f"{status.planned:,}",
            f"{status.done:,}",
            f"{status.made:,}",
            f"{status.not_ok.total():,}",
            duration(status.wall_s),
        )
        for status in statuses
    ]
    return Table(title, columns, rows)


def _experiments(last: Status) -> Table:
    from orchestrator.cli.tables import Column, Table, numbers

    columns = ["experiment", *numbers("runs", "done"), Column("not ok", prose=True)]
    rows = [
        (
            part.experiment,
            f"{part.planned:,}",
            f"{part.done:,}",
            ", ".join(f"{count:,} {outcome.value}" for outcome, count in part.not_ok.items()) or None,
        )
        for part in last.parts
    ]
    return Table(f"round {last.round.plan.number}", columns, rows)
