# SPDX-License-Identifier: Apache-2.0
"""orchestrate csc fix: bring a .csc of any age to today's form."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from orchestrator.cli.options import add_contiki, whole_seconds
from orchestrator.vocabulary.simulators import DEFAULT_RULES, RULES

DESCRIPTION = """Bring a .csc to the form that Cooja writes today.

The command updates old class and element names, removed plugins and
interfaces, motes listed apart from their types, and old forms of positions and
windows. It adds a ScriptRunner if nothing would end a run without a window.
It names what it does not understand and leaves it as it is, or removes it with
--remove-unknown. Comments and layout stay. Without -o or --in-place it only
lists the changes.

exit code: 0 Cooja would load the result, 3 it would not (`orchestrate csc
check` says why), 9 no such file"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate csc fix`."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a .csc or .csc.gz file")
    target = parser.add_mutually_exclusive_group()
    target.add_argument("-o", "--out", type=Path, metavar="OUT", help="write the result to this file")
    target.add_argument("--in-place", action="store_true", help="overwrite FILE with the result")
    parser.add_argument(
        "--to",
        choices=RULES,
        default=DEFAULT_RULES,
        help=f"the version of Cooja to write for (default: {DEFAULT_RULES})",
    )
    parser.add_argument(
        "--seconds",
        type=whole_seconds,
        default=600,
        metavar="S",
        help="simulated time after which an added script ends the run (default: 600)",
    )
    parser.add_argument(
        "--remove-unknown",
        action="store_true",
        help="remove plugins and mote interfaces that Cooja does not know, such as those of its extensions",
    )
    add_contiki(parser)
    parser.add_argument(
        "--cooja", type=Path, metavar="DIR", help="the Cooja folder, which the file calls [COOJA_DIR]"
    )
    parser.add_argument("--json", action="store_true", help="print the changes as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate csc fix`; return the exit code."""
    import gzip

    from orchestrator.cli.csc_check import shown
    from orchestrator.cli.files import write
    from orchestrator.csc.document import Document
    from orchestrator.csc.fixing import fix
    from orchestrator.csc.loading.check import judge
    from orchestrator.csc.loading.report import Loading

    fixed = fix(args.file, args.seconds, args.remove_unknown)
    target = args.file if args.in_place else args.out
    if target is not None and (fixed.changed or not args.in_place):
        write(target, _packed(fixed.data, args.file, target))
    plain = gzip.decompress(fixed.data) if args.file.name.endswith(".gz") else fixed.data
    written = target or args.file  # paths in the file are seen from where it will stand
    report = judge(
        Document.of(plain, str(written), written.resolve().parent), args.to, args.contiki, args.cooja
    )
    if args.json:
        result = {
            "file": str(args.file),
            "written": None if target is None else str(target),
            "changes": [vars(change) for change in fixed.changes],
            "verdict": report.loading.value,
            "findings": [finding._asdict() for finding in report.findings],
        }
        print(json.dumps(result, indent=2))
    else:
        for change in fixed.changes:
            line = f"line {change.line}: " if change.line else ""
            print(f"{'' if change.done else 'left as it is: '}{line}{change.what}")
        if not fixed.changes:
            print("nothing to change")
        for line in shown(report, fatal_only=True):
            print(line)
        if target is None and fixed.changed:
            print("nothing was written; give -o OUT or --in-place", file=sys.stderr)
    return 3 if report.loading is Loading.FAILS else 0


def _packed(data: bytes, source: Path, target: Path) -> bytes:
    """Compressed as the target's name says."""
    import gzip

    if source.name.endswith(".gz") == target.name.endswith(".gz"):
        return data
    return gzip.compress(data, mtime=0) if target.name.endswith(".gz") else gzip.decompress(data)
