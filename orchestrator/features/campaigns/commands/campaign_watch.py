# SPDX-License-Identifier: Apache-2.0
"""orchestrate campaign watch: a round while it runs."""

from __future__ import annotations

import argparse
import json
import time

from orchestrator.cli.options import seconds
from orchestrator.features.campaigns.commands.campaign import opened
from orchestrator.words import counted

DESCRIPTION = """Follow the last round of a campaign until it ends: live in a terminal, otherwise
a line every few seconds. It only reads, so it can be ended at any time, and
run on any machine that sees the store."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate campaign watch`."""
    parser.add_argument(
        "--every", type=seconds, default=1.0, metavar="S", help="look every S seconds (default: 1)"
    )


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate campaign watch`; return the exit code."""
    from orchestrator.console import duration, stages
    from orchestrator.errors import NoSuchThing
    from orchestrator.features.campaigns import record
    from orchestrator.features.campaigns.begin import told
    from orchestrator.features.campaigns.commands.campaign_status import described
    from orchestrator.features.campaigns.model import State
    from orchestrator.features.campaigns.status import status

    campaign, store = opened(args)
    name = record.known(store, campaign.name)
    last = record.latest(store, name)
    if last is None:
        raise NoSuchThing(f"no round of {name}; `orchestrate campaign run {args.file}` begins one")
    with stages(name) as display:
        began = first = None
        while True:
            now = status(record.Round(last.folder, last.plan))
            if began is None:
                began, first = time.monotonic(), now.done
            left, new = now.planned - now.done, now.done - first
            parts = [f"round {last.plan.number}"]
            if now.not_ok:
                parts.append(f"{now.not_ok.total():,} not ok")
            if new and now.state is State.RUNNING:
                parts.append(f"{duration((time.monotonic() - began) * left / new)} left")
            parts.append(now.state.value)
            display("simulating", now.done, now.planned, ", ".join(parts))
            if now.state is not State.RUNNING:
                break
            time.sleep(args.every)
    if args.json:
        print(json.dumps(described(now), indent=2))
    else:
        print(f"{name}, {told(last)}: {now.state.value}; {now.done:,} of {counted(now.planned, 'run')} done")
    return 0
