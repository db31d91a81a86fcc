# SPDX-License-Identifier: Apache-2.0
"""Definitions 1 to 3 and Tables 1 and 2 of the paper, compared with the bytes that our storages take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

from orchestrator.build.machines import Machine
from orchestrator.features.blackboard.paper import measured
from orchestrator.features.blackboard.paper.definitions import (
    CONCEPTS,
    TITLES,
    bits,
    data,
    frames_with_forwarding,
    mixed,
)
from orchestrator.features.blackboard.paper.measured import EIGHT, EVERY, SUBSCRIBERS, Bytes, Setting
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.papers.result import Found
from orchestrator.report import style
from orchestrator.report.comparison.phrases import signed
from orchestrator.report.lines import Line, lines
from orchestrator.report.model import Entry, Figure, Gallery, Section, Table, paragraph
from orchestrator.report.statistics import number

ROWS = (
    (1, 1),
    (2, 1),
    (3, 1),
    (6, 1),
    (6, 2),
    (6, 4),
    (7, 1),
    (12, 1),
    (13, 1),
    (18, 1),
    (24, 1),
    (30, 1),
)  # subscribers, values
WITHIN = 10  # per cent of definition 3, our own bound: word boundaries and forwarding places take some
SIX = 6
WANTED = EVERY[0]  # an AVR: the Mica2Dot's kind
COLOURS = dict(zip(CONCEPTS, (style.BLUE, style.ORANGE, style.GREEN), strict=True))


@cache
def _available() -> tuple[dict[str, dict[Setting, Bytes]], list[str]]:
    return measured.available()


def bytes_of(machine: str) -> dict[Setting, Bytes] | None:
    """Return a machine's bytes by setting; None without its compiler."""
    return _available()[0].get(machine)


def drawn() -> Machine | None:
    """Return the machine whose bytes the figures show: the first with a compiler here."""
    return next((each for each in EVERY if bytes_of(each.name) is not None), None)


def on_what() -> str:
    """Say what ours is compiled for and, if that isn't the paper's kind of machine, why."""
    chosen = drawn()
    if chosen is WANTED:
        return f"compiled for an {WANTED.title}"
    without = f"as there is no {WANTED.title} compiler here ({WANTED.packages})"
    return (
        f"not measured, {without} and no other"
        if chosen is None
        else f"compiled for {chosen.title}, {without}; its pointers are of another size"
    )


def _by_title() -> dict[str, dict[Setting, Bytes]]:
    """Return the known bytes by their machine's title."""
    there = _available()[0]
    return {machine.title: there[machine.name] for machine in EVERY if machine.name in there}


def tables(results: Found) -> list[Table]:
    """Return the tables for the terminal."""
    return [_definitions(), *map(_parts, TABLES), _eight()]


def _definitions() -> Table:
    there, (_, missing) = _by_title(), _available()
    rows = []
    for concept in CONCEPTS:
        for subscribers, values in ROWS:
            theirs = bits(concept, subscribers, values)
            exact = f"{number(theirs / 8, 3).rstrip('0').rstrip('.')}"
            forwarded = ""
            if concept == "mixed" and (other := mixed(frames_with_forwarding(subscribers), values)) != theirs:
                forwarded = number(other / 8, 0)
            ours = [
                measured.an_event(sizes_of_machine, concept, subscribers, values)
                for sizes_of_machine in there.values()
            ]
            rows.append(
                (
                    Entry(TITLES[concept]),
                    Entry(str(subscribers), number=True),
                    Entry(str(values), number=True),
                    Entry(str(theirs), number=True),
                    Entry(exact, number=True),
                    Entry(forwarded, number=True),
                    *(Entry(number(part, 2).rstrip("0").rstrip("."), number=True) for part in ours),
                )
            )
    note = (
        "Ours: what one event more takes in RAM (variables of the storage in the object files), deadlines "
        "and notification queue apart. By section 3: with a forwarding place in each frame that overflows."
    )
    if missing:
        note += " Not measured: " + "; ".join(missing) + "."
    return Table(
        "Definitions 1 to 3: one event",
        (
            "Concept",
            "Subscribers",
            "Values",
            "Paper, bits",
            "Paper, bytes",
            "By section 3",
            *there,
        ),
        tuple(rows),
        note=note,
        cards=False,
    )


# Concept -> our variable -> the parts of Tables 1 and 2 that it holds.
VARIABLES = {
    "static": {
        "blackboard_array": ("value", "handlers", "limits", "types"),
        "blackboard_flags": ("status", "flags"),
    },
    "dynamic": {
        "blackboard_array": ("value", "handlers", "limits", "types"),
        "blackboard_containers": ("status", "flags", "pointers", "numbers", "event-type", "next"),
    },
}


# Concept -> a title, the paper's tables that it is in, and a note on ours.
TABLES = {
    "static": ("Table 1: the static concept", ("table-1",), ""),
    "dynamic": (
        "Tables 1 and 2: the dynamic concept",
        ("table-1", "table-2"),
        "Our containers also hold 64 bits of marks (to be notified, to be polled), and which container "
        "shares its places.",
    ),
}
TIMES = {"event": EIGHT, "subscriber": EIGHT * SIX, "value": EIGHT}


def _part_rows(variable: str, parts: list[dict], ours: list[dict[str, int]]) -> Iterator[tuple[Entry, ...]]:
    """Yield a row for each part that a variable of ours holds, and one for all of them together."""
    octets = [part["bits"] * TIMES[part["per"]] / 8 for part in parts]
    for part, size in zip(parts, octets, strict=True):
        each = Entry(f"{part['bits']} bits x {TIMES[part['per']]}")
        nothing = (Entry("", number=True) for _ in ours)
        yield (Entry(part["what"]), each, Entry(number(size, 0), number=True), *nothing)
    sizes = (
        Entry(text, number=True) for text in (number(sum(octets), 0), *(str(part[variable]) for part in ours))
    )
    yield (Entry("together", f"ours: {variable}"), Entry(""), *sizes)


def _parts(concept: str) -> Table:
    """Return the paper's tables for eight events of six subscribers and one value, with our variables."""
    there, (title, names, note) = _by_title(), TABLES[concept]
    parts = {part["id"]: part for name in names for part in data.load("published.yaml")[name]}
    ours = [part[Setting(concept, EIGHT, SIX)].stored for part in there.values()]
    rows = [
        row
        for variable, held in VARIABLES[concept].items()
        for row in _part_rows(variable, [parts[name] for name in held], ours)
    ]
    columns = ("Part", "Paper", "Bytes", *(f"Ours, {machine}" for machine in there))
    title = f"{title}, {EIGHT} events of {SIX} subscribers, bytes"
    return Table(title, columns, tuple(rows), note, cards=False)


def _variables(concept: str, ours: list[dict[str, int]], detail: str = "") -> Iterator[tuple[Entry, ...]]:
    """Yield a row for each variable."""
    for name in dict.fromkeys(name for part in ours for name in part):
        sizes = (Entry(str(part.get(name, "–")), number=True) for part in ours)
        yield (Entry(TITLES[concept]), Entry(name, detail), Entry(""), *sizes)


def _eight() -> Table:
    """Return a table of our variables by concept."""
    there, rows = _by_title(), []
    for concept in CONCEPTS:
        of = [sizes_of_machine[Setting(concept, EIGHT, SIX)] for sizes_of_machine in there.values()]
        theirs = bits(concept, SIX) * EIGHT / 8
        definition = data.load("published.yaml")["definitions"][concept]["number"]
        rows += _variables(concept, [part.stored for part in of])
        rows.append(
            (
                Entry(TITLES[concept]),
                Entry("in all", f"paper's definition {definition}"),
                Entry(number(theirs, 0), number=True),
                *(Entry(str(part.total), _percent(part.total, theirs), number=True) for part in of),
            )
        )
        rows += _variables(concept, [part.apart for part in of], "apart: no definition has it")
    return Table(
        f"Our variables, {EIGHT} events of {SIX} subscribers, bytes",
        ("Concept", "Variable", "Paper", *there),
        tuple(rows),
        note="From the object files' symbol tables, by each machine's compiler.",
        cards=False,
    )


def _percent(ours: float, theirs: float) -> str:
    return f"{signed(100 * (ours / theirs - 1), 1)} %"


def checks(results: Found) -> list[Check]:
    """Check the paper's claims."""
    return [*_sum_of_tables(), _within(), *_orders()]


def _sum_of_tables() -> list[Check]:
    """Check that the definitions are the sums of the tables."""
    published = data.load("published.yaml")
    tested = []
    for concept, (_, names, _) in TABLES.items():
        sums = {
            per: sum(part["bits"] for name in names for part in published[name] if part["per"] == per)
            for per in ("subscriber", "event", "value")
        }
        published_sums = {per: published["definitions"][concept][per] for per in sums}
        tested.append(
            Check(
                f"sum-{concept}",
                f"Definition {published['definitions'][concept]['number']} is the sum of "
                f"{'Table 1' if len(names) == 1 else 'Tables 1 and 2'}",
                "2.5",
                HOLDS if sums == published_sums else FAILS,
                "; ".join(
                    f"{sums[per]} bits for each {per} by the table, {published_sums[per]} by the definition"
                    for per in sums
                ),
            )
        )
    return tested


def _within() -> Check:
    claim = (
        f"Our combination's frames and words for {EIGHT} events of {SIX} subscribers are within {WITHIN} % "
        "of definition 3 (our bound)"
    )
    theirs = bits("mixed", SIX) * EIGHT / 8
    ours = {title: part[Setting("mixed", EIGHT, SIX)].total for title, part in _by_title().items()}
    if not ours:
        return Check("within", claim, "2.5", MISSING, "no compiler")
    right = all(abs(total / theirs - 1) * 100 <= WITHIN for total in ours.values())
    evidence = f"definition 3: {number(theirs, 0)} bytes; " + "; ".join(
        f"{title}: {total} ({_percent(total, theirs)})" for title, total in ours.items()
    )
    return Check("within", claim, "2.5", HOLDS if right else FAILS, evidence)


def _orders() -> list[Check]:
    """Check that with six subscribers the static concept is the smallest and the dynamic one the largest."""
    claim = (
        "With six subscribers an event takes least with the static concept, more with the combination, most "
        "with the dynamic one"
    )
    tested = []
    for machine in EVERY:
        there = bytes_of(machine.name)
        if there is None:
            continue
        ours = {concept: measured.an_event(there, concept, SIX) for concept in CONCEPTS}
        right = ours["static"] < ours["mixed"] < ours["dynamic"]
        tested.append(
            Check(
                f"order-{machine.name}",
                f"{claim}: {machine.title}",
                "2.5",
                HOLDS if right else FAILS,
                "; ".join(
                    f"{TITLES[concept]} {number(ours[concept], 2)} bytes (paper "
                    f"{number(bits(concept, SIX) / 8, 2)})"
                    for concept in ours
                ),
            )
        )
    return tested


def _opening() -> str:
    there = ", ".join(_by_title())
    return (
        "What the paper computes of each concept"
        + (f", and what our three storages take compiled for {there}" if there else "")
        + f". The paper's Mica2Dot has an AVR{'' if drawn() is WANTED else ', whose compiler is not here'}. "
        "Nothing is simulated here."
    )


def sections(results: Found) -> list[Section]:
    """Return the sections of the paper's page."""
    return [
        Section(
            "storage",
            "Storage: definitions 1 to 3, Tables 1 and 2",
            (
                paragraph(_opening()),
                Gallery((_figure(),)),
                *tables(results),
                checks_table(checks(results), "What the paper says of them"),
            ),
            "Storage",
        )
    ]


def both(theirs: Callable[[str, int], float], ours: Callable[[str, int], float | None] | None) -> list[Line]:
    """Return the lines of each concept over the subscribers: the paper's and, if it is known, ours."""
    every = range(1, max(SUBSCRIBERS) + 1)
    points = []
    for concept in CONCEPTS:
        look, y = {"colour": COLOURS[concept]}, [theirs(concept, n) for n in every]
        points.append(Line(f"{TITLES[concept]}, paper", every, y, plain=True, dashed=True, **look))
        mine = [ours(concept, n) for n in SUBSCRIBERS] if ours else [None]
        if None not in mine:
            points.append(Line(f"{TITLES[concept]}, ours", SUBSCRIBERS, mine, **look))
    return points


def _figure() -> Figure:
    chosen = drawn()
    ours = None if chosen is None else partial(measured.an_event, bytes_of(chosen.name))
    points = both(lambda concept, n: bits(concept, n) / 8, ours)
    return Figure(
        "storage-bytes",
        "Bytes of one event over its subscribers",
        lines(points, "subscribers of the event", "bytes of one event with one value"),
        alt="Bytes of one event over its subscribers, paper's definitions and ours",
        wide=True,
        caption=(
            f"Dashed: definitions 1 to 3. With markers: what one event more takes in RAM, {on_what()}. "
            "Beyond six subscribers our combination has one frame more at 7, 12, 17 ..., as a place of each "
            "full frame forwards; definition 3 has it at 7, 13, 19."
        ),
    )
