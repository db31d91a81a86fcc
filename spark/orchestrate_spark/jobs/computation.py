# SPDX-License-Identifier: Apache-2.0
"""Computes the tables of metrics with a session of either engine, and writes them."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from orchestrate_spark import embedded, snapshot
from orchestrate_spark import functions as F
from orchestrate_spark.follow import followed
from orchestrate_spark.jobs.increment import Increment
from orchestrate_spark.metrics import families
from orchestrate_spark.metrics import own as own_metrics
from orchestrate_spark.metrics.inputs import read
from orchestrate_spark.metrics.model import Family, Inputs
from orchestrate_spark.own_code import Own
from orchestrate_spark.paths import plain
from orchestrate_spark.session import BIG, fitted
from orchestrate_spark.tables import KEYS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PER_RUN = pa.schema(
    [
        *KEYS,
        ("metric", pa.string()),
        ("key", pa.string()),
        ("value", pa.float64()),
    ]
)
SUMMARY = pa.schema(
    [
        ("experiment", pa.string()),
        ("cell", pa.string()),
        ("metric", pa.string()),
        ("key", pa.string()),
        ("n", pa.int64()),
        ("mean", pa.float64()),
        ("sd", pa.float64()),
        ("ci_low", pa.float64()),
        ("ci_high", pa.float64()),
    ]
)

TABLES = {"per_run": PER_RUN, "summary": SUMMARY}
TASKS_A_CORE = 4
USUAL = "part-0"  # begins the names of the built-in metrics' files; a user's own family has a file own-NAME
STAYS = 1 << 20  # rows of a file of values from which on it stays as it is when runs are added
CELLS = ("experiment", "cell")

Told = Callable[[int, int, str], None]  # called with what is done, the total, and what is counted


@dataclass(frozen=True)
class Work:
    """The computation of an experiment's metrics by a session.

    `new`: the draft that gets their tables. `chosen`: the runs that count. `held`: the runs in each of the
    tables' batches. `rows`: how many rows are read.
    """

    session: SparkSession
    folder: Path
    new: Path
    chosen: dict[str, tuple[str, str]]
    held: Mapping[str, Collection[str]]
    rows: int
    told: Told
    _found: dict[tuple[str, ...] | None, Inputs] = field(default_factory=dict)

    @contextmanager
    def ready(self) -> Iterator[Work]:
        """Let the session plan for this work; afterwards, let go of what it kept."""
        with fitted(self.session, self.rows):
            try:
                yield self
            finally:
                shutil.rmtree(self._scratch, ignore_errors=True)
                if not embedded.is_connect(self.session):
                    self.session.catalog.clearCache()

    @property
    def _scratch(self) -> Path:
        return self.new.with_name(f"{self.new.name}-scratch")

    def _inputs(self, runs: tuple[str, ...] | None = None, batches: tuple[str, ...] | None = None) -> Inputs:
        """Return what families take of these runs (None: of all that count, in all batches).

        PySpark's functions then make columns for this session.
        """
        embedded.activate(embedded.is_connect(self.session))
        if runs not in self._found:
            self._scratch.mkdir(exist_ok=True)
            scratch = Path(tempfile.mkdtemp(dir=self._scratch))
            wanted = self.chosen.keys() if runs is None else set(runs)
            there = {run for batch in batches or self.held for run in self.held[batch]}
            ids = list(wanted) if there - wanted else None
            self._found[runs] = read(self.session, self.folder, ids, scratch, batches)
        return self._found[runs]

    def built_in(self, asked: Sequence[Family], what: Increment, cells: Collection[tuple[str, str]]) -> None:
        """Write the tables of these families. `cells`: those that have more or fewer runs than before."""
        if what.runs == ():
            return self._keep_built_in(PER_RUN.empty_table(), what, cells)
        found = self._inputs(what.runs, what.batches)
        if embedded.is_connect(self.session):  # one plan of all families hangs there
            parts = []
            for done, family in enumerate(asked):
                self.told(done, len(asked), "families of metrics")
                parts.append(self._values(found, family.rows(found)).toArrow().cast(PER_RUN))
            return self._keep_built_in(pa.concat_tables([PER_RUN.empty_table(), *parts]), what, cells)
        rows = reduce(lambda a, b: a.union(b), (family.rows(found) for family in _counted(asked, self.told)))
        values = self._values(found, rows)
        if self.rows >= BIG:
            return self._keep_built_in(values, what, cells)
        # With a task for each partition of each family, the whole plan would be deserialised for each.
        values = values.coalesce(TASKS_A_CORE * self.session.sparkContext.defaultParallelism)
        with followed(self.session, lambda done, total: self.told(done, total, "tasks, run by run")):
            per_run = values.toArrow()
        self._keep_built_in(per_run, what, cells)

    def _keep_built_in(
        self, values: pa.Table | F.DataFrame, what: Increment, cells: Collection[tuple[str, str]]
    ) -> None:
        """Write the values beside those that stay, and the summary of the cells that have changed."""
        folder, stem = self.new / "per_run", USUAL
        folder.mkdir(parents=True, exist_ok=True)
        if what.runs is None:
            if isinstance(values, pa.Table):
                self._keep(stem, values, families())
            else:
                _by_executors(values, folder, f"{stem}-")
                self._summarise(stem, families())
            return
        rest, changed = self._stay(what.gone)
        if names := [file.stem for file in folder.glob(f"{stem}*.parquet")]:
            numbers = [int(found[1]) for name in names if (found := re.fullmatch(rf"{stem}-(\d+)-?.*", name))]
            stem = f"{stem}-{max(numbers, default=0) + 1:05}"
        if isinstance(values, pa.Table):
            rest.append(values.select(PER_RUN.names).cast(PER_RUN))
        else:
            _by_executors(values, folder, f"{stem}-")
            stem = f"{stem}-rest"
        write(pa.concat_tables(rest), PER_RUN, folder / f"{stem}.parquet")
        changed |= {self.chosen[run] for run in what.runs} | set(cells)
        self._summarise(USUAL, families(), changed)

    def _stay(self, gone: Collection[str]) -> tuple[list[pa.Table], set[tuple[str, str]]]:
        """Take over the values that are there, without those of runs that are `gone`.

        Large files stay files. Returns the rows of the small ones, and the cells of the rows that are gone.
        """
        ids, rest, changed = pa.array(sorted(gone), pa.string()), [PER_RUN.empty_table()], set()

        def staying(rows: pa.Table) -> pa.Table:
            leaves = pc.is_in(rows["run_id"], ids)
            for row in rows.filter(leaves).group_by(list(CELLS)).aggregate([]).to_pylist():
                changed.add((row["experiment"], row["cell"]))
            return rows.filter(pc.invert(leaves))

        for path in sorted((self.folder / "metrics" / "per_run").glob(f"{USUAL}*.parquet")):
            with parquet.ParquetFile(path, page_checksum_verification=True) as file:
                if file.metadata.num_rows < STAYS:
                    rest.append(staying(file.read()).cast(PER_RUN))
                elif gone:
                    parts = (staying(pa.Table.from_batches([part])) for part in file.iter_batches(STAYS))
                    _write(parts, PER_RUN, self.new / "per_run" / path.name)
                else:
                    snapshot.keep(self.folder / "metrics", self.new, f"per_run/{path.name}")
        return rest, changed

    def own(self, own: Own) -> None:
        """Write the tables of a metric of the user's own. Raises FaultyCode."""
        found = self._inputs()
        with followed(self.session):
            made = own_metrics.frame(own, found).toArrow()
        rows = own_metrics.checked(own, made, self.chosen)
        experiments, cells = zip(*self.chosen.values())
        keys = pa.table({"run_id": list(self.chosen), "experiment": experiments, "cell": cells})
        seeds = found.runs.select("run_id", "seed").toArrow()
        per_run = rows.join(keys, "run_id", join_type="inner").join(seeds, "run_id", join_type="inner")
        self._keep(f"own-{own.value.name}", per_run.select(PER_RUN.names).cast(PER_RUN), [own.value])

    def _values(self, found: Inputs, rows: F.DataFrame) -> F.DataFrame:
        """Return metrics/per_run of the rows that families gave."""
        keys = found.runs.select("experiment", "cell", "seed", "run_id")
        return rows.join(F.broadcast(keys), on="run_id", how="inner").select(*PER_RUN.names)

    def _keep(self, stem: str, per_run: pa.Table, of: Sequence[Family]) -> None:
        write(per_run, PER_RUN, self.new / "per_run" / f"{stem}.parquet")
        self._summarise(stem, of)

    def _summarise(
        self, stem: str, of: Sequence[Family], changed: Collection[tuple[str, str]] | None = None
    ) -> None:
        """Write metrics/summary of what metrics/per_run has under this name.

        `changed`: the cells (experiment, cell) to compute; the rows of others are those of before.
        """
        from pyspark.sql.pandas.types import from_arrow_schema

        from orchestrate_spark.metrics.summary import summarise

        runs = Counter(self.chosen.values())
        stay = SUMMARY.empty_table()
        if changed is not None:
            stay = _of_cells(
                self.folder / "metrics" / "summary" / f"{stem}.parquet", runs.keys() - set(changed)
            )
            runs = {cell: count for cell, count in runs.items() if cell in changed}
        if not runs:
            return write(stay, SUMMARY, self.new / "summary" / f"{stem}.parquet")
        files = [plain(file) for file in sorted((self.new / "per_run").glob(f"{stem}*.parquet"))]
        values = self.session.read.schema(from_arrow_schema(PER_RUN)).parquet(*files)
        cells = self.session.createDataFrame(
            pa.table(
                {
                    "experiment": [experiment for experiment, _ in runs],
                    "cell": [cell for _, cell in runs],
                    "runs": list(runs.values()),
                }
            )
        )
        metrics = {name: metric for family in of for name, metric in family.declared.items()}
        with followed(self.session, lambda done, total: self.told(done, total, "tasks, over the runs")):
            rows = summarise(values, cells, max(runs.values()), metrics).toArrow()
        rows = pa.concat_tables([stay, rows.select(SUMMARY.names).cast(SUMMARY)])
        write(rows, SUMMARY, self.new / "summary" / f"{stem}.parquet")


def _of_cells(file: Path, cells: Collection[tuple[str, str]]) -> pa.Table:
    """Return the rows of metrics/summary of these cells."""
    rows = parquet.read_table(file, schema=SUMMARY, page_checksum_verification=True)
    wanted = pa.table(
        dict(zip(CELLS, zip(*cells) if cells else ([], []))), pa.schema([(n, pa.string()) for n in CELLS])
    )
    return rows.join(wanted, list(CELLS), join_type="left semi").select(SUMMARY.names)


def _counted(asked: Sequence, told: Told) -> Iterator:
    """Yield the families, and tell how many were planned each time the next one is asked for."""
    for done, family in enumerate(asked):
        told(done, len(asked), "families planned")
        yield family


def _by_executors(values: F.DataFrame, folder: Path, stem: str) -> None:
    """Let the executors write the values, sorted, into as many files as they are: none passes the driver."""
    made = folder / "_made"
    values.sort(*(name for name in PER_RUN.names if name != "value")).write.option(
        "compression", "zstd"
    ).parquet(plain(made))
    for number, file in enumerate(sorted(made.glob("part-*.parquet"))):
        with open(file, "rb") as stream:
            os.fsync(stream.fileno())
        file.rename(folder / f"{stem}{number:05}.parquet")
    shutil.rmtree(made)


def write(rows: pa.Table, wanted: pa.Schema, file: Path) -> None:
    """Write rows in the table's schema and order; they are on the disk before this returns."""
    by = ("experiment", "cell", "metric", "key", "seed", "run_id")
    order = [(name, "ascending") for name in wanted.names if name in by]
    _write([rows.select(wanted.names).cast(wanted).sort_by(order)], wanted, file)


def _write(parts: Iterable[pa.Table], wanted: pa.Schema, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "wb") as stream:
        with parquet.ParquetWriter(
            stream, wanted, compression="zstd", store_schema=False, write_page_checksum=True
        ) as writer:
            for part in parts:
                writer.write_table(part.select(wanted.names).cast(wanted))
        stream.flush()
        os.fsync(stream.fileno())
