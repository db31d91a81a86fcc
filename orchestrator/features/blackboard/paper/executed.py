# SPDX-License-Identifier: Apache-2.0
"""The test case's threads executed on an emulated Tmote Sky, as a check of the CPU times that are assumed."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from orchestrator.console import say
from orchestrator.engines.embedded import profiled
from orchestrator.engines.embedded.executed import HZ, PROCESSOR
from orchestrator.errors import MissingTool
from orchestrator.features.blackboard.paper.definitions import data
from orchestrator.papers.result import Found
from orchestrator.papers.simulated import job
from orchestrator.report.model import Entry, Section, Table, paragraph
from orchestrator.report.statistics import number
from orchestrator.scenario.load import loads

FILE = "executed.yaml"
ASSUMED_MS = 0.5  # of each run, decided before any result was seen
THREADS = ("publisher", "blackboard", "subscriber1", "subscriber2")
BLACKBOARD, SWITCHING, TIME, ARITHMETIC, CONTIKI, REST = (
    "Blackboard",
    "Threads: scheduler, switches, semaphores, deadlines",
    "Clock and timers",
    "Arithmetic, copying of memory",
    "Contiki's processes and main loop",
    "Application and measurement",
)
# The first that fits says a file's part.
_PARTS = (
    ("middleware/blackboard-log/", REST),
    ("middleware/blackboard", BLACKBOARD),
    ("middleware/threads/thread-log", REST),
    ("middleware/threads/thread-contiki", TIME),
    ("middleware/threads/", SWITCHING),
    ("os/sky/clock", TIME),
    ("os/sys/rtimer", TIME),
    ("os/sys/etimer", TIME),
    ("os/sys/ctimer", TIME),
    ("os/sky/arithmetic", ARITHMETIC),
    ("os/sky/multiplier", ARITHMETIC),
    ("os/sky/memory", ARITHMETIC),
    (profiled.LIBC, ARITHMETIC),
    ("os/sys/process", CONTIKI),
    ("os/sky/main", CONTIKI),
)
_NOTE = (
    f"Executed: {PROCESSOR}, with both subscribers' deadlines, no extra work, and no CPU that a thread only "
    "uses up. A thread's time is from its switch to the next one's, so that it has the scheduler's work for "
    "it, and interrupts that come meanwhile. The paper's Mica2Dot has another processor."
)


@dataclass(frozen=True)
class Executed:
    """Of a run: each thread's CPU (us) and how often it ran; notifications' delays; cycles by part."""

    threads: Mapping[str, tuple[int, int]]
    delays: Mapping[str, tuple[float, int]]  # mean and most, us
    publications: int
    parts: Mapping[str, int]


@cache
def measured() -> Executed | None:
    """Run the scenario; None, and says why, where a tool is missing."""
    (cell,) = loads(data.text(FILE), FILE).cells
    try:
        with tempfile.TemporaryDirectory(prefix="orchestrate-executed-") as folder:
            run = job(cell, Path(folder))
            cycles = profiled.cycles(run)
            lines = run.log.read_text(encoding="utf-8", errors="replace").splitlines()
    except MissingTool as missing:
        say(str(missing))
        return None
    parts: Counter[str] = Counter()
    for file, count in cycles.items():
        parts[next((part for start, part in _PARTS if file.startswith(start)), REST)] += count
    records = [line.split("\t!", 1)[1].split(",") for line in lines if "\tID:1\t!" in line]
    threads = {words[1]: (int(words[3]), int(words[4])) for words in records if words[0] == "thr"}
    counters = {words[1]: int(words[2]) for words in records if words[0] == "cnt"}
    delays = {
        words[3]: (int(words[7]) / int(words[5]), int(words[8])) for words in records if words[0] == "nts"
    }
    return Executed(threads, delays, counters["blackboard_publications"], parts)


def tables(results: Found) -> list[Table]:
    """Return the tables, if the tools are here."""
    found = measured()
    if found is None:
        return []
    rows = []
    for name in THREADS:
        cpu, runs = found.threads[name]
        mean, most = found.delays.get(name, (None, None))
        told = "–" if mean is None else f"{number(mean / 1000, 1)} ms, at most {number(most / 1000, 1)} ms"
        rows.append(
            (
                Entry(name),
                Entry(f"{ASSUMED_MS:g} ms", number=True),
                Entry(f"{number(cpu / runs / 1000, 2)} ms", number=True),
                Entry(f"{runs:,}", number=True),
                Entry(told, number=True),
            )
        )
    columns = ("Thread", "Assumed for a run", "Executed", "Runs", "Notified after the publication")
    threads = Table("The test case's threads on a Tmote Sky", columns, tuple(rows), note=_NOTE)
    whole = sum(found.parts.values())
    parts = tuple(
        (
            Entry(part),
            Entry(f"{number(1000 * count / HZ / found.publications, 2)} ms", number=True),
            Entry(f"{number(100 * count / whole, 0)} %", number=True),
        )
        for part, count in sorted(found.parts.items(), key=lambda item: -item[1])
    )
    note = "All cycles of the run in which the processor was awake, boot and output at its end included."
    return [
        threads,
        Table("Where the processor's time goes", ("Part", "For a publication", "Share"), parts, note=note),
    ]


def sections(results: Found) -> list[Section]:
    """Return the result's part of the page."""
    title, short = "The assumed CPU times, executed", "Executed"
    found = measured()
    if found is None:
        why = "clang, lld or llvm-addr2line is missing here, so that nothing was executed."
        return [Section("executed", title, (paragraph(why, "warning"),), short)]
    cpu, runs = found.threads["blackboard"]
    ms = cpu / runs / 1000
    text = (
        f"Our runs assume {ASSUMED_MS:g} ms of CPU for each run of a thread. On a Tmote Sky, our blackboard "
        f"takes {number(ms, 2)} ms to find and notify the two subscribers, "
        + ("no more than that. " if ms <= ASSUMED_MS else f"{number(ms / ASSUMED_MS, 1)} times as long. ")
        + "What else our results say of times in ms holds for the assumed times, not for this processor and "
        "this code."
    )
    return [Section("executed", title, (paragraph(text), *tables(results)), short)]
