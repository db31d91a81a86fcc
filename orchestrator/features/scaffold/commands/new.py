# SPDX-License-Identifier: Apache-2.0
"""orchestrate new: write a small working example to start from."""

from __future__ import annotations

import argparse
from pathlib import Path

from orchestrator import feature
from orchestrator.features.scaffold.kinds import KINDS

_MORE = feature.named("scaffolds")
_SUMMARIES = {kind.name: kind.summary for kind in KINDS.values()} | {
    name: more.summary for name, more in _MORE.items()
}
_LISTED = "\n".join(f"  {name:<15} {summary}" for name, summary in _SUMMARIES.items())
DESCRIPTION = f"""Write a small working example into a new folder, for you to change.

{_LISTED}

Nothing is overwritten. docs/tutorials explains each of them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate new`."""
    parser.add_argument("kind", choices=_SUMMARIES, metavar="KIND", help=", ".join(_SUMMARIES))
    parser.add_argument(
        "name",
        help="the name: lower-case letters, digits and -; for a study, the name of its "
        "example; for a notebook, an experiment",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        metavar="DIR",
        help="the folder to create (default: ./NAME; for a notebook, ./NAME-notebook)",
    )


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate new`; return the exit code."""
    from orchestrator.features.scaffold.write import scaffold, written

    if args.kind in _MORE:
        module = feature.resolve(_MORE[args.kind].module)
        name, following = module.named(args.name), module.NEXT
        folder = args.folder or Path(getattr(module, "FOLDER", "{name}").format(name=name))
        files = written(module.files(name), folder)
    else:
        kind = KINDS[args.kind]
        name, following = args.name, kind.next
        folder = args.folder or Path(name)
        files = scaffold(kind, name, folder)
    print(f"{folder}:")
    for path in files:
        print(f"  {path}")
    commands = [f"cd {folder}", *following]
    print("Next:")
    for command in commands:
        print("  " + command.format(name=name, identifier=name.replace("-", "_")))
    return 0
