# SPDX-License-Identifier: Apache-2.0
"""orchestrate distribution draw: invalid intervals and data access windows in time."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

DESCRIPTION = """Draw the periods of a distribution around the one that decides on its deadline:
the intervals in which there is no valid data, when each target may read, and
the deadline. Without --distribution, each distribution gets a file of its own."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `orchestrate distribution draw`."""
    parser.add_argument("--distribution", metavar="NAME", help="draw only this one")
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", default=Path("."), help="write NAME.svg there (default: here)"
    )
    parser.add_argument("--periods", type=int, default=0, metavar="N", help="draw so many periods")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate distribution draw`; return the exit code."""
    from orchestrator.cli import files
    from orchestrator.errors import NoSuchThing, WrongUsage
    from orchestrator.features.distribution.commands.distribution_common import reading
    from orchestrator.features.distribution.deadlines import deadlines
    from orchestrator.features.distribution.load import load
    from orchestrator.features.distribution.timeline import timeline
    from orchestrator.words import did_you_mean

    if args.periods < 0:
        raise WrongUsage(f"--periods {args.periods}: at least one period can be drawn")
    system = load(args.file)
    wanted = args.distribution
    if wanted is not None and wanted not in system.distributions:
        raise NoSuchThing(
            f"there is no distribution {wanted!r}\n    {did_you_mean(wanted, system.distributions)}"
        )
    written = []
    args.out.mkdir(parents=True, exist_ok=True)
    for deadline in deadlines(system, reading(args)):
        if wanted in (None, deadline.distribution.name):
            path = args.out / f"{deadline.distribution.name.replace('/', '-')}.svg"
            files.write(path, timeline(deadline, args.periods).svg().encode())
            written.append(str(path))
    if args.json:
        print(json.dumps({"written": written}))
    else:
        for path in written:
            print(f"{path} written")
    return 0
