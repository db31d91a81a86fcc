# SPDX-License-Identifier: Apache-2.0
"""`make compare`: run a real Cooja and the embedded engine on the same .csc, firmware and seed, and compare
their logs byte for byte.

    python -m tools.compare [--cooja [RULES=]PATH]... [--contiki TREE] [--part golden,firmware]
                            [--only TEXT] [--write]
    python -m tools.compare --part contiki-ng-tests --contiki TREE [--jobs N] [--rows FILE] [--write]

PATH (default: $COOJA) is what `orchestrate run --cooja` takes. If it is a program instead of a built Cooja,
name its rule set: 5.0=PATH. TREE (default: $CONTIKI_NG) is a Contiki-NG tree; without one, only our own
firmware runs. --write renews the tables in docs/evidence/byte-identity.md. The exit code is 1 if a log or a
verdict differs. The tree's own tests take half an hour and run only if they are named; with --rows, an
interrupted call continues where it stopped.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from orchestrator.errors import OrchestrateError
from tools.compare import contiki_ng_tests, firmware, golden, table
from tools.compare.coojas import Cooja, cooja

PARTS = {"golden": golden.PART, "firmware": firmware.PART, "contiki-ng-tests": contiki_ng_tests.PART}
USUAL = "golden,firmware"


def rows_of(
    part: str, coojas: list[Cooja], options: argparse.Namespace, scratch: Path
) -> Iterator[table.Row]:
    if part == "firmware":
        yield from firmware.rows(coojas, options.contiki, scratch, options.only)
        return
    for one in coojas:
        if part == "golden":
            yield from golden.rows(one, scratch, options.only)
        else:
            yield from contiki_ng_tests.rows(one, options.contiki, options.only, options.jobs, options.rows)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--cooja", action="append", help="a real Cooja; may be repeated")
    parser.add_argument(
        "--contiki", type=Path, default=os.environ.get("CONTIKI_NG"), help="a Contiki-NG tree"
    )
    parser.add_argument("--part", default=USUAL, help=f"which of {','.join(PARTS)} (default: {USUAL})")
    parser.add_argument("--only", default="", help="only cases whose name contains this")
    parser.add_argument("--write", action="store_true", help="renew docs/evidence/byte-identity.md")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="so many of the tree's tests at a time (default: 1)"
    )
    parser.add_argument(
        "--rows",
        type=Path,
        metavar="FILE",
        help="take what came of the tree's tests from this file, and add to it",
    )
    options = parser.parse_args()
    options.cooja = options.cooja or [path for path in (os.environ.get("COOJA"),) if path]
    options.part = options.part.split(",")
    unknown = set(options.part) - PARTS.keys()
    wrong = (
        f"no part {', '.join(unknown)}"
        if unknown
        else "name a Cooja with --cooja or $COOJA"
        if not options.cooja
        else "the tree's tests need the tree: --contiki or $CONTIKI_NG"
        if "contiki-ng-tests" in options.part and not options.contiki
        else "--write renews whole tables; leave --only out"
        if options.write and options.only
        else ""
    )
    if wrong:
        parser.error(wrong)
    return options


def main() -> int:
    options = arguments()
    same = True
    try:
        coojas = [cooja(text) for text in options.cooja]
        with tempfile.TemporaryDirectory(prefix="orchestrate-compare-") as scratch:
            for part in options.part:
                rows = []
                for row in rows_of(part, coojas, options, Path(scratch)):
                    rows.append(row)
                    same &= row.same
                    print(row, flush=True)
                if options.write:
                    table.replace(PARTS[part], rows)
    except OrchestrateError as error:
        print(error, file=sys.stderr)
        return 2
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
