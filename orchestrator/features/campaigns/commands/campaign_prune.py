# SPDX-License-Identifier: Apache-2.0
"""orchestrate campaign prune: removes runs that the retention no longer keeps."""

from __future__ import annotations

import argparse
import json

from orchestrator.cli.options import positive, size
from orchestrator.features.campaigns.commands.campaign import opened
from orchestrator.words import counted

DESCRIPTION = """Remove runs of a campaign that its retention no longer keeps, oldest first:
those of rounds before the last N, and what is beyond a quota. A run that a
baseline, a report or the verdict of a kept round cites is never removed, nor
one that this campaign did not make. Plans and journals of rounds stay.

exit code: 0 done; 8 what is cited alone is more than the quota, or something
that may cite runs can't be read; for others see `orchestrate --help`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate campaign prune`."""
    parser.add_argument(
        "--rounds",
        type=positive,
        metavar="N",
        help="keep the runs of the last N rounds (default: the file's)",
    )
    parser.add_argument(
        "--quota",
        type=size,
        metavar="SIZE",
        help="keep at most this much, such as 50GB (default: the file's)",
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would go, and remove nothing")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate campaign prune`; return the exit code."""
    from orchestrator.errors import StorageFailed, WrongUsage
    from orchestrator.features.campaigns import record
    from orchestrator.features.campaigns.retention import prune, pruning
    from orchestrator.features.campaigns.written import Retention

    campaign, store = opened(args)
    keep = Retention(args.rounds or campaign.retention.rounds, args.quota or campaign.retention.quota)
    if keep == Retention():
        raise WrongUsage("no retention: give --rounds or --quota, or write `retention:` into the file")
    what = pruning(store, record.known(store, campaign.name), keep)
    if not args.dry_run:
        prune(store, what)
    if args.json:
        described = {
            "dry_run": args.dry_run,
            "removed": [vars(folder) for folder in what.remove],
            "freed": what.freed,
            "cited": what.cited,
            "size_before": what.size,
            "over_quota": what.over,
        }
        print(json.dumps(described, indent=2))
    else:
        did = "would be removed" if args.dry_run else "removed"
        freed = f"{_bytes(what.freed)} of {_bytes(what.size)}"
        print(f"{campaign.name}: {counted(len(what.remove), 'run')} {did}, {freed}")
        if what.cited:
            print(f"  {counted(what.cited, 'run')} beyond the bounds kept: something cites them")
    if what.over:
        raise StorageFailed(
            f"{_bytes(what.over)} are beyond the quota, and all of it is cited or of the last round\n"
            "    raise the quota, promote a newer baseline, or use fewer seeds"
        )
    return 0


def _bytes(count: int) -> str:
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 1000)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} B"
