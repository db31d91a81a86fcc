# SPDX-License-Identifier: Apache-2.0
"""The sensitivity figure: the headline measures under every choice that the paper leaves open."""

from __future__ import annotations

from orchestrator.errors import NoSuchThing
from orchestrator.papers.aggregation.measures import MEASURES
from orchestrator.report import charts, style
from orchestrator.report.data import Results, read
from orchestrator.report.generic import seeds_phrase
from orchestrator.report.model import Block, Entry, Figure, Gallery, Table, Text
from orchestrator.report.statistics import paired, sign, with_interval

EXPERIMENT = "aggregation-paper-sensitivity"

# (factor, [(what the variant is, its cell without aggregation)]); the first variant of a block is its base
VARIANTS = (
    ("Base", (("H10 and H10A", "H10"),)),
    ("Geometry", (("chain of 40 m hops", "H10-spaced"),)),
    ("MAC", (("no CSMA", "H10-no-csma"),)),
    ("Jitter (base 20 ms)", (("none", "H10-jitter-0"), ("up to 5 ms", "H10-jitter-5"), ("up to 50 ms", "H10-jitter-50"))),
    ("Full", (("network-wide", "H10-full-network"),)),
    ("Random loss", (("10 %", "H10-loss-10"),)),
    ("Cooja rules", (("2026.07", "H10-rules-2026"),)),
    ("L10D, step", (("0.6 s", "L10D-0.6"), ("1.25 s (base)", "L10D-1.25"), ("2.5 s", "L10D-2.5"), ("5 s", "L10D-5"))),
)


def read_beside(results: Results) -> Results | None:
    """The sensitivity experiment of the same store, None if it has not been run."""
    try:
        return read(results.folder.parent, EXPERIMENT)
    except NoSuchThing:
        return None


def blocks(sensitivity: Results | None) -> list[Block]:
    if sensitivity is None:
        return [Text(("The sensitivity runs are not in this store. `orchestrate paper aggregation` without --no-sensitivity "
                      "makes them.",), "note")]
    intro = Text(("What the paper leaves open we decided before seeing a result. Here each decision is changed, one at a "
                  "time, and the headline numbers are measured again, with and without aggregation. Fewer seeds than above "
                  f"({seeds_phrase(sensitivity, sensitivity.cells)}), same durations.",))
    return [intro, Gallery((_figure(sensitivity, "reduction", ("reduction",), "Reduction by aggregation", "reduction of transmitted events, %"),
                            _figure(sensitivity, "event-loss", ("event_loss", "event_loss"), "Event loss rate", "event loss rate, %"),
                            _figure(sensitivity, "packet-loss", ("packet_loss", "packet_loss"), "Packet loss rate", "packet loss rate, %"),
                            _figure(sensitivity, "full", ("full_share",), "Full aggregates", "full among received messages, %"))),
            _table(sensitivity)]


def _figure(results: Results, name: str, measures: tuple[str, ...], title: str, unit: str) -> Figure:
    """Two measures: the first without aggregation, the second with; one: with aggregation only."""
    rows = []
    for factor, variants in VARIANTS:
        for place, (label, cell) in enumerate(variants):
            cells = (cell, f"{cell}-A") if len(measures) == 2 else (f"{cell}-A",)
            rows.append(charts.Row(f"{factor}: {label}", [MEASURES[m].estimate(results, c) for m, c in zip(measures, cells)], gap=place == 0))
    names = ("without aggregation", "with aggregation") if len(measures) == 2 else ("",)
    colours = (style.PLAIN, style.AGGREGATED) if len(measures) == 2 else (style.AGGREGATED,)
    base = MEASURES[measures[-1]].estimate(results, "H10-A")
    svg = charts.forest(rows, names, unit, colours=colours, reference=(base.mean,) if base.known else (), bounds=(0, 100) if len(measures) == 1 else None)
    return Figure(f"sensitivity-{name}", title, svg, alt=f"{title} under each variant", caption=(
        f"{MEASURES[measures[-1]].title.capitalize()} in %, mean with 95 % confidence interval over "
        f"{seeds_phrase(results, results.cells)}. Dashed: the base with aggregation at the high rate."))


def _table(results: Results) -> Table:
    rows = []
    for factor, variants in VARIANTS:
        for label, cell in variants:
            on = f"{cell}-A"
            loss = paired(MEASURES["event_loss"].of(results, cell), MEASURES["event_loss"].of(results, on))
            words = {1: "fewer events lost with aggregation", -1: "more events lost with aggregation",
                     0: "no difference shown", None: "too few seeds"}[sign(loss)]
            entries = [with_interval(MEASURES[m].estimate(results, c), MEASURES[m].decimals, MEASURES[m].unit)
                       for m, c in (("reduction", on), ("event_loss", cell), ("event_loss", on), ("full_share", on))]
            rows.append((Entry(label, factor), *(Entry(text, detail, number=True) for text, detail in entries),
                         Entry(words, with_interval(loss, 2, "points")[0], tone="quiet" if sign(loss) in (0, None) else "")))
    return Table("All variants", ("Variant", "Reduction", "Event loss, plain", "Event loss, A", "Full, A", "Order of losses"), tuple(rows),
                 note="The difference under the order of losses is without − with aggregation, paired by seed.")
