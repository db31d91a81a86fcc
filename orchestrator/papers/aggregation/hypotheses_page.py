# SPDX-License-Identifier: Apache-2.0
"""The tables and figures of the hypotheses: numbers, claims and causes of loss, by stack and placement."""

from __future__ import annotations

from orchestrator.papers.aggregation.causes import AIR, REFUSED, losses
from orchestrator.papers.aggregation.cells import CELLS
from orchestrator.papers.aggregation.checks import CLAIMS
from orchestrator.papers.aggregation.data import numbers
from orchestrator.papers.aggregation.finding import COLOURS
from orchestrator.papers.aggregation.hypotheses import Hypotheses
from orchestrator.papers.aggregation.measures import MEASURES
from orchestrator.report import charts
from orchestrator.report.model import Block, Entry, Figure, Gallery, Table, Text
from orchestrator.report.statistics import number, single_runs
from orchestrator.words import counted

NOTHING = "–"
# The short names in the table.
CAUSES = {"queue": "queue", "channel-access": "busy", "collision": "receiving", AIR: "air"}


def blocks(found: Hypotheses) -> list[Block]:
    """Return the contents of the section."""
    stacks = "; ".join(f"{stack.name}: {stack.words.rstrip(',')}" for stack in found.stacks)
    return [
        Text(
            (
                f"What is below the middleware is a hypothesis: {stacks}. The paper does not say where the "
                "motes stood, which decides who hears whom; therefore several placements are shown and none "
                "is chosen. With hops of 4 m all motes hear each other, with 30 m and more in a straight "
                "chain only neighbours do. We chose before any result, for all of these runs: ranges of 50 m "
                "(reception) and 100 m (interference), a jitter of up to 20 ms between publishers, boots "
                "within one second, and a step of 1.25 s of the id-based delay; the sensitivity section "
                "varies these.",
            )
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


def _numbers(found: Hypotheses) -> Table:
    lines = []
    for entry in numbers():
        of, value = MEASURES[entry["measure"]], float(entry["value"])
        for stack in found.stacks:
            judged = [one for one in found.judged if one.number["id"] == entry["id"] and one.stack == stack]
            what = (
                f"{entry['short']}, "
                f"{number(value, 0 if value.is_integer() else 1)}{' %' if of.unit == '%' else ''}"
            )
            lines.append(
                (
                    Entry(what, f"{entry.get('reading', '')}"),
                    Entry(stack.name),
                    *(
                        Entry(
                            single_runs(one.ours, of.decimals),
                            "inside" if one.inside else "",
                            "good" if one.inside else "",
                            number=True,
                        )
                        for one in judged
                    ),
                )
            )
    return Table(
        "Published numbers within the range of single runs",
        ("Number", "Below the middleware", *(place.name for place in found.places)),
        tuple(lines),
        cards=False,
        note=(
            f"Smallest to largest of {counted(found.seeds, 'run')}; marked if the paper's number, as it is "
            "rounded, lies inside. One more run lies inside with a probability of at least "
            f"{number(100 * found.coverage, 0)} %, so of ten numbers that a hypothesis gets right, about "
            f"{number(10 * (1 - found.coverage), 0)} lie outside nevertheless."
        ),
    )


def _claims(found: Hypotheses) -> Table:
    lines = []
    for claim in CLAIMS:
        for stack in found.stacks:
            shown = [one for one in found.shown if one.claim is claim and one.stack == stack]
            lines.append(
                (
                    Entry(claim.claim, f"section {claim.where}"),
                    Entry(stack.name),
                    *(
                        Entry(
                            f"{one.so} of {one.runs}" if one.runs else NOTHING,
                            tone="good"
                            if one.so == one.runs > 0
                            else "open"
                            if one.so
                            else "bad"
                            if one.runs
                            else "quiet",
                            number=True,
                        )
                        for one in shown
                    ),
                )
            )
    return Table(
        "Claims, run by run",
        ("Claim", "Below the middleware", *(place.name for place in found.places)),
        tuple(lines),
        cards=False,
        note=(
            "In how many of our runs (one of each configuration, with the same seed) the claim is true. The "
            "paper's claims are about one run."
        ),
    )


def _causes(found: Hypotheses) -> Table:
    lines = []
    for cell in CELLS:
        for stack in found.stacks:
            entries = []
            for place in found.places:
                lost = losses(found.view(stack, place), cell)
                if lost is None:
                    entries.append(Entry(NOTHING, number=True))
                    continue
                causes = ", ".join(
                    f"{name} {number(100 * lost.share(cause), 0)}"
                    for cause, name in CAUSES.items()
                    if lost.by[cause].any()
                )
                entries.append(Entry(f"{number(100 * lost.rate, 1)} %", causes, number=True))
            lines.append((Entry(cell), Entry(stack.name), *entries))
    words = ", ".join(
        f"{CAUSES[cause]}: {text}"
        for cause, text in {**REFUSED, AIR: AIR + " (collided, or the receiver was not listening)"}.items()
    )
    return Table(
        "Event packets lost, and by what",
        ("Cell", "Below the middleware", *(place.name for place in found.places)),
        tuple(lines),
        cards=False,
        note=(
            "The share of packets handed to the MAC that were lost in all runs together, and the causes of "
            f"these losses in %, by the motes' counters; {words}."
        ),
    )
