# SPDX-License-Identifier: Apache-2.0
"""Makes finished tables of runs: the parser's rows with each run's keys, and the manifests' rows.

Both the Spark jobs and `load` get their rows here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl
import pyarrow as pa

from orchestrate_spark.end_records import unfinished as not_finished
from orchestrate_spark.experiment import UNKNOWN, Run
from orchestrate_spark.lines import BLOCK
from orchestrate_spark.log_format import DAMAGE
from orchestrate_spark.parse import SAMPLE_LENGTH, SAMPLES, LogParser
from orchestrate_spark.tables import COLUMNS, KEYS, fitted, schema

OUTCOMES = {
    "OK": "ok",
    "FAILED": "failed verdict",
    "TIMEOUT": "script timeout",
}  # Cooja's verdict -> a run's outcome
OK, TRUNCATED = "ok", "truncated log"
_DAMAGE = {
    "log": pl.Int32,
    "reason": pl.String,
    "count": pl.Int64,
    "first_line": pl.Int64,
    "samples": pl.List(pl.String),
    "kept": pl.Boolean,
}
_NAMES = {"subscriber": "S", "control": "C"}  # as the topologies name their motes


def read(runs: Sequence[Run], block: int = BLOCK) -> Iterator[tuple[str, pa.Table]]:
    """Yield (table, rows) in the table's schema, rows in the order of `runs` and of their lines.

    Parts of the traces, `records` and `text` come as they are read. Afterwards every table that did not come
    yet comes once; it may be empty.
    """
    keys = pl.DataFrame(
        {name: [getattr(run, name) for run in runs] for name, _ in KEYS},
        schema={name: pl.Int64 if name == "seed" else pl.String for name, _ in KEYS},
    )
    parser = LogParser([Path(run.log) for run in runs], block, seen=any(run.foreign for run in runs))
    given: set[str] = set()
    for table, frame in parser.stream():
        given.add(table)
        yield table, _finished(table, frame, keys)
    tables = {
        **parser.tables,
        "runs": (ended := _runs(runs, parser)),
        "motes": (motes := _motes(runs, parser)),
    }
    unfinished = _unfinished(runs, ended, motes)
    tables["damage"] = pl.concat([parser.damage, unfinished]).sort("log", "reason")
    # A manifest's outcome stays: whoever made the run has judged it. Its motes are named all the same.
    foreign = [log for log in unfinished["log"] if runs[log].foreign]
    truncated = pl.col("log").is_in(foreign)
    tables["runs"] = ended.with_columns(
        pl.when(truncated).then(pl.lit(TRUNCATED)).otherwise("outcome").alias("outcome")
    )
    for table in COLUMNS:
        if table in tables:
            yield table, _finished(table, tables[table], keys)
        elif table not in given:
            yield table, schema(table).empty_table()


def _finished(table: str, frame: pl.DataFrame, keys: pl.DataFrame) -> pa.Table:
    whole = pl.concat([frame, keys[frame["log"]]], how="horizontal")
    return fitted(table, whole.to_arrow(compat_level=pl.CompatLevel.oldest()))


def _types(table: str) -> dict[str, type[pl.DataType]]:
    types = {pa.string(): pl.String, pa.int64(): pl.Int64, pa.float64(): pl.Float64, pa.bool_(): pl.Boolean}
    return {name: types[type_] for name, type_ in COLUMNS[table]}


def _runs(runs: Sequence[Run], parser: LogParser) -> pl.DataFrame:
    told = pl.DataFrame(
        {
            name: pl.Series([run.row.get(name) for run in runs], dtype=dtype)
            for name, dtype in _types("runs").items()
            if name not in parser.logs.columns
        }
    )
    rows = pl.concat([parser.logs, told], how="horizontal")
    verdict = pl.col("verdict").replace_strict(OUTCOMES, default=UNKNOWN, return_dtype=pl.String)
    return rows.with_columns(
        pl.when(pl.col("outcome") == UNKNOWN)
        .then(verdict.fill_null(UNKNOWN))
        .otherwise("outcome")
        .alias("outcome")
    )


def _motes(runs: Sequence[Run], parser: LogParser) -> pl.DataFrame:
    told = [{"log": log, **mote} for log, run in enumerate(runs) for mote in run.motes]
    types = {"log": pl.Int32, **_types("motes")}
    rows = pl.DataFrame(told, schema=types, orient="row")
    foreign = [log for log, run in enumerate(runs) if run.foreign]
    if not foreign:
        return rows
    seen = parser.motes.filter(pl.col("log").is_in(foreign))
    nodes = parser.tables.get("nodes", pl.DataFrame(schema={"log": pl.Int32, **_types("nodes")}))
    found = seen.join(nodes.select("log", "mote", "role", "index", "parent"), on=["log", "mote"], how="left")
    number = pl.lit("mote ") + pl.col("mote").cast(pl.String)
    name = (
        pl.when(pl.col("role") == "publisher")
        .then(pl.lit("P") + pl.col("index").cast(pl.String))
        .otherwise(pl.col("role").replace_strict(_NAMES, default=None, return_dtype=pl.String))
    )
    found = found.with_columns(name.fill_null(number).alias("name"))
    found = found.with_columns(
        pl.when(pl.struct("log", "name").is_duplicated()).then(number).otherwise("name").alias("name"),
        pl.lit(None, pl.Float64).alias("x"),
        pl.lit(None, pl.Float64).alias("y"),
    )
    return pl.concat([rows, found.select(list(types))]).sort("log", "mote")


def _unfinished(runs: Sequence[Run], ended: pl.DataFrame, motes: pl.DataFrame) -> pl.DataFrame:
    """Return rows of `damage` for good runs in which motes didn't live to the end."""
    rows = []
    for log, outcome in ended.select("log", "outcome").iter_rows():
        names = dict(motes.filter(pl.col("log") == log).select("mote", "name").iter_rows())
        if outcome not in (OK, UNKNOWN) or not names or not Path(runs[log].log).is_file():
            continue
        if found := not_finished(Path(runs[log].log), names):
            said = [f"{names[one.mote]} (mote {one.mote}) {one.why}"[:SAMPLE_LENGTH] for one in found]
            rows.append((log, "ended", len(found), 0, said[:SAMPLES], DAMAGE["ended"][0]))
    return pl.DataFrame(rows, schema=_DAMAGE, orient="row")
