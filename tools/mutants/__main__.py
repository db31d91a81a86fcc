# SPDX-License-Identifier: Apache-2.0
"""python -m tools.mutants AREA [--count N] [--seed N]: small changes of an area's sources, one at a time, and
do its tests notice?

The changes are made and the tests run in a copy of the repository, never in the files themselves. The result
is a report, not a target: many changes alter nothing that a user could see. Exit code 0: the changes were
tried; 2: the tests fail on the unchanged sources; 5: what makes the changes is not installed.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections import Counter

from tools.mutants import ROOT
from tools.mutants.areas import Area, areas, drawn
from tools.mutants.change import Change
from tools.mutants.judge import Fate, tried
from tools.mutants.replica import Replica

_OUTPUT_SHOWN = 3000


def counted(area: Area, changes, count: int) -> int:
    """Tries `count` changes that compile; the exit code."""
    verdicts: Counter[Fate] = Counter()
    survivors: list[Change] = []
    with Replica(ROOT) as replica:
        print(f"{area.name}: the tests on the unchanged sources", flush=True)
        usual = replica.learn(area.test_files(replica.root, ""))
        if usual.status != 0:
            print(usual.output[-_OUTPUT_SHOWN:])
            return 2
        print(f"{area.name}: they pass, in {usual.took_s:.0f} s of processor time", flush=True)
        for change in changes:
            if verdicts[Fate.NOTICED] + verdicts[Fate.SURVIVED] == count:
                break
            verdict, by = tried(replica, area, change, usual)
            verdicts[verdict] += 1
            if verdict is Fate.SURVIVED:
                survivors.append(change)
            if verdict is not Fate.NOT_COMPILED:
                print(f"  {verdict.value:8}  {change}{f'  ({by})' if by else ''}", flush=True)
    noticed, total = verdicts[Fate.NOTICED], verdicts[Fate.NOTICED] + verdicts[Fate.SURVIVED]
    print(f"{area.name}: {noticed} of {total} noticed" + (", not by any test:" if survivors else ""))
    for change in survivors:
        print(f"  {change}")
    return 0


def main() -> int:
    known = areas()
    parser = argparse.ArgumentParser(
        prog="python -m tools.mutants",
        description=__doc__.splitlines()[0],
        epilog=f"areas: {', '.join(known)}",
    )
    parser.add_argument("area", choices=known, metavar="AREA")
    parser.add_argument("--count", type=int, default=15, help="changes to try (default: 15)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (default: 1)")
    parser.add_argument("--only", metavar="TEXT", help="of them, those whose FILE:LINE has this text")
    parser.add_argument("--list", action="store_true", help="print the changes and try none")
    args = parser.parse_args()
    area = known[args.area]
    try:
        changes = list(
            itertools.islice(
                drawn(area.files(ROOT), ROOT, args.seed), args.count * (2 if args.only is None else 1)
            )
        )
    except ImportError:
        print(
            "Cosmic Ray, which changes Python, is not installed: pip install -e '.[mutants]'", file=sys.stderr
        )
        return 5
    if args.only is not None:
        changes = [change for change in changes if args.only in f"{change.file}:{change.line}"]
    if args.list:
        print(*changes[: args.count], sep="\n")
        return 0
    return counted(area, changes, args.count)


if __name__ == "__main__":
    sys.exit(main())
