# SPDX-License-Identifier: Apache-2.0
"""Reads the activity of one mote's threads in a traced run: their runs, publications and notifications.

These are the log's records `sch`, `bpb` and `ntf` (spark/README.md). Times are microseconds of simulated
time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.errors import NoSuchThing, OrchestrateError
from orchestrator.words import did_you_mean

if TYPE_CHECKING:
    import pyarrow as pa

IDLE = "idle"
SWITCHES = 40  # about so many are in a window of the default length
SHORTEST = 1000  # us, the least default length of a window
TABLES = ("runs", "motes", "phases", "threads", "execution")


@dataclass(frozen=True)
class Span:
    """A thread ran from `begin_us` to `end_us` without interruption.

    `why` it stopped; "" if the log ended.
    """

    thread: str
    begin_us: int
    end_us: int
    why: str

    @property
    def us(self) -> int:
        """Its duration."""
        return self.end_us - self.begin_us


@dataclass(frozen=True)
class Publication:
    """A publisher's `value` was written to the board while `thread` ran.

    That is the blackboard's thread if the publisher asked it to write the value.
    """

    time_us: int
    thread: str
    event: int
    value: int


@dataclass(frozen=True)
class Notification:
    """A subscriber's `thread` got its notification, `delay_us` after the publication.

    `deadline_us`: 0 for none.
    """

    time_us: int
    thread: str
    event: int
    subscriber: int
    delay_us: int
    deadline_us: int

    @property
    def missed(self) -> bool:
        """Whether it came after its deadline."""
        return 0 < self.deadline_us < self.delay_us

    @property
    def due_us(self) -> int | None:
        """The time of its deadline."""
        return self.time_us - self.delay_us + self.deadline_us if self.deadline_us > 0 else None


@dataclass(frozen=True)
class Execution:
    """The activity of one mote's threads.

    `threads`: in the order in which the mote listed them, or in which they first ran; the idle one is last.
    `measured_us`: when the measured time begins; if the log doesn't say, the first switch. `others`: names of
    the other motes with threads.
    """

    mote: str
    threads: tuple[str, ...]
    spans: tuple[Span, ...]
    publications: tuple[Publication, ...]
    notifications: tuple[Notification, ...]
    measured_us: int
    others: tuple[str, ...] = ()

    @property
    def published_us(self) -> tuple[int, ...]:
        """When the values were published for which there are notifications.

        This is earlier than they were written to the board if the blackboard's thread wrote them.
        """
        return tuple(
            sorted({notification.time_us - notification.delay_us for notification in self.notifications})
        )

    def window(self, switches: int = SWITCHES) -> tuple[int, int]:
        """Choose a window with about so many switches: its start and its length, a round number.

        It is at the beginning of the measured time or, if nobody is notified there, around the first
        notification.
        """
        begins = [span.begin_us for span in self.spans if span.begin_us >= self.measured_us] or [
            self.spans[-1].begin_us
        ]
        at = 0
        if len(begins) > switches:
            from_us = min(
                (
                    notification.time_us
                    for notification in self.notifications
                    if notification.time_us >= begins[0]
                ),
                default=0,
            )
            if from_us >= begins[switches]:
                at = min(bisect_left(begins, from_us) - switches // 2, len(begins) - switches - 1)
        first = begins[at]
        until = begins[at + switches] if len(begins) > at + switches else max(self.spans[-1].end_us, first)
        length = _round(max(until - first, SHORTEST))
        step = 10 ** (len(str(length)) - 2)  # so that the axis begins at a round time
        return first // step * step, length


def read(run_folder: Path, mote: str | int | None = None) -> Execution:
    """Read the execution of a mote from a run folder or a log.

    `mote`: its name or id (default: the one with the most switches).
    Raises NoSuchThing if the run has no switches in its trace, or no such mote.
    """
    from orchestrate_spark.load import load

    try:
        tables = load(run_folder, as_="arrow", tables=TABLES)
    except OrchestrateError as error:
        raise NoSuchThing(str(error)) from error
    return of_tables(tables, mote)


def of_tables(tables: dict[str, pa.Table], mote: str | int | None = None) -> Execution:
    """Do the same as `read` with the tables (TABLES) of a run."""
    rows = tables["execution"].sort_by("time_us").to_pylist()  # those of the same time stay in order
    counts = Counter(row["mote"] for row in rows if row["kind"] == "sch")
    run = tables["runs"].to_pylist()[0]
    if not counts:
        raise NoSuchThing(
            f"no threads are logged in run {run['run_id'][:12]}\n"
            "    an application with threads prints their switches where its scenario says `trace: true`"
        )
    names = {row["mote"]: row["name"] for row in tables["motes"].to_pylist()}
    most = sorted(counts, key=lambda number: (-counts[number], number))
    of = {names.get(number) or f"mote {number}": number for number in most}
    chosen = most[0] if mote is None else of.get(str(mote), int(mote) if str(mote).isdecimal() else None)
    if chosen not in of.values():
        raise NoSuchThing(f"no mote {mote!r} with threads in this run; {did_you_mean(mote, of)}")
    mine = [row for row in rows if row["mote"] == chosen]
    spans = _spans(mine, max(rows[-1]["time_us"], run["ended_us"] or run["sim_us"] or 0))
    begins = [row["time_us"] for row in tables["phases"].to_pylist() if row["phase"] == "start"]
    order = [row["name"] for row in tables["threads"].to_pylist() if row["mote"] == chosen]
    columns = ("time_us", "thread", "event", "subscriber", "delay_us", "deadline_us")
    return Execution(
        next(name for name, number in of.items() if number == chosen),
        _order([*order, *(span.thread for span in spans)]),
        spans,
        _publications(mine),
        tuple(Notification(*(row[name] for name in columns)) for row in mine if row["kind"] == "ntf"),
        min(begins, default=spans[0].begin_us),
        tuple(name for name, number in of.items() if number != chosen),
    )


def _spans(records: Sequence[dict[str, Any]], end: int) -> tuple[Span, ...]:
    """Return the spans between switches; each switch says why the span before it ended."""
    rows = [(row["time_us"], row["thread"], row["why"]) for row in records if row["kind"] == "sch"]
    following = [(time, why) for time, _, why in rows[1:]] + [(end, "")]
    return tuple(
        Span(thread, begin, stop, why)
        for (begin, thread, _), (stop, why) in zip(rows, following, strict=True)
    )


def _publications(records: Sequence[dict[str, Any]]) -> tuple[Publication, ...]:
    """Return the publications, each with the thread of the last switch before it.

    Lines with the same time are in the order of the log.
    """
    running, publications = IDLE, []
    for row in records:
        if row["kind"] == "sch":
            running = row["thread"]
        elif row["kind"] == "bpb":
            publications.append(Publication(row["time_us"], running, row["event"], row["value"]))
    return tuple(publications)


def _order(names: Sequence[str]) -> tuple[str, ...]:
    ordered = dict.fromkeys(names)
    return (*(name for name in ordered if name != IDLE), *([IDLE] if IDLE in ordered else []))


def _round(length: int) -> int:
    """Round a length of at least 10 down to one of 10, 15, 20, 30, 50, 75, 100, 150 ..."""
    power = 10 ** (len(str(length)) - 2)
    return max(step * power for step in (10, 15, 20, 30, 50, 75) if step * power <= length)
