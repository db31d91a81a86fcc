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

from golden_cases import CASES, RULES, log_for, simulation, store

# As Cooja's own build file starts it; the revision of rule set 5.0 needs the preview flag.
JAVA_OPTIONS = {"5.0": ["--enable-preview"], "2026.07": []}


def command(cooja: Path, rules: str, java: str) -> list[str]:
    """The start of a headless Cooja call."""
    if cooja.is_file():
        return [str(cooja)]
    for jar in ("build/libs/cooja-full.jar", "build/libs/cooja.jar"):
        if (cooja / jar).exists():
            return [java, *JAVA_OPTIONS[rules], "--enable-native-access=ALL-UNNAMED", "-jar", str(cooja / jar),
                    "--cooja", str(cooja)]
    sys.exit(f"{cooja}: neither a program nor a built Cooja folder (no build/libs/cooja*.jar; build it first)")


def run(call: list[str], case: str) -> bytes:
    """The log of one headless run."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*call, "--no-gui", f"--logdir={folder}", str(simulation(case))],
                              capture_output=True, text=True, timeout=600, check=False)
        log = Path(folder, "COOJA.testlog")
        if done.returncode != 0 or not log.exists():
            sys.exit(f"{case}: Cooja ended with status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return log.read_bytes()


def first_difference(a: bytes, b: bytes) -> str:
    """The first line in which two logs differ, from both."""
    lines_a, lines_b = a.split(b"\n"), b.split(b"\n")
    for number, (x, y) in enumerate(zip(lines_a, lines_b), 1):
        if x != y:
            return f"line {number}\n  golden {x[:200]!r}\n  cooja  {y[:200]!r}"
    return f"length: {len(lines_a)} and {len(lines_b)} lines"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", required=True, choices=RULES, help="the rule set this Cooja follows")
    parser.add_argument("--write", action="store_true", help="replace the stored logs")
    parser.add_argument("--java", default="java", help="the JVM for a Cooja folder")
    parser.add_argument("--case", action="append", choices=CASES, help="only this case (may be repeated)")
    parser.add_argument("cooja", type=Path)
    options = parser.parse_args()
    call = command(options.cooja, options.rules, options.java)
    different = 0
    for case in options.case or CASES:
        log = run(call, case)
        if run(call, case) != log:
            sys.exit(f"{case}: two runs of Cooja differ; this case can't be golden")
        if options.write:
            store(case, options.rules, log)
            print(f"{case}: recorded, {len(log)} bytes")
        elif log_for(case, options.rules).exists() and log_for(case, options.rules).read_bytes() == log:
            print(f"{case}: the same {len(log)} bytes")
        else:
            different += 1
            stored = log_for(case, options.rules)
            print(f"{case}: differs, " + (first_difference(stored.read_bytes(), log) if stored.exists() else "no log"))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
