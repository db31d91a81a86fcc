# SPDX-License-Identifier: Apache-2.0
"""orchestrate debug: a mote of a stored run or of a .csc, stopped in gdb."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.options import add_compile, add_contiki, add_run_or_file, add_store, seed
from orchestrator.cli.show import stored, time_us
from orchestrator.vocabulary.simulators import DEFAULT_RULES, RULES

if TYPE_CHECKING:
    from orchestrator.csc.model import Simulation
    from orchestrator.engines.model import Job

DESCRIPTION = """Simulate a stored run or a .csc file in gdb, and stop one mote's firmware at a
simulated time.

  orchestrate debug chain/3A/1 --mote P3 --at 12.5
      stop at P3's first activation at or after 12.5 s
  orchestrate debug chain/3A/1 --mote P3 --at '80 s' --debug-build
      with firmware compiled again with -O0 -g3
  orchestrate debug chain/3A/1 --mote P3 --command 'break pubsub_publish'
      --command continue --command bt --batch
      with commands for gdb
  orchestrate debug test.csc --mote 3 --contiki ~/contiki-ng
      any .csc, with its script; its motes have numbers

Breakpoints stop this mote only, and variables are those of this mote.
`next-tick` continues to its next activation, and `simulated` prints the time;
all other commands are gdb's. If the mote crashes, gdb stops there. A mote that
sleeps at that time stops when it is activated next, and gdb says so.

An emulated Tmote Sky stops at its first instruction at or after that time, in
a gdb or lldb that knows the MSP430, else at a prompt of our own (`help` lists
its commands). While it is stopped the simulation stands still.

exit code: the debugger's own (0); 5 gdb is missing; 9 no such run or mote, or
the run ends before that time"""
DEBUG_BUILD = "-O0 -g3 -fno-lto"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate debug`."""
    add_run_or_file(parser)
    add_store(parser)
    parser.add_argument("--mote", metavar="NAME", required=True, help="the mote, by its name or number")
    parser.add_argument(
        "--at",
        type=time_us,
        default=0,
        metavar="TIME",
        help="simulated time, such as 12.5 (in s) or '15 min' (default: 0)",
    )
    parser.add_argument("--debug-build", action="store_true", help=f"compile the firmware with {DEBUG_BUILD}")
    parser.add_argument(
        "--command",
        action="append",
        default=[],
        metavar="COMMAND",
        help="a command of the debugger to run when the mote has stopped; may be repeated",
    )
    add_contiki(parser, "for a .csc: ")
    add_compile(
        parser,
        "for a .csc: how its commands compile a Contiki-NG tree's firmware: as-is (default) or fast, "
        "with flags of ours",
    )
    parser.add_argument(
        "--seed", type=seed, metavar="N", help="for a .csc: use this seed instead of the file's"
    )
    parser.add_argument(
        "--rules", choices=RULES, help=f"for a .csc: follow this rule set of Cooja (default: {DEFAULT_RULES})"
    )
    parser.add_argument("--batch", action="store_true", help="leave the debugger after the commands")
    parser.add_argument(
        "--debugger",
        default="",
        metavar="PROGRAM",
        help="for an emulated mote: a gdb or lldb for the MSP430, or prompt for a small one of our own "
        "(default: the first that is here, in this order)",
    )


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate debug`; return the exit code."""
    from orchestrator.console import say
    from orchestrator.csc.paths import resolve
    from orchestrator.engines.embedded import debugger
    from orchestrator.errors import WrongUsage

    file = Path(args.run[0]) if len(args.run) == 1 and args.run[0].endswith((".csc", ".csc.gz")) else None
    if file is None and any(
        given is not None for given in (args.contiki, args.seed, args.rules, args.compile)
    ):
        raise WrongUsage(
            "--contiki, --seed, --rules and --compile apply to a .csc file; a stored run has its own values"
        )
    job, mote = _of_run(args, say) if file is None else _of_file(file, args, say)
    folders = [
        resolve(mote_type.source, job.deployment.config_dir, args.contiki, None).parent
        for mote_type in job.deployment.mote_types
        if mote_type.source
    ]
    sources = [path for folder in folders for path in (folder.parent.parent.resolve(), folder.resolve())]
    if _is_emulated(job.deployment, mote):
        return _emulated(job, mote, sources, args)
    return debugger.debug(job, debugger.Session(mote, args.at, sources, args.command, args.batch))


def _of_run(args: argparse.Namespace, say: Callable[[str], None]) -> tuple[Job, int]:
    """Return a stored run as a job without a log, and the number of the mote."""
    from orchestrator.csc.read import read
    from orchestrator.engines.model import Job
    from orchestrator.engines.protocol import engine
    from orchestrator.execution import again
    from orchestrator.inspect.find import mote_number
    from orchestrator.runs.manifest import CSC_FILE

    stored_run = stored(args)
    number = mote_number(stored_run, args.mote)
    csc = stored_run.where / CSC_FILE
    if csc.is_file():  # else again() says so
        _check(read(csc), number, args)
    repetition = again.again(stored_run.where, stored_run.manifest, cflags=_cflags(args), say=say)
    for line in () if args.debug_build else repetition.differences(engine("embedded")):
        say(f"{line}: what follows may differ from what happened in it")
    rules = stored_run.manifest.engine.rules
    return Job(
        repetition.simulation, stored_run.manifest.seed, repetition.firmware, Path(os.devnull), rules
    ), number


def _is_emulated(simulation: Simulation, mote: int) -> bool:
    from orchestrator.csc.mote_type import MspType

    emulated = {kind.identifier for kind in simulation.mote_types if isinstance(kind, MspType)}
    return any(one.id == mote and one.type_identifier in emulated for one in simulation.motes)


def _check(simulation: Simulation, mote: int, args: argparse.Namespace) -> None:
    """Raise MissingTool without gdb, and Unsupported for what an emulated mote can't have."""
    from orchestrator.errors import Unsupported

    if not _is_emulated(simulation, mote):
        from orchestrator.engines.embedded import debugger

        debugger.find()
    elif args.debug_build:
        raise Unsupported(
            "--debug-build of an emulated mote, which would do everything at other times\n    leave it out: "
            "firmware that orchestrate builds has its lines anyway"
        )


def _emulated(job: Job, mote: int, sources: list[Path], args: argparse.Namespace) -> int:
    from orchestrator.engines.embedded import emulated_debugger

    session = emulated_debugger.Session(mote, args.at, sources, args.command, args.batch, args.debugger)
    return emulated_debugger.debug(job, session)


def _of_file(file: Path, args: argparse.Namespace, say: Callable[[str], None]) -> tuple[Job, int]:
    """Do the same for a .csc, whose firmware its own commands build."""
    from orchestrator.csc.read import read
    from orchestrator.engines.model import Job
    from orchestrator.errors import NoSuchThing, WrongUsage
    from orchestrator.execution.library import BuildOptions, library

    if not file.is_file():
        raise NoSuchThing(f"{file}: no such file")
    simulation = read(file, args.contiki)
    seed = simulation.seed if args.seed is None else args.seed
    if seed is None:
        raise WrongUsage(f"{file}: its random seed is generated anew for each run\n    name one with --seed")
    numbers = {str(mote.id): mote.id for mote in simulation.motes}
    if args.mote not in numbers:
        raise NoSuchThing(
            f"no mote {args.mote!r} in {file}; motes of a .csc have numbers: {', '.join(list(numbers)[:20])}"
        )
    _check(simulation, numbers[args.mote], args)
    options = BuildOptions(args.contiki, cflags=_cflags(args), fast=args.compile == "fast")
    firmware = {
        mote_type.identifier: library(mote_type, simulation.config_dir, options, say)
        for mote_type in simulation.mote_types
    }
    job = Job(simulation, seed, firmware, Path(os.devnull), args.rules or DEFAULT_RULES)
    return job, numbers[args.mote]


def _cflags(args: argparse.Namespace) -> str:
    return DEBUG_BUILD if args.debug_build else ""
