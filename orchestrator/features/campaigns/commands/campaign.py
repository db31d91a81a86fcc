# SPDX-License-Identifier: Apache-2.0
"""orchestrate campaign: many scenarios as one list of runs, round after round.

Each action has its own module.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.options import add_store, duration
from orchestrator.cli.usage import add_actions

if TYPE_CHECKING:
    from orchestrator.features.campaigns.model import Shard
    from orchestrator.features.campaigns.written import Campaign

# name -> one line of help; its module is campaign_NAME, with DESCRIPTION, add_arguments(parser), run(args).
ACTIONS = {
    "plan": "show what a round would run, in which order, and how long it will take",
    "run": "make a round, or go on with one",
    "status": "show how far the rounds are",
    "watch": "follow a round while it runs",
    "verdict": "give one verdict on a round, beside the baseline",
    "promote": "make a round the baseline that later ones are compared with",
    "seeds": "say how many seeds the campaign needs",
    "blame": "say what changed since the baseline, and which cells show it",
    "prune": "remove runs that are older or larger than the retention allows",
}
DESCRIPTION = """Run many scenarios as one campaign, round after round.

FILE is a campaign file (YAML): scenarios, overrides, seeds, a time budget,
a quarantine, retention. docs/campaigns.md describes it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate campaign`."""
    for _, action, module in add_actions(parser, __name__, ACTIONS):
        add_file(action)
        module.add_arguments(action)


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate campaign`; return the exit code."""
    return args.act(args)


def add_file(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options that all actions have."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the campaign file (YAML)")
    add_store(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def add_shard(parser: argparse.ArgumentParser) -> None:
    """Add the option --shard."""
    parser.add_argument(
        "--shard",
        metavar="I/N",
        type=_numbers,
        default=(None, None),
        help="make the I-th of N parts of the round, on one of N machines that share the store",
    )


def add_time_budget(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Add the option --time-budget; `meaning` begins its help."""
    parser.add_argument("--time-budget", type=duration, metavar="T", help=f"{meaning} (default: the file's)")


def opened(args: argparse.Namespace) -> tuple[Campaign, Path]:
    """Return the campaign that the file describes, and the store."""
    from orchestrator.features.campaigns.load import load
    from orchestrator.runs.store import default_store

    return load(args.file), default_store(args.store)


def shard(campaign: Campaign, numbers: tuple[int | None, int | None]) -> Shard:
    """Return the shard that the option names. Raises WrongUsage."""
    from orchestrator.errors import WrongUsage

    try:
        return campaign.shard(*numbers)
    except ValueError as error:
        raise WrongUsage(f"--shard: {error}") from None


def _numbers(text: str) -> tuple[int, int | None]:
    """Return an argparse type: a part, and how many there are (None: as the campaign's file says)."""
    number, slash, of = text.partition("/")
    if not (number.isdecimal() and (of.isdecimal() or not slash)):
        raise argparse.ArgumentTypeError(f"{text!r}: write the part and how many there are, such as 2/4")
    return int(number), int(of) if of else None
