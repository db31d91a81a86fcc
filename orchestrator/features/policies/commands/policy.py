# SPDX-License-Identifier: Apache-2.0
"""orchestrate policy: ESCAPE policies. Each action has its own module."""

from __future__ import annotations

import argparse
from pathlib import Path

from orchestrator.cli.usage import add_actions

# name -> one line of help; its module is policy_NAME, with DESCRIPTION, add_arguments(parser), run(args).
ACTIONS = {
    "check": "find faults, and what is likely wrong",
    "format": "write policies in one form",
    "compile": "compile policies to C",
    "draw": "draw state machines, and the overview page of an application",
    "run": "run policies on a list of events",
}
DESCRIPTION = """Work with ESCAPE policies: what an application does with its events.

docs/policies.md describes the language."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate policy`."""
    for name, action, module in add_actions(parser, __name__, ACTIONS):
        action.add_argument("files", type=Path, nargs="+", metavar="FILE", help="policies (.escape)")
        module.add_arguments(action)
        if name != "format":
            action.add_argument(
                "--extensions",
                type=Path,
                action="append",
                default=[],
                metavar="FILE.yaml",
                help="more functions and extensions that policies may use",
            )


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate policy`; return the exit code."""
    from orchestrator.errors import NoSuchThing

    for path in (*args.files, *getattr(args, "extensions", ()), *getattr(args, "firmware", ())):
        if not path.is_file():
            raise NoSuchThing(f"{path}: no such file")
    return args.act(args)
