# SPDX-License-Identifier: Apache-2.0
"""orchestrate live: a Python program in a simulation's time."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.options import add_compile, add_contiki, add_store, duration, positive, seed
from orchestrator.errors import NoSuchThing, WrongUsage
from orchestrator.vocabulary.simulators import RULES

if TYPE_CHECKING:
    from orchestrator.features.virtual_time.program import Settings

DESCRIPTION = """Run a Python program that uses asyncio in the time of a simulation: timers
are simulated ones, UDP ports are those of an IPv6 host behind a border router,
and the same call gives the same bytes every time, faster than real time and
without root or a TUN device.

    orchestrate live --border-router 1 network.csc client.py

FILE is a .csc, a scenario (--cell) or a stored run, as for orchestrate.live.open.
Options stand before PROGRAM.py; what stands behind it is the program's. The log
is DIR/COOJA.testlog.

exit code: the program's; 7 it raised, was stuck or waited for what never came"""

_HERE = "orchestrator.features.virtual_time.program"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate live`."""
    parser.add_argument("file", metavar="FILE", help="a .csc, a scenario's file, or a stored run")
    parser.add_argument("program", metavar="PROGRAM.py", help="the program, which calls asyncio.run()")
    parser.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="ARGUMENT", help="arguments of the program"
    )
    parser.add_argument(
        "--border-router",
        action="append",
        default=[],
        metavar="MOTE[=ADDRESS/64]",
        help="the mote with SLIP at its serial line; the program's host has this address behind it, and its "
        "motes that prefix (default: fd00::1/64); may be repeated, with another prefix each",
    )
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="NAME=ADDRESS",
        help="a name for an address, as in /etc/hosts; may be repeated",
    )
    parser.add_argument(
        "--baud", type=positive, metavar="N", help="speed of serial lines to motes, bits/s (default: 115200)"
    )
    parser.add_argument(
        "--until",
        type=duration,
        metavar="TIME",
        help="end the program at this simulated time, such as 10min, as Ctrl-C would; exit code 0",
    )
    parser.add_argument(
        "--patience",
        type=duration,
        metavar="TIME",
        help="simulated time for which a program without a timer waits for what may come (default: 10min)",
    )
    parser.add_argument(
        "--step-limit",
        type=duration,
        metavar="TIME",
        help="real time for which the program may compute or block, while simulated time stands still "
        "(default: 60s)",
    )
    parser.add_argument("--logdir", type=Path, default=Path(), metavar="DIR", help="the log's folder")
    parser.add_argument("--seed", "--random-seed", type=seed, metavar="N", help="the simulation's seed")
    parser.add_argument("--cell", metavar="NAME", help="the cell of a scenario's file")
    parser.add_argument("--rules", choices=RULES, help="the rules of Cooja")
    add_store(parser)
    add_contiki(parser)
    add_compile(parser, "how a .csc's own commands compile: as-is (default), or fast, with flags of ours")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate live`; return the exit code."""
    settings = _settings(args)
    if not Path(settings.program).is_file():
        raise NoSuchThing(f"{settings.program}: no such program\n    name a file of Python")
    command = [sys.executable, "-m", _HERE, settings.text(), *args.arguments]
    environment = {"PYTHONHASHSEED": "0"} | os.environ  # the user's own counts
    process = subprocess.Popen(command, env=environment)
    try:
        status = process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)  # also what was sent to this process only
        status = process.wait()
    return _code(status, settings)


def _code(status: int, settings: Settings) -> int:
    from orchestrator.features.virtual_time.faults import Stuck

    if status == -signal.SIGPROF:
        raise Stuck(
            f"{settings.program} computed for more than {settings.limit_s:g} s, in code that Python can't "
            "interrupt; its process was ended\n    the log has what motes printed before"
        )
    if status < 0:
        raise Stuck(f"{settings.program} was ended by the signal {signal.Signals(-status).name}")
    return status


def _settings(args: argparse.Namespace) -> Settings:
    """Return the settings. Raises WrongUsage."""
    from orchestrator.features.virtual_time.program import Settings
    from orchestrator.features.virtual_time.session import ADDRESS, interface

    routers: dict[str, str] = {}
    for text in args.border_router:
        mote, _, address = text.partition("=")
        try:
            routers[str(int(mote))] = str(interface(address or ADDRESS))
        except ValueError as error:
            raise WrongUsage(f"--border-router {text}: {error}") from None
    if len({interface(address).network for address in routers.values()}) < len(routers):
        raise WrongUsage("--border-router: each needs a prefix of its own, such as 2=fd01::1/64")
    given = {
        "baud": args.baud,
        "until_s": args.until,
        "patience_s": args.patience,
        "limit_s": args.step_limit,
    }
    return Settings(
        file=args.file,
        program=args.program,
        logdir=str(args.logdir),
        border_routers=routers,
        names=dict(map(_name, args.name)),
        cell=args.cell,
        store=args.store,
        seed=args.seed,
        rules=args.rules,
        contiki=None if args.contiki is None else str(args.contiki),
        fast=args.compile == "fast",
        **{name: value for name, value in given.items() if value is not None},
    )


def _name(text: str) -> tuple[str, str]:
    from ipaddress import IPv6Address

    name, _, address = text.partition("=")
    try:
        return name, str(IPv6Address(address))
    except ValueError as error:
        raise WrongUsage(f"--name {text}: {error}; write NAME=ADDRESS") from None
