# SPDX-License-Identifier: Apache-2.0
"""Groups runs into batches and writes each batch: one Parquet file for each table, rows sorted by run.

A batch is the unit of work of a Spark task and of what is kept. Its name is a digest of the runs in it, so
that the same runs give the same files, and a removed or changed run invalidates only its own batch. Several
small batches become one from their rows, without their logs.
"""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from orchestrate_spark import sources
from orchestrate_spark.experiment import Run
from orchestrate_spark.sources.plan import Part
from orchestrate_spark.tables import COLUMNS, KEYS, conform, encoded, fitted, schema

TARGET = 64 << 20  # bytes of logs in a batch: files of some MB, and one task's worth of seconds
MOST_TARGET = 1 << 30  # of terabytes, so that a table has some thousand files and not tens of thousands
FILES = 1000  # of a table, from which on batches grow
SMALL = 1 << 20  # below this a second task costs more than it saves
GROUP = 16 << 20  # bytes of rows of a source that become one row group, however many runs they are of
FAULTS = (
    b"orchestrate.faults"  # in the metadata of a source's files: JSON, run id -> what was wrong with its file
)


@dataclass(frozen=True)
class Batch:
    """Runs that share their files. `name`: digest of ids, fingerprints and the code that parses them."""

    name: str
    runs: tuple[Run, ...]
    parts: tuple[Part, ...] = ()

    @property
    def size(self) -> int:
        return sum(run.work for run in self.runs)

    @property
    def prints(self) -> dict[str, str]:
        return {run.run_id: run.fingerprint for run in self.runs}


@dataclass(frozen=True)
class Merge:
    """Rows of runs in the batches `sources` of the state `folder`, to become one batch.

    `prints`: the runs' fingerprints, by id. `size`: bytes of their logs.
    """

    name: str
    prints: Mapping[str, str]
    sources: tuple[str, ...]
    folder: str
    size: int
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Beside:
    """Rows of sources for a batch that stays as it is. `logs`: bytes of its logs."""

    name: str
    parts: tuple[Part, ...]
    logs: int

    @property
    def size(self) -> int:
        return self.logs + sum(part.work for part in self.parts)


def merge(runs: Mapping[str, str], sources: Sequence[str], folder: Path, size: int, code: str) -> Merge:
    """Make a merge, named as the batch of these runs is."""
    return Merge(_name(code, runs), dict(runs), tuple(sources), str(folder), size)


def batch(runs: Sequence[Run], code: str) -> Batch:
    """Make a batch of runs, named by the digest of the runs and of the parser's code."""
    return Batch(_name(code, {run.run_id: run.fingerprint for run in runs}), tuple(runs))


def _name(code: str, runs: Mapping[str, str]) -> str:
    content = "\n".join([code, *(f"{run_id} {fingerprint}" for run_id, fingerprint in runs.items())])
    return hashlib.sha256(content.encode()).hexdigest()[:20]


def split(runs: Sequence[Run], code: str, cores: int) -> list[Batch]:
    """Return batches of neighbouring runs, about TARGET bytes each, one a core if there is enough."""
    total = sum(run.work for run in runs)
    target = min(max(TARGET, total // FILES), MOST_TARGET)
    rounds = -(-total // (target * cores)) or 1  # every core has as much to do as the others
    count = max(1, min(rounds * cores, total // SMALL))
    groups: dict[int, list[Run]] = {}
    before = 0
    for run in runs:
        share = (2 * before + run.work) * count // (2 * total) if total else 0  # where its middle lies
        groups.setdefault(share, []).append(run)
        before += run.work
    return [batch(group, code) for group in groups.values()]


def write(made: Batch | Merge | Beside, folder: Path) -> dict[str, int]:
    """Write `folder/TABLE/NAME.parquet` for every table and return the number of rows by table.

    Two processes may do this at once (a task that is tried again), because each file appears by a rename.
    """
    from orchestrate_spark.frames import read

    rows = {}
    if not isinstance(made, Beside):
        rows |= _write(made.name, folder, _merged(made) if isinstance(made, Merge) else read(made.runs), {})
    for part in made.parts:
        faults: dict[str, str] = {}
        rows |= _write(made.name, folder, _grouped(_of_source(made.name, part, folder, faults)), faults)
    return rows


def _write(
    name: str, folder: Path, parts: Iterator[tuple[str, pa.Table]], faults: Mapping[str, str]
) -> dict[str, int]:
    """Write the tables that come in parts; `faults` is read when all have come."""
    writers: dict[str, parquet.ParquetWriter] = {}
    drafts: dict[str, Path] = {}
    rows: dict[str, int] = {}
    try:
        for table, part in parts:
            if table not in writers:
                (folder / table).mkdir(parents=True, exist_ok=True)
                drafts[table] = folder / table / f".{name}.{uuid.uuid4().hex}"
                encodings = sources.encodings().get(table, {})
                writers[table] = parquet.ParquetWriter(
                    drafts[table],
                    encoded(table),
                    compression="zstd",
                    store_schema=False,
                    write_page_checksum=True,
                    use_dictionary=[name for name in schema(table).names if name not in encodings],
                    column_encoding=encodings or None,
                )
            if part.num_rows:
                writers[table].write_table(part.cast(encoded(table)).unify_dictionaries())
            rows[table] = rows.get(table, 0) + part.num_rows
        for table, writer in writers.items():
            if faults:
                writer.add_key_value_metadata({FAULTS: json.dumps(faults)})
            writer.close()
            _sync(drafts[table])
            drafts[table].rename(folder / table / f"{name}.parquet")
    finally:
        for table, path in drafts.items():
            if table in writers:
                writers[table].close()
            path.unlink(missing_ok=True)
    return rows


def _of_source(name: str, part: Part, folder: Path, faults: dict[str, str]) -> Iterator[tuple[str, pa.Table]]:
    """Yield (table, rows) of a source for the batch `name` of `folder`; what is wrong goes to `faults`."""
    source = sources.found()[part.source]
    read = source.reader()
    for table in source.tables:
        yield table, encoded(table).empty_table()
    if source.of:
        rows = parquet.ParquetFile(folder / source.of / f"{name}.parquet").read()
        for table, made in read(conform(rows, schema(source.of)), part.settings):
            yield table, conform(made, encoded(table))
        return
    units: list[tuple[tuple, Run | str]] = [(_keys(run), run) for run in part.reads]
    before = _carried(part, list(source.tables), faults)
    units += [(keys, run_id) for run_id, (keys, _) in before.items()]
    for keys, unit in sorted(units, key=lambda unit: unit[0]):
        if isinstance(unit, str):
            yield from before[unit][1].items()
            continue
        try:
            for table, made in read(Path(unit.log).with_name(source.file), part.settings):
                yield table, keyed(table, made, keys)
        except sources.Damaged as error:
            faults[unit.run_id] = f"{source.file}: {error}"
        except OSError as error:
            faults[unit.run_id] = f"{source.file} cannot be read: {error.strerror or error}"


def _keys(run: Run) -> tuple:
    return tuple(getattr(run, name) for name, _ in KEYS)


def keyed(table: str, rows: pa.Table, keys: Sequence) -> pa.Table:
    """Return rows without KEYS as rows of a table, for the run with these keys."""
    for at, ((name, type_), value) in enumerate(zip(KEYS, keys, strict=True)):
        if type_ == pa.string():
            indices = pa.repeat(pa.scalar(0, pa.int32()), rows.num_rows)
            same = pa.DictionaryArray.from_arrays(indices, pa.array([value], type_))
        else:
            same = pa.repeat(pa.scalar(value, type_), rows.num_rows)
        rows = rows.add_column(at, name, same)
    return conform(rows, encoded(table))


def _carried(
    part: Part, tables: Sequence[str], faults: dict[str, str]
) -> dict[str, tuple[tuple, dict[str, pa.Table]]]:
    """Return keys and rows by table of the runs whose rows are there already, by run id."""
    found: dict[str, tuple[tuple, dict[str, pa.Table]]] = {}
    for batch in sorted(set(part.carried.values())):
        for table in tables:
            file = parquet.ParquetFile(
                Path(part.folder, table, f"{batch}.parquet"), page_checksum_verification=True
            )
            rows = conform(file.read(), encoded(table))
            said = json.loads((file.metadata.metadata or {}).get(FAULTS, b"{}"))
            faults |= {run_id: why for run_id, why in said.items() if part.carried.get(run_id) == batch}
            names = [name for name, _ in KEYS]
            at = 0
            for keys in (
                rows.select(names)
                .group_by(names, use_threads=False)
                .aggregate([([], "count_all")])
                .to_pylist()
            ):
                count = keys["count_all"]  # a run's rows lie together, in the order of their first ones
                if part.carried.get(keys["run_id"]) == batch:
                    of_run = found.setdefault(keys["run_id"], (tuple(keys[name] for name in names), {}))
                    of_run[1][table] = rows.slice(at, count)
                at += count
    return found


def _grouped(parts: Iterator[tuple[str, pa.Table]]) -> Iterator[tuple[str, pa.Table]]:
    """Yield the same rows in larger parts: a row group for each of many short runs would be read slowly."""
    waiting: dict[str, list[pa.Table]] = {}
    sizes: Counter[str] = Counter()
    for table, rows in parts:
        waiting.setdefault(table, []).append(rows)
        sizes[table] += rows.nbytes
        if sizes[table] >= GROUP:
            del sizes[table]
            yield table, pa.concat_tables(waiting.pop(table))
    for table, rows in waiting.items():
        yield table, pa.concat_tables(rows)


def _merged(made: Merge) -> Iterator[tuple[str, pa.Table]]:
    """Yield (table, rows), sorted as in any batch: by the keys, and within a run in their old order."""
    import pyarrow.compute as pc

    wanted = pa.array(made.prints, pa.string())
    for table in COLUMNS:
        parts = []
        for source in made.sources:
            file = Path(made.folder, table, f"{source}.parquet")
            rows = parquet.ParquetFile(file, page_checksum_verification=True).read()
            parts.append(fitted(table, rows.filter(pc.is_in(rows["run_id"], wanted))))
        rows = pa.concat_tables(parts)
        place = pa.array(range(rows.num_rows), pa.int64())
        keys = pa.table([*(rows[name] for name, _ in KEYS), place], [*(name for name, _ in KEYS), "place"])
        yield table, rows.take(pc.sort_indices(keys, [(name, "ascending") for name in keys.column_names]))


def _sync(path: Path) -> None:
    with open(path, "rb") as stream:
        os.fsync(stream.fileno())
