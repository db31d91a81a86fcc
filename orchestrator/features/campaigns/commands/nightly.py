# SPDX-License-Identifier: Apache-2.0
"""orchestrate nightly: a round of a campaign, and one verdict on it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from orchestrator.cli.options import add_store, add_workers
from orchestrator.cli.spark_options import add_spark_options, cluster
from orchestrator.features.campaigns.commands import campaign_run, campaign_verdict
from orchestrator.features.campaigns.commands.campaign import add_shard, add_time_budget, opened, shard

FILE = "nightly.yaml"
DESCRIPTION = """Make a round of a campaign, compare it with the baseline, and end with one
verdict.

It is `orchestrate campaign run FILE` and then `orchestrate campaign verdict
FILE`, for cron, systemd and servers of continuous integration (contrib/nightly).
After a kill, at whatever moment, the same command finishes the night first.
The baseline is never promoted by it: that is what `orchestrate campaign
promote` is for.

exit code: 0 green; 1 red; 7 incomplete: something was not run or not
compared; 130 interrupted, without a verdict; for others see `orchestrate
--help`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate nightly`."""
    parser.add_argument(
        "file",
        type=Path,
        nargs="?",
        default=Path(FILE),
        metavar="FILE",
        help=f"the campaign (default: {FILE})",
    )
    add_store(parser)
    add_shard(parser)
    add_time_budget(parser, "end the runs in this time, such as 6h")
    add_workers(parser)
    parser.add_argument("--no-report", action="store_true", help="write no page of each experiment")
    campaign_verdict.add_outputs(parser)
    add_spark_options(parser, runs=True)
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate nightly`; return the exit code."""
    from orchestrator.errors import Interrupted
    from orchestrator.features.campaigns.model import State
    from orchestrator.features.campaigns.run import Options

    made_on = cluster(args)
    campaign, store = opened(args)
    options = Options(
        shard(campaign, args.shard),
        workers=args.workers,
        budget_s=args.time_budget,
        page=not args.no_report,
        verdict=True,
        master=args.master,
        cluster=made_on,
    )
    result = campaign_run.make(campaign, store, options)
    print(campaign_run.in_words(result), file=sys.stderr if args.json else sys.stdout)
    if result.state is State.INTERRUPTED:
        return Interrupted.exit_code
    args.master = options.spark()  # for metrics that the round hasn't got yet
    return campaign_verdict.give(campaign, store, args)
