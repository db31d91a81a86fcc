# SPDX-License-Identifier: Apache-2.0
"""The section "Log patterns": what patterns found in the lines, and their metrics' values over time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from orchestrator.errors import StorageFailed
from orchestrator.report.data import Results
from orchestrator.report.generic import file_name
from orchestrator.report.lines import Line, lines
from orchestrator.report.model import Block, Entry, Figure, Gallery, Section, Table, paragraph
from orchestrator.report.statistics import number
from orchestrator.words import counted, enumerated

if TYPE_CHECKING:
    import polars as pl

WINDOWS = 30  # of time in a figure
MOST_FIGURES, MOST_CELLS = 8, 6


def section(results: Results) -> Section | None:
    """Return the section; None if the experiment has no patterns, or no line that one of them matches."""
    from orchestrate_spark.sources.log_patterns import FILE

    if not (results.folder / FILE).is_file():
        return None
    import polars as pl
    from orchestrate_spark.errors import OrchestrateError
    from orchestrate_spark.load import load

    from orchestrator.features.patterns import stored

    try:
        spec = stored.of(results.folder)
        tables = load(results.folder, "polars", ["log_matches", "log_values"])
    except (OrchestrateError, StorageFailed):
        return None  # whoever makes the tables says so
    ours = pl.col("run_id").is_in(list(results.measured))
    matches, values = (tables[name].filter(ours) for name in ("log_matches", "log_values"))
    if not matches.height or spec is None:
        return None
    names = enumerated(spec[stored.MARKS].get(stored.NAMES, []))
    blocks: list[Block] = [
        paragraph(
            f"The lines that motes printed were read by the patterns {names}. These numbers rest on what the "
            "firmware prints: what it does not print was not counted."
        ),
        _patterns(spec, matches),
    ]
    figures = list(_over_time(results, spec, values))
    blocks += [Gallery(tuple(figures))] if figures else []
    return Section("log-patterns", "Log patterns", tuple(blocks), "Log patterns")


def _patterns(spec: dict[str, Any], matches: pl.DataFrame) -> Table:
    from orchestrate_spark.sources.log_patterns import MATCHED, UNMATCHED

    from orchestrator.features.patterns.told import by_pattern

    found = by_pattern(matches)
    rows = []
    for name in spec["events"]:
        row = found.get((name, MATCHED))
        if row is not None:
            numbers = (Entry(number(row[key], 0), number=True) for key in ("lines", "runs"))
            rows.append((Entry(name), *numbers, Entry(row["sample"])))
    silent = [name for name in spec["events"] if (name, MATCHED) not in found]
    rest = found.get(("", UNMATCHED))
    note = f"{counted(rest['lines'], 'line')} matched no pattern." if rest else "Each line matched a pattern."
    if silent:
        note += f" No line matched {enumerated(silent)}."
    return Table(
        "Lines that patterns matched", ("Event", "Lines", "Runs", "The first"), tuple(rows), note=note
    )


def _over_time(results: Results, spec: dict[str, Any], values: pl.DataFrame) -> Iterator[Figure]:
    """Yield a figure for each metric with values: their mean by window of time, a line for each cell."""
    import polars as pl

    cells = results.cells[:MOST_CELLS]
    metrics = [name for name in spec["metrics"] if name in set(values["metric"])]
    for metric in metrics[:MOST_FIGURES]:
        mine = values.filter((pl.col("metric") == metric) & pl.col("cell").is_in(list(cells)))
        end = mine["time_us"].max() or 0
        width = max(1, -(-(end + 1) // WINDOWS))
        windows = (
            mine.with_columns((pl.col("time_us") // width).alias("window"))
            .group_by("cell", "window")
            .agg(
                pl.col("value").mean().alias("mean"),
                pl.col("value").min().alias("least"),
                pl.col("value").max().alias("most"),
            )
            .sort("window")
        )
        series = []
        for cell in cells:
            of = windows.filter(pl.col("cell") == cell)
            if of.height:
                middle = [(window + 0.5) * width / 6e7 for window in of["window"]]
                band = "least to largest value" if len(cells) == 1 else ""
                low, high = (of["least"].to_list(), of["most"].to_list()) if band else ((), ())
                series.append(Line(cell, middle, of["mean"].to_list(), low, high, band, plain=True))
        if not series or max(len(one.x) for one in series) < 2:
            continue
        shown = results.shown(metric)
        more = len(results.cells) - len(cells)
        yield Figure(
            f"log-patterns-{file_name(metric)}",
            f"{shown.title}, over time",
            lines(series, "simulated time, min", spec["metrics"][metric]["unit"] or "value"),
            f"{shown.title}: mean over all motes and runs of the values in a window of "
            f"{number(width / 1e6, 0)} s"
            + (f"; {counted(more, 'further cell')} not shown." if more else "."),
            alt=f"{shown.title} over simulated time, a line for each cell",
            wide=True,
        )
