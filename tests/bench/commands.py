# SPDX-License-Identifier: Apache-2.0
"""How soon the command line and the Spark session answer: the best of a few whole processes."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.row import Row

# The session alone; interpreter and imports are not counted, as a command has them anyway.
SESSION = """
import time
from orchestrate_spark.session import session
started = time.monotonic()
session().range(1).count()
print(time.monotonic() - started)
"""


def best(times: int, command: list[str]) -> float:
    seconds = []
    for _ in range(times):
        started = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.monotonic() - started)
    return min(seconds)


def rows(folder: Path, seeds: str) -> Iterator[Row]:
    yield Row("orchestrate --help", best(5, [sys.executable, "-m", "orchestrator.cli.app", "--help"]), "s", 0.3)
    sessions = [
        float(subprocess.run([sys.executable, "-c", SESSION], check=True, capture_output=True, text=True).stdout)
        for _ in range(4)  # the first one writes the archive of classes
    ]
    yield Row("Spark session and its first job, the first time", sessions[0], "s")
    yield Row("Spark session and its first job, from then on (best)", min(sessions[1:]), "s", 4.0)
