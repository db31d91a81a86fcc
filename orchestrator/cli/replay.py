# SPDX-License-Identifier: Apache-2.0
"""orchestrate replay: a traced run as a page to watch."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from orchestrator.cli.options import add_store

if TYPE_CHECKING:
    from orchestrator.inspect.find import Found

DESCRIPTION = """Write the replay of a traced run, STORE/EXPERIMENT/report/replay-RUN.html.

The replay is a self-contained page with the motes at their positions, the
frames between them, and a timeline of every mote. The experiment's report
links to it.

  orchestrate replay chain 3f
      experiment (or scenario file) and the start of a run's id
  orchestrate replay chain/H10A/7
      experiment, cell and seed

A run has a trace if its scenario says `trace: true`. `orchestrate runs list
EXPERIMENT` lists the runs.

exit code: 0 done, 9 no such run, or it has no trace"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate replay`."""
    parser.add_argument(
        "run",
        nargs="+",
        metavar="RUN",
        help="EXPERIMENT RUN, EXPERIMENT/CELL/SEED, or a scenario file and RUN",
    )
    add_store(parser)
    parser.add_argument(
        "--radio",
        action="store_true",
        help="also show the states of each radio in the timeline (the run is simulated once more)",
    )
    parser.add_argument("--open", action="store_true", help="show the replay in the web browser")
    parser.add_argument("--json", action="store_true", help="print the path as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate replay`; return the exit code."""
    from orchestrator.cli.report import experiment_name, show
    from orchestrator.errors import NoSuchThing
    from orchestrator.inspect.find import find
    from orchestrator.report.replay import write
    from orchestrator.runs.store import Store, default_store

    store = Store(default_store(args.store))
    names = [experiment_name(args.run[0]), *args.run[1:]] if len(args.run) > 1 else args.run
    found = find(store, names)
    if (
        found.manifest is None
        or found.where.absolute() != store.folder(found.manifest.experiment, found.manifest.run_id).absolute()
    ):
        raise NoSuchThing(
            f"{found.where} is not a run of {store.path}\n"
            "    the replay goes beside the report; name a run of the store, or its store with --store"
        )
    page = write(
        store.path, found.manifest.experiment, found.manifest.run_id, _radios(found) if args.radio else None
    ).absolute()
    print(json.dumps({"replay": str(page)}, indent=2) if args.json else page)
    if args.open:
        show(page)
    return 0


def _radios(found: Found):
    """(time, mote, state) of every change, and the run's simulated time."""
    from orchestrator.console import say
    from orchestrator.execution.again import record
    from orchestrator.inspect import radio

    folder = record(found.where, found.manifest, say)
    return (
        (event.time_us, event.mote, event.event) for event in radio.events(folder)
    ), found.manifest.statistics.sim_us
