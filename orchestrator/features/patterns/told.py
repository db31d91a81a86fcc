# SPDX-License-Identifier: Apache-2.0
"""Says what is wrong with patterns once lines were read: no match, only matches, keys that never fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.words import counted

if TYPE_CHECKING:
    import polars as pl

LEAST = 20  # lines from which on a pattern that matches all of them is named
SET = "set "  # begins what a ready-made set is called in place of a file


def after_tables(folder: Path, run_ids: Iterable[str] | None) -> list[str]:
    """Return what to say of the patterns of an experiment whose tables are up to date."""
    from orchestrate_spark.sources.log_patterns import FILE

    if not (folder / FILE).is_file():
        return []
    import polars as pl
    from orchestrate_spark.load import load

    from orchestrator.features.patterns import stored

    tables = load(folder, "polars", ["log_matches", "log_deliveries"])
    lines = _lines(folder)
    if run_ids is not None:
        wanted = pl.col("run_id").is_in(list(run_ids))
        tables = {name: rows.filter(wanted) for name, rows in tables.items()}
        lines = lines.filter(wanted)
    total = lines["lines"].sum() or 0
    if not total:
        return [
            f"{folder.name}: its logs have no line to try its log patterns on\n"
            "    lines that begin with ! are records, which patterns pass over; are there others?"
        ]
    return of_patterns(stored.of(folder), tables["log_matches"], tables["log_deliveries"], total)


def _lines(folder: Path) -> pl.DataFrame:
    """Return how many lines each run has that patterns are tried on."""
    import polars as pl
    from pyarrow import parquet

    parts = [
        pl.from_arrow(parquet.read_table(file, columns=["run_id"]))
        for file in sorted((folder / "tables" / "text").glob("*.parquet"))
    ]
    rows = pl.concat(parts) if parts else pl.DataFrame(schema={"run_id": pl.String})
    return rows.group_by("run_id").agg(pl.len().alias("lines"))


def of_patterns(
    spec: dict[str, Any], matches: pl.DataFrame, deliveries: pl.DataFrame, lines: int
) -> list[str]:
    """Return what is wrong, each with the file and line of the pattern; nothing for logs without a line."""
    if not lines:
        return []
    said = _Said(spec, matches, deliveries, lines)
    return [*said.nothing_or_everything(), *said.left_out(), *said.keys()]


def by_pattern(matches: pl.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the rows of log_matches over all runs, by pattern and result: lines, runs, and the first one."""
    import polars as pl

    rows = matches.group_by("pattern", "result", maintain_order=True).agg(
        pl.col("lines").sum(),
        pl.col("run_id").n_unique().alias("runs"),
        pl.col("run_id", "first_line", "sample").first(),
    )
    return {(row["pattern"], row["result"]): row for row in rows.to_dicts()}


class _Said:
    def __init__(self, spec: dict[str, Any], matches: pl.DataFrame, deliveries: pl.DataFrame, lines: int):
        from orchestrate_spark.sources.log_patterns import MARKS

        self._spec, self._marks, self._lines = spec, spec[MARKS], lines
        self._deliveries = deliveries
        self._found = by_pattern(matches)

    def _at(self, kind: str, name: str) -> str:
        mark = self._marks[kind][name]
        return f"{mark['file']}:{mark['line']}"

    def nothing_or_everything(self) -> Iterator[str]:
        from orchestrate_spark.sources.log_patterns import MATCHED, MISFIT

        of_lines = "one line" if self._lines == 1 else f"{self._lines:,} lines"
        silent: dict[str, list[str]] = {}
        for name in self._spec["events"]:
            rows = (self._found.get((name, result)) for result in (MATCHED, MISFIT))
            matched = sum(row["lines"] for row in rows if row is not None)
            if not matched:
                silent.setdefault(self._marks["events"][name]["file"], []).append(name)
            elif matched == self._lines >= LEAST:
                yield (
                    f"{self._at('events', name)}: {name} matches all of {of_lines}\n"
                    "    write the words that only its lines have"
                )
        for file, names in silent.items():
            if not file.startswith(SET):
                for name in names:
                    yield (
                        f"{self._at('events', name)}: {name} matches none of {of_lines}\n"
                        "    `orchestrate log try` shows which lines there are"
                    )
                continue
            whole = [name for name, mark in self._marks["events"].items() if mark["file"] == file]
            if len(names) == len(whole) and file != f"{SET}addresses":  # a set is for more than one firmware
                yield (
                    f"{file}: none of its patterns matches one of {of_lines}\n"
                    "    does the firmware print them at its log level? `orchestrate log try` shows its lines"
                )

    def left_out(self) -> Iterator[str]:
        from orchestrate_spark.sources.log_patterns import MISFIT, NO_KEY, NO_VALUE

        for _, one in sorted(self._found.items()):
            name, _, part = one["pattern"].partition(": ")
            count = counted(one["lines"], "line")
            where = f"line {one['first_line']} of run {one['run_id'][:12] or '?'}: {one['sample'][:80]}"
            if one["result"] == MISFIT:
                at, why = self._at("events", name), f"a group of {name} is not of its type"
            elif one["result"] == NO_VALUE:
                kind = "metrics" if name in self._spec["metrics"] else "energy"
                at, why = self._at(kind, name), "a group is absent, or the value is divided by zero"
            elif one["result"] == NO_KEY:
                at = self._at("deliveries" if part else "events", name)
                why = "a part of the key is absent, or names a node that is not known"
            else:
                continue
            yield f"{at}: {count} left out by {one['pattern']}: {why}\n    {where}"

    def keys(self) -> Iterator[str]:
        import polars as pl

        for name in self._spec["deliveries"]:
            rows = self._deliveries.filter(pl.col("delivery") == name)
            sent = rows.filter(pl.col("sent_line").is_not_null())
            got = rows.filter(pl.col("sent_line").is_null())
            if bool(sent.height) is not bool(got.height or sent["receiver"].drop_nulls().len()):
                there, none = ("sent", "received") if sent.height else ("received", "sent")
                lines = counted(sent.height or got.height, "line")
                yield (
                    f"{self._at('deliveries', name)}: {lines} of {name} say {there}, and none says {none}\n"
                    f"    are the lines of the motes that say {none} in the log?"
                )
            elif sent.height and got.height and not sent["receiver"].drop_nulls().len():
                yield (
                    f"{self._at('deliveries', name)}: the key of {name} fits none of "
                    f"{counted(got.height, 'line')} that say received\n    the first of them has the key "
                    f"{got['key'][0]!r}, and the first that says sent has {sent['key'][0]!r}"
                )
