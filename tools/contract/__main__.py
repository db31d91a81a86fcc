# SPDX-License-Identifier: Apache-2.0
"""`make contract`: compare every application on every shape, built from the embedded Contiki and from a
Contiki-NG tree.

    python -m tools.contract [--contiki TREE] [--store DIR] [--seeds 30] [--further 5000] [--seconds N]
                             [--only TEXT] [--workers N] [--write]

TREE is a Contiki-NG tree (default: $CONTIKI_NG). Results that are in DIR are not measured again, so an
interrupted command continues from there. --further: if the seeds do not decide a case, up to this many
further seeds are run and judged alone; their number follows from the spread of the first seeds. --write
renews docs/evidence/contract.md. With --only, the other cases are taken from DIR; a case that is not there
either keeps its rows in the document, which says so. The exit code is 1 if records differ, if a metric is not
shown to be equivalent, or if a case is missing.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from orchestrator.errors import OrchestrateError
from tools.contract import document
from tools.contract.cases import cases, on_both
from tools.contract.judge import EQUAL, EQUIVALENT, Row
from tools.contract.sources import NotMeasured, Sources


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.contract",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--contiki", default=os.environ.get("CONTIKI_NG"), help="a Contiki-NG tree")
    parser.add_argument(
        "--store", type=Path, help="folder that keeps measurements and from which they are reused"
    )
    parser.add_argument("--seeds", type=int, default=30, help="seeds 1 to this")
    parser.add_argument(
        "--further", type=int, default=5000, help="at most so many other seeds where these don't tell"
    )
    parser.add_argument("--seconds", type=int, help="measure so long instead of a case's own duration")
    parser.add_argument(
        "--only", default="", help="only cases whose application, MAC, shape or parameters contain this"
    )
    parser.add_argument("--workers", type=int, default=2, help="runs at a time")
    parser.add_argument("--write", action="store_true", help="renew docs/evidence/contract.md")
    options = parser.parse_args()
    if not options.contiki or options.seeds < 2 or (options.write and options.seconds):
        parser.error(
            "name a Contiki-NG tree with --contiki or $CONTIKI_NG"
            if not options.contiki
            else "two seeds at least"
            if options.seeds < 2
            else "--write renews a table of the cases' own durations: leave --seconds out"
        )
    standing = document.Standing(options.seeds)
    rows, apart, lacking, refused = [], [], [], []
    try:
        with tempfile.TemporaryDirectory(prefix="orchestrate-contract-") as made:
            scratch = Path(made)
            both = Sources(options.contiki, options.workers, options.store or scratch / "store")
            for case in cases(scratch, options.seconds, refused, on_both):
                chosen = options.only in f"{case.name} {case.shape}"
                if not (chosen or options.write):
                    continue
                try:
                    found = both.compare(
                        case, range(1, options.seeds + 1), scratch, options.further, run=chosen
                    )
                except NotMeasured:
                    if kept := standing.rows(case.name, case.shape):
                        rows += kept
                        apart += standing.apart(case.name, case.shape)
                    else:
                        lacking.append(f"{case.name} on {case.shape}")
                    continue
                rows += found.rows
                apart += [f"{case.name} on {case.shape}: {said}" for said in found.apart]
                if chosen:
                    _show(found.rows, found.apart)
    except OrchestrateError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "stopped"
            + (
                f"; what was measured is in {options.store}: the same command goes on from there"
                if options.store
                else ""
            ),
            file=sys.stderr,
        )
        return 130
    print(document.summary(rows, apart))
    if options.write:
        document.renew(rows, apart, options.seeds, lacking, refused)
    return 0 if not apart and not lacking and all(row.verdict in (EQUAL, EQUIVALENT) for row in rows) else 1


def _show(rows: list[Row], apart: list[str]) -> None:
    for line in (*(" | ".join(row.cells()) for row in rows), *apart):
        print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
