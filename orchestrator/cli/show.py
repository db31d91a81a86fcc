# SPDX-License-Identifier: Apache-2.0
"""orchestrate show: what happened in a run, per mote, in a terminal."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator import feature
from orchestrator.cli.options import add_store, quantity

if TYPE_CHECKING:
    from orchestrator.inspect.find import Found

DESCRIPTION = """Show what happened in one run: how it ended; what each mote sent, received,
merged, dropped and spent; what was delivered; how large the aggregates were;
and how long events took. Nothing is simulated.

  orchestrate show chain 3f
      experiment and the start of a run's id
  orchestrate show chain/H10A/7
      experiment, cell and seed
  orchestrate show some/store/chain/runs/3f5c...
      a run folder, or a COOJA.testlog
  orchestrate show chain 3f --mote P3
      one mote in detail, with its last lines
  orchestrate show chain 3f --radio
      the time that each radio spent in each state, and its energy. The run is
      simulated once more to record this; its log must equal the stored one
  orchestrate show chain 3f --diagram threads.svg
      the run-time diagram of a traced run with threads, as .svg, .pdf, .pgf
      or .csv; --mote, --at and --for choose the mote and the time window"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate show`."""
    add_run(parser)
    parser.add_argument("--mote", metavar="NAME", help="show one mote in detail (name or number)")
    parser.add_argument(
        "--radio", action="store_true", help="show the states of the radios, as the engine recorded them"
    )
    parser.add_argument("--diagram", type=Path, metavar="FILE", help="draw which thread of the mote ran when")
    parser.add_argument(
        "--at",
        type=time_us,
        metavar="TIME",
        help="begin of the diagram in simulated time, such as 12.5 (in s) or '300 ms' "
        "(default: the first periods of the measured time)",
    )
    parser.add_argument("--for", type=time_us, metavar="TIME", dest="long", help="length of the diagram")


def time_us(text: str) -> int:
    """Return an argparse type: a time in seconds, or with its unit."""
    value = quantity(text if any(mark.isalpha() for mark in text) else f"{text} s", "time")
    if not 0 <= value < 1 << 53:
        raise argparse.ArgumentTypeError(f"{text!r} is not a simulated time")
    return value


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name a run, shared by the commands that look into one."""
    parser.add_argument(
        "run", nargs="+", metavar="RUN", help="EXPERIMENT RUN, EXPERIMENT/CELL/SEED or a run folder"
    )
    add_store(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def recorded(args: argparse.Namespace) -> tuple[Found, Path]:
    """Return the run that the arguments name and the folder with its radios' record, made if missing."""
    from orchestrator.console import say
    from orchestrator.execution.again import record

    stored_run = stored(args)
    return stored_run, record(stored_run.where, stored_run.manifest, say)


def named(args: argparse.Namespace) -> Found:
    """Return the run that the arguments name; a line says which, if others have its cell and seed."""
    from orchestrator.console import say
    from orchestrator.inspect.find import find, told
    from orchestrator.runs.store import Store, default_store

    stored_run = find(Store(default_store(args.store)), args.run)
    if stored_run.others:
        say(
            "\n".join(
                [
                    f"this is the run of the last campaign, {told(stored_run.manifest)}",
                    "others of its cell and seed, by their ids:",
                    *(f"    {told(run)}" for run in stored_run.others),
                ]
            )
        )
    return stored_run


def stored(args: argparse.Namespace) -> Found:
    """Return the run that the arguments name.

    Raises NoSuchThing for a log alone, which can't be made again.
    """
    from orchestrator.errors import NoSuchThing

    stored_run = named(args)
    if stored_run.manifest is None:
        raise NoSuchThing(
            f"{stored_run.where} is only a log and not a stored run, so it can't be simulated again\n"
            "    name a run of a store; of any .csc, `orchestrate simulate --radio` records the radios"
        )
    return stored_run


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate show`; return the exit code."""
    from orchestrator.errors import WrongUsage
    from orchestrator.inspect import overview

    if args.diagram is None and (args.at, args.long) != (None, None):
        raise WrongUsage("--at and --for apply to a diagram\n    add --diagram FILE.svg")
    if args.radio:
        return _radio(args)
    stored_run = named(args)
    if args.diagram:
        return _diagram(stored_run, args)
    contents = overview.one_mote(stored_run, args.mote) if args.mote else overview.overview(stored_run)
    if args.json:
        print(json.dumps(contents, indent=2))
        return 0
    from orchestrator.cli.show_tables import of_mote, of_run
    from orchestrator.console import show

    show(*(of_mote(contents) if args.mote else of_run(contents)))
    return 0


def _diagram(stored_run: Found, args: argparse.Namespace) -> int:
    target = feature.offered("run-time-diagram")(
        stored_run.where, args.diagram, args.mote, args.at, args.long
    )
    print(json.dumps({"diagram": str(target.absolute())}, indent=2) if args.json else target)
    return 0


def _radio(args: argparse.Namespace) -> int:
    from orchestrator.inspect import radio
    from orchestrator.inspect.find import mote_number

    stored_run, record = recorded(args)
    times = radio.times(stored_run, record)
    if args.mote:
        number = mote_number(stored_run, args.mote)
        times["motes"] = [mote for mote in times["motes"] if mote["mote"] == number]
    if args.json:
        print(json.dumps(times, indent=2))
        return 0
    from orchestrator.cli.show_tables import of_radios
    from orchestrator.console import show

    show(*of_radios(times))
    return 0
