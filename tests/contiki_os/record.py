#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Record what Contiki-NG does with the firmware recorded-*.c, or check the logs that are here against a tree.

    python tests/contiki_os/record.py --contiki TREE [--cooja COOJA] [--write] [--case NAME]

TREE is a checkout of Contiki-NG 5.0. The firmware is built there and runs in the embedded engine; with
--cooja in that real Cooja too, which must write the same bytes. Exit code 1 if a log differs from what is
here.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from os_builds import HERE, make
from recorded import CASES, Case

from orchestrator.scenario.model import EngineOptions


def built(case: Case, tree: str, folder: Path) -> Path:
    """The case's firmware with the Contiki-NG of `tree`; its objects stay in `folder` for the next."""
    made = make(
        HERE / "firmware",
        f"CONTIKI={Path(tree).resolve()}",
        "TARGET=cooja",
        f"CONTIKI_PROJECT={case.project}",
        "RELSTR=0",
        f"BUILD_DIR={folder}",
        f"{case.project}.cooja",
        "-j2",
    )
    if made.returncode != 0:
        raise SystemExit(f"{case.project} doesn't build on {tree}:\n{made.stdout[-4000:]}")
    return folder / "cooja" / f"{case.project}.cooja"


def recorded(case: Case, tree: str, folder: Path, cooja: str | None = None) -> bytes:
    """What the tree's Contiki-NG does, in the embedded engine and, if given, in real Cooja."""
    library = built(case, tree, folder / "built")
    log = case.run(library, folder / f"{case.name}.log")
    if cooja:
        real = case.run(library, folder / f"{case.name}.cooja-log", "cooja", EngineOptions(path=cooja))
        if real != log:
            raise SystemExit(f"{case.name}: real Cooja writes another log than the embedded engine")
    return log


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--contiki", required=True, help="a Contiki-NG 5.0 tree")
    parser.add_argument("--cooja", help="a built Cooja of Contiki-NG 5.0, to run them in as well")
    parser.add_argument("--write", action="store_true", help="replace the logs that are here")
    parser.add_argument(
        "--case",
        action="append",
        choices=[case.name for case in CASES],
        help="only this one (may be repeated)",
    )
    options = parser.parse_args()
    differing = 0
    with tempfile.TemporaryDirectory() as scratch:
        for case in CASES:
            if options.case and case.name not in options.case:
                continue
            log = recorded(case, options.contiki, Path(scratch), options.cooja)
            if options.write:
                case.log.parent.mkdir(exist_ok=True)
                case.log.write_bytes(log)
            same = case.log.exists() and case.log.read_bytes() == log
            differing += not same
            print(
                f"{case.name}: {len(log.splitlines())} lines, "
                f"{'recorded' if options.write else 'the same' if same else 'DIFFERENT'}"
            )
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
