# SPDX-License-Identifier: Apache-2.0
"""The paper's Figures 7a to 7h from our runs, with ideal values as outlines and the paper's as diamonds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from orchestrator.features.aggregation.paper import ideal
from orchestrator.features.aggregation.paper.cells import CELLS, Configuration, configuration
from orchestrator.features.aggregation.paper.data import published
from orchestrator.features.aggregation.paper.measures import MEASURES, rounds
from orchestrator.report import charts, style
from orchestrator.report.data import Results
from orchestrator.report.generic import seeds_phrase
from orchestrator.report.model import Figure
from orchestrator.report.statistics import number
from orchestrator.statistics.estimates import estimate


def headline(results: Results) -> Figure | None:
    """Draw the reductions of H5, H10, L5 and L10 by both counts, with the ideals and the paper's numbers."""
    cells = [cell for cell in ("H5A", "H10A", "L5A", "L10A") if cell in results.cells]
    if not cells:
        return None
    sizes = [configuration(cell).publishers for cell in cells]
    theirs = [(published(f"reduction-{cell.removesuffix('A')}"), "") for cell in cells]

    def ours(name: str, measure: str, messages: Callable[[int], int | None], **look: str) -> charts.Series:
        values = [MEASURES[measure].estimate(results, cell) for cell in cells]
        ideals = [100 * ideal.reduction(size, messages(size)) for size in sizes]
        return charts.Series(name, values, ideals, theirs, **look)

    series = [
        ours(
            "ours, generated+forwarded", "reduction_counted", ideal.counted, colour=style.AGGREGATED, hatch=""
        ),
        ours("ours, transmissions", "reduction", lambda _: None, colour=style.SKY, hatch="////"),
    ]
    drawing = charts.bars([cell.removesuffix("A") for cell in cells], series, "reduction, %", top=100)
    return Figure(
        "headline-reduction",
        "What aggregation saves",
        drawing,
        alt="Reduction by aggregation, ours, ideal and the paper's",
        caption=(
            f"Reduction of transmitted events in %, mean over {seeds_phrase(results, cells)} with 95 % "
            "confidence intervals, counted as section 6.3 defines the totals (events generated plus "
            "forwarded) and as transmissions (see Two readings). The paper's number is drawn on both."
        ),
    )


LEGEND = (("without aggregation", style.PLAIN, ""), ("with aggregation (A)", style.AGGREGATED, ""))
LEGEND_D = (*LEGEND, ("with id-based delay (D)", "#9aa5b1", "////"))


def _looks(shapes: Sequence[Configuration], legend: Sequence[tuple[str, str, str]]) -> charts.BarLooks:
    return charts.BarLooks(
        [style.AGGREGATED if shape.aggregate else style.PLAIN for shape in shapes],
        ["////" if shape.delay else "" for shape in shapes],
        legend=legend,
    )


_PACKETS = (  # name, title, cell, how it is read
    (
        "figure-7a-h10",
        "7a  Packets per node, H10",
        "H10",
        "The text calls this panel H10A but describes growth towards the subscriber: that is H10.",
    ),
    (
        "figure-7b-h10a",
        "7b  Packets per node, H10A",
        "H10A",
        "Nearly the same number at every publisher, as one aggregate passes each hop.",
    ),
    (
        "figure-7c-l10d",
        "7c  Packets per node, read as L10D",
        "L10D",
        "The linear growth that the text describes.",
    ),
    (
        "figure-7c-l10ad",
        "7c  Packets per node, read as L10AD",
        "L10AD",
        "The label that the text gives this panel. There is no closed form of the ideal with delays.",
    ),
)
_SIZES = (
    ("H10A", "figure-6-2-h10a", "6.2  Sizes of received aggregates, H10A"),
    ("L10AD", "figure-7d-l10ad", "7d  Sizes of received aggregates, L10AD"),
)
_TOTALS = (
    ("figure-7e", "7e  Transmitted events, high rate", "H"),
    ("figure-7f", "7f  Transmitted events, low rate", "L"),
)
_LOSSES = (
    (
        "figure-7g",
        "7g  Event loss rate",
        "event_loss",
        "Published individual events that never reached the subscriber, in % of the published (read as a "
        "loss: the text defines the received fraction).",
    ),
    (
        "figure-7h",
        "7h  Packet loss rate",
        "packet_loss",
        "1 − event packets accepted by next hops ÷ event packets sent, over all hops.",
    ),
)


def panels(results: Results) -> list[Figure]:
    """Draw the panels whose cells have runs, in the paper's order; 7c in both of its readings."""
    cells = set(results.cells)
    figures = [_packets(results, *panel) for panel in _PACKETS if panel[2] in cells]
    figures += [_sizes(results, *panel) for panel in _SIZES if panel[0] in cells]
    figures += [
        _totals(results, *panel)
        for panel in _TOTALS
        if cells & {f"{panel[2]}{cell}" for cell in ("5", "5A", "10", "10A")}
    ]
    return figures + [_losses(results, *panel) for panel in _LOSSES if cells & set(CELLS)]


def _packets(results: Results, name: str, title: str, cell: str, reading: str) -> Figure:
    shape = configuration(cell)
    n = shape.publishers
    nodes = ["S", *(f"P{place}" for place in range(1, n + 1))]
    turns = rounds(results, cell).mean()
    predictable = not (shape.aggregate and shape.delay) and turns > 0
    sent = [None, *(ideal.sent_by(n, place, shape.aggregate) for place in range(1, n + 1))]
    received = [ideal.received_by(n, place, shape.aggregate) for place in range(n + 1)]
    series = [
        charts.Series(
            what,
            [results.estimate(cell, f"packets_{what}", node) for node in nodes],
            [ideal if ideal is None else turns * ideal for ideal in ideals] if predictable else [],
            colour=colour,
            hatch=hatch,
            cell=cell,
            key=f"packets_{what}",
        )
        for what, ideals, colour, hatch in (
            ("sent", sent, style.BLUE, ""),
            ("received", received, style.ORANGE, "////"),
        )
    ]
    drawing = charts.bars(
        nodes, series, "packets", xlabel="S: subscriber, P1 beside it, P10 at the end of the chain"
    )
    growth = MEASURES["growth"].estimate(results, cell)
    ratio = (
        f" P1 sends {number(growth.mean, 2)} times as many event messages as P{n}." if growth.known else ""
    )
    return Figure(
        name,
        title,
        drawing,
        alt=f"{title}: bars of packets sent and received by each node",
        caption=(
            f"Packets that each node's routing layer sent and accepted in {cell}, mean over "
            f"{seeds_phrase(results, [cell])}, 95 % confidence intervals. "
            f"{reading}{ratio}{_control(results, cell)} The paper prints no values for this panel."
        ),
    )


def _control(results: Results, cell: str) -> str:
    """Say how many of the packets have no events: they initialise and verify the routes."""
    packets = sum(
        results.estimate(cell, "packets_sent", key).mean for key in results.keys("packets_sent", cell)
    )
    others = packets - MEASURES["transmitted"].estimate(results, cell).mean
    if not others > 0:
        return ""
    return (
        f" Among them are those that initialise and verify the routes, {number(others, 0)} sent by all motes "
        "together; the ideal counts events only."
    )


def _sizes(results: Results, cell: str, name: str, title: str) -> Figure:
    n = configuration(cell).publishers
    keys = [str(size) for size in range(1, n + 1)]
    values = [estimate(results.counts(cell, "aggregate_size", key).tolist()) for key in keys]
    theirs = published(f"full-{cell}")
    drawing = charts.bars(
        keys,
        [
            charts.Series(
                "messages",
                values,
                colour=style.AGGREGATED,
                hatch="",
                cell=cell,
                key="aggregate_size",
                published=[None] * (n - 1) + [(theirs, "")],
                published_label=f"paper: {number(theirs, 0)} of all ten",
            )
        ],
        "received messages",
        xlabel="individual events in the message",
    )
    share = MEASURES["aggregated_share"].estimate(results, cell)
    full, others = MEASURES["full"].estimate(results, cell), MEASURES["others"].estimate(results, cell)
    paper = "2372 and 49" if cell == "H10A" else "none full; 85.5 % of the events came in an aggregate"
    return Figure(
        name,
        title,
        drawing,
        alt=f"Histogram of individual events per received message in {cell}",
        caption=(
            "Messages that reached the subscriber by the number of individual events in them, mean over "
            f"{seeds_phrase(results, [cell])}, 95 % confidence intervals. {number(full.mean, 1)} messages "
            f"held all ten, {number(others.mean, 1)} fewer, and {number(share.mean, 1)} % of the delivered "
            f"events came in an aggregate (paper: {paper})."
        ),
    )


def _totals(results: Results, name: str, title: str, load: str) -> Figure:
    cells = [cell for cell in CELLS if cell[0] == load and cell in results.cells]
    shapes = [configuration(cell) for cell in cells]
    values = [MEASURES["counted"].estimate(results, cell) for cell in cells]
    ideals = [
        None
        if shape.aggregate and shape.delay
        else rounds(results, cell).mean()
        * (
            ideal.counted(shape.publishers)
            if shape.aggregate
            else ideal.transmissions(shape.publishers, False)
        )
        for cell, shape in zip(cells, shapes)
    ]
    marks, notes = [], []
    for cell, shape in zip(cells, shapes):
        reduction = MEASURES["reduction_counted"].estimate(results, cell)
        theirs = (
            published(f"reduction-counted-{load}{shape.publishers}")
            if shape.aggregate and not shape.delay
            else None
        )
        plain = MEASURES["counted"].estimate(results, shape.plain)
        marks.append((plain.mean * (1 - theirs / 100), "") if theirs is not None and plain.known else None)
        change = ("+" if reduction.mean < 0 else "") + number(-reduction.mean, 1)
        note = f"ours\n{change} %" if shape.aggregate and reduction.known else ""
        notes.append((f"paper\n−{theirs} %\n" if theirs is not None and note else "") + note)
    drawing = charts.bars(
        cells,
        [charts.Series("transmitted", values, ideals, marks, published_label="plain less the paper's %")],
        "transmitted events",
        notes=notes,
        looks=_looks(shapes, LEGEND if load == "H" else LEGEND_D),
    )
    return Figure(
        name,
        title,
        drawing,
        alt=f"{title}: bars by configuration",
        caption=(
            "Events generated by all publishers plus events forwarded (6.3), an aggregate counted once each "
            f"time it is forwarded; mean over {seeds_phrase(results, cells)}, 95 % confidence intervals. "
            "Outlined: n(n+1)/2 a round without aggregation, 2n − 1 with it. Diamonds: our number without "
            "aggregation less the paper's reduction. Under id-based delay a node's own event that it sends "
            "unmerged counts twice, so what aggregation saves there is at least this much."
        ),
    )


def _losses(results: Results, name: str, title: str, measure: str, reading: str) -> Figure:
    cells = [cell for cell in CELLS if cell in results.cells]
    shapes = [configuration(cell) for cell in cells]
    values = [MEASURES[measure].estimate(results, cell) for cell in cells]
    looks = _looks(shapes, LEGEND_D)
    drawing = charts.bars(cells, [charts.Series(title, values)], "loss rate, %", looks=looks)
    return Figure(
        name,
        title,
        drawing,
        alt=f"{title}: bars by configuration",
        caption=(
            f"{reading} Mean over {seeds_phrase(results, cells)}, 95 % confidence intervals; the ideal is 0. "
            "The paper prints no values for this panel."
        ),
    )
