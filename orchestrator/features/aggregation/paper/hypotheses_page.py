# SPDX-License-Identifier: Apache-2.0
"""The tables and figures of the hypotheses: numbers, claims and causes of loss, by stack and placement."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.features.aggregation.paper.causes import AIR, REFUSED, losses
from orchestrator.features.aggregation.paper.cells import CELLS
from orchestrator.features.aggregation.paper.checks import CLAIMS
from orchestrator.features.aggregation.paper.data import numbers
from orchestrator.features.aggregation.paper.finding import COLOURS
from orchestrator.features.aggregation.paper.hypotheses import Hypotheses, Shown, Stack
from orchestrator.features.aggregation.paper.measures import MEASURES
from orchestrator.report import charts
from orchestrator.report.data import Results
from orchestrator.report.model import Block, Entry, Figure, Gallery, Table, paragraph
from orchestrator.report.statistics import number, single_runs
from orchestrator.words import counted

NOTHING = "–"
# The short names in the table.
CAUSES = {"queue": "queue", "channel-access": "busy", "collision": "receiving", AIR: "air"}


def blocks(found: Hypotheses) -> list[Block]:
    """Return the contents of the section."""
    stacks = "; ".join(f"{stack.name}: {stack.words.rstrip(',')}" for stack in found.stacks)
    return [
        paragraph(
            f"What is below the middleware is a hypothesis: {stacks}. The paper does not say where the "
            "motes stood, which decides who hears whom; therefore several placements are shown and none "
            "is chosen. With hops of 4 m all motes hear each other, with 30 m and more in a straight "
            "chain only neighbours do. We chose before any result, for all of these runs: ranges of 50 m "
            "(reception) and 100 m (interference), a jitter of up to 20 ms between publishers, boots "
            "within one second, and a step of 1.25 s of the id-based delay; the sensitivity section "
            "varies these."
        ),
        Gallery(tuple(_figure(found, entry) for entry in numbers() if not entry.get("also"))),
        _numbers(found),
        _claims(found),
        _causes(found),
    ]


def _figure(found: Hypotheses, entry: dict) -> Figure:
    of = MEASURES[entry["measure"]]
    judged = {(one.stack.key, one.place): one.ours for one in found.judged if one.number["id"] == entry["id"]}
    rows = [
        charts.Row(place.name, [judged[stack.key, place].of_runs() for stack in found.stacks])
        for place in found.places
    ]
    drawing = charts.forest(
        rows,
        [stack.name for stack in found.stacks],
        f"{of.title}, {of.unit}",
        colours=[COLOURS[s.key] for s in found.stacks],
        references=(charts.Reference(float(entry["value"]), f"paper: {entry['value']}"),),
    )
    title = f"{entry['what']}, {entry['cell']}"
    return Figure(
        f"hypotheses-{entry['id']}",
        title,
        drawing,
        alt=f"{title}, by hypothesis and placement",
        caption=(
            f"{of.title.capitalize()} in {entry['cell']}: mean, and the range of single runs as the line, by "
            "the length of a hop."
        ),
    )


def _table(
    found: Hypotheses, title: str, head: str, rows: Iterable[tuple[Entry, Stack, Iterable[Entry]]], note: str
) -> Table:
    """Return a table with a row for each of something and stack, and a column for each placement."""
    return Table(
        title,
        (head, "Below the middleware", *(place.name for place in found.places)),
        tuple((what, Entry(stack.name), *entries) for what, stack, entries in rows),
        note,
        cards=False,
    )


def _numbers(found: Hypotheses) -> Table:
    rows = []
    for entry in numbers():
        of, value = MEASURES[entry["measure"]], float(entry["value"])
        what = (
            f"{entry['short']}, {number(value, 0 if value.is_integer() else 1)}"
            f"{' %' if of.unit == '%' else ''}"
        )
        for stack in found.stacks:
            entries = (
                Entry(
                    single_runs(one.ours, of.decimals),
                    "inside" if one.inside else "",
                    "good" if one.inside else "",
                    number=True,
                )
                for one in found.judged
                if one.number["id"] == entry["id"] and one.stack == stack
            )
            rows.append((Entry(what, entry.get("reading", "")), stack, tuple(entries)))
    return _table(
        found,
        "Published numbers within the range of single runs",
        "Number",
        rows,
        f"Smallest to largest of {counted(found.seeds, 'run')}; marked if the paper's number, as it is "
        "rounded, lies inside. One more run lies inside with a probability of at least "
        f"{number(100 * found.coverage, 0)} %, so of ten numbers that a hypothesis gets right, about "
        f"{number(10 * (1 - found.coverage), 0)} lie outside nevertheless.",
    )


def _shown(one: Shown) -> Entry:
    if not one.runs:
        return Entry(NOTHING, tone="quiet", number=True)
    tone = "good" if one.so == one.runs else "open" if one.so else "bad"
    return Entry(f"{one.so} of {one.runs}", tone=tone, number=True)


def _claims(found: Hypotheses) -> Table:
    rows = [
        (
            Entry(claim.claim, f"section {claim.where}"),
            stack,
            [_shown(one) for one in found.shown if one.claim is claim and one.stack == stack],
        )
        for claim in CLAIMS
        for stack in found.stacks
    ]
    return _table(
        found,
        "Claims, run by run",
        "Claim",
        rows,
        "In how many of our runs (one of each configuration, with the same seed) the claim is true. The "
        "paper's claims are about one run.",
    )


def _lost(view: Results, cell: str) -> Entry:
    lost = losses(view, cell)
    if lost is None:
        return Entry(NOTHING, number=True)
    causes = ", ".join(
        f"{name} {number(100 * lost.share(cause), 0)}"
        for cause, name in CAUSES.items()
        if lost.by[cause].any()
    )
    return Entry(f"{number(100 * lost.rate, 1)} %", causes, number=True)


def _causes(found: Hypotheses) -> Table:
    rows = [
        (Entry(cell), stack, [_lost(found.view(stack, place), cell) for place in found.places])
        for cell in CELLS
        for stack in found.stacks
    ]
    words = ", ".join(
        f"{CAUSES[cause]}: {text}"
        for cause, text in {**REFUSED, AIR: AIR + " (collided, or the receiver was not listening)"}.items()
    )
    return _table(
        found,
        "Event packets lost, and by what",
        "Cell",
        rows,
        "The share of packets handed to the MAC that were lost in all runs together, and the causes of "
        f"these losses in %, by the motes' counters; {words}.",
    )
