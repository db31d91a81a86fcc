# SPDX-License-Identifier: Apache-2.0
"""orchestrate campaign blame: what changed between two rounds."""

from __future__ import annotations

import argparse
import json

from orchestrator.features.campaigns.commands.campaign import opened

DESCRIPTION = """Say what changed between a round and its baseline, by the digests that rounds and
manifests keep: firmware and the files of it, by middleware module, engine,
scenario, orchestrate itself; and name the smallest set of cells that shows all
that is red. That something changed does not show that it is the cause:
`orchestrate bisect` finds the commit.

What is red is taken from the verdict on the round, if one was given; failed
runs are red without one. Nothing is simulated.

exit code: 0 said; 9 no such campaign or round; for others see
`orchestrate --help`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `orchestrate campaign blame`."""
    parser.add_argument("--round", metavar="N", help="the round (default: the latest)")
    parser.add_argument(
        "--against",
        metavar="N",
        help="the round to compare with (default: the baseline of the round's verdict, else the one before)",
    )


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate campaign blame`; return the exit code."""
    from orchestrator.errors import NoSuchThing
    from orchestrator.features.campaigns import record
    from orchestrator.features.campaigns.judging import blame_words
    from orchestrator.features.campaigns.judging.blame import blame

    campaign, store = opened(args)
    name = record.known(store, campaign.name)
    now = record.named(store, name, args.round)
    judgement = blame_words.verdict(store, now)
    against = args.against or (judgement or {}).get("baseline")
    if against is None:
        earlier = [round_ for round_ in record.rounds(store, name) if round_.plan.number < now.plan.number]
        if not earlier:
            raise NoSuchThing(
                f"round {now.plan.number} of {name} is the first one\n    name another with --round"
            )
        base = earlier[-1]
    else:
        base = record.named(store, name, against)
    blamed = blame(store, base, now, blame_words.reds(now, judgement))
    if args.json:
        print(json.dumps({"campaign": name, **blame_words.plain(blamed)}, indent=2))
    else:
        print("\n".join(blame_words.sentences(blamed)))
    return 0
