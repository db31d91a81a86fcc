# SPDX-License-Identifier: Apache-2.0
"""orchestrate campaign plan: the runs that a round would make."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from orchestrator.cli.options import add_workers
from orchestrator.features.campaigns.commands.campaign import add_shard, add_time_budget, opened, shard
from orchestrator.words import counted

if TYPE_CHECKING:
    from orchestrator.cli.tables import Table
    from orchestrator.features.campaigns.model import Quarantined
    from orchestrator.features.campaigns.outlook import Outlook
    from orchestrator.features.campaigns.record import Round
    from orchestrator.features.campaigns.written import Campaign

DESCRIPTION = """Show what a round of a campaign would run, in which order, and how long it
will take by what earlier rounds took. Nothing is built or run."""
_SHOWN = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate campaign plan`."""
    add_shard(parser)
    add_time_budget(parser, "end in this time, such as 6h")
    add_workers(parser)
    parser.add_argument("--all", action="store_true", help="list every run, not only the first ten")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate campaign plan`; return the exit code."""
    from datetime import UTC, datetime

    from orchestrator.execution.execute import cores
    from orchestrator.features.campaigns import record
    from orchestrator.features.campaigns.outlook import outlook

    campaign, store = opened(args)
    rounds, _ = record.readable(store, campaign.name)
    budget_s = args.time_budget or campaign.budget_s
    today = datetime.now(UTC).date()
    prospect = outlook(campaign, rounds, shard(campaign, args.shard), budget_s, today)
    workers = args.workers or cores()
    if args.json:
        print(json.dumps(_described(campaign, prospect, rounds, budget_s, workers)))
        return 0
    _show(campaign, prospect, budget_s, workers, args.all)
    for line, quarantined in campaign.expired(today):
        print(
            f"{args.file}:{line}: the quarantine of {_named(quarantined)} ended on {quarantined.until}: it "
            "runs again; remove the entry, or give it another date"
        )
    return 0


def _described(
    campaign: Campaign, outlook: Outlook, rounds: list[Round], budget_s: float | None, workers: int
) -> dict:
    return {
        "campaign": campaign.name,
        "rounds": len(rounds),
        "runs": len(outlook.runs),
        "quarantined": outlook.left_out,
        "expected": {
            "from_earlier_rounds": outlook.known,
            "one_core_s": round(outlook.total_s, 3) if outlook.known else None,
            "wall_s": round(outlook.wall_s(workers), 3) if outlook.known else None,
            "workers": workers,
        },
        "budget_s": budget_s,
        "within_budget": outlook.within(budget_s, workers) if budget_s and outlook.known else None,
        "order": [
            {
                "experiment": run.key.experiment,
                "cell": run.key.cell,
                "seed": run.key.seed if run.key.seed >= 0 else f"fresh {-run.key.seed}",
                "expected_s": round(run.expected_s, 3) if outlook.known else None,
            }
            for run in outlook.runs
        ],
    }


def _show(
    campaign: Campaign, outlook: Outlook, budget_s: float | None, workers: int, everything: bool
) -> None:
    from orchestrator.console import duration as in_words
    from orchestrator.console import show

    show(_experiments(campaign, outlook))
    if outlook.left_out:
        print(f"in quarantine: {counted(outlook.left_out, 'run')}")
    if outlook.known:
        print(
            f"by what earlier rounds took: {in_words(outlook.wall_s(workers))} with "
            f"{counted(workers, 'worker')}"
        )
        if budget_s is not None:
            fit = outlook.within(budget_s, workers)
            print(f"within {in_words(budget_s)}: {fit:,} of {counted(len(outlook.runs), 'run')}")
    else:
        print("no round has run any of it: how long it takes is not known yet")
    why = "the longest first" if budget_s is None else "the most informative runs first"
    show(_in_order(outlook, f"in this order, {why}", len(outlook.runs) if everything else _SHOWN))


def _experiments(campaign: Campaign, outlook: Outlook) -> Table:
    from orchestrator.cli.tables import Table, numbers
    from orchestrator.console import duration as in_words

    columns = ["experiment", "scenario", *numbers("cells", "seeds", "runs", "simulated")]
    rows = [
        (
            part.experiment,
            part.named,
            str(len(part.scenario.cells)),
            _seeds(part.seeds.fixed, part.seeds.fresh),
            f"{len(part.scenario.cells) * len(part.seeds):,}",
            in_words(sum(cell.duration_us for cell in part.scenario.cells) * len(part.seeds) / 1e6),
        )
        for part in campaign.parts
    ]
    return Table(f"{campaign.name}: {counted(len(outlook.runs), 'run')} a round", columns, rows)


def _in_order(outlook: Outlook, title: str, most: int) -> Table:
    """Return the first runs of a round, at most so many."""
    from orchestrator.cli.tables import Column, Table, numbers

    columns = ["experiment", Column("cell", key=True), *numbers("seed", "s")]
    rows = [
        (
            run.key.experiment,
            run.key.cell,
            str(run.key.seed) if run.key.seed >= 0 else f"fresh {-run.key.seed}",
            f"{run.expected_s:.2f}" if outlook.known else None,
        )
        for run in outlook.runs[:most]
    ]
    more = len(outlook.runs) - len(rows)
    return Table(title, columns, rows, f"and {more:,} more; --all lists them" if more else "")


def _seeds(fixed: tuple[int, ...], fresh: int) -> str:
    parts = [str(len(fixed))] if fixed else []
    return " + ".join([*parts, *([f"{fresh} fresh"] if fresh else [])])


def _named(quarantined: Quarantined) -> str:
    return "/".join(
        str(part) for part in (quarantined.experiment, quarantined.cell, quarantined.seed) if part is not None
    )
