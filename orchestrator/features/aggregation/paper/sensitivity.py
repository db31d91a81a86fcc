# SPDX-License-Identifier: Apache-2.0
"""The section "Sensitivity": the headline measures with other decisions where the paper leaves a choice."""

from __future__ import annotations

from orchestrator.errors import NoSuchThing
from orchestrator.features.aggregation.paper import ideal
from orchestrator.features.aggregation.paper.cells import SAVINGS
from orchestrator.features.aggregation.paper.data import published
from orchestrator.features.aggregation.paper.measures import MEASURES
from orchestrator.report import charts, style
from orchestrator.report.data import Results, read
from orchestrator.report.generic import seeds_phrase
from orchestrator.report.model import Block, Entry, Figure, Gallery, Table, paragraph
from orchestrator.report.statistics import with_interval
from orchestrator.statistics.estimates import paired, sign

EXPERIMENT = "aggregation-paper-sensitivity"

# (factor, [(the variant in words, its cell without aggregation)]), at the high rate with ten publishers.
HIGH = (
    ("Base", (("H10 and H10A", "H10"),)),
    ("Geometry", (("chain of 40 m hops", "H10-spaced"),)),
    ("MAC", (("no CSMA", "H10-no-csma"),)),
    (
        "Jitter (base 20 ms)",
        (("none", "H10-jitter-0"), ("up to 5 ms", "H10-jitter-5"), ("up to 50 ms", "H10-jitter-50")),
    ),
    ("Full", (("network-wide", "H10-full-network"),)),
    ("Random loss", (("2 %", "H10-loss-2"),)),
    ("Cooja rules", (("2026.07", "H10-rules-2026"),)),
    (
        "CSMA in the radio",
        (
            ("128 ticks a second, phases drawn", "H10-radio"),
            ("without jitter", "H10-radio-jitter-0"),
            ("jitter up to 50 ms", "H10-radio-jitter-50"),
            ("ticks in step", "H10-radio-in-step"),
            ("1,000 ticks a second", "H10-radio-clock-1000"),
        ),
    ),
)
# The same with id-based delay at the low rate.
DELAYED = (
    (
        "L10D, step",
        (("0.6 s", "L10D-0.6"), ("1.25 s (base)", "L10D-1.25"), ("2.5 s", "L10D-2.5"), ("5 s", "L10D-5")),
    ),
    ("L10D, no CSMA", (("step 1.25 s", "L10D-no-csma"), ("step 1.3 s", "L10D-1.3-no-csma"))),
    ("L10D, random loss", (("2 %", "L10D-loss-2"),)),
)
# The other configurations without CSMA.
WITHOUT_CSMA = (
    (
        "No CSMA",
        (("H5 and H5A", "H5-no-csma"), ("L5 and L5A", "L5-no-csma"), ("L10 and L10A", "L10-no-csma")),
    ),
    (
        "No CSMA, 40 m hops",
        (
            ("H5 and H5A", "H5-spaced-no-csma"),
            ("H10 and H10A", "H10-spaced-no-csma"),
            ("L5 and L5A", "L5-spaced-no-csma"),
            ("L10 and L10A", "L10-spaced-no-csma"),
        ),
    ),
)
VARIANTS = (*HIGH, *DELAYED, *WITHOUT_CSMA)


def read_beside(results: Results) -> Results | None:
    """Read the sensitivity experiment of the same store; None if it has not been run."""
    try:
        return read(results.folder.parent, EXPERIMENT)
    except NoSuchThing:
        return None


def blocks(results: Results, swept: Results | None) -> list[Block]:
    """Return the contents of the section."""
    if swept is None:
        return [
            paragraph(
                "The sensitivity runs are not in this store. `orchestrate paper aggregation` without "
                "--no-sensitivity makes them.",
                "note",
            )
        ]
    intro = paragraph(
        "We decided what the paper leaves open before we saw any result. Here one decision is changed at "
        "a time, and the headline numbers are measured again, with and without aggregation, over fewer "
        f"seeds than above ({seeds_phrase(swept, swept.cells)}) and the same durations."
    )
    content: list[Block] = [intro]
    # The sweep has the main runs' firmware and one more, without CSMA.
    if swept.manifests and not _firmware(results) <= _firmware(swept):
        content.append(paragraph("These runs were made with other firmware than the main runs.", "warning"))
    figures = [
        _figure(swept, *topic)
        for topic in (
            ("reduction", ("reduction_counted",), "Reduction by aggregation", "reduction of events, %"),
            ("event-loss", ("event_loss",) * 2, "Event loss rate", "event loss rate, %"),
            ("packet-loss", ("packet_loss",) * 2, "Packet loss rate", "packet loss rate, %"),
            ("full", ("full_share",), "Full aggregates", "full among received messages, %"),
            (
                "aggregated-share",
                ("aggregated_share",),
                "Events that came aggregated, L10AD",
                "events that came in aggregates, %",
            ),
        )
    ]
    return [*content, Gallery((*figures[:4], _by_mac(results, swept), figures[4])), _table(swept)]


def _firmware(results: Results) -> set[str]:
    return {digest for manifest in results.manifests for digest in manifest.firmware.values()}


# Figure -> the published number that it shows, and its cell.
PAPERS = {"reduction": ("reduction-counted-H10", "H10"), "aggregated-share": ("aggregated-L10AD", "L10AD")}


def _figure(results: Results, name: str, measures: tuple[str, ...], title: str, unit: str) -> Figure:
    """Draw one measure with aggregation, or two: the first without and the second with aggregation."""
    factors, base_cell = (DELAYED, "L10D-1.25-A") if name == "aggregated-share" else (VARIANTS, "H10-A")
    rows = []
    for factor, variants in factors:
        for place, (label, cell) in enumerate(variants):
            cells = (cell, f"{cell}-A") if len(measures) == 2 else (f"{cell}-A",)
            rows.append(
                charts.Row(
                    f"{factor}: {label}",
                    [MEASURES[m].estimate(results, c) for m, c in zip(measures, cells)],
                    gap=place == 0,
                )
            )
    names = ("without aggregation", "with aggregation") if len(measures) == 2 else ("",)
    colours = (style.PLAIN, style.AGGREGATED) if len(measures) == 2 else (style.AGGREGATED,)
    base = MEASURES[measures[-1]].estimate(results, base_cell)
    references = [charts.Reference(base.mean)] if base.known else []
    if name in PAPERS:
        id, cell = PAPERS[name]
        references.append(charts.Reference(published(id), f"paper, {cell}: {published(id)} %"))
    drawing = charts.forest(
        rows,
        names,
        unit,
        references=references,
        colours=colours,
        scale=charts.Scale((0, 100) if len(measures) == 1 else None),
    )
    return Figure(
        f"sensitivity-{name}",
        title,
        drawing,
        alt=f"{title} under each variant",
        caption=(
            f"{MEASURES[measures[-1]].title.capitalize()} in %, mean with 95 % confidence interval over "
            f"{seeds_phrase(results, results.cells)}. Dashed: the base with aggregation."
        ),
    )


def _by_mac(results: Results, swept: Results) -> Figure:
    """Draw the four published reductions and ours, with CSMA (the main runs) and without (swept)."""
    theirs = [(published(f"reduction-counted-{name}"), "") for name in SAVINGS]
    ideals = [100 * ideal.reduction(n, ideal.counted(n)) for n in (int(name[1:]) for name in SAVINGS)]

    def series(label: str, source: Results, cell: str, colour: str, hatch: str) -> charts.Series:
        estimates = [MEASURES["reduction_counted"].estimate(source, cell.format(name)) for name in SAVINGS]
        return charts.Series(label, estimates, ideals, theirs, colour, hatch)

    drawn = [
        series("ours, CSMA", results, "{}A", style.AGGREGATED, ""),
        series("ours, no CSMA", swept, "{}-no-csma-A", style.GREEN, "////"),
        series("ours, no CSMA, 40 m hops", swept, "{}-spaced-no-csma-A", style.PLAIN, "...."),
    ]
    drawing = charts.bars(list(SAVINGS), drawn, "reduction, %", top=100)
    return Figure(
        "sensitivity-mac",
        "The reduction, with CSMA and without",
        drawing,
        alt="Reduction by configuration and MAC",
        caption=(
            "Reduction of events generated plus forwarded in %, with 95 % confidence intervals: our main "
            "runs with CSMA/CA, and runs with nullmac as the paper says, with all motes in range of each "
            "other "
            f"or neighbours only ({seeds_phrase(swept, swept.cells)}). The paper's number is drawn on each."
        ),
    )


def _row(results: Results, factor: str, label: str, cell: str) -> tuple[Entry, ...]:
    on = f"{cell}-A"
    loss = paired(MEASURES["event_loss"].of(results, cell), MEASURES["event_loss"].of(results, on))
    words = {
        1: "fewer lost with aggregation",
        -1: "more lost with aggregation",
        0: "no difference shown",
        None: "too few seeds",
    }[sign(loss)]
    columns = ("reduction_counted", on), ("event_loss", cell), ("event_loss", on), ("full_share", on)
    numbers = (
        Entry(*with_interval(of.estimate(results, which), of.decimals, of.unit), number=True)
        for measure, which in (*columns, ("aggregated_share", on))
        for of in [MEASURES[measure]]
    )
    apart = with_interval(loss, 2, "points")[0]
    return (Entry(label, factor), *numbers, Entry(words, apart, "" if sign(loss) else "quiet"))


def _table(results: Results) -> Table:
    rows = (_row(results, factor, *variant) for factor, variants in VARIANTS for variant in variants)
    return Table(
        "All variants",
        (
            "Variant",
            "Reduction",
            "Event loss, plain",
            "Event loss, A",
            "Full, A",
            "Came aggregated, A",
            "Order of losses",
        ),
        tuple(rows),
        note="Reduction: of events generated plus forwarded (6.3); under id-based delay at least this much. "
        "The difference in the last column is without − with aggregation, paired by seed.",
    )
