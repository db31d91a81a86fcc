# SPDX-License-Identifier: Apache-2.0
"""Figure 2: how many events fit in 4 KB over the subscribers of each, by the definitions and by our bytes."""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.features.blackboard.paper import measured, storage
from orchestrator.features.blackboard.paper.definitions import CONCEPTS, TITLES, data, events
from orchestrator.features.blackboard.paper.measured import SUBSCRIBERS
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.papers.result import Found
from orchestrator.report.lines import Guides, lines
from orchestrator.report.model import Entry, Figure, Section, Table, paragraph
from orchestrator.words import enumerated, spans


def ours(concept: str, subscribers: int) -> int | None:
    """Return how many events with so many subscribers and one value fit by compiled bytes, if measured."""
    chosen = storage.drawn()
    if chosen is None:
        return None
    there = storage.bytes_of(chosen.name)
    memory = data.load("published.yaml")["memory"]
    return int(
        (memory - measured.once(there, concept, subscribers))
        // measured.an_event(there, concept, subscribers)
    )


def tables(results: Found) -> list[Table]:
    """Return the tables for the terminal."""
    rows = []
    for n in SUBSCRIBERS:
        entries = [Entry(str(n), number=True)]
        for concept in CONCEPTS:
            mine = ours(concept, n)
            entries += [
                Entry(str(events(concept, n)), number=True),
                Entry("–" if mine is None else str(mine), number=True),
            ]
        rows.append(tuple(entries))
    columns = [word for concept in CONCEPTS for word in (f"{TITLES[concept]}, paper", "ours")]
    return [
        Table(
            "Figure 2: events in 4096 bytes",
            ("Subscribers each", *columns),
            tuple(rows),
            cards=False,
            note=(
                f"Paper: definitions 1 to 3 with one value. Ours: {storage.on_what()}. A position of ten "
                "bits reaches 1024 words, which are all of the 4096 bytes, so it limits nothing here."
            ),
        )
    ]


def checks(results: Found) -> list[Check]:
    """Check what section 2.5 says about the figure."""
    low, high = data.load("published.yaml")["working-area"]
    tested = []
    for source, of in (("paper's definitions", events), (f"ours, {storage.on_what()}", ours)):
        claim = (
            "With six subscribers each, the static concept holds most events and the dynamic one fewest "
            f"({source})"
        )
        static, dynamic, mixed = (of(concept, 6) for concept in CONCEPTS)
        verdict, evidence = MISSING, "no compiler for it here"
        if static is not None:
            verdict = HOLDS if static > mixed > dynamic else FAILS
            evidence = f"static {static}, combination {mixed}, dynamic {dynamic}"
        which = "paper" if of is events else "ours"
        tested.append(Check(f"figure-2-{which}", claim, "2.5, Figure 2", verdict, evidence))
        tested.append(_saves(f"combined-{which}", source, of))
    reach = {concept: [n for n in SUBSCRIBERS if low <= events(concept, n) <= high] for concept in CONCEPTS}
    tested.append(
        Check(
            "working-area",
            f"{low} to {high} events are a good working area (the evidence has the subscribers for it)",
            "2.5, Figure 2",
            HOLDS if all(reach.values()) else FAILS,
            "; ".join(
                f"{TITLES[concept]}: {min(value)} to {max(value)} subscribers each"
                for concept, value in reach.items()
                if value
            ),
        )
    )
    return tested


def _saves(name: str, source: str, of: Callable[[str, int], int | None]) -> Check:
    """Check at each number of subscribers of the table that the combination holds no fewer events."""
    claim = (
        'The combination takes less memory than the "memory wasting" dynamic concept: it never holds fewer '
        f"events ({source})"
    )
    counts = {n: (of("mixed", n), of("dynamic", n)) for n in SUBSCRIBERS}
    if None in counts[SUBSCRIBERS[0]]:
        return Check(name, claim, "2.4, 7", MISSING, "no compiler for it here")
    fewer = [n for n, (mixed, dynamic) in counts.items() if mixed < dynamic]
    more = [n for n, (mixed, dynamic) in counts.items() if mixed > dynamic]
    evidence = (
        f"of the numbers of subscribers in the table it holds fewer events with {_listed(fewer)}, and more "
        f"with {_listed(more)}"
    )
    return Check(name, claim, "2.4, 7", FAILS if fewer else HOLDS, evidence)


def _listed(numbers: list[int]) -> str:
    """Write numbers as `1 to 4, 7 and 8`."""
    parts: list[str] = []
    for first, last in spans(numbers):
        parts += [f"{first} to {last}"] if last - first > 1 else map(str, range(first, last + 1))
    return enumerated(parts) or "none"


def sections(results: Found) -> list[Section]:
    """Return the sections of the paper's page."""
    low, high = data.load("published.yaml")["working-area"]
    drawing = lines(
        storage.both(events, ours),
        "subscribers of each event",
        "events in 4096 bytes (logarithmic)",
        logarithmic=True,
        guides=Guides(((low, f"{low} events"), (high, f"{high} events"))),
    )
    figure = Figure(
        "figure-2",
        "Figure 2: events against subscribers in 4 KB",
        drawing,
        alt="Events in 4 KB over subscribers of each",
        wide=True,
        caption=(
            "One published value each. Dashed: definitions 1 to 3. With markers: from the bytes of our "
            f"storages, {storage.on_what()}. Dotted: the paper's "
            '"good working area".'
        ),
    )
    return [
        Section(
            "figure-2",
            "Figure 2: events against subscribers",
            (
                paragraph(
                    "How many events have room in the 4096 bytes of a Mica2Dot if each has that many "
                    "subscribers."
                ),
                figure,
                *tables(results),
                checks_table(checks(results), "What the paper says of the figure"),
            ),
            "Figure 2",
        )
    ]
