# SPDX-License-Identifier: Apache-2.0
"""orchestrate replay: a traced run as a page to watch."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from orchestrator.cli.options import add_store
from orchestrator.cli.report import add_out, experiment_name, show, where

if TYPE_CHECKING:
    from pathlib import Path

    from orchestrator.errors import Untraced
    from orchestrator.inspect.find import Found
    from orchestrator.runs.store import Store

DESCRIPTION = """Write the replay of a traced run, STORE/EXPERIMENT/report/replay-RUN.html.

The replay is a self-contained page with the motes at their positions, the
frames between them, and a timeline of every mote. The experiment's report
links to it.

  orchestrate replay chain 3f
      experiment (or scenario file) and the start of a run's id
  orchestrate replay chain/H10A/7
      experiment, cell and seed
  orchestrate replay chain/H10A/7 --rerun
      a run without a trace: repeat it with one first

A run has a trace if its scenario says `trace: true`. Of a run with a record of
the air (`record: [air]`) the datagrams are shown, hop by hop, for any firmware.
Of another run, the
traced repetition is shown that `orchestrate trace ... --rerun` or --rerun here
has made. `orchestrate runs list EXPERIMENT` lists the runs.

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
    add_out(parser)
    parser.add_argument(
        "--radio",
        action="store_true",
        help="also show the states of each radio in the timeline (the run is simulated once more)",
    )
    parser.add_argument("--rerun", action="store_true", help="repeat a run that has no trace with one")
    parser.add_argument("--open", action="store_true", help="show the replay in the web browser")
    parser.add_argument("--json", action="store_true", help="print the path as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate replay`; return the exit code."""
    from orchestrator.errors import Untraced
    from orchestrator.inspect.find import find
    from orchestrator.runs.store import Store, default_store

    store = Store(default_store(args.store))
    names = [experiment_name(args.run[0]), *args.run[1:]] if len(args.run) > 1 else args.run
    stored_run = find(store, names)
    measured = _of_store(stored_run, store)
    try:
        page = _written(measured, None if measured is stored_run else stored_run, store, args)
    except Untraced as untraced:
        page = _written(measured, _repetition(measured, args, untraced), store, args)
    print(json.dumps({"replay": str(page)}, indent=2) if args.json else page)
    if args.open:
        show(page)
    return 0


def _of_store(stored_run: Found, store: Store) -> Found:
    """Return the run of the store that was named; of a traced repetition, the run that it repeats."""
    from orchestrator.errors import NoSuchThing
    from orchestrator.execution.again import TRACE
    from orchestrator.inspect.find import Found

    run = stored_run.where.absolute()
    run = run.parent.parent if run.parent.name == TRACE else run
    if (
        stored_run.manifest is None
        or run != store.folder(stored_run.manifest.experiment, run.name).absolute()
    ):
        raise NoSuchThing(
            f"{stored_run.where} is not a run of {store.path}\n"
            "    the replay goes beside the report; name a run of the store, or its store with --store"
        )
    if run == stored_run.where.absolute():
        return stored_run
    return Found(run, store.manifest(stored_run.manifest.experiment, run.name))


def _repetition(measured: Found, args: argparse.Namespace, untraced: Untraced) -> Found:
    """Return the traced repetition of a run without a trace, and say if it isn't the same as the run."""
    from orchestrator.console import say
    from orchestrator.inspect import traced

    twin = traced.repetition(measured, args.rerun, say)
    if twin is None:
        raise untraced
    check = traced.check(measured, twin)
    for line in (*check.other, *check.differences[:1]):
        say(f"the traced repetition is not the same as the run: {line}")
    return twin


def _written(measured: Found, repetition: Found | None, store: Store, args: argparse.Namespace) -> Path:
    from orchestrator.report.replay import write

    return write(
        store.path,
        measured.manifest.experiment,
        measured.manifest.run_id,
        _radios(repetition or measured) if args.radio else None,
        None if repetition is None else repetition.where,
        where(store.experiment(measured.manifest.experiment), args.out),
    ).absolute()


def _radios(stored_run: Found):
    """(time, mote, state) of every change, and the run's simulated time."""
    from orchestrator.console import say
    from orchestrator.execution.again import record
    from orchestrator.inspect import radio

    folder = record(stored_run.where, stored_run.manifest, say)
    return (
        (event.time_us, event.mote, event.event) for event in radio.events(folder)
    ), stored_run.manifest.statistics.sim_us
