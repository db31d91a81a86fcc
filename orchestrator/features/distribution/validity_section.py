# SPDX-License-Identifier: Apache-2.0
"""The section "Ages against validity" of experiments whose application is given a validity."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.features.distribution.subjects import VALIDITY
from orchestrator.report.data import Results
from orchestrator.report.generic import seeds_phrase
from orchestrator.report.model import Entry, Section, Table

PEAK = "age_peak_ms"
_NEEDED = "they need the records pub and dlv, or ntf, of `trace: true`."


def section(results: Results) -> Section | None:
    """Return the section; None if no cell has a validity."""
    valid = {cell: us for cell in results.cells if (us := _validity(results, cell))}
    if not valid:
        return None
    rows = tuple(row for cell, us in valid.items() for row in _rows(results, cell, us))
    cells = list(valid)
    unknown = [cell for cell in cells if cell not in results.cells_with(PEAK)]
    note = (
        f"Over {seeds_phrase(results, cells)}: the largest age of the newest event that a subscriber had of "
        "a publisher, lost events included."
        + (f" No ages are known of {', '.join(unknown)}: {_NEEDED}" if unknown else "")
    )
    table = Table(
        "Ages of events",
        ("Cell", "Subscriber", "Oldest, ms", "Validity, ms", "Runs with outdated events"),
        rows,
        cards=False,
        note=note,
    )
    return Section("validity", "Ages against validity", (table,), "Validity")


def _validity(results: Results, cell: str) -> int:
    manifest = results.manifest(cell)
    application = manifest.parameters.get("application", {}) if manifest else {}
    given = application.get("parameters", {}) if isinstance(application, Mapping) else {}
    return int(given.get(VALIDITY.name, 0))


def _rows(results: Results, cell: str, validity_us: int) -> list[tuple[Entry, ...]]:
    rows = []
    for key in results.keys(PEAK, cell):
        if key == "total":
            continue
        ages = results.values(cell, PEAK, key)
        beyond = int((ages > validity_us / 1000).sum())
        rows.append(
            (
                Entry(cell),
                Entry(key),
                Entry(f"{ages.max():,.1f}", number=True, tone="bad" if beyond else "good"),
                Entry(f"{validity_us / 1000:,.1f}", number=True),
                Entry(f"{beyond} of {len(ages)}", number=True),
            )
        )
    return rows
