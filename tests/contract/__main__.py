# SPDX-License-Identifier: Apache-2.0
"""`make contract`: every application on every shape, from the embedded Contiki and from a Contiki-NG tree, compared.

    python -m tests.contract [--contiki TREE] [--seeds 30] [--seconds N] [--only TEXT] [--workers N] [--write]

TREE: a Contiki-NG tree (or $CONTIKI_NG). --write renews docs/contract.md. Exit code 1 if records differ or a metric is
not shown to be equivalent.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from orchestrator.errors import OrchestrateError
from tests.contract import document
from tests.contract.cases import cases
from tests.contract.judge import EQUAL, EQUIVALENT
from tests.contract.sources import Sources


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.contract", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contiki", default=os.environ.get("CONTIKI_NG"), help="a Contiki-NG tree")
    parser.add_argument("--seeds", type=int, default=30, help="seeds 1 to this")
    parser.add_argument("--seconds", type=int, help="measure so long: what is not shown in a case's own duration may be in a longer one")
    parser.add_argument("--only", default="", help="only cases whose application, MAC, shape or parameters contain this")
    parser.add_argument("--workers", type=int, default=2, help="runs at a time")
    parser.add_argument("--write", action="store_true", help="renew docs/contract.md")
    options = parser.parse_args()
    if not options.contiki or options.seeds < 2 or (options.write and (options.only or options.seconds)):
        parser.error("name a Contiki-NG tree with --contiki or $CONTIKI_NG" if not options.contiki
                     else "two seeds at least" if options.seeds < 2 else "--write renews the whole table; leave --only and --seconds out")
    rows, apart = [], []
    try:
        both = Sources(options.contiki, options.workers)
        with tempfile.TemporaryDirectory(prefix="orchestrate-contract-") as scratch:
            for case in cases(Path(scratch), options.seconds):
                if options.only not in f"{case.name} {case.shape}":
                    continue
                found, only_one = both.compare(case, range(1, options.seeds + 1), Path(scratch))
                rows += found
                apart += [f"{case.name} on {case.shape}: {said}" for said in only_one]
                for line in (*found, *apart[len(apart) - len(only_one):]):
                    print(line if isinstance(line, str) else " | ".join(line.cells()), flush=True)
    except OrchestrateError as error:
        print(error, file=sys.stderr)
        return 2
    print(document.summary(rows, apart))
    if options.write:
        document.renew(rows, apart, options.seeds)
    return 0 if not apart and all(row.verdict in (EQUAL, EQUIVALENT) for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
