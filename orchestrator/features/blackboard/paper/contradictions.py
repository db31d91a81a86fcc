# SPDX-License-Identifier: Apache-2.0
"""The paper's contradictions (contradictions.yaml): the readings of each, with its numbers and ours."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from orchestrator.features.blackboard.paper import figure_2, figure_7, measured, storage, test_case
from orchestrator.features.blackboard.paper.definitions import (
    CONCEPTS,
    data,
    frames,
    frames_with_forwarding,
    mixed,
)
from orchestrator.features.blackboard.paper.measured import EVERY
from orchestrator.features.blackboard.paper.notifications import SUBSCRIBER_2, Delays, published, sweep
from orchestrator.papers.result import Found
from orchestrator.report.model import Contradiction, Entry, Reading, Section, Table
from orchestrator.report.statistics import number
from orchestrator.resources import contiki_apps

NOT = "not measured"


def contradictions(results: Found) -> list[Contradiction]:
    """Return the contradictions in the file's order."""
    return [
        Contradiction(
            entry["title"],
            entry["where"],
            tuple(_reading(reading, results) for reading in entry["readings"]),
            entry["why"],
        )
        for entry in data.load("contradictions.yaml")
    ]


def _reading(reading: dict[str, Any], results: Found) -> Reading:
    lines = [f"Paper: {line}" for line in reading.get("paper", ())]
    lines += [f"Ours: {OURS[name](results)}" for name in reading.get("ours", ())]
    return Reading(reading["text"], tuple(lines), bool(reading.get("held")))


def tables(results: Found) -> list[Table]:
    """Return a table with a row for each reading, for the terminal."""
    rows = []
    for contradiction in contradictions(results):
        for place, reading in enumerate(contradiction.readings):
            rows.append(
                (
                    Entry(contradiction.title if place == 0 else ""),
                    Entry(("held: " if reading.held else "") + reading.text),
                    Entry("\n".join(reading.numbers)),
                )
            )
    return [Table("Where the paper can be read in two ways", ("What", "Reading", "Numbers"), tuple(rows))]


def sections(results: Found) -> list[Section]:
    """Return the sections of the paper's page."""
    return [
        Section(
            "readings",
            "Where the paper can be read in two ways",
            tuple(contradictions(results)),
            "Two readings",
        )
    ]


def _on_each(amount: Callable, added: str = "") -> str:
    """Write an amount for each machine whose compiler is here."""
    sizes = {machine.title: storage.bytes_of(machine.name) for machine in EVERY}
    return (
        "; ".join(f"{amount(there)} on {title}{added}" for title, there in sizes.items() if there is not None)
        or NOT
    )


def _bytes_35(results: Found) -> str:
    """Write the storage of the example's 35 events with six subscribers and one value."""
    events = int(data.load("published.yaml")["example"]["events"])
    return _on_each(
        lambda there: (
            f"{number(events * measured.an_event(there, 'mixed', 6) + measured.once(there, 'mixed', 6), 0)} "
            "bytes"
        )
    )


def _frames_12(results: Found) -> str:
    chosen = storage.drawn()
    if chosen is None:
        return NOT
    ours = measured.an_event(storage.bytes_of(chosen.name), "mixed", 12)
    return (
        f"{number(8 * ours, 0)} bits for 12 subscribers, compiled; definition 3: {mixed(frames(12))} with "
        f"{frames(12)} frames, by section 3: {mixed(frames_with_forwarding(12))} with "
        f"{frames_with_forwarding(12)}"
    )


def _configured(header: str, name: str, words: str) -> str:
    """Write a number that a header of the middleware has by default."""
    text = (contiki_apps() / "middleware" / header).read_text(encoding="utf-8")
    size = re.search(rf"#define {name} (\d+)", text)
    return f"{size[1]} {words}" if size else NOT


def _thread_table(results: Found) -> str:
    words = "by default, including the blackboard's thread but not the idle thread"
    return _configured("threads/threads-conf.h", "THREADS_MAX", words)


def _queue(results: Found) -> str:
    words = "requests wait by default; the next one is refused at once"
    return _configured("blackboard/blackboard-conf.h", "BLACKBOARD_QUEUE", words)


def _order(results: Found) -> str:
    """Write how many publications subscriber 1 took before subscriber 2, of those that both took."""
    first, both = test_case.order(test_case.runs(results, test_case.CELL))
    text = f"{first} of {both} publications were taken by subscriber 1 (10 ms) before subscriber 2"
    return text if both else NOT


def _beyond(words: Callable[[Delays], str]) -> Callable[[Found], str]:
    """Return what words say of the notifications with more extra work than a slice."""

    def describe(results: Found) -> str:
        ours = sweep(results.get(figure_7.EXPERIMENT))
        most = figure_7.MOST
        beyond = ours.pooled(figure_7.MAIN, int(published("slice-ms")) + 1, most) if ours else None
        return NOT if beyond is None else words(beyond)

    return describe


def _level_mean(beyond: Delays) -> str:
    return f"mean {number(beyond.mean, 2)} ms over extra work of 21 to 40 ms, {beyond.n} notifications"


def _level_misses(beyond: Delays) -> str:
    level = published("level-ms")
    return f"{number(100 * beyond.later_than(level) / beyond.n, 1)} % of them later than {level:g} ms"


def _level_greatest(beyond: Delays) -> str:
    return f"the latest after {number(beyond.high, 2)} ms"


def _misses(ms: int) -> Callable[[Found], str]:
    """Return what writes how many notifications miss a deadline of `ms`."""

    def words(results: Found) -> str:
        ours = sweep(results.get(figure_7.EXPERIMENT))
        of = {} if ours is None else ours.of(figure_7.MAIN)
        if not of:
            return NOT
        return (
            f"deadline {ms} ms: {sum(d.later_than(ms) for d in of.values())} of "
            f"{sum(d.n for d in of.values())} missed"
        )

    return words


def _period(results: Found) -> str:
    periods = [
        period for run in test_case.runs(results, test_case.CELL) for period in test_case.periods_ms(run)
    ]
    return (
        f"{number(min(periods), 2)} to {number(max(periods), 2)} ms, mean "
        f"{number(sum(periods) / len(periods), 2)}"
        if periods
        else NOT
    )


def _second_delay(results: Found) -> str:
    delays = test_case.delays_ms(test_case.runs(results, test_case.CELL), SUBSCRIBER_2)
    return (
        f"subscriber 2 notified after {number(min(delays), 2)} to {number(max(delays), 2)} ms"
        if delays
        else NOT
    )


def _dynamic_table(results: Found) -> str:
    return _on_each(
        lambda there: f"{number(8 * measured.an_event(there, 'dynamic', 6), 0)} bits",
        ", with marks of 64 bits",
    )


def _pointers(results: Found) -> str:
    sizes = {
        machine.title: measured.pointer_size(machine)
        for machine in EVERY
        if storage.bytes_of(machine.name) is not None
    }
    return "; ".join(f"{8 * size} bits on {title}" for title, size in sizes.items()) or NOT


def _events(subscribers: tuple[int, ...]) -> Callable[[Found], str]:
    def describe(results: Found) -> str:
        lines = []
        for n in subscribers:
            counts = [figure_2.ours(concept, n) for concept in CONCEPTS]
            if None in counts:
                return NOT
            lines.append(
                f"{n} each: {counts[0]} static, {counts[1]} dynamic, {counts[2]} combined, "
                f"{storage.on_what()}"
            )
        return "; ".join(lines)

    return describe


OURS: dict[str, Callable[[Found], str]] = {
    "bytes-35": _bytes_35,
    "frames-12": _frames_12,
    "thread-table": _thread_table,
    "queue": _queue,
    "order": _order,
    "level-mean": _beyond(_level_mean),
    "level-misses": _beyond(_level_misses),
    "level-greatest": _beyond(_level_greatest),
    "twenty-misses": _misses(20),
    "thirty-misses": _misses(30),
    "period": _period,
    "second-delay": _second_delay,
    "dynamic-table": _dynamic_table,
    "pointers": _pointers,
    "events-working-area": _events((16, 30)),
    "events-six": _events((6,)),
}
