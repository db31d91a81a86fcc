# SPDX-License-Identifier: Apache-2.0
"""orchestrate init: a commented starter scenario that validates, and runs in seconds."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.applications.model import Application

DESCRIPTION = """Write a commented starter scenario, NAME.yaml, that runs in seconds.

For completion and checks in an editor, write the schema first:
orchestrate schema --out scenario.schema.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate init`."""
    parser.add_argument(
        "name",
        nargs="?",
        help="the experiment's name, or a path NAME.yaml (default: chain, or the name of the .csc)",
    )
    parser.add_argument(
        "--from",
        dest="csc",
        type=Path,
        metavar="FILE.csc",
        help="write a scenario that simulates this .csc, with all that may vary in it as comments",
    )
    parser.add_argument(
        "--contiki-ng",
        metavar="DIR",
        help="with --from: the Contiki-NG tree of its sources (default: $CONTIKI_NG, else the one round it)",
    )
    parser.add_argument(
        "--application",
        metavar="A",
        help="an application's name or path (default: aggregation)",
    )
    parser.add_argument("--force", action="store_true", help="overwrite the file if it exists")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate init`; return the exit code."""
    from orchestrator.applications import descriptor
    from orchestrator.applications.find import is_path
    from orchestrator.cli import files, schema
    from orchestrator.errors import WrongUsage
    from orchestrator.scenario.load import for_csc
    from orchestrator.scenario.settings import EXPERIMENT

    if args.csc is not None and args.application is not None:
        raise WrongUsage(
            "--from and --application: a scenario simulates a .csc or an application\n    name one"
        )
    if args.contiki_ng is not None and args.csc is None:
        raise WrongUsage("--contiki-ng is for --from FILE.csc")
    args.name = args.name or ("chain" if args.csc is None else for_csc(args.csc).name_of(args.csc))
    path = Path(args.name if args.name.endswith((".yaml", ".yml")) else args.name + ".yaml")
    if not re.fullmatch(EXPERIMENT, path.stem):
        raise WrongUsage(
            f"{path.stem!r} is not a valid name for an experiment; "
            "use letters, digits, `-`, `_` and `.`, at most 64"
        )
    if path.exists() and not args.force:
        raise WrongUsage(f"{path} already exists; choose another name, or overwrite it with --force")
    if args.csc is not None:
        text = for_csc(args.csc).starter(args.csc, path.stem, path.parent, args.contiki_ng)
    else:
        application = descriptor.load(args.application or "aggregation")
        named = application.name
        if args.application and is_path(args.application):  # as seen from the scenario's folder
            named = os.path.join(".", os.path.relpath(application.file.parent, path.parent))
        text = starter(path.stem, application, named)
    if (path.parent / schema.FILE).is_file():
        text = f"# yaml-language-server: $schema={schema.FILE}\n{text}"
    files.write(path, text.encode())
    print(f"{path} written. Next:\n  orchestrate validate {path}\n  orchestrate run {path}")
    return 0


def starter(experiment: str, application: Application, named: str | None = None) -> str:
    """Return the text of a starter scenario for an application, with the help of each of its parameters.

    `named` is what the scenario calls the application, by default its name. Topology and matrix are those
    that the application says are its own.
    """
    own = application.starter
    return "\n".join(
        [
            f"# A scenario of the application {application.name}: {application.summary}",
            "# Check it with `orchestrate validate`, run it with `orchestrate run`. Quantities carry their "
            "unit.",
            f"experiment: {experiment}          # results are stored under this name",
            "",
            "topology:",
            *_lines(own["topology"] if "topology" in own else _CHAIN),
            "",
            "radio:                      # Cooja's unit disk graph medium",
            "  medium: udgm",
            "  range: 50 m               # frames arrive up to here,",
            "  interference: 100 m       # and disturb others up to here",
            "  tx: 100 %                 # chance that a frame leaves its sender",
            "  rx: 100 %                 # chance that it is received at the edge of the range (100 % near "
            "the sender)",
            "",
            "application:",
            f"  name: {named or application.name}",
            *_parameters(application),
            "",
            "duration: 1 min             # measured time",
            "drain: 10 s                 # after it: nothing new is published, what is under way arrives",
            "start-delay: 1 s            # motes boot at random times within this",
            "seeds: 1..3                 # one run per cell and seed; also a list, [1, 5, 10..20], or one "
            "number",
            'engine: embedded            # or {name: embedded, rules: "2026.07"} for the collision rules of '
            "newer Coojas",
            "trace: false                # true: print every event, instead of counters after the run",
            "",
            *_matrix(application),
            "",
        ]
    )


_CHAIN = """shape: chain              # chain, star, tree, grid, mesh, or positions (from a file)
publishers: 3             # the application adds what it needs beside subscriber and publishers
spacing: 5 m              # `orchestrate topology chain --help` lists a shape's parameters"""


def _lines(text: str) -> list[str]:
    return ["  " + line for line in text.split("\n")]


def _matrix(application: Application) -> list[str]:
    """Return the axes: the application's own, else the publishers and its first switch."""
    if "matrix" in application.starter:
        return [
            "matrix:                     # every combination is a cell, named by its labels; `orchestrate "
            "validate` lists them",
            *_lines(application.starter["matrix"]),
        ]
    switch = next(
        (parameter for parameter in application.parameters.values() if parameter.type == "bool"), None
    )
    on = switch.name[0].upper() if switch else ""
    names = f"3, 3{on}, 5, 5{on}" if switch else "3, 5"
    lines = [
        f"matrix:                     # every combination is a cell, named by its labels: {names}",
        "  topology.publishers: [3, 5]",
    ]
    if switch:
        lines += [
            f"  application.{switch.name}:",
            '    - {label: "", value: false}',
            f"    - {{label: {on}, value: true}}",
        ]
    return [
        *lines,
        "  # load:                   # an axis of several settings that change together",
        "  #   - {label: S, duration: 1 min}",
        "  #   - {label: M, duration: 2 min, drain: 20 s}",
        "  # exclude: [{topology.publishers: 5"
        + (f", application.{switch.name}: true" if switch else "")
        + "}]",
        "  # include: [{label: X, topology.publishers: 7}]   # whole cells on top of the base above",
    ]


def _parameters(application: Application) -> list[str]:
    own = dict(line.split(": ", 1) for line in application.starter.get("application", "").split("\n") if line)
    lines = []
    for parameter in application.parameters.values():
        value = own.get(parameter.name) or (
            "..." if parameter.default is None else parameter.show(parameter.default)
        )
        limits = f" ({parameter.limits()})" if parameter.limits() else ""
        note = f"{parameter.help}{limits}".strip()
        written = f"  {parameter.name}: {value}"
        # Without a default there is nothing to write that would be right for all.
        lines.append(f"{written:<27} # {note}" if note else written)
    return lines
