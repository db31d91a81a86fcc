# SPDX-License-Identifier: Apache-2.0
"""Parses logs into typed frames, vectorised in Polars, without Python code for each line.

It is used inside Spark's executors (jobs/ingest.py) and without Spark (load.py), so that both get equal rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa

from orchestrate_spark.lines import BLOCK, Chunk, Found, blocks
from orchestrate_spark.log_format import (
    DAMAGE,
    FRAME_LINES,
    MARKER,
    MAX_LINE,
    MAX_STR,
    OWN_KIND,
    RECORDS,
)
from orchestrate_spark.tables import TARGETS, TRACES

SAMPLES = 3  # damaged lines kept per run and reason
SAMPLE_LENGTH = 120
_MOST_PUBLISHER, _MOST_SEQUENCE = (1 << 31) - 1, (1 << 63) - 1
_FRAME = "|".join(f"(?:^{pattern}$)" for pattern in FRAME_LINES)
_LINE_COLUMNS = {"log": pl.Int32, "line": pl.Int64, "raw": pl.String}
_DAMAGE_COLUMNS = {"log": pl.Int32, "reason": pl.String, "line": pl.Int64, "sample": pl.String}


class LogParser:
    """Reads logs, numbered by their place in the list, as frames with a column `log` in place of KEYS.

    `stream()` yields (table, frame) for the long tables (TRACES, `records` and `text`) in the order of logs
    and lines. After it, `tables` has the short ones, `damage` has the damage, and `logs` has a row for each
    log: log_bytes, lines, malformed, clock_jumps, and the columns of FRAME_LINES. With `seen`, `motes` has
    the motes that printed a line, by log.
    """

    def __init__(self, paths: Sequence[Path], block: int = BLOCK, seen: bool = False):
        self._seen = seen
        self._paths = paths
        self._block = block
        self._found = Found()
        self._parts: dict[str, list[pl.DataFrame]] = {}
        self._damage: list[pl.DataFrame] = []
        self._lines = np.zeros(len(paths), np.int64)
        self._last_time = np.full(len(paths), -1, np.int64)
        self._latest_time = np.full(len(paths), -1, np.int64)
        self._latest_line: dict[int, tuple[int, str]] = {}
        self._frames: list[pl.DataFrame] = []
        self.tables: dict[str, pl.DataFrame] = {}
        self.motes = pl.DataFrame(schema={"log": pl.Int32, "mote": pl.Int64})
        self.damage = pl.DataFrame()
        self.logs = pl.DataFrame()

    def stream(self) -> Iterator[tuple[str, pl.DataFrame]]:
        for chunks in blocks(self._paths, self._found, self._block):
            lines = self._split(chunks)
            clean = all(chunk.clean for chunk in chunks)
            good = self._check_lines(lines, clean)
            if self._seen:
                self.motes = pl.concat([self.motes, good.select("log", "mote")]).unique().sort("log", "mote")
            is_record = good["text"].str.starts_with(MARKER)
            texts = good.filter(~is_record)
            if texts.height:
                yield "text", texts.select("log", "line", "time_us", "mote", "text")
            yield from self._records(good.filter(is_record))
        self._finish()

    # --- lines
    def _split(self, chunks: list[Chunk]) -> pl.DataFrame:
        frame = pl.DataFrame(
            {
                "log": [c.log for c in chunks],
                "first": [c.first_line for c in chunks],
                "raw": [c.text for c in chunks],
            },
            schema={"log": pl.Int32, "first": pl.Int64, "raw": pl.String},
        ).with_columns(pl.col("raw").str.split("\n"))
        counts = frame["raw"].list.len().to_numpy()
        np.add.at(self._lines, frame["log"].to_numpy(), counts)
        starts = np.repeat(np.cumsum(counts) - counts, counts)
        line = np.arange(counts.sum()) - starts + np.repeat(frame["first"].to_numpy(), counts)
        lines = pl.DataFrame(
            {
                "log": pl.Series(np.repeat(frame["log"].to_numpy(), counts), dtype=pl.Int32),
                "line": pl.Series(line, dtype=pl.Int64),
                "raw": frame["raw"].explode(),
            }
        )
        if any("\r" in c.text for c in chunks):
            lines = lines.with_columns(pl.col("raw").str.strip_suffix("\r"))
        return lines

    def _check_lines(self, lines: pl.DataFrame, clean: bool) -> pl.DataFrame:
        """Return the lines that have time, mote and text, and note the others as damage or Cooja's own."""
        raw = pl.col("raw")
        if not clean:
            lines = self._without(lines, "junk", raw.str.contains("[\x00-\x08\x0a-\x1f\x7f\ufffd]"))
        long = raw.str.len_bytes() > MAX_LINE
        if lines.select(long.any()).item():
            lines = self._without(lines, "long", long)
        lines = lines.with_columns(
            raw.str.splitn("\t", 3).struct.rename_fields(["time", "who", "text"]).alias("parts")
        )
        lines = lines.unnest("parts")
        if lines["text"].null_count():
            odd = lines.filter(pl.col("text").is_null())
            framed = odd["raw"].str.contains(_FRAME)
            self._frames.append(odd.filter(framed).select("log", "line", "raw"))
            self._note(odd.filter(~framed), "line")
            lines = lines.filter(pl.col("text").is_not_null())
        lines = lines.with_columns(
            _digits(pl.col("time"), pl.Int64).alias("time_us"),
            pl.when(pl.col("who").str.starts_with("ID:"))
            .then(_digits(pl.col("who").str.strip_prefix("ID:"), pl.Int32).cast(pl.Int64))
            .alias("mote"),
        )
        if lines["time_us"].null_count():
            lines = self._without(lines, "time", pl.col("time_us").is_null())
        no_mote = pl.col("mote").is_null() | (pl.col("mote") < 1)
        if lines.select(no_mote.any()).item():
            lines = self._without(lines, "mote", no_mote)
        self._clock(lines)
        return lines

    def _clock(self, lines: pl.DataFrame) -> None:
        if not lines.height:
            return
        log, time = lines["log"].to_numpy(), lines["time_us"].to_numpy()
        before = np.empty_like(time)
        before[1:] = time[:-1]
        first = np.flatnonzero(np.r_[True, log[1:] != log[:-1]])
        before[first] = self._last_time[log[first]]
        last = np.r_[first[1:] - 1, len(log) - 1]
        self._last_time[log[last]] = time[last]
        for at, end, most in zip(first, last + 1, np.maximum.reduceat(time, first)):
            if most > self._latest_time[log[at]]:
                where = int(at + np.argmax(time[at:end]))
                self._latest_time[log[at]] = most
                self._latest_line[int(log[at])] = (lines["line"][where], lines["raw"][where])
        back = time < before
        if back.any():
            self._note(lines.filter(pl.Series(back)), "clock")

    # --- records
    def _records(self, records: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
        if not records.height:
            return
        records = records.with_columns(
            pl.col("text")
            .str.strip_prefix(MARKER)
            .str.splitn(",", 2)
            .struct.rename_fields(["kind", "rest"])
            .alias("parts")
        ).unnest("parts")
        odd = records.filter(~pl.col("kind").is_in(list(RECORDS)))
        if odd.height:
            own = self._without(odd, "kind", ~pl.col("kind").str.contains(f"^{OWN_KIND}$"))
            if own.height:
                fields = pl.col("rest").str.split(",").fill_null([])
                yield "records", own.select("log", "line", "time_us", "mote", "kind", fields.alias("fields"))
        long: dict[str, list[pl.DataFrame]] = {}
        for kind, fields in RECORDS.items():
            mine = records.filter(pl.col("kind") == kind)
            if not mine.height:
                continue
            target = TARGETS[kind]
            typed = self._fields(
                mine, tuple((target.rename.get(name, name), type_) for name, type_ in fields)
            )
            if kind == "cnt":
                typed = self._without(typed, "type", pl.col("value") < 0)  # nothing counts below 0
            if target.table in TRACES:
                long.setdefault(target.table, []).append(typed)
            else:
                self._parts.setdefault(target.table, []).append(typed.drop("raw"))
        for table, parts in long.items():
            yield table, pl.concat(parts, how="diagonal").sort("log", "line").drop("raw")

    def _fields(self, records: pl.DataFrame, fields: tuple[tuple[str, str], ...]) -> pl.DataFrame:
        """Return the records of one kind with typed fields (column, type); note those that don't fit."""
        width = len(fields)
        names = [f"f{i}" for i in range(width + 1)]
        split = records.with_columns(
            pl.col("rest").str.splitn(",", width + 1).struct.rename_fields(names).alias("parts")
        ).unnest("parts")
        if split[names[width - 1]].null_count():
            split = self._without(split, "few", pl.col(names[width - 1]).is_null())
        if split[names[width]].null_count() < split.height:
            split = self._without(split, "many", pl.col(names[width]).is_not_null())
        columns, wrong = [], pl.lit(False)
        for source, (name, kind) in zip(names, fields):
            text = pl.col(source)
            columns.append((_integer(text) if kind == "int" else text).alias(name))
            if kind == "int":
                wrong |= pl.col(name).is_null()
            elif kind == "str":
                length = text.str.len_bytes()
                wrong |= (length == 0) | (length > MAX_STR) | text.str.contains("[^ -~]")
        typed = split.with_columns(columns)
        if typed.select(wrong.any()).item():
            typed = self._without(typed, "type", wrong)
        for name, kind in fields:
            if kind == "events":
                values, bad = _event_list(typed[name])
                typed = typed.with_columns(values.alias(name))
                if bad.any():
                    typed = self._without(typed, "type", pl.lit(bad))
        kept = ["kind"] if TARGETS[records["kind"][0]].table in TRACES else []
        return typed.select("log", "line", "raw", "time_us", "mote", *kept, *(name for name, _ in fields))

    # --- damage, and facts about whole logs
    def _without(self, frame: pl.DataFrame, reason: str, bad: pl.Expr) -> pl.DataFrame:
        marked = frame.with_columns(bad.alias("_bad"))
        self._note(marked.filter(pl.col("_bad")), reason)
        return marked.filter(~pl.col("_bad")).drop("_bad")

    def _note(self, frame: pl.DataFrame, reason: str) -> None:
        if frame.height:
            sample = pl.col("raw").str.slice(0, SAMPLE_LENGTH).str.replace_all("\t", " ", literal=True)
            sample = sample.str.replace_all("[\x00-\x1f\x7f]", "\ufffd")
            rows = frame.select("log", pl.lit(reason).alias("reason"), "line", sample.alias("sample"))
            self._damage.append(_summed(rows.with_columns(pl.lit(1, pl.Int64).alias("count"))))

    def _finish(self) -> None:
        for kind, target in TARGETS.items():
            if target.table not in TRACES and target.table in self._parts:
                frame = pl.concat(self._parts.pop(target.table))
                if target.unique is not None:
                    frame = self._latest(frame, ["log", "mote", *target.unique], kind)
                self.tables[target.table] = frame.sort("log", "line").drop("line")
        if self._found.rows:
            rows = pl.DataFrame(self._found.rows, schema=_DAMAGE_COLUMNS, orient="row")
            for (reason,), part in rows.group_by("reason", maintain_order=True):
                self._note(part.rename({"sample": "raw"}), reason)
        said = self._said()
        after = [
            (log, *self._latest_line[log])
            for log, ended in said.select("log", "ended_us").rows()
            if ended is not None and self._latest_time[log] > ended
        ]
        self._note(pl.DataFrame(after, schema=_LINE_COLUMNS, orient="row"), "clock")
        empty = pl.DataFrame(schema=_DAMAGE_COLUMNS).with_columns(pl.lit(1, pl.Int64).alias("count"))
        damage = _summed(pl.concat(self._damage), again=True) if self._damage else _summed(empty)
        kept = pl.col("reason").is_in([reason for reason, (kept, _) in DAMAGE.items() if kept])
        self.damage = damage.with_columns(kept.alias("kept"))
        self.logs = self._facts(said)

    def _latest(self, frame: pl.DataFrame, key: list[str], kind: str) -> pl.DataFrame:
        latest = frame.unique(key, keep="last")
        if latest.height < frame.height:
            names = [name for name in frame.columns if name not in ("log", "line", "time_us", "mote")]
            shown = pl.concat_str(
                [
                    pl.col("time_us"),
                    pl.lit("ID:") + pl.col("mote").cast(pl.String),
                    pl.concat_str([pl.lit(MARKER + kind), *names], separator=","),
                ],
                separator="\t",
            )
            self._note(
                frame.join(latest, on=["log", "line"], how="anti").with_columns(shown.alias("raw")),
                "repeated",
            )
        return latest

    def _facts(self, said: pl.DataFrame) -> pl.DataFrame:
        count = len(self._paths)
        facts = pl.DataFrame(
            {
                "log": pl.Series(range(count), dtype=pl.Int32),
                "log_bytes": pl.Series([self._found.bytes.get(i, 0) for i in range(count)], dtype=pl.Int64),
                "lines": pl.Series(self._lines, dtype=pl.Int64),
            }
        )
        lost = (
            pl.DataFrame(self._found.rows, schema=_DAMAGE_COLUMNS, orient="row")
            .filter(pl.col("reason").is_in(["cut", "long"]))
            .group_by("log")
            .agg(pl.len().cast(pl.Int64).alias("unread"))
        )
        sums = self.damage.group_by("log").agg(
            pl.col("count").filter(~pl.col("kept")).sum().alias("malformed"),
            pl.col("count").filter(pl.col("reason") == "clock").sum().alias("clock_jumps"),
        )
        facts = (
            facts.join(lost, on="log", how="left")
            .join(sums, on="log", how="left")
            .with_columns(
                pl.col("lines") + pl.col("unread").fill_null(0),
                pl.col("malformed").fill_null(0),
                pl.col("clock_jumps").fill_null(0),
            )
            .drop("unread")
        )
        return facts.join(said, on="log", how="left").sort("log")

    def _said(self) -> pl.DataFrame:
        """Return what Cooja's own lines say of each log that has any."""
        return (
            pl.concat([pl.DataFrame(schema=_LINE_COLUMNS), *self._frames])
            .group_by("log")
            .agg(
                pl.col("raw").str.extract(f"^{pattern}$").drop_nulls().last().alias(name)
                for pattern, name in FRAME_LINES.items()
            )
            .with_columns(pl.col("log_seed", "ended_us").cast(pl.Int64))
        )


def _digits(text: pl.Expr, dtype: pl.DataType | type[pl.DataType]) -> pl.Expr:
    """Return the number in a text of decimal digits; null for other texts. A cast alone would take a sign."""
    return pl.when(~(text.str.starts_with("+") | text.str.starts_with("-"))).then(
        text.cast(dtype, strict=False)
    )


def _integer(text: pl.Expr) -> pl.Expr:
    return pl.when(~text.str.starts_with("+")).then(text.cast(pl.Int64, strict=False))


def _summed(rows: pl.DataFrame, again: bool = False) -> pl.DataFrame:
    """Return one row for each log and reason: count, first line, a few samples."""
    samples = pl.col("samples").explode() if again else pl.col("sample")
    first = pl.col("first_line" if again else "line")
    return rows.group_by("log", "reason", maintain_order=True).agg(
        pl.col("count").sum(), first.min().alias("first_line"), samples.head(SAMPLES).alias("samples")
    )


def _event_list(texts: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return lists such as [{publisher: 3, sequence: 17}] for `3.17`, and which texts are no such list."""
    parts = texts.str.split("+")
    counts = parts.list.len().to_numpy()
    pair = parts.explode().str.splitn(".", 2).struct.unnest()
    # The types are unsigned because a sign is no digit. A text without a dot has no sequence.
    publisher = pair["field_0"].cast(pl.UInt32, strict=False)
    sequence = pair["field_1"].cast(pl.UInt64, strict=False)
    fits = (publisher >= 1) & (publisher <= _MOST_PUBLISHER) & (sequence <= _MOST_SEQUENCE)
    wrong = ~fits.fill_null(False).to_numpy()
    bad = np.zeros(len(counts), bool)
    if wrong.any():
        bad[np.repeat(np.arange(len(counts)), counts)[wrong]] = True
        publisher, sequence = (
            pl.select(pl.when(fits).then(one).otherwise(1)).to_series() for one in (publisher, sequence)
        )
    values = pa.StructArray.from_arrays(
        [publisher.cast(pl.Int32).to_arrow(), sequence.cast(pl.Int64).to_arrow()], ["publisher", "sequence"]
    )
    lists = pa.LargeListArray.from_arrays(np.r_[0, np.cumsum(counts)].astype(np.int64), values)
    return pl.from_arrow(lists), pl.Series(bad)
