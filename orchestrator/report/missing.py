# SPDX-License-Identifier: Apache-2.0
"""The metrics that a report expects and lacks: in which cells, and which record of the log is missing."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrate_spark.log_format import MARKER, RECORDS
from orchestrate_spark.metrics import built_in

from orchestrator.report.data import Results
from orchestrator.report.metrics import ranked
from orchestrator.report.model import Entry, Table
from orchestrator.words import first_of

DIFFUSED = "cnt,interests_received"


@dataclass(frozen=True)
class Missing:
    """Metrics (`titles`) that are missing in the same cells for the same reason."""

    titles: tuple[str, ...]
    cells: tuple[str, ...]
    why: str


def missing(results: Results) -> list[Missing]:
    """Return missing results, grouped by cells and reason; firmware without records lacks none."""
    from orchestrate_spark.printed import printed

    lacking = {
        metric: tuple(
            cell
            for cell in results.cells
            if cell not in results.cells_with(metric) and results.prints_records(cell)
        )
        for metric in ranked("expected")
    }
    lacking = {metric: cells for metric, cells in lacking.items() if cells}
    if not lacking:
        return []
    there = printed(results.folder, results.measured)
    reasons: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for metric, cells in lacking.items():
        by_reason: dict[str, list[str]] = {}
        for cell in cells:
            by_reason.setdefault(_why(metric, there.get(cell, set()), results, cell), []).append(cell)
        for why, of in by_reason.items():
            reasons.setdefault((tuple(of), why), []).append(results.shown(metric).title)
    return [Missing(tuple(dict.fromkeys(titles)), cells, why) for (cells, why), titles in reasons.items()]


def table(missing: list[Missing], results: Results) -> Table:
    """Return the table "Not measured"."""
    rows = tuple(
        (Entry(", ".join(metric.titles)), Entry(_cells(metric.cells, results)), Entry(metric.why))
        for metric in missing
    )
    return Table(
        "Not measured",
        ("Metric", "Cells", "Why"),
        rows,
        note="Metrics are made from records that the motes print; spark/README.md describes the records.",
    )


def _cells(cells: tuple[str, ...], results: Results) -> str:
    return "all" if cells == results.cells else first_of(cells)


def _why(metric: str, there: set[str], results: Results, cell: str) -> str:
    if not results.seeds(cell):
        return "the numbers contain none of its runs"
    if metric == "packet_loss_rate" and DIFFUSED in there:
        return "not defined with diffusion, which sends an event again if it is not acknowledged"
    choices = [records.split() for records in built_in()[metric].needs.split(" or ")]
    lacks = [[record for record in records if record not in there] for records in choices]
    # The choice of which the motes print the largest share, else the first.
    best = min(range(len(choices)), key=lambda place: (len(lacks[place]) / len(choices[place]), place))
    if not lacks[best]:
        return "the records are there, but nothing could be counted (no event, or motes without the record)"
    other = [" and ".join(map(_written, records)) for place, records in enumerate(choices) if place != best]
    return f"no mote printed {' and '.join(map(_written, lacks[best]))}" + (
        f" (or else {'; '.join(other)})" if other else ""
    )


def _written(record: str) -> str:
    """Return a record as a mote prints it, with the names of its fields."""
    kind, _, name = record.partition(",")
    fields = [name, "value"] if name else [field for field, _ in RECORDS[kind]]
    return MARKER + ",".join((kind, *fields))
