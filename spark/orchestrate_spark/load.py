# SPDX-License-Identifier: Apache-2.0
"""Loads the tables of a run, a log or an experiment as pandas, Polars or Arrow, without Spark and a JVM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from orchestrate_spark import schema_version, sources
from orchestrate_spark.errors import NoRuns, TablesFailed
from orchestrate_spark.experiment import LOG, MANIFEST, SOURCE, UNKNOWN, Run, read_foreign, read_run, seed_of
from orchestrate_spark.tables import COLUMNS, conform, every, schema

FORMS = ("pandas", "polars", "arrow")
FLOAT_HOLDS = 2**53  # all whole numbers up to this one


def load(where: str | Path, as_: str = "pandas", tables: Iterable[str] | None = None) -> dict[str, Any]:
    """Return the tables (orchestrate_spark.tables.every) of a run, by name.

    `where`: a run folder, its manifest.json, a COOJA.testlog without manifest, or an experiment's folder. A
    log, and what sources read beside it, is parsed here, by the code that the Spark jobs use; an experiment's
    ingested tables are read.
    `as_`: "pandas", "arrow" or, with Polars installed, "polars". `tables`: only these. Raises NoRuns if
    there is nothing, TablesFailed if ingested tables can't be read, ValueError for another `as_`.
    """
    if as_ not in FORMS:
        raise ValueError(f"as_ is one of {', '.join(FORMS)}, not {as_!r}")
    wanted = list(every()) if tables is None else list(tables)
    if unknown := [name for name in wanted if name not in every()]:
        raise ValueError(f"no table named {', '.join(unknown)}; there are: {', '.join(every())}")
    path = Path(where)
    schema_version.check(path)
    if path.name in (MANIFEST, SOURCE):
        path = path.parent
    if (path / "tables").is_dir():
        found = {name: _parts(path / "tables" / name, schema(name), "tables") for name in wanted}
    else:
        found = _parsed(_run(path), wanted)
    return {name: _as(table, as_) for name, table in found.items()}


def load_metrics(experiment: str | Path, as_: str = "pandas") -> dict[str, Any]:
    """Return the metrics of an experiment's folder: `per_run` and `summary`, the user's own among them.

    Columns: spark/README.md.

    Raises NoRuns if there are none, TablesFailed if they can't be read, ValueError for another `as_`.
    """
    if as_ not in FORMS:
        raise ValueError(f"as_ is one of {', '.join(FORMS)}, not {as_!r}")
    folder = Path(experiment) / "metrics"
    if not folder.is_dir():
        raise NoRuns(
            f"{experiment}: no metrics in it\n    compute them first, with `orchestrate ingest EXPERIMENT "
            "--metrics`"
        )
    from orchestrate_spark.jobs.metrics import TABLES

    return {name: _as(_parts(folder / name, wanted, "metrics"), as_) for name, wanted in TABLES.items()}


def _run(path: Path) -> Run:
    try:
        if (path / MANIFEST).is_file():
            return read_run(path)
        if (path / SOURCE).is_file():
            return read_foreign(path)
    except (OSError, ValueError) as error:
        raise NoRuns(f"{path}: {error}\n    verify the run, or name its {LOG} to read that alone") from error
    log = path / LOG if path.is_dir() else path
    if not log.is_file():
        raise NoRuns(
            f"{path}: no run, no log and no ingested experiment\n"
            "    name a run folder, a log, or an experiment's folder after `orchestrate ingest`"
        )
    return Run(
        "", "", log.stem, seed_of(log) or 0, str(log), log.stat().st_size, "", {"outcome": UNKNOWN}, (), True
    )


def _parsed(run: Run, wanted: list[str]) -> dict[str, pa.Table]:
    from orchestrate_spark.frames import read

    needed = [sources.owner(name) for name in wanted if name not in COLUMNS]
    parts: dict[str, list[pa.Table]] = {name: [schema(name).empty_table()] for name in every()}
    if any(name in COLUMNS for name in wanted) or any(source.of for source in needed):
        for name, rows in read([run]):
            parts[name].append(rows)
    experiment = (
        Path(run.log).absolute().parents[2] if len(Path(run.log).absolute().parents) > 2 else Path("/")
    )
    for source in dict.fromkeys(source.name for source in needed):
        for name, rows in _beside(run, source, experiment, parts):
            parts[name].append(rows)
    return {name: pa.concat_tables(parts[name]) for name in wanted}


def _beside(
    run: Run, name: str, experiment: Path, parts: dict[str, list[pa.Table]]
) -> Iterator[tuple[str, pa.Table]]:
    """Yield (table, rows) of a source for one run."""
    from orchestrate_spark.batches import keyed
    from orchestrate_spark.tables import KEYS, fitted

    source = sources.found()[name]
    settings = source.settings_of(experiment)
    if settings is None:
        return
    if source.of:
        for table, rows in source.reader()(pa.concat_tables(parts[source.of]), settings):
            yield table, fitted(table, rows)
        return
    file = Path(run.log).with_name(source.file)
    if not file.is_file():
        return
    try:
        for table, rows in source.reader()(file, settings):
            yield table, fitted(table, keyed(table, rows, [getattr(run, key) for key, _ in KEYS]))
    except sources.Damaged as error:
        raise TablesFailed(f"{file}: {error}") from error


def _parts(folder: Path, wanted: pa.Schema, of: str) -> pa.Table:
    from pyarrow import parquet

    try:
        parts = [
            conform(parquet.ParquetFile(file, page_checksum_verification=True).read(), wanted)
            for file in sorted(folder.glob("*.parquet"))
        ]
    except (OSError, pa.ArrowException) as error:
        raise TablesFailed(
            f"{folder}: {error}\n    ingest again (`orchestrate ingest EXPERIMENT --metrics`), which makes "
            f"damaged {of} anew"
        ) from error
    return pa.concat_tables(parts) if parts else wanted.empty_table()


def _as(table: pa.Table, as_: str) -> Any:
    if as_ == "arrow":
        return table
    if as_ == "polars":
        try:
            import polars as pl
        except ImportError as error:
            raise ImportError("as_='polars' needs Polars: python -m pip install polars") from error

        return pl.from_arrow(table)
    return _pandas(table)


def _pandas(table: pa.Table) -> Any:
    """Return the table for pandas, with Int64 for numbers with gaps that its floats couldn't hold."""
    import pandas as pd
    import pyarrow.compute as pc

    frame = table.to_pandas()
    for name, column in zip(table.column_names, table.columns, strict=True):
        if column.type == pa.int64() and 0 < column.null_count < len(column):
            least, most = pc.min_max(column).as_py().values()
            if max(-least, most) > FLOAT_HOLDS:
                frame[name] = pd.Series(column.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get))
    return frame
