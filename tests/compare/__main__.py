# SPDX-License-Identifier: Apache-2.0
"""`make compare`: real Cooja and the embedded engine on the same .csc, firmware and seed, logs compared byte for byte.

    python -m tests.compare [--cooja [RULES=]PATH]... [--contiki TREE] [--part golden,firmware] [--only TEXT] [--write]

PATH (or $COOJA) is what `--cooja` of `orchestrate run` takes; TREE (or $CONTIKI_NG) a Contiki-NG tree, without which only
our own firmware runs. A program in place of a built Cooja needs its rule set said: 5.0=PATH. --write renews the tables in
docs/byte-identity.md. Exit code 1 if a log or a verdict differs.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from orchestrator.errors import OrchestrateError
from tests.compare import firmware, golden, table
from tests.compare.coojas import Cooja, cooja

PARTS = {"golden": golden.PART, "firmware": firmware.PART}


def rows_of(part: str, coojas: list[Cooja], tree: Path | None, scratch: Path, chosen: str) -> Iterator[table.Row]:
    if part == "firmware":
        yield from firmware.rows(coojas, tree, scratch, chosen)
        return
    for one in coojas:
        yield from golden.rows(one, scratch, chosen)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.compare", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cooja", action="append", help="a real Cooja; may be repeated")
    parser.add_argument("--contiki", type=Path, default=os.environ.get("CONTIKI_NG"), help="a Contiki-NG tree")
    parser.add_argument("--part", default=",".join(PARTS), help="which of these")
    parser.add_argument("--only", default="", help="only cases whose name contains this")
    parser.add_argument("--write", action="store_true", help="renew docs/byte-identity.md")
    options = parser.parse_args()
    named = options.cooja or [path for path in (os.environ.get("COOJA"),) if path]
    unknown = set(options.part.split(",")) - PARTS.keys()
    if unknown or not named or (options.write and options.only):
        parser.error(f"no part {', '.join(unknown)}" if unknown else "name a Cooja with --cooja or $COOJA" if not named
                     else "--write renews whole tables; leave --only out")
    same = True
    try:
        coojas = [cooja(text) for text in named]
        with tempfile.TemporaryDirectory(prefix="orchestrate-compare-") as scratch:
            for part in options.part.split(","):
                rows = []
                for row in rows_of(part, coojas, options.contiki, Path(scratch), options.only):
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
