# SPDX-License-Identifier: Apache-2.0
"""orchestrate sizes: print code size and RAM of the middleware, or of an application with what it links."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.build.machines import MACHINES, Machine
from orchestrator.cli.options import add_variant
from orchestrator.errors import Fault, FaultyInput, MissingTool, NoSuchThing

if TYPE_CHECKING:
    from orchestrator.build.sizes import Part

DESCRIPTION = """Print the code size and RAM of each middleware module in its default
configuration, on a Cortex-M3; on an AVR, if avr-gcc is installed; and those that
policies need on an MSP430, if clang is installed.

With an application, print the sizes of the application, of its modules as it
configures them and of the embedded Contiki, and how much of each is linked.

The exit code is 1 if more than one module exceeds its limits on the Cortex-M3.
The symbols of a module that exceeds them are printed."""
_FAILED = 1  # as a failed verdict


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate sizes`."""
    parser.add_argument(
        "application", nargs="?", help="an application's name or folder (default: the modules by themselves)"
    )
    parser.add_argument(
        "--machine",
        choices=MACHINES,
        help="only for this machine (default: the Cortex-M3, and those whose compilers are installed)",
    )
    add_variant(parser, " of the application")
    parser.add_argument("--symbols", metavar="MODULE", help="also print the symbols of this module")
    parser.add_argument("--json", action="store_true", help="print the sizes as JSON")
    parser.add_argument(
        "--write",
        type=Path,
        metavar="FILE.md",
        help="write the modules' table into this file, between its marks",
    )
    parser.set_defaults(usage_error=parser.error)


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate sizes`; return the exit code."""
    from orchestrator.build import sizes, sources

    if args.application and (args.write or args.symbols):
        args.usage_error("--write and --symbols are for the modules, not for an application")
    if args.variant and not args.application:
        args.usage_error("--variant needs an application")
    if args.write and args.machine:
        args.usage_error("--write needs all machines: leave --machine out")
    if args.write:
        return _write(args.write)
    if args.application:
        sources.application_folder(args.application)  # what is not there is said before a compiler lacks
    machines = _machines(args.machine)
    if args.application:
        bare = args.machine is not None
        measured = _measured(
            [machine for machine in machines if bare or not machine.bare],
            lambda machine: sizes.application(args.application, machine, dict(args.variant)),
        )
    else:
        measured = _measured(machines, sizes.modules)
    if args.symbols:
        _check_name(args.symbols, next(iter(measured.values())))
    from orchestrator.cli import sizes_table

    if args.json:
        plain_sizes = {machine.name: sizes_table.plain(machine, parts) for machine, parts in measured.items()}
        print(json.dumps(plain_sizes, indent=2))
    elif args.application:
        for machine, parts in measured.items():
            sizes_table.of_application(machine, parts)
    else:
        for machine, parts in measured.items():
            sizes_table.of_modules(machine, parts, args.symbols)
    held = args.application or all(sizes.held(machine, parts) for machine, parts in measured.items())
    return 0 if held else _FAILED


def _measured(machines: Sequence[Machine], measure: Callable[[Machine], Sequence[Part]]) -> dict:
    """Return the results of `measure` for each machine, with progress: a compiler takes seconds."""
    from orchestrator.console import stages

    measured = {}
    with stages("sizes") as stage:
        for machine in machines:
            stage("compiling", len(measured), len(machines), f"for the {machine.title}")
            measured[machine] = measure(machine)
    return measured


def _machines(wanted: str | None):
    """Return the machines to measure: the wanted one, else the limited one and those with a compiler here."""
    from orchestrator.console import say

    machines = []
    for machine in MACHINES.values() if wanted is None else [MACHINES[wanted]]:
        try:
            machine.compiler()
        except MissingTool as missing:
            if wanted or machine.limited:
                raise
            say(str(missing))
            continue
        machines.append(machine)
    return machines


def _check_name(name: str, parts: Sequence[Part]) -> None:
    from orchestrator.words import did_you_mean

    names = [part.name for part in parts]
    if name not in names:
        raise NoSuchThing(f"no middleware module {name!r}; {did_you_mean(name, names)}")


def _write(path: Path) -> int:
    from orchestrator.build import sizes
    from orchestrator.cli import files, sizes_table

    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise NoSuchThing(f"{path}: {error.strerror}; --write changes a file that has the marks") from None
    before, begin, rest = text.partition(sizes_table.BEGIN)
    _, end, after = rest.partition(sizes_table.END)
    if not begin or not end:
        remedy = f"put {sizes_table.BEGIN} and {sizes_table.END} on lines of their own"
        raise FaultyInput([Fault(str(path), 0, "no place for the table", remedy)])
    table = sizes_table.markdown(_measured(list(MACHINES.values()), sizes.modules))
    files.write(path, f"{before}{begin}\n{table}{end}{after}".encode())
    print(f"written: {path}")
    return 0
