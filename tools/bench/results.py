# SPDX-License-Identifier: Apache-2.0
"""How soon results are there after the last run, what that takes of memory, and of the disk to install.

Whole processes, each row the median of several in turn, with compiled Python files as an installation has
them. "From the last run's end" is what the pipeline says of ingestion, metrics and report. Memory is the sum
over the command and all processes that it starts of what each has for itself (PSS), looked at 50 times a
second.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from tools.bench.row import Row

SCENARIO = """
experiment: chain
topology: {shape: chain, publishers: 3, spacing: 5 m}
radio: {medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: 95 %}
application: {name: aggregation, rate: high}
duration: 1 min
seeds: 1..SEEDS
matrix:
  topology.publishers: [3, 5]
  application.aggregate: [false, true]
"""
PIPELINE = """
import json, sys, time
from pathlib import Path
from orchestrator.execution import pipeline
from orchestrator.scenario.load import load
began = time.monotonic()
done = pipeline.run(load(Path(sys.argv[1])), Path(sys.argv[2]))
print(json.dumps(done.seconds))
"""
DEMO = ["-m", "orchestrator.cli.app", "paper", "aggregation"]  # what `make demo` does after its set-up
TIMES = 5
MB = 1 << 20
LOOK_S = 0.02


def rows(folder: Path, seeds: str) -> Iterator[Row]:
    three, four = folder / "three.yaml", folder / "four.yaml"
    three.write_text(SCENARIO.replace("SEEDS", "3"))
    four.write_text(SCENARIO.replace("SEEDS", "4"))
    after, more, nothing, peaks = [], [], [], []
    for turn in range(TIMES + 1):  # the first one builds the firmware
        store = folder / f"store-{turn}"
        told, peak = _run([sys.executable, "-c", PIPELINE, str(three), str(store)])
        seconds = json.loads(told.splitlines()[-1])
        command = [sys.executable, "-m", "orchestrator.cli.app", "run", "--store", str(store)]
        times = []
        for scenario in (four, four):
            began = time.monotonic()
            _run([*command, str(scenario)])
            times.append(time.monotonic() - began)
        if turn:
            after.append(sum(seconds[step] for step in ("ingest", "metrics", "report")))
            more.append(times[0])
            nothing.append(times[1])
            peaks.append(peak)
    yield Row("12 runs of a chain, from the last run's end to the report", statistics.median(after), "s", 2.5)
    yield Row("  the same command with one more seed (4 runs)", statistics.median(more), "s", 3.0)
    yield Row("  the same command with nothing to do", statistics.median(nothing), "s", 0.5)
    yield Row("  peak memory of the first one, all processes", statistics.median(peaks), "MB", 500.0)
    began = time.monotonic()
    _run([sys.executable, *DEMO, "--store", str(folder / "demo")])
    yield Row(
        "the aggregation paper, from scenarios to report (make demo)", time.monotonic() - began, "s", 60.0
    )
    yield Row("installed, without Apache Spark", installed(frozenset()), "MB", 700.0)
    yield Row("installed, with Apache Spark and a Java", installed(frozenset({"spark"})), "MB", 1200.0)


def _run(command: list[str]) -> tuple[str, float]:
    """Return what a command prints, and the peak of the memory in MB of it and of what it starts."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    over, peak = threading.Event(), [0]

    def look() -> None:
        while not over.wait(LOOK_S):
            peak[0] = max(peak[0], sum(map(_memory, _family(process.pid))))

    watch = threading.Thread(target=look)
    watch.start()
    out, err = process.communicate()
    over.set()
    watch.join()
    assert process.returncode == 0, err
    return out, peak[0] / MB


def _family(pid: int) -> list[int]:
    """Return a process and all that it has started, as far as they are there."""
    found = [pid]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found += map(int, task.read_text().split())
            except OSError:  # it has ended
                continue
    return found


def _memory(pid: int) -> int:
    """Return a process's memory in bytes; pages that several share count in parts (PSS)."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has ended
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def installed(extras: frozenset[str]) -> float:
    """Return the size in MB of all packages that this one needs with these extras; no file counts twice."""
    names, todo = set(), [("cooja-orchestrate", extras)]
    files: dict[str, int] = {}
    while todo:
        name, wanted = todo.pop()
        if (name, wanted) in names:
            continue
        names.add((name, wanted))
        found = metadata.distribution(name)
        if name != "cooja-orchestrate":
            for file in found.files or ():
                path = str(file.locate())
                if os.path.isfile(path):
                    files[path] = os.path.getsize(path)
        for requirement in found.requires or ():
            spec, _, marker = requirement.partition(";")
            extra = re.search(r"extra == ['\"]([\w-]+)['\"]", marker)
            if extra and extra[1] not in wanted:
                continue
            other = re.match(r"\s*([A-Za-z0-9_.-]+)\s*(?:\[([^]]*)\])?", spec)
            own_extras = frozenset(part.strip() for part in (other[2] or "").split(",") if part.strip())
            try:
                metadata.distribution(other[1])
            except metadata.PackageNotFoundError:  # of another platform or Python
                continue
            todo.append((other[1], own_extras))
    return sum(files.values()) / MB
