# SPDX-License-Identifier: Apache-2.0
"""Section 5.3 in real time: the scenarios as processes on this machine, their misses and the causes.

They have its real-time priorities where these are allowed.
"""

from __future__ import annotations

from functools import cache

from orchestrator.console import say
from orchestrator.features.distribution import real_time
from orchestrator.features.distribution.paper.systems import SCENARIOS, analysed, system
from orchestrator.features.distribution.real_time import RealTime
from orchestrator.features.distribution.run_time import tables_of
from orchestrator.papers.check import FAILS, HOLDS, Check, checks_table
from orchestrator.papers.result import Found
from orchestrator.report.model import Entry, Section, Table, paragraph

# Ten minutes of the first scenario, 100 periods of the data source of the others.
SECONDS = {"scenario-1.yaml": 600, "scenario-2.yaml": 10, "scenario-3.yaml": 10, "scenario-4.yaml": 50}
STARTUP_US = 1_000_000
_SHORTEST, _SEED = 0.5, 1


@cache
def ran(name: str) -> RealTime:
    """Run a scenario, once."""
    say(f"scenario {SCENARIOS[name]}, in real time: {SECONDS[name]} s")
    return real_time.run(
        tables_of(system(name), analysed(name).tasks), SECONDS[name] * 1_000_000, _SHORTEST, _SEED
    )


def _row(name: str, title: str) -> tuple[Entry, ...]:
    result = ran(name)
    causes = result.causes(job for job in result.jobs if job["release"] >= STARTUP_US)
    early = result.causes(job for job in result.jobs if job["release"] < STARTUP_US)
    late = sum(causes.values())
    by = ", ".join(f"{cause} {count}" for cause, count in causes.items() if count)
    outdated = sum(age["age"] > age["validity"] for age in result.ages)
    return (
        Entry(title, f"{SECONDS[name]} s"),
        Entry("no" if result.refused else "yes", result.refused),
        _count(len(result.jobs)),
        _count(sum(early.values())),
        _count(late, by, "bad" if late else "good"),
        _count(len(result.ages)),
        _count(outdated, tone="bad" if outdated else "good"),
        _count(result.clock_steps),
    )


def tables(results: Found) -> list[Table]:
    """Return what each scenario missed, by cause."""
    rows = [_row(name, title) for name, title in SCENARIOS.items()]
    columns = (
        "Scenario",
        "Real-time priorities",
        "Jobs",
        "Missed in the first second",
        "Missed later",
        "Values used",
        "Outdated",
        "Clock steps",
    )
    return [
        Table(
            "The scenarios in real time",
            columns,
            tuple(rows),
            note="Each task is a process of this machine. A missed deadline has as its cause what took the "
            "longest beyond the executions of its path: the host, which ran something else, the network or "
            "our own code. What else the machine did plays a part.",
            cards=False,
        )
    ]


def checks(results: Found) -> list[Check]:
    """Test the paper's statements about its tests in real time."""
    late = sum(
        job["release"] >= STARTUP_US and bool(job["cause"]) for name in SCENARIOS for job in ran(name).jobs
    )
    old = sum(age["age"] > age["validity"] for name in SCENARIOS for age in ran(name).ages)
    jobs, ages = (sum(len(getattr(ran(name), kind)) for name in SCENARIOS) for kind in ("jobs", "ages"))
    return [
        Check(
            "real-time-deadlines",
            "All deadlines are met after the first few periods, in real time",
            "5.3",
            FAILS if late else HOLDS,
            f"{late:,} of {jobs:,} jobs were late after the first second",
        ),
        Check(
            "real-time-ages",
            "All targets read temporally consistent data, in real time",
            "5.3",
            FAILS if old else HOLDS,
            f"{old:,} of {ages:,} values were outdated",
        ),
    ]


def sections(results: Found) -> list[Section]:
    """Return the section of the paper's page."""
    text = paragraph(
        "This host is no real-time system: SCHED_FIFO orders what it runs, and doesn't keep it from "
        "being stopped itself, as a virtual machine is."
    )
    blocks = (text, *tables(results), checks_table(checks(results), "What the paper says of its tests"))
    return [Section("real-time", "In real time", blocks, "Real time")]


def _count(value: int, detail: str = "", tone: str = "") -> Entry:
    return Entry(f"{value:,}", detail, tone, number=True)
