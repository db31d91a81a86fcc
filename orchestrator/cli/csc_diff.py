# SPDX-License-Identifier: Apache-2.0
"""orchestrate csc diff: what differs between two .csc files."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.csc.difference import Difference

DESCRIPTION = """List the differences between two .csc files: settings, medium, edges, mote
types, motes, EEPROM images (for our applications, by field), plugins and
scripts. Formatting, old and new spellings of the same element, and positions
of windows are ignored.

exit code: 0 they mean the same, 1 they differ, 3 one is not a simulation, 9 one
does not exist"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate csc diff`."""
    parser.add_argument("files", nargs=2, type=Path, metavar="FILE", help="a .csc or .csc.gz file")
    parser.add_argument("--json", action="store_true", help="print the differences as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate csc diff`; return the exit code."""
    from orchestrator.applications.image import decoder
    from orchestrator.csc.difference import differences
    from orchestrator.csc.survey import survey

    first, other = (survey(file) for file in args.files)
    changes = differences(first, other, decoder([file.resolve().parent for file in args.files]))
    if args.json:
        print(json.dumps([vars(each) for each in changes], indent=2))
    else:
        for each in changes:
            print(_line(each))
    return 1 if changes else 0


def _line(difference: Difference) -> str:
    head = f"{difference.part}{' ' + difference.of if difference.of else ''}: {difference.what}"
    if difference.part == "script":
        return f"{head}\n{difference.after}"
    if difference.before is None or difference.after is None:
        value = difference.after if difference.before is None else difference.before
        mark = "+" if difference.before is None else "-"
        return (
            head
            if value == "there" and difference.what in ("added", "removed")
            else f"{head}  {mark} {value}"
        )
    return f"{head}  {difference.before} -> {difference.after}"
