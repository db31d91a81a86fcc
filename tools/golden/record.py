#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Record the golden logs with a real Cooja, or check them against it.

    record.py --rules 5.0 COOJA            check: exit 1 if any log differs
    record.py --rules 5.0 --write COOJA    replace the logs of this rule set

COOJA is a built Cooja folder (with build/libs/cooja-full.jar or cooja.jar) or a
program that takes Cooja's arguments. Every case runs twice: a log that doesn't
repeat isn't golden. Needs a JVM that this Cooja runs on, make and a C compiler.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "golden"))
from golden_cases import ALL, RULES, first_difference, log_for, simulation, store

from orchestrator.engines.cooja import classes, find
from orchestrator.engines.cooja import java as runtimes
from orchestrator.engines.cooja.command import HEAP, start

MOST_TRIES = 10


def command(cooja: Path, rules: str, java: str | None) -> list[str]:
    """The start of a headless Cooja call."""
    place = find.find(cooja)
    said = None if place.jar is None else classes.read(place.jar)
    if said is not None and said.rules != rules:
        sys.exit(f"{cooja} follows the rules {said.rules}, not {rules}")
    return start(place, java or ("" if said is None else str(runtimes.find(said).executable)), said, HEAP)


def run_cooja(call: list[str], simulations: list[Path], folder: Path) -> list[bytes]:
    """The logs of headless runs, all in one JVM; all end with TEST OK or this program ends.

    Those that never started are tried again: when Cooja reads the edges of a directed graph, another of its
    threads may not have taken the last motes in yet, and the load fails (NullPointerException at
    getMoteWithID).
    """
    logs = [folder / f"log{number}" for number in range(len(simulations))]
    missing = list(zip(simulations, logs))
    for log in logs:
        log.mkdir(exist_ok=True)
        (log / "COOJA.testlog").unlink(missing_ok=True)
    for attempt in range(MOST_TRIES):
        arguments = [f"{simulation},logdir={log}" for simulation, log in missing] * (
            1 + attempt
        )  # a warm JVM is luckier
        done = subprocess.run(
            [*call, "--no-gui", f"--logdir={folder}", *arguments],
            capture_output=True,
            text=True,
            timeout=60 + 60 * len(logs),
            check=False,
        )
        missing = [(simulation, log) for simulation, log in missing if not (log / "COOJA.testlog").exists()]
        if not missing:
            break
    texts = [] if missing else [(log / "COOJA.testlog").read_bytes() for log in logs]
    if missing or not all(b"\nTEST OK\nTest ended at simulation time: " in text for text in texts):
        sys.exit(f"Cooja ended with status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return texts


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rules", required=True, choices=RULES, help="the rule set this Cooja follows")
    parser.add_argument("--write", action="store_true", help="replace the stored logs")
    parser.add_argument("--java", help="the JVM for a Cooja folder (default: one that it runs on)")
    parser.add_argument("--case", action="append", choices=ALL, help="only this case (may be repeated)")
    parser.add_argument("cooja", type=Path)
    options = parser.parse_args()
    call = command(options.cooja, options.rules, options.java)
    cases = options.case or ALL
    with tempfile.TemporaryDirectory() as scratch:
        logs = run_cooja(call, [simulation(case) for case in cases for _ in range(2)], Path(scratch))
    different = 0
    for case, log, again in zip(cases, logs[::2], logs[1::2]):
        if log != again:
            sys.exit(f"{case}: two runs of Cooja differ; this case can't be golden")
        if options.write:
            store(case, options.rules, log)
            print(f"{case}: recorded, {len(log)} bytes")
        elif not log_for(case, options.rules).exists():
            different += 1
            print(f"{case}: no log yet")
        elif log_for(case, options.rules).read_bytes() != log:
            different += 1
            print(f"{case}: differs, {first_difference(log_for(case, options.rules).read_bytes(), log)}")
        else:
            print(f"{case}: the same {len(log)} bytes")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
