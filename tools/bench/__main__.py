# SPDX-License-Identifier: Apache-2.0
"""`make bench`: measures the figures that the tool must reach in one run, each beside its limit as a ratio.

A ratio above 1 means that the limit is kept, by that factor. Exit code 1 if one isn't.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tools.bench import (
    campaign,
    campaigns,
    commands,
    determinism,
    docker,
    ingestion,
    live,
    pages,
    results,
    scale,
    stock,
    virtual_time,
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("--seeds", default="1..30", help="seeds of the twelve configurations (default 1..30)")
    args = parser.parse_args()
    started = time.monotonic()
    kept = True
    with tempfile.TemporaryDirectory(prefix="orchestrate-bench-") as folder:
        print(f"{'what':<58} {'measured':>14} {'limit':>12} {'ratio':>8}")
        for part in (
            commands,
            scale,
            campaign,
            campaigns,
            results,
            ingestion,
            pages,
            docker,
            determinism,
            stock,
            live,
            virtual_time,
        ):
            for row in part.rows(Path(folder), args.seeds):
                kept &= row.kept
                print(row, flush=True)
    print(f"took {time.monotonic() - started:.0f} s")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
