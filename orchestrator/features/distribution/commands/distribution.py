# SPDX-License-Identifier: Apache-2.0
"""orchestrate distribution: deadlines that keep data valid, and whether they can be held.

Each action has its own module.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from orchestrator.cli.usage import add_actions

# name -> one line of help; its module is distribution_NAME: DESCRIPTION, add_arguments(parser), run(args).
ACTIONS = {
    "check": "read the file of a system, and show its content and utilisation",
    "deadlines": "compute the latest deadlines at which no target reads outdated data",
    "schedule": "bound all response times, and simulate the schedule",
    "run": "run the system in real time on this machine, and count its misses",
    "draw": "draw invalid intervals and data access windows as SVG",
    "subject": "judge whether the events of a scenario are there while they are valid",
    "admit": "judge whether one more target can get data while the system runs",
    "change": "judge whether the system can go over to another mode while it runs",
}
DESCRIPTION = """Compute deadlines for data that sources produce and targets read periodically,
such that no target ever reads an outdated value, and check that the system can
hold them.

FILE describes the system (YAML): objects with a validity, sources, targets,
nodes, networks and distributions. docs/distribution.md describes it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate distribution`."""
    from orchestrator.features.distribution import readings

    for name, action, module in add_actions(parser, __name__, ACTIONS):
        what = "a scenario whose application has a validity" if name == "subject" else "the system (YAML)"
        action.add_argument("file", type=Path, metavar="FILE", help=what)
        module.add_arguments(action)
        if name not in ("check", "subject"):
            action.add_argument(
                "--release",
                choices=tuple(readings.RELEASES),
                default=readings.SOURCE_DEADLINE,
                metavar="WHEN",
                help="when a distribution is released and its data begins to age: period-start; "
                "source-deadline, at its source's (the default); or earliest-stamp, released there but aging "
                "from the source's release",
            )
            action.add_argument(
                "--bound",
                choices=tuple(readings.BOUNDS),
                default=readings.FROM_RELEASE,
                help="the longest deadline: a period from the release (the default), or to the period's end",
            )
        action.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate distribution`; return the exit code."""
    return args.act(args)
