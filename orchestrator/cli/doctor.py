# SPDX-License-Identifier: Apache-2.0
"""`orchestrate doctor`: what this machine has, what it lacks, and how to get it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from orchestrator.cli.options import add_store
from orchestrator.errors import MissingTool

if TYPE_CHECKING:
    from orchestrator.doctor import Check

DESCRIPTION = "Check this machine: list what it has, what it lacks, and how to get it."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate doctor`."""
    add_store(parser, "the store's folder to check (default: as for `orchestrate run`)")
    parser.add_argument("--json", action="store_true", help="print the checks as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate doctor`; return the exit code."""
    from orchestrator.build.cache import cache_folder
    from orchestrator.doctor import checks
    from orchestrator.runs.store import default_store

    results = checks(default_store(args.store), cache_folder())
    if args.json:
        print(json.dumps([vars(check) for check in results], indent=2))
    else:
        _show(results)
    return MissingTool.exit_code if any(check.state == "missing" for check in results) else 0


def _show(results: Sequence[Check]) -> None:
    """Print a line for each check, and below it what to do; paths stay whole, because users copy them."""
    from orchestrator.cli.tables import Column, Table
    from orchestrator.console import show

    marks = {"ok": ("ok", "green"), "missing": ("missing", "red"), "absent": ("optional", "dim")}
    rows = [
        (marks[check.state], check.name, check.found + (f"\n→ {check.remedy}" if check.remedy else ""))
        for check in results
    ]
    show(Table("", ("", Column("what", key=True), Column("found", prose=True)), rows))
