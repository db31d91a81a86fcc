# SPDX-License-Identifier: Apache-2.0
"""What every experiment's report shows: all cells by all metrics, one figure a metric, and the pairs of cells that
differ in one switch only."""

from __future__ import annotations

import json
import math
import re

from orchestrator.report import charts, recovery
from orchestrator.report.data import Results, natural
from orchestrator.report.metrics import METRICS, Shown
from orchestrator.report.model import Block, Entry, Figure, Gallery, Section, Table, Text
from orchestrator.report.statistics import CI, Estimate, estimate, number, paired, sign, with_interval

HEADLINE = ("events_published", "events_delivered", "event_loss_rate", "packet_loss_rate", "events_transmitted",
            "reduction", "aggregated_share", "full_aggregates", "recovery_renewals")
COMPARED = ("events_transmitted", "event_loss_rate", "packet_loss_rate", "energy_mj", "samples_taken", "context_switches",
            "cpu_energy_mj")
CURVES_A_FIGURE = 6


def file_name(*parts: str) -> str:
    """A figure's file name from names that users chose."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-")[:80] or "figure"


def order(metric: str) -> int:
    return list(METRICS).index(metric) if metric in METRICS else len(METRICS)


def sections(results: Results) -> list[Section]:
    found = [Section("results", "Results", tuple(_results(results)))]
    comparison = _comparison(results)
    if comparison:
        found.append(Section("comparison", "Comparison of pairs", comparison, "Comparison"))
    nodes = _per_node(results)
    if nodes:
        found.append(Section("nodes", "Node by node", (Gallery(tuple(nodes)),)))
    repairs = recovery.figures(results)
    if repairs:
        found.append(Section("repair", "Repair after a mote's death", (Gallery(tuple(repairs)),), "Repair"))
    delays = _delays(results)
    if delays:
        found.append(Section("delay", "Delivery delay", (Gallery(tuple(delays)),)))
    return found


def seeds_phrase(results: Results, cells: list[str] | tuple[str, ...]) -> str:
    counts = sorted({len(results.seeds(cell)) for cell in cells})
    if not counts:
        return "no seed"
    span = str(counts[0]) if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"
    return f"{span} seed{'s' if counts[-1] != 1 else ''}"


def _results(results: Results) -> list[Block]:
    own = [m for m in sorted(results.own) if "total" in results.keys(m)]
    columns = [m for m in (*HEADLINE, *own) if results.cells_with(m)]
    same_n = len({len(results.seeds(cell)) for cell in results.cells}) == 1
    rows = []
    for cell in results.cells:
        row = [Entry(cell)]
        for metric in columns:
            how = results.shown(metric)
            text, detail = with_interval(results.estimate(cell, metric, scale=how.scale), how.decimals)
            detail = detail.removeprefix(CI + " ")
            row.append(Entry(text, detail.split(", n")[0] if same_n else detail, number=True))
        rows.append(tuple(row))
    titles = tuple(results.shown(m).percent for m in columns)
    blocks: list[Block] = [Table("All cells", ("Cell", *titles), tuple(rows), cards=False, note=(
        f"Mean over {seeds_phrase(results, results.cells)}; below it the 95 % confidence interval (Student's t). An en dash means "
        "that the metric is not defined for that cell."))]
    totals = [metric for metric in sorted(results.metrics(), key=lambda m: (order(m), m))
              if results.shown(metric).kind == "total" and not results.shown(metric).apart and metric not in ("events_published", "events_lost")]
    zero = [metric for metric in totals if all((results.values(cell, metric) == 0).all() for cell in results.cells_with(metric))]
    figures = [_total(results, metric) for metric in totals if metric not in zero]
    blocks.append(Gallery(tuple(figure for figure in figures if figure)))
    if zero:
        blocks.append(Text(("Zero in every run: " + ", ".join(results.shown(m).title.lower() for m in zero) + ".",), "note"))
    blocks += [_by_key(results, metric) for metric in sorted(results.metrics(), key=lambda m: (order(m), m))
               if results.shown(metric).kind == "table"]
    return blocks


def _by_key(results: Results, metric: str) -> Table | Text:
    """A matrix of cells by the keys of a metric; keys that are zero everywhere share a note."""
    how, keys = results.shown(metric), results.keys(metric)
    cells = results.cells_with(metric)
    nonzero = [key for key in keys if any((results.values(cell, metric, key) != 0).any() for cell in cells)]
    if not nonzero:
        return Text((f"{how.title}: none in any cell ({', '.join(keys)}).",))
    rows = tuple((Entry(cell), *(Entry(number(results.estimate(cell, metric, key).mean, 1), number=True) for key in nonzero))
                 for cell in cells)
    never = [key for key in keys if key not in nonzero]
    note = f"{how.unit.capitalize()} a run, mean over {seeds_phrase(results, cells)}; {how.meaning}."
    return Table(how.title, ("Cell", *nonzero), rows, cards=False, note=note + (f" Never: {', '.join(never)}." if never else ""))


def _total(results: Results, metric: str) -> Figure | None:
    cells = [cell for cell in results.cells_with(metric) if len(results.values(cell, metric))]
    if not cells:
        return None
    how = results.shown(metric)
    values = [results.estimate(cell, metric, scale=how.scale) for cell in cells]
    drawing = charts.bars(cells, [charts.Series(how.title, values, colour=charts.style.BLUE, hatch="", key=f"{metric}/total")], how.unit or metric)
    return Figure(file_name("all", metric), how.title, drawing, alt=f"Bar chart of {how.title.lower()} by cell", caption=(
        f"{how.title} by cell, in {how.unit or 'the unit of the table'}{': ' + how.meaning if how.meaning else ''}. Bars "
        f"are means, error bars 95 % confidence intervals over {seeds_phrase(results, cells)}."))


def _chunks(cells: list[str]) -> list[list[str]]:
    return [cells[i:i + CURVES_A_FIGURE] for i in range(0, len(cells), CURVES_A_FIGURE)]


def _node_order(results: Results, cells: list[str], metric: str) -> list[str]:
    """Node names in the order of their mote ids, where a manifest tells; else in natural order."""
    keys = [key for key in results.keys(metric) if key != "total"]
    ids: dict[str, int] = {}
    for cell in cells:
        for mote in (results.manifest(cell) or {}).get("motes", ()):
            # The control node has the last id, another one in each size of network.
            ids[str(mote.get("name"))] = max(ids.get(str(mote.get("name")), 0), int(mote.get("mote", 0)))
    return sorted(keys, key=lambda key: (ids.get(key, math.inf), natural(key)))


def _per_node(results: Results) -> list[Figure]:
    figures = []
    for metric in sorted(results.metrics(), key=lambda m: (order(m), m)):
        how = results.shown(metric)
        if how.apart or (how.kind not in ("node", "histogram") and not how.by_node):
            continue
        chunks = _chunks(results.cells_with(metric))
        for i, cells in enumerate(chunks):
            figures.append(_node_figure(results, metric, how, cells, f" ({i + 1} of {len(chunks)})" if len(chunks) > 1 else ""))
    return figures


def _node_figure(results: Results, metric: str, how: Shown, cells: list[str], which: str) -> Figure:
    histogram = how.kind == "histogram"
    present = {key for cell in cells for key in results.keys(metric, cell)} - {"total"}
    keys = [key for key in _node_order(results, cells, metric) if key in present]
    series = [charts.Series(cell, [_one(results, cell, metric, key, how.scale, histogram) for key in keys], cell=cell) for cell in cells]
    drawing = charts.profile(keys, series, how.unit, xlabel=how.by or ("events in the message" if histogram else ""))
    what = f"by {how.by}" if how.by else "by the number of events that it holds" if histogram else "by publisher" if how.by_node else "of each node"
    return Figure(file_name("nodes", metric, *cells[:1]), how.title + (f", by {how.by or 'publisher'}" if how.by_node else "") + which, drawing, alt=f"{how.title} {what}", caption=(
        f"{how.title} {what}, in {how.unit}{'; ' + how.meaning if how.meaning else ''}: mean with 95 % confidence interval over "
        f"{seeds_phrase(results, cells)}."))


def _one(results: Results, cell: str, metric: str, key: str, scale: float, histogram: bool) -> Estimate:
    values = results.counts(cell, metric, key) if histogram and key in results.keys(metric, cell) else results.values(cell, metric, key)
    return estimate((values * scale).tolist())


def _delays(results: Results) -> list[Figure]:
    figures = []
    cells = results.cells_with("delay_ms")
    if cells:
        rows = [[results.estimate(cell, "delay_ms", key).mean for cell in cells] for key in ("p05", "p50", "mean", "p95")]
        drawing = charts.spans(cells, *rows, "delay from publication to delivery, ms (logarithmic beyond 10)")
        figures.append(Figure("all-delay", "Delivery delay", drawing, alt="Range of the delivery delay of each cell", caption=(
            "From publication to delivery at the subscriber, in milliseconds: each value is the mean over seeds of that "
            f"run's percentile ({seeds_phrase(results, cells)}). Lost events have no delay and are not in it.")))
    for i, chunk in enumerate(_chunks(results.cells_with("delay_histogram"))):
        figures.append(_delay_curve(results, chunk, i))
    return figures


def _delay_curve(results: Results, cells: list[str], place: int) -> Figure:
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
        total, running, x, y = sum(counts.values()), 0.0, [0.0], [0.0]
        for upper in sorted(counts):
            running += counts[upper]
            x.append(upper)
            y.append(running / total if total else 0.0)
        curves.append((cell, x, y))
    drawing = charts.curves(curves, "delay, ms (logarithmic beyond 10)", "share of delivered events")
    return Figure(f"all-delay-distribution-{place + 1}", "Distribution of the delay", drawing,
                  alt="Cumulative distribution of the delivery delay", caption=(
                      "Share of delivered individual events whose delay is at most x, all seeds together "
                      f"({seeds_phrase(results, cells)}); steps are the buckets that the motes count in."))


def pairs(results: Results) -> list[tuple[str, str, str]]:
    """(cell without, cell with, axis) of cells that differ in one boolean setting only, in cell order."""
    settings = {}
    for cell in results.cells:
        manifest = results.manifest(cell)
        if manifest and isinstance(manifest.get("settings"), dict):
            settings[cell] = manifest["settings"]
    found = []
    for on, chosen in settings.items():
        for axis, value in chosen.items():
            if value is not True:
                continue
            twin = json.dumps({**chosen, axis: False}, sort_keys=True)
            found += [(off, on, axis) for off, other in settings.items() if json.dumps(other, sort_keys=True) == twin]
    return found


def verdict(difference: Estimate, more: str = "more", less: str = "less") -> tuple[str, str]:
    """(words, tone) for a paired difference with - without."""
    direction = sign(difference)
    if direction is None:
        return "too few seeds to tell", "open"
    if direction == 0:
        return ("equal in every seed" if difference.sd == 0 else "no difference shown"), "quiet"
    return (more if direction > 0 else less), ""


def _comparison(results: Results) -> tuple[Block, ...]:
    found = pairs(results)
    if not found:
        return ()
    rows = []
    for off, on, _ in found:
        for metric in COMPARED:
            how = METRICS[metric]
            of = results.summed if how.kind == "node" else results.values
            without, with_ = (of(cell, metric) * how.scale for cell in (off, on))
            difference = paired(with_, without)
            if not difference.known:
                continue
            words, tone = verdict(difference)
            text, detail = with_interval(difference, how.decimals, how.unit.replace("%", "points"))
            rows.append((Entry(f"{on} − {off}"), Entry(how.title, "all nodes" if how.kind == "node" else ""), Entry(number(estimate(without).mean, how.decimals), number=True),
                         Entry(number(estimate(with_).mean, how.decimals), number=True), Entry(text, detail, number=True), Entry(words, tone=tone)))
    if not rows:
        return ()
    axes = sorted({axis for _, _, axis in found})
    return (Text((f"Pairs of cells that differ in {' or '.join(axes)} only. The difference is taken seed by seed (both runs "
                  "of a seed share the publication schedule), so its interval is narrower than the two means' own.",)),
            Table("Paired differences", ("Pair", "Metric", "Without", "With", "Difference", "Verdict"), tuple(rows)))
