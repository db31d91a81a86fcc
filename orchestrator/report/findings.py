# SPDX-License-Identifier: Apache-2.0
"""The three sentences that every report begins with.

They tell what was run, the largest difference between cells, and what was lost, failed or not measured. Each
is made from the data; if the data doesn't say, neither does the sentence.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from orchestrate_spark.metrics.model import SHARE

from orchestrator.report import provenance
from orchestrator.report.axes import Step, steps, value
from orchestrator.report.comparison.phrases import interval
from orchestrator.report.comparison.rows import Row
from orchestrator.report.data import Results
from orchestrator.report.missing import Missing
from orchestrator.report.model import Section, Text
from orchestrator.report.statistics import number
from orchestrator.runs.model import Outcome
from orchestrator.words import counted, enumerated

# In %. A larger increase is that of a mean near 0, to which neither a ratio nor an interval says anything.
MOST_PERCENT = 1000.0


def section(results: Results, rows: Sequence[tuple[Step, Row]], missing: Sequence[Missing]) -> Section:
    """Return the section "What was found"."""
    return Section(
        "found",
        "What was found",
        (Text((ran(results), _differs(results, rows), _lacks(results, missing)), "lead"),),
        "Found",
    )


def lowered(title: str) -> str:
    """Return a title in its form within a sentence: CPU stays CPU."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def ran(results: Results) -> str:
    """Return the sentence on what was run, and which of it is in the numbers."""
    seeds = sorted({int(seed) for seed in results.per_run["seed"]})
    names = sorted({manifest.resolved.application.name for manifest in results.manifests})
    kind = "application" if any(map(results.prints_records, results.cells)) else "simulation"
    application = (
        f"the {kind} {names[0]}"
        if len(names) == 1
        else f"the {kind}s {', '.join(names)}"
        if names
        else "an application that no manifest names"
    )
    what = (
        f"{counted(len(results.cells), 'cell')} of {application} ran with {counted(len(seeds), 'seed')} "
        f"({provenance.seeds_in_words(seeds)})"
    )
    if len(results.measured) == results.planned:
        return (
            f"{what}, and all {counted(results.planned, 'run')} are in these numbers."
            if results.planned > 1
            else f"{what}, and that one run is in these numbers."
        )
    return (
        f"{what}; {len(results.measured)} of {counted(results.planned, 'planned run')} are in these numbers: "
        f"{_others(results)}."
    )


def _others(results: Results) -> str:
    ended = Counter(
        manifest.outcome.value for manifest in results.manifests if manifest.run_id not in results.measured
    )
    parts = [
        f"{count} ended with {outcome!r}" if outcome != Outcome.OK else f"{count} without metrics"
        for outcome, count in sorted(ended.items())
    ]
    absent = results.planned - len(results.manifests)
    return ", ".join([*parts, *([f"{absent} were not made yet"] if absent > 0 else [])])


def _differs(results: Results, rows: Sequence[tuple[Step, Row]]) -> str:
    if len(results.cells) < 2:
        return "There is one cell, so there is nothing to compare it with here."
    if not rows and not steps(results):
        return (
            "Nothing can be said about differences between cells: no two of them are known to differ in one "
            "axis only."
        )
    if not rows:
        return (
            "Nothing can be said about differences between cells: no metric was measured in two cells that "
            "differ in one axis only."
        )
    if all(row.difference.n < 2 for _, row in rows):
        return (
            "Nothing can be said about differences between cells: one seed for each cell gives no interval "
            "and no test."
        )
    significant = [(step, row) for step, row in rows if row.differs]
    if not significant:
        return (
            "No difference between cells is shown: "
            + (f"none of {len(rows)} comparisons is" if len(rows) > 1 else "the one comparison is not")
            + " significant at 5\u00a0% (Holm)."
        )
    step, row = max(significant, key=lambda of: (not _of_load(*of), _size(of[1])))
    load = 0 if _of_load(step, row) else sum(_of_load(*of) for of in significant)
    which = f", {number(load, 0)} of which {'is' if load == 1 else 'are'} in such totals" if load else ""
    more = (
        f" It is one of {counted(len(significant), 'difference')} that are shown{which}."
        if len(significant) > 1
        else ""
    )
    return _largest(step, row, apart=bool(load)) + more


def _of_load(step: Step, row: Row) -> bool:
    """Whether the difference follows from the load: more of everything where more events are published."""
    return not step.same_load and row.how.kind in ("total", "node") and row.how.declared.unit != SHARE


def _size(row: Row) -> float:
    return -1.0 if math.isnan(row.percent) else abs(row.percent)


def _largest(step: Step, row: Row, apart: bool) -> str:
    """Return the sentence on the largest difference, `apart` from those that follow the load."""
    the = "Apart from totals of cells that publish more or fewer events, the" if apart else "The"
    title, places = lowered(row.title), row.how.declared.decimals
    unit = f"\u00a0{row.how.unit}" if row.how.unit else ""
    means = f"{number(row.difference.a.mean, places)} to {number(row.difference.b.mean, places)}{unit}"
    where = (
        f"with {step.axis} = {value(step.other)} instead of {value(step.first)} (cell {step.pair.b} beside "
        f"{step.pair.a})"
    )
    if not row.percent <= MOST_PERCENT:
        return f"{the} largest difference that is shown is in {title}: from {means} {where}."
    low, high = (
        sorted(map(abs, row.percent_interval))
        if row.percent_interval[0] * row.percent_interval[1] >= 0
        else row.percent_interval
    )
    word = "higher" if row.percent > 0 else "lower"
    change = f"{number(abs(row.percent), 1)}\u00a0% {word} ({interval(low, high, 1)}\u00a0%; from {means})"
    return f"{the} largest relative difference that is shown is in {title}: {change} {where}."


def _lacks(results: Results, missing: Sequence[Missing]) -> str:
    parts = []
    failed = Counter(
        manifest.outcome.value for manifest in results.manifests if manifest.outcome is not Outcome.OK
    )
    if failed:
        parts.append(
            f"{counted(sum(failed.values()), 'run')} failed "
            f"({', '.join(f'{count} {name}' for name, count in sorted(failed.items()))})"
        )
    parts += _lost(results)
    if missing:
        titles = list(dict.fromkeys(title for metric in missing for title in metric.titles))
        named = enumerated(
            [*map(lowered, titles[:4]), *([f"{len(titles) - 4} more"] if len(titles) > 4 else [])]
        )
        where = "" if all(metric.cells == results.cells for metric in missing) else ", in some cells,"
        parts.append(f"there is{where} no value of {named} (the table \u201cNot measured\u201d says why)")
    complete = "No run failed"
    if all(map(results.prints_records, results.cells)):
        complete += ", and every metric that a report looks for was measured"
    text = "; ".join(parts) if parts else complete
    return text[0].upper() + text[1:] + "."


def _lost(results: Results) -> list[str]:
    cells = [cell for cell in results.cells_with("events_lost") if len(results.values(cell, "events_lost"))]
    if not cells:
        return []
    lost, published = (
        sum(float(results.values(cell, metric).sum()) for cell in cells)
        for metric in ("events_lost", "events_published")
    )
    if not published:
        return ["no event was published"]
    rates = {
        cell: results.estimate(cell, "event_loss_rate", scale=100).mean
        for cell in results.cells_with("event_loss_rate")
    }
    if not lost:
        return ["no event was lost"]
    if len(rates) < 2:
        return [f"{number(next(iter(rates.values())), 2)}\u00a0% of the events were lost"] if rates else []
    worst = max(rates, key=lambda cell: rates[cell])
    if min(rates.values()) == rates[worst]:
        return [f"{number(rates[worst], 2)}\u00a0% of the events were lost in every cell"]
    return [
        f"{number(min(rates.values()), 2)} to {number(rates[worst], 2)}\u00a0% of the events were lost, most "
        f"in {worst}"
    ]
