# SPDX-License-Identifier: Apache-2.0
"""orchestrate debug: a mote of a stored run, stopped in gdb."""

from __future__ import annotations

import argparse

DESCRIPTION = """Simulate a stored run again in gdb, and stop one mote's firmware at a simulated time.

  orchestrate debug chain/A/1 --mote P3 --at 12.5          at P3's first activation at or after 12.5 s
  orchestrate debug chain/A/1 --mote P3 --at '80 s' --debug-build        firmware compiled anew with -O0 -g
  orchestrate debug chain/A/1 --mote P3 --command 'break pubsub_publish' --command continue --command bt --batch

Breakpoints in the firmware stop this mote only, and its variables are this mote's. `next-tick` runs to its next
activation, `simulated` says the time; everything else is gdb's. If the mote crashes, gdb shows where.
exit code: gdb's own (0), 5 no gdb here, 9 no such run or mote, or the run is over before that time"""
DEBUG_BUILD = "-O0 -g3 -fno-lto"


def add_arguments(parser) -> None:
    parser.add_argument("run", nargs="+", metavar="RUN", help="EXPERIMENT RUN, EXPERIMENT/CELL/SEED or a run folder")
    parser.add_argument("--store", metavar="DIR", help="folder of runs (default: $ORCHESTRATE_STORE, ./orchestrate-store)")
    parser.add_argument("--mote", metavar="NAME", required=True, help="which, by its name or number")
    parser.add_argument("--at", type=time_us, default=0, metavar="TIME", help="simulated time, as 12.5 (s) or '15 min' (default: 0)")
    parser.add_argument("--debug-build", action="store_true", help=f"with firmware compiled with {DEBUG_BUILD}")
    parser.add_argument("--command", action="append", default=[], metavar="GDB", help="a command of gdb's to run there; repeatable")
    parser.add_argument("--batch", action="store_true", help="end after the commands")


def run(args) -> int:
    from orchestrator.campaign import again, rebuild
    from orchestrator.cli.show import stored
    from orchestrator.console import say
    from orchestrator.csc.paths import resolve
    from orchestrator.engines.embedded import debugger
    from orchestrator.inspect.find import mote_number

    debugger.find()
    found = stored(args)
    number = mote_number(found, args.mote)
    simulation = again.simulation_of(found.where)
    cflags = DEBUG_BUILD if args.debug_build else ""
    firmware = rebuild.libraries(found.manifest, found.where.parent.parent, simulation, cflags=cflags, say=say)
    for line in again.differences(found.manifest, firmware, again.engine("embedded")) if not args.debug_build else ():
        say(f"{line}: what follows may not be what happened in it")
    folders = [resolve(one.source, simulation.config_dir, None, None).parent for one in simulation.mote_types]
    return debugger.debug(
        simulation, found.manifest.seed, firmware, found.manifest.engine["rules"], number, args.at,
        sources=[path for folder in folders for path in (folder.parent.parent.resolve(), folder.resolve())],
        commands=args.command, batch=args.batch,
    )


def time_us(text: str) -> int:
    """An argparse type: a time in seconds, or with its unit."""
    from orchestrator.scenario import units

    try:
        value = units.parse(text if any(mark.isalpha() for mark in text) else f"{text} s", units.TIME)
    except units.NotAQuantity as wrong:
        raise argparse.ArgumentTypeError(f"{wrong.what}; {wrong.remedy}") from None
    if not 0 <= value < 1 << 53:
        raise argparse.ArgumentTypeError(f"{text!r} is no time of a simulation")
    return value
