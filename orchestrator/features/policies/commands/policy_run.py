# SPDX-License-Identifier: Apache-2.0
"""orchestrate policy run: the reference interpreter on a list of events."""

from __future__ import annotations

import argparse
from pathlib import Path

DESCRIPTION = """Run the policies of one node in the reference interpreter.

EVENTS has an event or a time a line; // begins a comment:
  C-B notify Humidity(42)        an operation at an enforcement point
  advance 5000                   5000 ms pass; time-outs fire
Functions of extensions return 0, unless --return says otherwise."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--events", type=Path, required=True, metavar="EVENTS", help="the list of events")
    parser.add_argument("--node", type=int, default=1, metavar="N", help="this.node_id (default: 1)")
    parser.add_argument(
        "--return",
        dest="returns",
        action="append",
        default=[],
        metavar="FUNCTION=N",
        help="what a function of an extension returns; may be repeated",
    )


def run(args: argparse.Namespace) -> int:
    """Run; return the exit code."""
    from orchestrator.errors import NoSuchThing
    from orchestrator.features.policies import extensions, script
    from orchestrator.features.policies.application import sound
    from orchestrator.features.policies.interpreter import Node
    from orchestrator.features.policies.manager import Manager

    if not args.events.is_file():
        raise NoSuchThing(f"{args.events}: no such file")
    library = extensions.with_more(args.extensions)
    application, _ = sound(args.files, library)
    node = Node(number=args.node, call=script.returning(args.returns, library))
    manager = Manager(application, node=node)
    for line in script.play(manager, args.events):
        print(line)
    faults = ", ".join(f"{count} {name}" for name, count in sorted(node.faults.items()))
    if faults:
        print(f"faults: {faults}")
    return 0
