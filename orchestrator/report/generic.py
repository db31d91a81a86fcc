# SPDX-License-Identifier: Apache-2.0
"""The sections of every report: all cells by all metrics, a figure for each metric, missing results."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TypeVar

from orchestrator.report import charts, quantiles, recovery
from orchestrator.report.data import Results, natural
from orchestrator.report.metrics import order, ranked
from orchestrator.report.missing import Missing, table
from orchestrator.report.model import Block, Entry, Figure, Gallery, Section, Table, Text, paragraph
from orchestrator.report.statistics import CI, METHOD, number, with_interval
from orchestrator.statistics.estimates import Estimate, estimate

CURVES_A_FIGURE = 6
T = TypeVar("T")


def file_name(*parts: str) -> str:
    """Make a figure's file name from names that users chose."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-")[:80] or "figure"


def sections(
    results: Results, missing: Sequence[Missing] = (), comparison: Section | None = None
) -> list[Section]:
    """Return the sections; the comparison by axis comes after the results."""
    blocks = (*_results(results), *([table(list(missing), results)] if missing else []))
    whole = [Section("results", "Results", blocks)] if blocks else []
    if comparison:
        whole.append(comparison)
    for name, title, figures, short in (
        ("nodes", "Node by node", _per_node(results), ""),
        ("repair", "Repair after a mote's death", recovery.figures(results), "Repair"),
        ("delay", "Delivery delay", _delays(results), ""),
    ):
        if figures:
            whole.append(Section(name, title, (Gallery(tuple(figures)),), short))
    return whole


def seeds_phrase(results: Results, cells: list[str] | tuple[str, ...]) -> str:
    """Say how many seeds these cells have."""
    counts = sorted({len(results.seeds(cell)) for cell in cells})
    if not counts:
        return "no seed"
    span = str(counts[0]) if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"
    return f"{span} seed{'s' if counts[-1] != 1 else ''}"


def in_parts(items: Sequence[T], most: int) -> Iterator[tuple[int, str, Sequence[T]]]:
    """Yield parts of at most so many: the part's number, " (1 of 2)" if there are several, the items."""
    parts = range(0, len(items), most)
    for part, at in enumerate(parts, 1):
        yield part, f" ({part} of {len(parts)})" if len(parts) > 1 else "", items[at : at + most]


def over(results: Results, cells: list[str]) -> str:
    """Describe the values in a figure of these cells."""
    seeds = seeds_phrase(results, cells)
    return (
        f"mean with 95 % confidence interval over {seeds}"
        if any(len(results.seeds(cell)) > 1 for cell in cells)
        else f"of {seeds}"
    )


def _results(results: Results) -> list[Block]:
    own = [m for m in sorted(results.own) if "total" in results.keys(m)]
    columns = [m for m in (*ranked("column"), *own) if results.cells_with(m)]
    none = "No totals of events or messages were measured: the motes printed no records for them."
    in_order = sorted(results.metrics(), key=lambda m: (order(m), m))
    totals = [
        metric
        for metric in in_order
        if results.shown(metric).kind == "total"
        and not results.shown(metric).declared.apart
        and metric not in ("events_published", "events_lost")
    ]
    zero = [metric for metric in totals if _is_zero(results, metric)]
    figures = [
        figure for metric in totals if metric not in zero and (figure := total_figure(results, metric))
    ]
    return [
        *(
            [cells_table(results, columns)]
            if columns
            else [paragraph(none, "warning")]
            if any(map(results.prints_records, results.cells))
            else []
        ),
        *([Gallery(tuple(figures))] if figures else []),
        *_zeros(results, zero),
        *(_by_key(results, metric) for metric in in_order if results.shown(metric).kind == "table"),
    ]


def _is_zero(results: Results, metric: str) -> bool:
    return all((results.values(cell, metric) == 0).all() for cell in results.cells_with(metric))


def _zeros(results: Results, zero: list[str]) -> list[Block]:
    """Name the metrics that are zero everywhere, in place of their figures."""
    everywhere = [
        metric
        for metric in zero
        if all(len(results.values(cell, metric)) == len(results.seeds(cell)) for cell in results.cells)
    ]
    blocks: list[Block] = []
    for names, where in (
        (everywhere, "Zero in every run"),
        ([metric for metric in zero if metric not in everywhere], "Zero in every run that measured it"),
    ):
        if names:
            titles = ", ".join(results.shown(metric).title.lower() for metric in names)
            blocks.append(paragraph(f"{where}: {titles}.", "note"))
    return blocks


def cells_table(results: Results, columns: list[str], title: str = "All cells") -> Table:
    """Return the table of all cells by these metrics, with the totals' means and intervals."""
    same_n = len({len(results.seeds(cell)) for cell in results.cells}) == 1
    rows = []
    for cell in results.cells:
        row = [Entry(cell)]
        for metric in columns:
            how = results.shown(metric)
            text, detail = with_interval(
                results.estimate(cell, metric, scale=how.scale), how.declared.decimals
            )
            detail = detail.removeprefix(CI + " ")
            whole = len(results.values(cell, metric)) == len(results.seeds(cell))
            row.append(Entry(text, detail.split(", n")[0] if same_n and whole else detail, number=True))
        rows.append(tuple(row))
    titles = tuple(results.shown(m).head for m in columns)
    several = any(len(results.seeds(cell)) > 1 for cell in results.cells)
    blank = any(entry.text == "–" for row in rows for entry in row)
    interval = f"below it the 95 % confidence interval ({METHOD})" if several else "one seed has no interval"
    dash = " An en dash: not measured in that cell, or not defined for it." if blank else ""
    note = f"Mean over {seeds_phrase(results, results.cells)}; {interval}.{dash}"
    return Table(title, ("Cell", *titles), tuple(rows), note, cards=False)


def _by_key(results: Results, metric: str) -> Table | Text:
    """Return a table of cells by the keys of a metric; keys that are zero everywhere are in its note."""
    how, keys = results.shown(metric), results.keys(metric)
    cells = results.cells_with(metric)
    nonzero = [key for key in keys if any((results.values(cell, metric, key) != 0).any() for cell in cells)]
    if not nonzero:
        return paragraph(
            f"No {how.unit.rstrip('s')} was counted in any cell under \u201c{how.title}\u201d "
            f"({', '.join(keys)})."
        )
    rows = tuple(
        (
            Entry(cell),
            *(Entry(number(results.estimate(cell, metric, key).mean, 1), number=True) for key in nonzero),
        )
        for cell in cells
    )
    never = [key for key in keys if key not in nonzero]
    note = f"In {how.unit}, the mean of a run over {seeds_phrase(results, cells)}; {how.meaning}."
    return Table(
        how.title,
        ("Cell", *nonzero),
        rows,
        cards=False,
        note=note + (f" Left out because they are zero in every run: {', '.join(never)}." if never else ""),
    )


def total_figure(results: Results, metric: str) -> Figure | None:
    """Draw a metric's totals, a bar for each cell; None if no cell has one."""
    cells = [cell for cell in results.cells_with(metric) if len(results.values(cell, metric))]
    if not cells:
        return None
    how = results.shown(metric)
    values = [results.estimate(cell, metric, scale=how.scale) for cell in cells]
    sure = (
        "Bars are means, error bars 95 % confidence intervals over"
        if any(value.n > 1 for value in values)
        else "Bars are the values of"
    )
    drawing = charts.bars(
        cells,
        [charts.Series(how.title, values, key=f"{metric}/total")],
        how.unit or metric,
        ylabel=how.label,
        looks=charts.BarLooks(places=[results.place(cell) for cell in cells]),
    )
    return Figure(
        file_name("all", metric),
        how.title,
        drawing,
        alt=f"Bar chart of {how.title.lower()} by cell",
        caption=(
            f"{how.title} by cell, in "
            f"{how.unit or 'the unit of the table'}{': ' + how.meaning if how.meaning else ''}. "
            f"{sure} {seeds_phrase(results, cells)}."
        ),
    )


def _node_order(results: Results, cells: list[str], metric: str) -> list[str]:
    """Return the node names in the order of their mote ids; in natural order if no manifest has the ids."""
    keys = [key for key in results.keys(metric) if key != "total"]
    ids: dict[str, int] = {}
    for cell in cells:
        manifest = results.manifest(cell)
        for mote in manifest.motes if manifest else ():
            # The control node has the last id, which differs between networks of different sizes.
            ids[mote.name] = max(ids.get(mote.name, 0), mote.mote)
    return sorted(keys, key=lambda key: (ids.get(key, math.inf), natural(key)))


def _per_node(results: Results) -> list[Figure]:
    figures = []
    for metric in sorted(results.metrics(), key=lambda m: (order(m), m)):
        how = results.shown(metric)
        if how.declared.apart or (how.kind not in ("node", "histogram") and not how.by_node):
            continue
        if how.kind == "total" and _is_zero(results, metric):  # the results say so
            continue
        for _, which, cells in in_parts(results.cells_with(metric), CURVES_A_FIGURE):
            figures.append(by_key_figure(results, metric, cells, which))
    return figures


def by_key_figure(results: Results, metric: str, cells: Sequence[str], which: str) -> Figure:
    """Draw a metric's values by key, such as a node or a number of hops, a line for each cell."""
    how = results.shown(metric)
    histogram = how.kind == "histogram"
    present = {key for cell in cells for key in results.keys(metric, cell)} - {"total"}
    keys = [key for key in _node_order(results, cells, metric) if key in present]
    series = [
        charts.Series(
            cell,
            [_one(results, cell, metric, key, how.scale, histogram) for key in keys],
            cell=cell,
            place=results.place(cell),
        )
        for cell in cells
    ]
    drawing = charts.profile(keys, series, how.unit, xlabel=how.declared.axis or "node", ylabel=how.label)
    by = how.declared.by
    what = f"by {by}" if by else "of each node"
    named = how.title if " by " in how.title else f"{how.title} {what}"
    return Figure(
        file_name("nodes", metric, *cells[:1]),
        how.title + (f", {what}" if how.by_node else "") + which,
        drawing,
        alt=named,
        caption=(
            f"{named}, in {how.unit}{'; ' + how.meaning if how.meaning else ''}: {over(results, cells)}."
        ),
    )


def _one(results: Results, cell: str, metric: str, key: str, scale: float, histogram: bool) -> Estimate:
    values = (
        results.counts(cell, metric, key)
        if histogram and key in results.keys(metric, cell)
        else results.values(cell, metric, key)
    )
    least, most = results.shown(metric).bounds
    return estimate((values * scale).tolist(), (least * scale, most * scale))


def _delays(results: Results) -> list[Figure]:
    figures = []
    cells = results.cells_with("delay_ms")
    if cells:
        rows = [
            [results.estimate(cell, "delay_ms", key).mean for cell in cells]
            for key in ("p05", "p50", "mean", "p95")
        ]
        drawing = quantiles.spans(
            cells, *rows, "delay from publication to delivery, ms (logarithmic beyond 10)"
        )
        figures.append(
            Figure(
                "all-delay",
                "Delivery delay",
                drawing,
                alt="Range of the delivery delay of each cell",
                caption=(
                    "From publication to the first delivery to a subscriber, in milliseconds: each value is "
                    f"the mean over {seeds_phrase(results, cells)} of the runs' percentiles. Lost events "
                    "have no delay and are left out."
                ),
            )
        )
    parts = in_parts(results.cells_with("delay_histogram"), CURVES_A_FIGURE)
    return figures + [_delay_curve(results, some, part) for part, _, some in parts]


def _delay_curve(results: Results, cells: list[str], part: int) -> Figure:
    curves = []
    for cell in cells:
        frame = results.per_run
        frame = frame[(frame["cell"] == cell) & (frame["metric"] == "delay_histogram")]
        counts: dict[float, float] = {}
        for key, value in frame.groupby("key")["value"].sum().items():
            try:
                counts[float(key)] = float(value)
            except ValueError:
                continue
        total, x = sum(counts.values()), sorted(counts)
        y = [sum_ / total if total else 0.0 for sum_ in accumulate(counts[upper] for upper in x)]
        curves.append((cell, [0.0, *x], [0.0, *y]))
    drawing = quantiles.curves(
        curves,
        "delay, ms (logarithmic beyond 10)",
        "share of delivered events",
        places=[results.place(cell) for cell in cells],
    )
    return Figure(
        f"all-delay-distribution-{part}",
        "Distribution of the delay",
        drawing,
        alt="Cumulative distribution of the delivery delay",
        caption=(
            "Share of delivered individual events whose delay is at most x, all seeds together "
            f"({seeds_phrase(results, cells)}); steps are the histogram's buckets, at most an eighth wide."
        ),
    )
