# SPDX-License-Identifier: Apache-2.0
"""orchestrate new: write a small working example to start from."""

from __future__ import annotations

import argparse
from pathlib import Path

from orchestrator.features.scaffold.kinds import KINDS

_LISTED = "\n".join(f"  {kind.name:<15} {kind.summary}" for kind in KINDS.values())
DESCRIPTION = f"""Write a small working example into a new folder, for you to change.

{_LISTED}

Nothing is overwritten. docs/tutorials explains each of them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate new`."""
    parser.add_argument("kind", choices=KINDS, metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("name", help="the name: lower-case letters, digits and -")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="the folder to create (default: ./NAME)")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate new`; return the exit code."""
    from orchestrator.features.scaffold.write import scaffold

    kind = KINDS[args.kind]
    folder = args.folder or Path(args.name)
    files = scaffold(kind, args.name, folder)
    print(f"{folder}:")
    for path in files:
        print(f"  {path}")
    commands = [f"cd {folder}", *kind.next]
    print("Next:")
    for command in commands:
        print("  " + command.format(name=args.name, identifier=args.name.replace("-", "_")))
    return 0
