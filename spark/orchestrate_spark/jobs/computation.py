# SPDX-License-Identifier: Apache-2.0
"""Computes the tables of metrics with a session of either engine, and writes them."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import parquet

from orchestrate_spark import embedded
from orchestrate_spark import functions as F
from orchestrate_spark.follow import followed
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

Told = Callable[[int, int, str], None]  # called with what is done, the total, and what is counted


@dataclass(frozen=True)
class Work:
    """The computation of an experiment's metrics by a session.

    `new`: the draft that gets their tables. `chosen`: the runs. `rows`: how many rows all tables have.
    """

    session: SparkSession
    folder: Path
    new: Path
    chosen: dict[str, tuple[str, str]]
    rows: int
    told: Told
    _found: list[Inputs] = field(default_factory=list)

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

    def _inputs(self) -> Inputs:
        """Return what all families take, and let PySpark's functions make columns for this session."""
        embedded.activate(embedded.is_connect(self.session))
        if not self._found:
            self._scratch.mkdir(exist_ok=True)
            self._found.append(read(self.session, self.folder, list(self.chosen), self._scratch))
        return self._found[0]

    def built_in(self, asked: Sequence[Family]) -> None:
        """Write the tables of these families."""
        found = self._inputs()
        if embedded.is_connect(self.session):  # one plan of all families hangs there
            parts = []
            for done, family in enumerate(asked):
                self.told(done, len(asked), "families of metrics")
                parts.append(self._values(found, family.rows(found)).toArrow().cast(PER_RUN))
            self._keep(USUAL, pa.concat_tables(parts), families())
            return
        rows = reduce(lambda a, b: a.union(b), (family.rows(found) for family in _counted(asked, self.told)))
        values = self._values(found, rows)
        if self.rows >= BIG:
            _by_executors(values, self.new / "per_run", USUAL)
            self._summarise(USUAL, families())
            return
        # With a task for each partition of each family, the whole plan would be deserialised for each.
        values = values.coalesce(TASKS_A_CORE * self.session.sparkContext.defaultParallelism)
        with followed(self.session, lambda done, total: self.told(done, total, "tasks, run by run")):
            per_run = values.toArrow()
        self._keep(USUAL, per_run, families())

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

    def _summarise(self, stem: str, of: Sequence[Family]) -> None:
        """Write metrics/summary of what metrics/per_run has under this name."""
        from pyspark.sql.pandas.types import from_arrow_schema

        from orchestrate_spark.metrics.summary import summarise

        files = [plain(file) for file in sorted((self.new / "per_run").glob(f"{stem}*.parquet"))]
        values = self.session.read.schema(from_arrow_schema(PER_RUN)).parquet(*files)
        runs = Counter(self.chosen.values())
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
        write(rows, SUMMARY, self.new / "summary" / f"{stem}.parquet")


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
        file.rename(folder / f"{stem}-{number:05}.parquet")
    shutil.rmtree(made)


def write(rows: pa.Table, wanted: pa.Schema, file: Path) -> None:
    """Write rows in the table's schema and order; they are on the disk before this returns."""
    by = ("experiment", "cell", "metric", "key", "seed", "run_id")
    order = [(name, "ascending") for name in wanted.names if name in by]
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "wb") as stream:
        parquet.write_table(
            rows.select(wanted.names).cast(wanted).sort_by(order),
            stream,
            compression="zstd",
            store_schema=False,
            write_page_checksum=True,
        )
        stream.flush()
        os.fsync(stream.fileno())
