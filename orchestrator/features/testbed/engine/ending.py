# SPDX-License-Identifier: Apache-2.0
"""Ends a run: merges one log of all motes, and judges it.

A run that lacks a mote or a part of the log has no verdict, because what a dead mote didn't receive was not
lost by radio.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrate_spark.end_records import unfinished
from orchestrate_testbed.merge import MoteLines

from orchestrator.engines.log import why_failed
from orchestrator.features.testbed.engine.unfinished import Record
from orchestrator.features.testbed.engine.verdict import judge, write
from orchestrator.features.testbed.engine.watching import Watch
from orchestrator.runs.model import OnTestbed, Outcome, PlacedMote, RunResult

# Of the end: 1.2 kB of counters take 0.1 s at 115,200 bit/s, 1.3 s at 9,600; a simulated mote prints at once.
LATE_US = 5_000_000


def epoch_of(record: Record) -> int:
    """Return time 0 of a run by our monotonic clock."""
    assert record.epoch_us is not None
    return record.epoch_us + record.shift_us()


def late_of(record: Record) -> int:
    """Return by how much the line that decides a run may be late, in us."""
    assert record.epoch_us is not None
    return LATE_US + max(0, record.last_us - record.epoch_us)


@dataclass(frozen=True)
class Course:
    """The course of a run, as its controller saw it.

    `reached_us`: how far it got. `missing`: sentences about the run itself. `stopped`: whether somebody
    wanted it to end. `last_words`: what services said at the end (EventService).
    """

    reached_us: int
    wall_s: float
    missing: Iterable[str] = ()
    stopped: bool = False
    last_words: Callable[[Path, int], Iterable[tuple[int, str]]] = lambda merged, end_us: ()


def ended(
    record: Record,
    watch: Watch,
    folder: Path,
    log: Path,
    course: Course,
) -> RunResult:
    """Merge what was fetched, write the run's log and judge it."""
    merged = folder / "merged"
    lines_by_mote = watch.merge(epoch_of(record), merged)
    late_us = late_of(record)
    verdict = judge(record.ends, merged, course.reached_us, late_us, watch.own_clock_error_us())
    lines = write(merged, log, record.seed, verdict, course.last_words(merged, verdict.end_us))
    dead = _dead(record, watch, lines_by_mote)
    if verdict.outcome is Outcome.OK or course.reached_us >= record.ends.timeout_us:
        dead += _unfinished(
            record, watch, log, {number for number, lines in lines_by_mote.items() if lines.lines}
        )
    lacks = (*course.missing, *_incomplete(watch, lines_by_mote))
    outcome = verdict.outcome
    if course.stopped:
        outcome, evidence = Outcome.LOST, ()
    elif dead:
        outcome, evidence = Outcome.TESTBED, (*dead, *_why(record, outcome, log))
    elif lacks:
        outcome, evidence = Outcome.TRUNCATED, lacks
    else:
        evidence = _why(record, outcome, log)
    notes = [note for watched in watch.gateways.values() for note in watched.listener.notes()]
    used = OnTestbed(
        record.lab,
        record.layout,
        tuple(PlacedMote(*part) for part in sorted(record.parts)),
        watch.clock_error_us(),
        record.last_us - record.first_us,
        record.replaced,
        (*dead, *lacks),
        tuple(notes),
        record.tools,
    )
    return RunResult(outcome, verdict.end_us, course.wall_s, lines, 0, evidence, used)


def _why(record: Record, verdict: Outcome, log: Path) -> tuple[str, ...]:
    """Return the lines of the log behind a failed verdict."""
    return () if verdict is Outcome.OK else why_failed(record.ends, log)


def _known(record: Record, watch: Watch) -> list[tuple[int, str, str]]:
    """Return number, name and gateway of the motes whose logs are here to the end."""
    whole = {
        number
        for watched in watch.gateways.values()
        if watched.complete and not watched.emptied
        for number in watched.motes
    }
    return [(number, name, gateway) for number, name, gateway, _ in sorted(record.parts) if number in whole]


def _unfinished(record: Record, watch: Watch, log: Path, spoke: Collection[int]) -> list[str]:
    """Return sentences about motes that spoke and didn't live through the run."""
    motes = {number: (name, gateway) for number, name, gateway in _known(record, watch) if number in spoke}
    return [
        f"{motes[mote.mote][0]} ({motes[mote.mote][1]}), mote {mote.mote} of the run, {mote.why}."
        for mote in unfinished(log, motes)
    ]


def _dead(record: Record, watch: Watch, lines_by_mote: Mapping[int, MoteLines]) -> list[str]:
    """Return sentences about motes of which nothing shows that they were alive to the end."""
    silent: dict[str, list[tuple[int, str]]] = {}
    gone = []
    for number, name, gateway in _known(record, watch):
        lines = lines_by_mote.get(number)
        if lines is None or lines.lines == 0:
            silent.setdefault(gateway, []).append((number, name))
        elif any(gap.until_us is None for gap in lines.gaps):
            gone.append(f"{name} ({gateway}), mote {number} of the run, was gone at the end.")
    return [_silent(gateway, motes) for gateway, motes in silent.items()] + gone


def _silent(gateway: str, motes: list[tuple[int, str]]) -> str:
    """Return one sentence for all silent motes of a gateway: a run that ends early has many."""
    names = ", ".join(name for _, name in motes)
    numbers = ", ".join(str(number) for number, _ in motes)
    several, alive = ("s", "they were") if len(motes) > 1 else ("", "it was")
    return (
        f"{names} ({gateway}), mote{several} {numbers} of the run, said nothing, so that nothing shows that "
        f"{alive} alive."
    )


def _incomplete(watch: Watch, lines_by_mote: Mapping[int, MoteLines]) -> list[str]:
    faults = []
    for watched in watch.gateways.values():
        if not watched.complete:
            why = watched.errors[-1].split("\n")[0] if watched.errors else "it did not answer"
            faults.append(
                f"{watched.place.gateway.name} was silent when the run was over, so the end of its motes' "
                f"logs is still there (run {watch.run}; the same command fetches it, and "
                f"`orchestrate testbed collect --remove` gives it up): {why}"
            )
        faults += watched.lacks
    for lines in (*lines_by_mote.values(), *watch.said_by_services):
        faults += lines.missing()
    return faults
