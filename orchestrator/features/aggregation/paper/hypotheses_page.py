# SPDX-License-Identifier: Apache-2.0
"""The tables and figures of the hypotheses: numbers, claims and causes of loss, by stack and placement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orchestrator.features.aggregation.paper import finding
from orchestrator.features.aggregation.paper.causes import AIR, REFUSED, losses
from orchestrator.features.aggregation.paper.cells import CELLS
from orchestrator.features.aggregation.paper.checks import CLAIMS
from orchestrator.features.aggregation.paper.data import numbers
from orchestrator.features.aggregation.paper.finding import CLOSE, COLOURS
from orchestrator.features.aggregation.paper.hypotheses import (
    INTERFERENCE_M,
    JITTER_MS,
    RANGE_M,
    SENSED_M,
    STEP,
    Hypotheses,
    Hypothesis,
    Judged,
    Ranked,
    Shown,
    Stack,
)
from orchestrator.features.aggregation.paper.measures import MEASURES
from orchestrator.report import charts
from orchestrator.report.data import Results
from orchestrator.report.model import Block, Entry, Figure, Gallery, Table, paragraph
from orchestrator.report.statistics import at_least, number

NOTHING = "–"
BRIEF = 5  # hypotheses in the terminal
MOST = 12  # hypotheses in the ranking's table
# The assumptions of a hypothesis, in words.
AXES = {"stack": "medium access", "place": "placement", "jitter_ms": "jitter", "cca_dbm": "carrier sense"}
# The short names in the table.
CAUSES = {"queue": "queue", "channel-access": "busy", "collision": "receiving", AIR: "air"}


def blocks(hypotheses: Hypotheses) -> list[Block]:
    """Return the contents of the section."""
    stacks = "; ".join(f"{stack.name} ({stack.what})" for stack in hypotheses.stacks)
    ranking = hypotheses.ranking()
    closest = [ranked_table(hypotheses, ranking), *_moved(ranking)] if ranking else []
    return [
        paragraph(
            f"What was below the middleware is a hypothesis: {stacks}. So are the placement of the motes, "
            'how nearly "nearly the same time" (5.2.3) is, and how far a mote senses the channel. '
            "Section 5.2.1 reduced the transmission power and raised the reception threshold, for a smaller "
            "test area, and gives no values: the motes may have heard their neighbours only, and how far "
            "they sensed and disturbed the channel beyond that is unknown. In all of our runs a mote "
            f"receives over {RANGE_M:.0f} m and disturbs over {INTERFERENCE_M:.0f} m; the length of a hop "
            "stands for power and threshold: with hops of 4 m all motes hear each other, with 30 m and more "
            "in a straight chain only neighbours do. Carrier sense with -95 dBm, which is Cooja's and ours, "
            "reaches as far as reception. The chip's reset value of -76 dBm, in Cooja's dBm, reaches over "
            f"{SENSED_M[-76]:.0f} m, and -96 as far as interference. The jitter between publishers is ours: "
            f"up to {JITTER_MS} ms unless something else is said. So are boots within one second and a step "
            f"of {STEP} s of the id-based delay."
        ),
        *closest,
        Gallery(tuple(_figure(hypotheses, entry) for entry in numbers() if not entry.get("also"))),
        _numbers(hypotheses),
        _claims(hypotheses),
        _causes(hypotheses),
    ]


def _points(result: Judged) -> Entry:
    """Write our mean, and how many points it is from the paper's number."""
    tone = "good" if abs(result.apart) <= CLOSE else "bad"
    return Entry(number(result.ours.mean, 1), _apart(result, 1), tone, number=True)


def ranked_table(hypotheses: Hypotheses, ranking: Sequence[Ranked], most: int = MOST) -> Table:
    """Return the closest hypotheses, and the closest of each medium access, with their numbers."""
    rows = []
    named = {id(ranked) for ranked in finding.closest(ranking)}
    for place, ranked in enumerate(ranking, 1):
        if place > most and id(ranked) not in named and ranked.hypothesis != finding.MAIN:
            continue
        hypothesis = ranked.hypothesis
        shares = "; ".join(
            f"{number(share.ours.mean, 1)} ({step} s)"
            for step, share in hypotheses.shares(hypothesis).items()
        )
        rows.append(
            (
                Entry(f"{place}. {hypothesis.stack.name}, {hypothesis.place.name}", hypothesis.supposed),
                *(_points(judged) for judged in ranked.judged),
                Entry(shares or NOTHING, number=True),
                Entry(number(ranked.distance, 1), number=True),
            )
        )
    columns = [
        f"{result.number['cell']}, {number(float(result.number['value']), 1)} %"
        for result in ranking[0].judged
    ]
    return Table(
        "The closest hypotheses",
        ("Hypothesis", *columns, "L10AD, 85.5 %", "Distance"),
        tuple(rows),
        "Events saved (generated plus forwarded, 6.3), in H10A also the share of full aggregates, each under "
        "the paper's number: our mean in %, and its difference in points. L10AD: the events that came "
        "aggregated, by the step of the id-based delay; it does not rank. Distance: the mean over the other "
        "columns, in points, which runs that scatter do not shorten.",
    )


def brief(hypotheses: Hypotheses, ranking: Sequence[Ranked]) -> Table:
    """Return the closest hypotheses for the terminal, with the finding as a note."""
    rows = tuple(
        (
            Entry(f"{ranked.hypothesis.stack.name}, {_place(ranked.hypothesis)}"),
            *(Entry(number(judged.ours.mean, 1), number=True) for judged in ranked.judged),
            Entry(number(ranked.distance, 1), number=True),
        )
        for ranked in ranking[:BRIEF]
    )
    paper = (
        Entry("the paper"),
        *(Entry(number(float(result.number["value"]), 1), number=True) for result in ranking[0].judged),
        Entry("", number=True),
    )
    return Table(
        "The closest hypotheses",
        ("Hypothesis", *(_column(result) for result in ranking[0].judged), "Distance"),
        (paper, *rows),
        finding.lead(hypotheses),
    )


def _column(result: Judged) -> str:
    """Return the cell, and for the share of full aggregates that it is one."""
    return result.number["cell"].removesuffix("A") if result.number["measure"] != "full_share" else "full"


def _moved(ranking: Sequence[Ranked]) -> list[Table]:
    """Return a table of the hypotheses that differ from the closest one in one supposition."""
    best, rows = ranking[0], []
    for ranked in ranking[1:]:
        mine, theirs = best.hypothesis, ranked.hypothesis
        differing = [key for key in AXES if getattr(mine, key) != getattr(theirs, key)]
        if len(differing) == 1:
            rows.append((AXES[differing[0]], ranked))
    if not rows:
        return []
    rows = [(f"the closest: {best.hypothesis.stack.name}, {best.hypothesis.place.name}", best)] + sorted(
        rows, key=lambda row: (list(AXES.values()).index(row[0]), row[1].distance)
    )
    return [
        Table(
            "What each supposition moves",
            (
                "What differs from the closest",
                *(result.number["cell"] for result in best.judged),
                "Distance",
            ),
            tuple(
                (
                    Entry(what, f"{ranked.hypothesis.stack.name}, {_place(ranked.hypothesis)}"),
                    *(_points(judged) for judged in ranked.judged),
                    Entry(number(ranked.distance, 1), number=True),
                )
                for what, ranked in rows
            ),
            "As above. One supposition at a time is another than under the closest hypothesis.",
        )
    ]


def _place(hypothesis: Hypothesis) -> str:
    return f"{hypothesis.place.name}, {hypothesis.supposed}"


def _figure(hypotheses: Hypotheses, entry: dict) -> Figure:
    of = MEASURES[entry["measure"]]
    judged = {
        result.hypothesis: result.ours for result in hypotheses.judged if result.number["id"] == entry["id"]
    }
    rows = [
        charts.Row(place.name, [judged[Hypothesis(stack, place)].of_runs() for stack in hypotheses.stacks])
        for place in hypotheses.places
    ]
    drawing = charts.forest(
        rows,
        [stack.name for stack in hypotheses.stacks],
        f"{of.title}, {of.unit}",
        colours=[COLOURS[s.key] for s in hypotheses.stacks],
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
    hypotheses: Hypotheses,
    title: str,
    head: str,
    rows: Iterable[tuple[Entry, Stack, Iterable[Entry]]],
    note: str,
) -> Table:
    """Return a table with a row for each of something and stack, and a column for each placement."""
    return Table(
        title,
        (head, "Below the middleware", *(place.name for place in hypotheses.places)),
        tuple((what, Entry(stack.name), *entries) for what, stack, entries in rows),
        note,
        cards=False,
    )


def _numbers(hypotheses: Hypotheses) -> Table:
    rows = []
    for entry in numbers():
        of, value = MEASURES[entry["measure"]], float(entry["value"])
        what = (
            f"{entry['short']}, {number(value, 0 if value.is_integer() else 1)}"
            f"{' %' if of.unit == '%' else ''}"
        )
        for stack in hypotheses.stacks:
            entries = (
                Entry(
                    number(result.ours.mean, of.decimals),
                    _apart(result, of.decimals),
                    "good" if result.inside else "",
                    number=True,
                )
                for result in hypotheses.judged
                if result.number["id"] == entry["id"] and result.hypothesis.stack is stack
            )
            rows.append((Entry(what, entry.get("reading", "")), stack, tuple(entries)))
    return _table(
        hypotheses,
        "Published numbers, by medium access and placement",
        "Number",
        rows,
        f"The mean, and its difference from the paper's number. Marked: the paper's number lies within the "
        f"range of our single runs ({hypotheses.runs_in_words}), which says little, as runs that scatter "
        "have a wide one. One more run lies inside with a probability of at least "
        f"{at_least(hypotheses.coverage)} %.",
    )


def _apart(result: Judged, decimals: int) -> str:
    if not result.ours.known:
        return ""
    return ("+" if result.apart > 0 else "") + number(result.apart, decimals)


def _support(support: Shown) -> Entry:
    if not support.runs:
        return Entry(NOTHING, tone="quiet", number=True)
    tone = "good" if support.so == support.runs else "open" if support.so else "bad"
    return Entry(f"{support.so} of {support.runs}", tone=tone, number=True)


def _claims(hypotheses: Hypotheses) -> Table:
    rows = [
        (
            Entry(claim.claim, f"section {claim.where}"),
            stack,
            [
                _support(support)
                for support in hypotheses.shown
                if support.claim is claim and support.hypothesis.stack is stack
            ],
        )
        for claim in CLAIMS
        for stack in hypotheses.stacks
    ]
    return _table(
        hypotheses,
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


def _causes(hypotheses: Hypotheses) -> Table:
    rows = [
        (
            Entry(cell),
            stack,
            [_lost(hypotheses.view(Hypothesis(stack, place)), cell) for place in hypotheses.places],
        )
        for cell in CELLS
        for stack in hypotheses.stacks
    ]
    words = ", ".join(
        f"{CAUSES[cause]}: {text}"
        for cause, text in {**REFUSED, AIR: AIR + " (collided, or the receiver was not listening)"}.items()
    )
    return _table(
        hypotheses,
        "Event packets lost, and by what",
        "Cell",
        rows,
        "The share of packets handed to the MAC that were lost in all runs together, and the causes of "
        f"these losses in %, by the motes' counters; {words}.",
    )
