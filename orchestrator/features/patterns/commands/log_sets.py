# SPDX-License-Identifier: Apache-2.0
"""orchestrate log sets: the ready-made sets of patterns."""

from __future__ import annotations

import argparse

DESCRIPTION = """List the ready-made sets of log patterns. With a name, print that set, which has
the form of a file of your own.

  orchestrate log sets
  orchestrate log sets rpl-udp > mine.yaml"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands of `orchestrate log sets`."""
    parser.add_argument("name", nargs="?", metavar="SET", help="print this one")


def run(args: argparse.Namespace) -> int:
    """List the sets, or print one; return the exit code."""
    from orchestrator.cli.tables import Column, Table
    from orchestrator.console import show
    from orchestrator.errors import NoSuchThing
    from orchestrator.features.patterns.load import SETS, sets
    from orchestrator.words import did_you_mean

    if args.name is None:
        show(Table("", (Column("set", key=True), Column("for", prose=True)), list(sets().items())))
        return 0
    if args.name not in sets():
        raise NoSuchThing(f"no set {args.name!r}; {did_you_mean(args.name, sets())}")
    print((SETS / f"{args.name}.yaml").read_text(encoding="utf-8"), end="")
    return 0
