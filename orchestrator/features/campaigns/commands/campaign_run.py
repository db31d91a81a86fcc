# SPDX-License-Identifier: Apache-2.0
"""orchestrate campaign run: a round of a campaign, or the remainder of an interrupted round."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections import Counter
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from orchestrator.cli.guard import handled
from orchestrator.cli.options import add_workers
from orchestrator.cli.spark_options import add_spark_options, cluster
from orchestrator.features.campaigns.commands.campaign import add_shard, add_time_budget, opened, shard
from orchestrator.words import counted

if TYPE_CHECKING:
    from pathlib import Path

    from orchestrator.features.campaigns.run import Drain, Options, Result
    from orchestrator.features.campaigns.written import Campaign

DESCRIPTION = """Make a round of a campaign, or go on with one that was interrupted.

A finished run is never made again, and none is lost: after Ctrl-C, a kill or
a power cut the same command goes on. Ctrl-C lets the runs under way end; a
second Ctrl-C ends them. A round that has ended is followed by the next one,
unless its seeds are fixed and nothing has changed: the same seeds with the
same firmware give the same bytes.

exit code: 0 the round, or this shard of it, is complete, or its time budget
is used up; 1 the verdict of some run is a failure; 7 some run crashed, hung
or was lost; 130 interrupted; for others see `orchestrate --help`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate campaign run`."""
    add_shard(parser)
    add_time_budget(parser, "end in this time, such as 6h, with the most informative runs first")
    add_workers(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--new", action="store_true", help="begin a new round, whatever the last one is like")
    which.add_argument(
        "--continue",
        action="store_true",
        dest="go_on",
        help="go on with the last round, even if it has ended (by its budget, or with runs that were lost)",
    )
    parser.add_argument(
        "--no-metrics", action="store_true", help="only simulate; no tables, no metrics, no reports"
    )
    parser.add_argument("--no-report", action="store_true", help="compute metrics, but write no pages")
    add_spark_options(parser, runs=True)


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate campaign run`; return the exit code."""
    from orchestrator.features.campaigns.begin import Wanted
    from orchestrator.features.campaigns.run import Options

    campaign, store = opened(args)
    options = Options(
        shard(campaign, args.shard),
        Wanted.NEW if args.new else Wanted.CONTINUE if args.go_on else Wanted.USUAL,
        args.workers,
        args.time_budget,
        metrics=not args.no_metrics,
        page=not args.no_report,
        master=args.master,
        cluster=cluster(args),
    )
    result = make(campaign, store, options)
    print(json.dumps(_described(result), indent=2) if args.json else in_words(result))
    return exit_code(result)


def make(campaign: Campaign, store: Path, options: Options) -> Result:
    """Make a round, or a part of it, with its progress in the terminal; the first Ctrl-C drains it."""
    from orchestrator.console import say, stages
    from orchestrator.execution.progress import Listener
    from orchestrator.features.campaigns import run as campaigns

    drain = campaigns.Drain()
    with stages(campaign.name) as display, _draining(drain):
        result = campaigns.run(
            campaign, store, options, drain, Listener(display, display.runs, display.line, say)
        )
    for experiment, faults in result.results.faults.items():
        for fault in faults:
            print(f"orchestrate: {experiment}: {fault}", file=sys.stderr)
    return result


def exit_code(result: Result) -> int:
    """0 all is well; 1 only verdicts failed; 7 something else; 130 interrupted."""
    from orchestrator.errors import FaultyInput, Interrupted, RunFailed, StorageFailed
    from orchestrator.features.campaigns.model import State
    from orchestrator.runs.model import VERDICTS

    if result.state is State.INTERRUPTED:
        return Interrupted.exit_code
    if set(result.bad) - VERDICTS:
        return RunFailed.exit_code
    if result.bad:
        return 1
    return (
        StorageFailed.exit_code
        if result.results.damaged
        else FaultyInput.exit_code
        if result.results.faults
        else 0
    )


def _draining(drain: Drain) -> AbstractContextManager[None]:
    """Let the first Ctrl-C ask to drain, and the second one end the call."""
    from orchestrator.console import say

    def asked(_signal: int, _frame: object) -> None:
        if drain.asked() or not drain.working:
            raise KeyboardInterrupt
        drain.ask()
        say("runs under way end, no other begins; press Ctrl-C again to end them, too")

    return handled(signal.SIGINT, asked)


def _described(result: Result) -> dict:
    plan = result.round.plan
    return {
        "campaign": plan.campaign,
        "round": plan.number,
        "why": result.chosen.why,
        "shard": str(result.shard),
        "state": result.state.value,
        "round_state": result.round.state.value,
        "planned": plan.total,
        "found": result.found,
        "made": result.summary.made,
        "left": sum(1 for _ in result.round.left()),
        "not_ok": {outcome.value: count for outcome, count in sorted(result.bad.items())},
        "reports": {name: str(path) for name, path in result.results.reports.items()},
        "damaged": {name: list(runs) for name, runs in result.results.damaged.items()},
        "seconds": {step: round(taken, 3) for step, taken in result.seconds.items()},
    }


def in_words(result: Result) -> str:
    """Return a call's result, for the terminal."""
    from orchestrator.cli.run import failures
    from orchestrator.console import duration as spoken
    from orchestrator.features.campaigns.begin import told

    plan, summary = result.round.plan, result.summary
    of = f", shard {result.shard}" if result.shard.of > 1 else ""
    lines = [
        f"{plan.campaign}, {told(result.round)}{of}: {result.state.value}; "
        f"{counted(summary.made, 'run')} made, {result.found:,} found in the store, "
        f"{summary.sim_us / 60e6:,.1f} simulated minutes in {spoken(result.seconds.get('simulate', 0.0))}"
    ]
    if left := Counter(key.why.value for key in result.round.left()):
        lines.append(
            "  without a result: " + ", ".join(f"{count:,} {_WHY[why]}" for why, count in left.items())
        )
    if result.bad:
        lines.append(
            "  not ok: "
            + ", ".join(f"{count:,} {outcome.value}" for outcome, count in result.bad.most_common())
        )
    lines += failures(summary)
    lines += [f"report of {name}: {path}" for name, path in result.results.reports.items()]
    return "\n".join(lines)


_WHY = {
    "budget": "as the time was over",
    "quarantine": "in quarantine",
    "drained": "not begun yet",
    "machine": "failed by the machine or the simulator",
    "shard": "of shards that have not come",
}
