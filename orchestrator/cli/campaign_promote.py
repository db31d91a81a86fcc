# SPDX-License-Identifier: Apache-2.0
"""orchestrate campaign promote: make a round the baseline that later ones are compared with."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.campaign.baseline import Baseline

DESCRIPTION = """Make a round the baseline, the latest if none is named.

Without --yes it only shows what would become the baseline, and what changed
in it since the present one. A round is never promoted by itself: a person
says which one is good, and why. The metrics of its runs are kept beside the
baseline, and nothing removes the runs that it cites. Earlier rounds of the
same code belong to it as well.

exit code: 0 promoted, or shown; 4 the round has not ended, or has no
metrics; 9 no such campaign or round; for others see `orchestrate --help`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `orchestrate campaign promote`."""
    parser.add_argument("--round", metavar="N", help="the round (default: the latest)")
    parser.add_argument("--reason", metavar="TEXT", required=True, help="why it is good; kept with it")
    parser.add_argument("--by", metavar="NAME", help="who says so (default: the user's name)")
    parser.add_argument("--yes", action="store_true", help="promote it; without this it is only shown")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate campaign promote`; return the exit code."""
    from orchestrator.campaign import baseline as baselines
    from orchestrator.campaign import record
    from orchestrator.campaign.judging import files as verdict_files
    from orchestrator.campaign.judging import verdict as verdicts
    from orchestrator.campaign.load import load
    from orchestrator.errors import WrongUsage
    from orchestrator.runs.store import default_store
    from orchestrator.words import counted

    reason = " ".join(args.reason.split())
    if not reason:
        raise WrongUsage("--reason is empty: say why the round is good")
    campaign, store = load(args.file), default_store(args.store)
    one = record.named(store, campaign.name, args.round)
    verdict = verdicts.give(store, campaign.name, campaign.judging, one.id)
    verdict_files.write(store, verdict)
    before = baselines.present(store, campaign.name)
    made, frame = baselines.proposed(store, campaign.name, one, reason, args.by)
    if args.yes:
        made = baselines.promote(store, campaign.name, made, frame)
    if args.json:
        print(
            json.dumps(
                {
                    "campaign": campaign.name,
                    "round": made.round,
                    "promoted": args.yes,
                    "reason": reason,
                    "by": made.by,
                    "verdict": verdict.colour.value,
                    "runs": sum(len(cell.runs) for cell in made.cells),
                    "cells": len(made.cells),
                    "changes": changes(before, made),
                },
                indent=2,
            )
        )
        return 0
    runs = sum(len(cell.runs) for cell in made.cells)
    done = "is the baseline now" if args.yes else "would become the baseline"
    print(
        f"{campaign.name}, round {int(one.id)} {done}: {counted(len(made.cells), 'cell')}, "
        f"{counted(runs, 'run')}; "
        f"the verdict on it is {verdict.colour.value}"
    )
    for text in changes(before, made):
        print(f"  {text}")
    for reason_given in verdict.reasons[:8]:
        place = f"{reason_given.place}: " if reason_given.place else ""
        print(f"  {reason_given.colour.value}: {place}{reason_given.text.splitlines()[0]}")
    if not args.yes:
        print("nothing was changed; the same command with --yes promotes it")
    return 0


def changes(before: Baseline | None, made: Baseline) -> list[str]:
    """Return the differences between the new baseline and the one before."""
    from orchestrator.words import counted

    if before is None:
        return ["it is the first baseline"]
    told = [f"the present one is round {int(before.round)}, promoted {before.promoted}: {before.reason}"]
    old = {(one.experiment, one.cell): one for one in before.cells}
    new = {(one.experiment, one.cell): one for one in made.cells}
    groups = {
        "new": [place for place in new if place not in old],
        "gone": [place for place in old if place not in new],
        "another scenario": [p for p in new if p in old and new[p].digest != old[p].digest],
        "another firmware": [
            p
            for p in new
            if p in old and new[p].digest == old[p].digest and dict(new[p].firmware) != dict(old[p].firmware)
        ],
        "another engine": [
            p for p in new if p in old and new[p].digest == old[p].digest and new[p].engine != old[p].engine
        ],
    }
    for what, places in groups.items():
        if places:
            names = ", ".join(f"{experiment}/{cell}" for experiment, cell in places[:5])
            more = f" and {len(places) - 5} more" if len(places) > 5 else ""
            told.append(f"{what}: {names}{more}")
    same = sum(place in old and new[place].made_of == old[place].made_of for place in new)
    told.append(f"as before, byte for byte: {same} of {counted(len(new), 'cell')}")
    return told
