# SPDX-License-Identifier: Apache-2.0
"""orchestrate bisect: the commit between two nights that turned a campaign red."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.options import add_store

if TYPE_CHECKING:
    from orchestrator.features.campaigns.bisection.bisect import Found

DESCRIPTION = """Find the commit of a git checkout that turned a campaign red between two
rounds or commits.

`git bisect` chooses the commits, in a temporary worktree: your checkout stays
as it is. At each commit one cell is run, the cheapest that shows what is red,
with the seeds that both rounds have (of failed runs, those that failed). Runs
that the store has are not made again, a commit that gives the runs of another
one is not run, and one that does not build is skipped. Else each seed's value
is compared with the midpoint of its good and bad values.

The checkout may be that of your applications or of a Contiki-NG tree, which
are then taken from the worktree, or orchestrate's own: then the commit's code
runs, with the Python and the libraries that this one uses.

After a kill the same call goes on.

exit code: 0 found; 1 only commits that say nothing are left; 4 good and bad
do not differ in what is red; for others see `orchestrate --help`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate bisect`."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the campaign file (YAML)")
    for name in ("good", "bad"):
        parser.add_argument(
            f"--{name}", required=True, metavar="ROUND|COMMIT", help=f"the {name} round, or a commit"
        )
    parser.add_argument(
        "--repository",
        type=Path,
        metavar="DIR",
        help="a checkout (default: the one that changed between the two rounds)",
    )
    parser.add_argument(
        "--metric",
        metavar="NAME[/KEY]",
        help="what turned, or outcome for runs that fail (default: the surest red finding)",
    )
    parser.add_argument(
        "--cell", metavar="EXPERIMENT/CELL", help="where (default: the cheapest cell that shows it)"
    )
    add_store(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate bisect`; return the exit code."""
    from orchestrator.console import say, stages
    from orchestrator.execution.progress import Listener
    from orchestrator.features.campaigns.bisection.ask import asked
    from orchestrator.features.campaigns.bisection.bisect import bisect
    from orchestrator.features.campaigns.load import load
    from orchestrator.runs.store import default_store

    campaign, store = load(args.file), default_store(args.store)
    wanted = asked(campaign, store, args.good, args.bad, args.repository, args.metric, args.cell)
    with stages(campaign.name) as display:
        result = bisect(wanted, store, Listener(display, display.runs, display.line, say))
    print(json.dumps(plain(result), indent=2) if args.json else _text(result))
    return 0 if result.first_bad else 1


def plain(result: Found) -> dict:
    """Return the result in its JSON form."""
    from orchestrator.runs.identity import plain as as_plain

    return {
        "first_bad": result.first_bad or None,
        "subject": result.subject,
        "files": list(result.files),
        "candidates": list(result.candidates),
        "question": as_plain(result.question),
        "between": result.between,
        "seeds": list(result.seeds),
        "good": result.base,
        "bad": result.now,
        "runs": result.made,
        "commits": [as_plain(decision) | {"sure": decision.sure} for decision in result.decided],
        "notes": list(result.notes),
    }


def _text(result: Found) -> str:
    from orchestrator.features.campaigns.bisection.bisect import in_words
    from orchestrator.words import counted

    red = result.question.red
    what = red.metric if red.key == "total" else f"{red.metric}/{red.key}"
    lines = [
        f"{what} of {red.place}: {result.base:.4g} at {result.question.good[:12]}, {result.now:.4g} at "
        f"{result.question.bad[:12]} (mean of {counted(len(result.seeds), 'seed')} that differ)"
    ]
    if result.first_bad:
        lines.append(f"it turned with {result.first_bad[:12]} {result.subject}")
        lines += [f"    {path}" for path in result.files]
    else:
        lines.append("it turned with one of these, of which some say nothing:")
        lines += [f"    {candidate[:12]}" for candidate in result.candidates]
    lines.append(
        f"{counted(result.between, 'commit')} between them, {counted(len(result.decided), 'commit')} tried "
        f"beside the two ends, {counted(result.made, 'run')} simulated:"
    )
    lines += [f"    {decision.commit[:12]} {in_words(decision)}" for decision in result.decided]
    unsure = [decision.commit[:12] for decision in result.decided if not decision.sure]
    if unsure:
        lines.append(f"not sure: fewer than three quarters of the seeds agree at {', '.join(unsure)}")
    lines += [f"note: {note}" for note in result.notes]
    return "\n".join(lines)
