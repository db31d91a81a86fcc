# SPDX-License-Identifier: Apache-2.0
"""Groups runs into batches and writes each batch: one Parquet file for each table, rows sorted by run.

A batch is the unit of work of a Spark task and of what is kept. Its name is a digest of the runs in it, so
that the same runs give the same files, and a removed or changed run invalidates only its own batch. Several
small batches become one from their rows, without their logs.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from orchestrate_spark.experiment import Run
from orchestrate_spark.tables import COLUMNS, KEYS, fitted, schema

TARGET = 64 << 20  # bytes of logs in a batch: files of some MB, and one task's worth of seconds
MOST_TARGET = 1 << 30  # of terabytes, so that a table has some thousand files and not tens of thousands
FILES = 1000  # of a table, from which on batches grow
SMALL = 1 << 20  # below this a second task costs more than it saves


@dataclass(frozen=True)
class Batch:
    """Runs that share their files. `name`: digest of ids, fingerprints and the code that parses them."""

    name: str
    runs: tuple[Run, ...]

    @property
    def size(self) -> int:
        return sum(run.size for run in self.runs)

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
    total = sum(run.size for run in runs)
    target = min(max(TARGET, total // FILES), MOST_TARGET)
    rounds = -(-total // (target * cores)) or 1  # every core has as much to do as the others
    count = max(1, min(rounds * cores, total // SMALL))
    groups: dict[int, list[Run]] = {}
    before = 0
    for run in runs:
        share = (2 * before + run.size) * count // (2 * total) if total else 0  # where its middle lies
        groups.setdefault(share, []).append(run)
        before += run.size
    return [batch(group, code) for group in groups.values()]


def write(made: Batch | Merge, folder: Path) -> dict[str, int]:
    """Write `folder/TABLE/NAME.parquet` for every table and return the number of rows by table.

    Two processes may do this at once (a task that is tried again), because each file appears by a rename.
    """
    from orchestrate_spark.frames import read

    writers: dict[str, parquet.ParquetWriter] = {}
    drafts: dict[str, Path] = {}
    rows = dict.fromkeys(COLUMNS, 0)
    try:
        for table, part in _merged(made) if isinstance(made, Merge) else read(made.runs):
            if table not in writers:
                (folder / table).mkdir(parents=True, exist_ok=True)
                drafts[table] = folder / table / f".{made.name}.{uuid.uuid4().hex}"
                writers[table] = parquet.ParquetWriter(
                    drafts[table],
                    schema(table),
                    compression="zstd",
                    store_schema=False,
                    write_page_checksum=True,
                )
            if part.num_rows:
                writers[table].write_table(part)
            rows[table] += part.num_rows
        for table, writer in writers.items():
            writer.close()
            _sync(drafts[table])
            drafts[table].rename(folder / table / f"{made.name}.parquet")
    finally:
        for table, path in drafts.items():
            if table in writers:
                writers[table].close()
            path.unlink(missing_ok=True)
    return rows


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
