# SPDX-License-Identifier: Apache-2.0
"""How often does the nightly verdict cry wolf, and how soon does it find a fault?

    python -m tools.calibration [--store DIR] [--workers N] [--judge-only] [--write [--only-faults]]

Makes some 28,000 short runs (half an hour on one core), computes their metrics, and judges nights made of
them by the verdict's own code. Runs that are in DIR are not made again. --judge-only takes the metrics as
they are there. --write renews docs/evidence/nightly-calibration.md; without it the page is printed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from orchestrator.errors import OrchestrateError
from tools.calibration import document, measure


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.calibration",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--store", type=Path, default=Path("calibration-store"))
    parser.add_argument("--workers", type=int, default=1, help="runs at a time")
    parser.add_argument("--judge-only", action="store_true", help="make no runs and no metrics")
    parser.add_argument("--write", action="store_true", help="renew docs/evidence/nightly-calibration.md")
    parser.add_argument("--only-faults", action="store_true", help="with --write: renew that part alone")
    options = parser.parse_args()
    try:
        if not options.judge_only:
            measure.measure(options.store, options.workers)
        if options.write:
            document.write(options.store, options.only_faults)
        else:
            print(document.text(options.store))
    except OrchestrateError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
