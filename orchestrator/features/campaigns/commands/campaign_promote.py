# SPDX-License-Identifier: Apache-2.0
"""orchestrate campaign promote: make a round the baseline that later ones are compared with."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from orchestrator.features.campaigns.commands.campaign import opened

if TYPE_CHECKING:
    from orchestrator.features.campaigns.baseline import Baseline
    from orchestrator.features.campaigns.judging.model import Verdict

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
    from orchestrator.errors import WrongUsage
    from orchestrator.features.campaigns import baseline as baselines
    from orchestrator.features.campaigns import record
    from orchestrator.features.campaigns.judging import files as verdict_files
    from orchestrator.features.campaigns.judging import verdict as verdicts

    reason = " ".join(args.reason.split())
    if not reason:
        raise WrongUsage("--reason is empty: say why the round is good")
    campaign, store = opened(args)
    round_ = record.named(store, campaign.name, args.round)
    verdict = verdicts.give(store, campaign.name, campaign.judging, round_.id)
    verdict_files.write(store, verdict)
    before = baselines.present(store, campaign.name)
    new, frame = baselines.proposed(store, campaign.name, round_, reason, args.by)
    if args.yes:
        new = baselines.promote(store, campaign.name, new, frame)
    facts = {
        "campaign": campaign.name,
        "round": new.round,
        "promoted": args.yes,
        "reason": reason,
        "by": new.by,
        "verdict": verdict.colour.value,
        "runs": sum(len(cell.runs) for cell in new.cells),
        "cells": len(new.cells),
        "changes": changes(before, new),
    }
    print(json.dumps(facts, indent=2) if args.json else _text(facts, verdict))
    return 0


def _text(facts: dict, verdict: Verdict) -> str:
    from orchestrator.words import counted

    promoted = facts["promoted"]
    lines = [
        f"{facts['campaign']}, round {int(facts['round'])} "
        f"{'is the baseline now' if promoted else 'would become the baseline'}: "
        f"{counted(facts['cells'], 'cell')}, {counted(facts['runs'], 'run')}; "
        f"the verdict on it is {facts['verdict']}",
        *(f"  {text}" for text in facts["changes"]),
    ]
    for reason in verdict.reasons[:8]:
        place = f"{reason.place}: " if reason.place else ""
        lines.append(f"  {reason.colour.value}: {place}{reason.text.splitlines()[0]}")
    if not promoted:
        lines.append("nothing was changed; the same command with --yes promotes it")
    return "\n".join(lines)


def changes(before: Baseline | None, proposal: Baseline) -> list[str]:
    """Return the differences between the new baseline and the one before."""
    from orchestrator.words import counted, first_of

    if before is None:
        return ["it is the first baseline"]
    lines = [f"the present one is round {int(before.round)}, promoted {before.promoted}: {before.reason}"]
    old = {(cell.experiment, cell.cell): cell for cell in before.cells}
    new = {(cell.experiment, cell.cell): cell for cell in proposal.cells}
    both = [place for place in new if place in old]
    alike = {place: None for place in both if new[place].digest == old[place].digest}
    groups = {
        "new": [place for place in new if place not in old],
        "gone": [place for place in old if place not in new],
        "another scenario": [place for place in both if place not in alike],
        "another firmware": [p for p in alike if dict(new[p].firmware) != dict(old[p].firmware)],
        "another engine": [place for place in alike if new[place].engine != old[place].engine],
    }
    for what, places in groups.items():
        if places:
            lines.append(f"{what}: {first_of(['/'.join(place) for place in places], 5)}")
    same = sum(new[place].made_of == old[place].made_of for place in both)
    lines.append(f"as before, byte for byte: {same} of {counted(len(new), 'cell')}")
    return lines
