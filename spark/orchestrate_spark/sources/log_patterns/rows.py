# SPDX-License-Identifier: Apache-2.0
"""Makes the rows of log patterns from lines: each line is tried once with each pattern, on whole columns.

The engine is RE2 (in Arrow), whose time is linear in the length of a line, whatever the pattern.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from orchestrate_spark.sources.log_patterns import (
    MATCHED,
    MISFIT,
    NO_KEY,
    NO_VALUE,
    NUMBERS,
    TABLES,
    UNMATCHED,
    expressions,
)
from orchestrate_spark.sources.log_patterns.nodes import DEPLOYMENT, Nodes
from orchestrate_spark.tables import KEYS

AT_ONCE = 500_000  # lines
SAMPLE = 120  # characters of a line that are kept as an example
MOST_EXACT = 1 << 53  # integers up to this size are exact in a double
_KEYS = [name for name, _ in KEYS]
_WHERE = ["run_id", "line", "time_us", "mote"]


def read(rows: pa.Table, settings: bytes) -> Iterator[tuple[str, pa.Table]]:
    """Yield (table, rows) of the lines of a batch, KEYS included and sorted by run."""
    spec = json.loads(settings)
    tried = Tried(rows, spec)
    keys = pl.from_arrow(rows.select(_KEYS)).unique(maintain_order=True)
    keys = keys.with_columns(pl.int_range(pl.len()).alias("_run"))
    for table, made in (
        ("log_events", tried.maps()),
        ("log_values", tried.values()),
        ("log_deliveries", tried.deliveries()),
        ("log_states", tried.states()),
        ("log_matches", tried.matches()),
    ):
        yield table, _sorted(table, made, keys)


def _sorted(table: str, made: pa.Table, keys: pl.DataFrame) -> pa.Table:
    """Return rows with KEYS in the order of runs, then of lines and of the other columns."""
    columns = [name for name, type_ in TABLES[table] if not pa.types.is_map(type_)]
    place = pl.from_arrow(made.select(["run_id", *columns])).with_row_index("_at")
    by = {"log_deliveries": ["delivery", "sent_line", "received_line"]}.get(table, columns)
    place = place.join(keys, on="run_id", how="left").sort("_run", *by, nulls_last=True, maintain_order=True)
    found = made.take(place["_at"].cast(pl.Int64).to_arrow()).drop_columns(["run_id"])
    for name in reversed(_KEYS):
        found = found.add_column(0, name, place[name].to_arrow())
    return found


class Tried:
    """The lines of a batch of runs, tried with the patterns of `spec`; `rows` has KEYS and `text`'s columns.

    `events`: by name, the lines that match with their groups as typed columns.
    """

    def __init__(self, rows: pa.Table, spec: dict[str, Any]):
        self._spec = spec
        self._matches: list[pl.DataFrame] = []
        self.events: dict[str, pl.DataFrame] = {}
        parts: dict[str, list[pl.DataFrame]] = {name: [] for name in spec["events"]}
        for at in range(0, rows.num_rows, AT_ONCE):
            self._try(rows.slice(at, AT_ONCE).combine_chunks(), parts)
        raw = {name: pl.concat(found) for name, found in parts.items() if found}
        nodes = self._nodes(raw, rows)
        for name, found in raw.items():
            self.events[name] = self._typed(name, found, nodes)

    def _try(self, rows: pa.Table, parts: dict[str, list[pl.DataFrame]]) -> None:
        text = _one(rows["text"])
        left = np.ones(len(text), bool)
        for name, event in self._spec["events"].items():
            found = pc.match_substring_regex(text, event["match"])
            where = np.flatnonzero(found.to_numpy(zero_copy_only=False))
            if not len(where):
                continue
            left[where] = False
            lines = rows.take(pa.array(where))
            made = pl.from_arrow(lines.select([*_WHERE, "text"]))
            if event["fields"]:
                groups = pc.extract_regex(_one(lines["text"]), event["match"])
                made = made.with_columns(
                    pl.Series(f"group:{field.name}", pl.from_arrow(groups.field(at)))
                    for at, field in enumerate(groups.type)
                )
            parts[name].append(made)
        where = np.flatnonzero(left)
        if len(where):
            self._note(
                "", UNMATCHED, pl.from_arrow(rows.take(pa.array(where)).select(["run_id", "line", "text"]))
            )

    def _note(self, pattern: str, result: str, lines: pl.DataFrame) -> None:
        if lines.height:
            self._matches.append(
                lines.group_by("run_id", maintain_order=True).agg(
                    pl.lit(pattern).alias("pattern").first(),
                    pl.lit(result).alias("result").first(),
                    pl.len().cast(pl.Int64).alias("lines"),
                    pl.col("line").first().alias("first_line"),
                    pl.col("text").first().str.slice(0, SAMPLE).alias("sample"),
                )
            )

    def _nodes(self, raw: dict[str, pl.DataFrame], rows: pa.Table) -> dict[str, Nodes]:
        """Return by run what its motes said of their own addresses."""
        if not rows.num_rows:
            return {}
        deployed = set(rows.filter(pc.match_substring_regex(rows["text"], DEPLOYMENT))["run_id"].to_pylist())
        motes = pl.from_arrow(rows.select(["run_id", "mote"])).group_by("run_id").agg(pl.col("mote").unique())
        found = {run_id: Nodes(run_id in deployed, frozenset(seen)) for run_id, seen in motes.iter_rows()}
        for name, lines in raw.items():
            for field, type_ in self._spec["events"][name]["fields"].items():
                if type_ == "own-address":
                    for run_id, mote, text in (
                        lines.select("run_id", "mote", f"group:{field}")
                        .unique(maintain_order=True)
                        .iter_rows()
                    ):
                        found[run_id].learn(text or "", mote)
        return found

    def _typed(self, name: str, lines: pl.DataFrame, nodes: dict[str, Nodes]) -> pl.DataFrame:
        """Return the lines with typed groups; those with a group of another type are noted and left out."""
        bad = pl.lit(False)
        made = []
        for field, type_ in self._spec["events"][name]["fields"].items():
            raw = pl.col(f"group:{field}").replace("", None)
            if type_ == "node":
                known = lines.select("run_id", raw.alias("text")).unique().drop_nulls()
                known = known.with_columns(
                    pl.Series(
                        field,
                        [nodes[run_id].mote(text) for run_id, text in known.iter_rows()],
                        dtype=pl.Int64,
                    )
                )
                lines = lines.join(
                    known, left_on=["run_id", f"group:{field}"], right_on=["run_id", "text"], how="left"
                )
                continue
            value = _converted(raw, type_)
            made.append(value.alias(field))
            bad |= raw.is_not_null() & value.is_null()
        lines = lines.with_columns(made).with_columns(bad.alias("_bad"))
        self._note(name, MISFIT, lines.filter("_bad"))
        lines = lines.filter(~pl.col("_bad")).drop("_bad")
        self._note(name, MATCHED, lines)
        if of := self._spec["events"][name]["mote"]:  # a line of a sink that is about another node
            self._note(name, NO_KEY, lines.filter(pl.col(of).is_null()))
            lines = lines.filter(pl.col(of).is_not_null()).with_columns(pl.col(of).alias("mote"))
        return lines

    def maps(self) -> pa.Table:
        """Return log_events, without KEYS but for run_id."""
        parts = [pa.schema([("run_id", pa.string()), *TABLES["log_events"]]).empty_table()]
        for name, lines in self.events.items():
            fields = self._spec["events"][name]["fields"]
            numbers = [field for field, type_ in fields.items() if type_ in NUMBERS]
            texts = [field for field, type_ in fields.items() if type_ not in NUMBERS or type_ == "node"]
            columns = lines.select(_WHERE).to_arrow(compat_level=pl.CompatLevel.oldest())
            made = {
                **{column: columns[column] for column in _WHERE},
                "event": pa.repeat(pa.scalar(name), lines.height),
                "numbers": _map(
                    lines, numbers, [pl.col(name).cast(pl.Float64) for name in numbers], pa.float64()
                ),
                "texts": _map(
                    lines, texts, [pl.col(f"group:{name}").replace("", None) for name in texts], pa.string()
                ),
            }
            parts.append(pa.table(made).cast(parts[0].schema))
        return pa.concat_tables(parts)

    def values(self) -> pa.Table:
        """Return log_values, without KEYS but for run_id."""
        parts = [_empty("log_values")]
        for metric, value in self._spec["values"].items():
            lines = self.events.get(value["event"])
            if lines is None or not value["value"]:
                continue
            found = lines.with_columns(expressions.column(value["value"]).alias("_value"))
            self._note(metric, NO_VALUE, found.filter(pl.col("_value").is_null()))
            parts.append(
                found.filter(pl.col("_value").is_not_null()).select(
                    *_WHERE, pl.lit(metric).alias("metric"), pl.col("_value").alias("value")
                )
            )
        return _arrow(pl.concat(parts))

    def deliveries(self) -> pa.Table:
        """Return log_deliveries, without KEYS but for run_id."""
        parts = [_empty("log_deliveries")]
        for name, delivery in self._spec["deliveries"].items():
            sent = self._keyed(name, delivery["sent"], [a for a, _ in delivery["key"]], "sent")
            got = self._keyed(name, delivery["received"], [b for _, b in delivery["key"]], "received")
            got = got.with_columns(pl.col("received_line").alias("_line")).sort("_line")
            sent = sent.with_columns(pl.col("sent_line").alias("_line")).sort("_line")
            # the last line "sent" with the key before this one: a counter that begins anew is no duplicate
            pairs = got.join_asof(sent, on="_line", by=["run_id", "key"], check_sortedness=False).drop(
                "_line"
            )
            if (limit := delivery["within_us"]) is not None:
                late = pl.col("received_us") - pl.col("sent_us") > limit
                pairs = pairs.with_columns(
                    pl.when(late).then(None).otherwise(pl.col(column)).alias(column)
                    for column in ("sent_line", "sent_us", "mote")
                )
            matched = pairs.filter(pl.col("sent_line").is_not_null())
            first = (
                matched.sort("received_line")
                .group_by("run_id", "sent_line", "receiver", maintain_order=True)
                .agg(
                    pl.col("received_line", "received_us").first(),
                    pl.len().cast(pl.Int64).alias("copies"),
                )
            )
            whole = sent.drop("_line").join(first, on=["run_id", "sent_line"], how="left")
            orphans = pairs.filter(pl.col("sent_line").is_null()).with_columns(
                pl.lit(1, pl.Int64).alias("copies"), pl.lit(None, pl.Int64).alias("mote")
            )
            whole = pl.concat([whole, orphans.select(whole.columns)])
            latency = pl.col("received_us") - pl.col("sent_us")
            whole = whole.with_columns(pl.lit(name).alias("delivery"), latency.alias("latency_us"))
            parts.append(whole.select(parts[0].columns))
        return _arrow(pl.concat(parts))

    def _keyed(self, delivery: str, event: str, key: list[str], what: str) -> pl.DataFrame:
        """Return the events with their keys as one text; those that lack a part are noted and left out."""
        mote = "mote" if what == "sent" else "receiver"
        types = {"run_id": pl.String, f"{what}_line": pl.Int64, f"{what}_us": pl.Int64, mote: pl.Int64}
        lines = self.events.get(event)
        if lines is None:
            return pl.DataFrame(schema={**types, "key": pl.String})
        whole = pl.concat_str([_shown(lines, name) for name in key], separator=" ")  # null if one part is
        lines = lines.with_columns(whole.alias("_key"))
        self._note(f"{delivery}: {event}", NO_KEY, lines.filter(pl.col("_key").is_null()))
        return lines.filter(pl.col("_key").is_not_null()).select(
            "run_id",
            pl.col("line").alias(f"{what}_line"),
            pl.col("time_us").alias(f"{what}_us"),
            pl.col("mote").alias(mote),
            pl.col("_key").alias("key"),
        )

    def states(self) -> pa.Table:
        """Return log_states, without KEYS but for run_id."""
        parts = [_empty("log_states")]
        by = ["run_id", "mote"]
        for name, energy in self._spec["energy"].items():
            for state, of in energy["states"].items():
                lines = self.events.get(of["event"])
                if lines is None:
                    continue
                found = lines.with_columns(
                    expressions.column(of["value"]).alias("_ticks"),
                    expressions.column(of["whole"]).alias("_whole"),
                )
                wrong = pl.any_horizontal(pl.col("_ticks", "_whole").is_null())
                self._note(f"{name}: {state}", NO_VALUE, found.filter(wrong))
                found = found.filter(~wrong).sort("run_id", "mote", "line")
                if energy["cumulative"]:  # a counter that is smaller than before began anew
                    change = [pl.col(column).diff().over(by) for column in ("_ticks", "_whole")]
                    anew = pl.any_horizontal(one < 0 for one in change) | change[0].is_null()
                    found = found.with_columns(
                        pl.when(anew).then(pl.col(column)).otherwise(one).alias(column)
                        for column, one in zip(("_ticks", "_whole"), change)
                    )
                span = (pl.col("time_us").max() - pl.col("time_us").min()) / 1e6
                later = pl.col("_whole").slice(1).sum()  # of the lines after the first, which fill the span
                seconds = pl.col("_whole").sum() / (later / span)
                parts.append(
                    found.group_by(by, maintain_order=True)
                    .agg(
                        pl.lit(name).alias("energy").first(),
                        pl.lit(state).alias("state").first(),
                        pl.col("_ticks").sum().alias("ticks"),
                        pl.col("_whole").sum().alias("whole"),
                        pl.when((span > 0) & (later > 0)).then(seconds).alias("seconds"),
                    )
                    .select(parts[0].columns)
                )
        return _arrow(pl.concat(parts))

    def matches(self) -> pa.Table:
        """Return log_matches, without KEYS but for run_id; the other tables are made before."""
        empty = _empty("log_matches")
        found = pl.concat([empty, *(part.select(empty.columns) for part in self._matches)])
        return _arrow(
            found.group_by("run_id", "pattern", "result", maintain_order=True).agg(
                pl.col("lines").sum(), pl.col("first_line", "sample").first()
            )
        )


def _converted(raw: pl.Expr, type_: str) -> pl.Expr:
    if type_ == "int":
        value = raw.str.strip_chars().str.strip_prefix("+").cast(pl.Int64, strict=False)
    elif type_ == "hex":
        digits = raw.str.strip_chars().str.to_lowercase().str.strip_prefix("0x")
        value = digits.str.to_integer(base=16, strict=False, dtype=pl.Int64)
    elif type_ == "float":
        value = raw.str.strip_chars().cast(pl.Float64, strict=False)
        return pl.when(value.is_finite()).then(value)
    else:
        return raw
    return pl.when(value.abs() <= MOST_EXACT).then(value)


def _shown(lines: pl.DataFrame, name: str) -> pl.Expr:
    """Return a part of a key as text; `mote` is that of the line. Whole numbers have no fraction."""
    column = pl.col(name)
    if lines.schema[name] == pl.Float64:
        whole = column == column.round()
        return (
            pl.when(whole)
            .then(column.cast(pl.Int64, strict=False).cast(pl.String))
            .otherwise(column.cast(pl.String))
        )
    return column.cast(pl.String)


def _map(lines: pl.DataFrame, names: list[str], columns: list[pl.Expr], type_: pa.DataType) -> pa.Array:
    """Return a map of name -> value for each line; null values are left out."""
    if not names:
        offsets = pa.array(np.zeros(lines.height + 1, np.int32))
        return pa.MapArray.from_arrays(offsets, pa.array([], pa.string()), pa.array([], type_))
    values = lines.select(column.alias(name) for name, column in zip(names, columns))
    there = np.column_stack([values[:, at].is_not_null().to_numpy() for at in range(len(names))])
    flat = np.concatenate([values[:, at].to_numpy() for at in range(len(names))]).reshape(len(names), -1).T
    keys = np.tile(np.array(names, object), (values.height, 1))
    offsets = np.r_[0, np.cumsum(there.sum(axis=1))].astype(np.int32)
    return pa.MapArray.from_arrays(
        pa.array(offsets), pa.array(keys[there], pa.string()), pa.array(flat[there], type_)
    )


def _one(column: pa.ChunkedArray) -> pa.Array:
    """Return a column as one array."""
    made = column.combine_chunks()
    return made.chunk(0) if isinstance(made, pa.ChunkedArray) else made


def _empty(table: str) -> pl.DataFrame:
    types = {pa.string(): pl.String, pa.int64(): pl.Int64, pa.float64(): pl.Float64}
    return pl.DataFrame(schema={"run_id": pl.String, **{name: types[type_] for name, type_ in TABLES[table]}})


def _arrow(rows: pl.DataFrame) -> pa.Table:
    return rows.to_arrow(compat_level=pl.CompatLevel.oldest())
