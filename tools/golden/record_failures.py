#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Record what a real Cooja says when runs fail in every way that cooja_cases.py knows.

    record_failures.py 5.0 COOJA [CASE...]        COOJA as --cooja takes it; $OLD_JAVA: a java that is too old
    for it

Writes recorded/5.0/CASE.json: console, exit status, log; without progress and paths.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parents[2] / "tests" / "engines" / "cooja"
sys.path[:0] = [str(HERE.parent), str(HERE)]

from cooja_cases import CASES, Case, stage  # noqa: E402

from orchestrator.engines.cooja import classes, command, find, java  # noqa: E402
from orchestrator.engines.cooja.stage import SIMULATION  # noqa: E402

_PROGRESS = re.compile(r"% completed, ")
_FRAME = re.compile(r"^\tat |^\t\.\.\. \d+ more")
_FRAMES = 2  # kept of a stack trace: what is recognised stands above them
_END_S = 6


def record(case: Case, cooja: str, folder: Path) -> dict:
    place = find.find(cooja)
    said = classes.read(place.jar)
    made, _ = stage(case, folder / "0")
    executable = os.environ["OLD_JAVA"] if case.old_java else str(java.find(said).executable)
    call = command.command(
        place, executable, said, case.heap, [f"0/{made.folder.name}/{SIMULATION},logdir=0"]
    )
    with open(folder / "console", "wb") as console:
        process = subprocess.Popen(
            call, cwd=folder, stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT
        )
        if case.end:
            time.sleep(_END_S)
            process.kill()
        status = process.wait()
    log = folder / "0" / "COOJA.testlog"

    def plain(path: Path) -> list[str]:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        lines = [line for line in lines if not _PROGRESS.search(line)]
        lines = [
            line
            for number, line in enumerate(lines)
            if not all(_FRAME.match(other) for other in lines[max(0, number - _FRAMES) : number + 1])
        ]
        return [
            line.replace(f".tmp-{os.getpid()}-cooja", ".tmp-1-cooja")
            .replace(str(folder), "WORK")
            .replace(str(place.folder), "COOJA")
            for line in lines
        ]

    report = folder / command.CRASH_REPORT
    return {
        "status": status if status >= 0 else 128 - status,
        "console": plain(folder / "console"),
        "log": log.read_text(encoding="utf-8") if log.exists() else None,
        **({"report": _frames(plain(report))} if report.exists() else {}),
    }


def _frames(report: list[str]) -> list[str]:
    """What is looked at of a crash report, without what it says of the machine."""
    head = next(number for number, line in enumerate(report) if line.startswith("# Problematic frame")) + 2
    native, java = (
        next((number for number, line in enumerate(report) if line.startswith(name)), len(report))
        for name in ("Native frames", "Java frames")
    )
    return [*report[:head], *report[native:java][:9], *report[java:][:16]]


def main() -> int:
    rules, cooja, *names = sys.argv[1:]
    target = HERE / "recorded" / rules
    target.mkdir(parents=True, exist_ok=True)
    for name in names or CASES:
        with tempfile.TemporaryDirectory() as folder:
            found = record(CASES[name], cooja, Path(folder))
        (target / f"{name}.json").write_text(
            json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        print(
            f"{name}: status {found['status']}, {len(found['console'])} lines, log {found['log'] is not None}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
