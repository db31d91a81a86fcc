# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed collect: the logs of runs whose controller has disappeared."""

from __future__ import annotations

import argparse
from pathlib import Path

DESCRIPTION = """Bring the logs of runs that nobody has collected, as their controller was killed
or cut off. Each becomes a folder of OUT with the run's log (COOJA.testlog, as of a
simulation), what each gateway logged, and result.json: the outcome and what is
missing. Once all gateways of a run have answered, nothing of it is left on them.
The same command again adds what gateways have that were silent before.

To go on with such a run and have it in its store, run its scenario again instead.

exit code: 0 all runs are complete; 7 something is missing, or a run goes on."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed collect`."""
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder that gets a folder for each run")
    parser.add_argument("--now", action="store_true", help="also end runs whose time isn't over yet")
    parser.add_argument(
        "--remove",
        action="store_true",
        help="remove runs from the gateways that answer, although others are silent that have a part of them",
    )


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed collect`; return 7 if something is missing."""
    from orchestrate_testbed.ssh import Network

    from orchestrator.cli.tables import Column, Table
    from orchestrator.console import show
    from orchestrator.errors import RunFailed
    from orchestrator.features.testbed.engine.collecting import collected
    from orchestrator.features.testbed.inventory import load
    from orchestrator.runs.model import Outcome

    lab = load(args.lab)
    with Network(lab.known_hosts) as network:
        collection = collected(lab, network, args.out, args.now, args.remove)
    for line in collection.silent:
        show(line)
    if not collection.runs:
        show("No gateway that answers has logs of a run that nobody has collected.")
        return RunFailed.exit_code if collection.silent else 0
    rows = [
        (run_.name, run_.title, run_.state if run_.outcome is None else run_.outcome.value, run_.why)
        for run_ in collection.runs
    ]
    show(Table(f"Runs of {lab.name}", ["run", "scenario", "outcome", Column("why", prose=True)], rows))
    good = all(run_.outcome in (Outcome.OK, Outcome.FAILED, Outcome.NO_VERDICT) for run_ in collection.runs)
    return 0 if good and not collection.silent else RunFailed.exit_code
