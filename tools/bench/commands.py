# SPDX-License-Identifier: Apache-2.0
"""How soon the command line and the Spark session answer: the best of a few whole processes."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from orchestrator.build import sources
from orchestrator.csc.model import EndScript
from orchestrator.csc.write import write
from tools.bench import stock
from tools.bench.row import Row

# The session alone; interpreter and imports are not counted, as a command has them anyway.
SESSION = """
import sys, time
from orchestrate_spark.engines import Sessions
started = time.monotonic()
Sessions(sys.argv[1])().range(1).count()
print(time.monotonic() - started)
"""


def best(times: int, command: list[str]) -> float:
    seconds = []
    for _ in range(times):
        started = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds.append(time.monotonic() - started)
    return min(seconds)


def _small(folder: Path) -> Path:
    """A .csc of an application of ours, built."""
    file = folder / "small.csc"
    source = sources.application_folder("hello-nullnet") / "hello-nullnet.c"
    file.write_bytes(write(replace(stock.grid(10, source), script=EndScript(60_000_000, None, None, True))))
    subprocess.run(
        [sys.executable, "-m", "orchestrator.cli.app", "simulate", file, f"--logdir={folder}"],
        check=True,
        capture_output=True,
    )
    return file


def rows(folder: Path, seeds: str) -> Iterator[Row]:
    python = best(5, [sys.executable, "-c", "pass"])
    for name, arguments in (
        ("orchestrate --help", ["--help"]),
        ("orchestrate simulate --help", ["simulate", "--help"]),
        ("orchestrate simulate, 10 motes, 60 s", ["simulate", str(_small(folder)), f"--logdir={folder}"]),
    ):
        yield Row(
            f"{name}, beyond Python's start",
            best(5, [sys.executable, "-m", "orchestrator.cli.app", *arguments]) - python,
            "s",
            0.15,
        )
    for name, master, limit in (("the embedded engine", "embedded", 1.0), ("Apache Spark", "local[*]", None)):
        command = [sys.executable, "-c", SESSION, master]
        told = [subprocess.run(command, check=True, capture_output=True, text=True) for _ in range(3)]
        yield Row(
            f"session of {name} and its first job (best)", min(float(one.stdout) for one in told), "s", limit
        )
