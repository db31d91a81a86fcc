# SPDX-License-Identifier: Apache-2.0
"""Offers notebooks and `orchestrate query` SQL over a store's tables and metrics.

    from orchestrate_spark import open_store

    store = open_store("orchestrate-store")
    store.tables()["runs"]  # columns and their types, without Spark
    store.sql("select cell, avg(value) from per_run where metric = 'reduction' group by cell").toPandas()
    store.frame("events")  # a DataFrame of Spark

A table has the rows of all experiments; its first column names the experiment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from orchestrate_spark import embedded, engines, queries, schema_version, snapshot
from orchestrate_spark.errors import NoRuns, TablesFailed, WrongQuery
from orchestrate_spark.follow import followed
from orchestrate_spark.jobs import metrics as metrics_job
from orchestrate_spark.paths import plain
from orchestrate_spark.tables import every, schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

OF_TABLES, OF_METRICS = "tables", "metrics"  # folders of an experiment
_SHOWN_LINES = 3  # of what Spark says is wrong with a query


def names() -> dict[str, pa.Schema]:
    """Return the schemas of all tables that a query can name: first those of runs, then those of metrics."""
    return {**{name: schema(name) for name in every()}, **metrics_job.TABLES}


def open_store(
    path: str | Path,
    experiments: Iterable[str] | None = None,
    *,
    master: str | None = None,
    spark: Callable[[], SparkSession] | None = None,
) -> OpenStore:
    """Open a store's tables for SQL; this starts no Spark yet.

    `experiments`: their names (None: all that have tables). `master`: what computes (engines.Sessions).
    `spark`: makes the session instead. Raises NoRuns if there are no such tables.
    """
    folder = Path(path).absolute()
    if not folder.is_dir():
        raise NoRuns(f"{folder}: no such store\n    name the folder that holds the experiments")
    ingested = sorted(entry.name for entry in folder.iterdir() if (entry / OF_TABLES).is_dir())
    wanted = ingested if experiments is None else list(dict.fromkeys(experiments))
    for name in wanted:
        if name not in ingested:
            raise NoRuns(
                f"{folder}: no tables of {name!r}; there are those of: {', '.join(ingested) or 'none'}\n"
                "    ingest its runs first (`orchestrate ingest EXPERIMENT --metrics`)"
            )
    if not wanted:
        raise NoRuns(
            f"{folder}: no experiment in it has tables\n"
            "    ingest one first (`orchestrate ingest EXPERIMENT --metrics`)"
        )
    for name in wanted:
        schema_version.check(folder / name)
    return OpenStore(folder, tuple(wanted), spark or engines.Sessions(master))


class OpenStore:
    """A store's tables, as they were when they were first read here. `open_store` makes it."""

    def __init__(self, path: Path, experiments: tuple[str, ...], spark: Callable[[], SparkSession]):
        self.path = path
        self.experiments = experiments
        self._spark = spark
        self._session: SparkSession | None = None
        self._there: set[str] = set()

    def tables(self) -> dict[str, dict[str, str]]:
        """Return table -> column -> type for every table that a query can name; this starts no Spark."""
        return {name: {field.name: str(field.type) for field in wanted} for name, wanted in names().items()}

    def unread(self) -> dict[str, int]:
        """Return by experiment how many finished runs are not in its tables; this starts no Spark."""
        found = {}
        for name in self.experiments:
            folder = self.path / name
            index = snapshot.index(folder, OF_TABLES)
            held = {run for batch in index.get("batches", {}).values() for run in batch["runs"]}
            held.update(index.get("damaged", ()))
            there = (
                file.parent.name
                for kind in ("runs/*/manifest.json", "logs/*/source.json")
                for file in folder.glob(kind)
            )
            if missing := sum(run not in held for run in there):
                found[name] = missing
        return found

    @property
    def session(self) -> SparkSession:
        """The Spark session of these tables, which is started when it is first asked for."""
        if self._session is None:
            made = self._spark()  # its views are to be its own
            self._session = embedded.another(made) if embedded.is_connect(made) else made.newSession()
        return self._session

    def _folders(self, name: str) -> list[Path]:
        of = OF_METRICS if name in metrics_job.TABLES else OF_TABLES
        return [self.path / experiment / of / name for experiment in self.experiments]

    def _rows(self, name: str) -> int:
        return sum(engines.rows_in(folder) for folder in self._folders(name))

    def _need_engine(self, rows: int) -> None:
        """Have a session for a query over so many rows; Apache Spark's from engines.MOST_ROWS on."""
        small = self._session is None or embedded.is_embedded(self._session)
        if small and rows > engines.MOST_ROWS and isinstance(self._spark, engines.Sessions):
            self._session, self._there = self._spark(rows).newSession(), set()

    def frame(self, name: str) -> DataFrame:
        """Return a table as a Spark DataFrame. Raises ValueError if no table has that name."""
        from pyspark.sql.pandas.types import from_arrow_schema

        if name not in names():
            raise ValueError(f"no table named {name}; there are: {', '.join(names())}")
        self._need_engine(self._rows(name))
        folders = self._folders(name)
        # Where the link leads now: that state stays as it is while others are made beside it.
        there = [plain(folder.resolve()) for folder in folders if any(folder.glob("*.parquet"))]
        wanted = from_arrow_schema(names()[name])
        if not there:
            return self.session.createDataFrame([], wanted)
        return self.session.read.schema(wanted).parquet(*there)

    def sql(self, query: str) -> DataFrame:
        """Return a query's result as a Spark DataFrame, which is computed when it is used.

        Raises WrongQuery, also for what is more than a query.
        """
        queries.check(query)
        # The embedded engine takes RUNS and runs for two tables.
        named = {word for word in re.findall(r"\w+", query) if word.lower() in names()}
        self._need_engine(sum(self._rows(name) for name in {word.lower() for word in named}))
        for word in named - self._there:
            self.frame(word.lower()).createOrReplaceTempView(word)
            self._there.add(word)
        with query_errors():
            found = self.session.sql(query)
            if embedded.is_connect(self.session):  # what is wrong with it is said when it is first used
                found.schema  # noqa: B018
            return found

    def arrow(self, query: str, limit: int | None = None) -> pa.Table:
        """Return a query's rows (at most `limit`), computed now.

        Raises WrongQuery, SparkEnded, TablesFailed.
        """
        try:
            return self._arrow(query, limit)
        except WrongQuery as error:
            if not embedded.is_embedded(self.session) or not engines.lacks(error.__cause__):
                raise
            other = None
            if isinstance(self._spark, engines.Sessions):
                other = self._spark.instead("this query", error.__cause__)
            if other is None:
                raise WrongQuery(engines.without("this query", error.__cause__)) from error
        self._session, self._there = other.newSession(), set()
        return self._arrow(query, limit)

    def _arrow(self, query: str, limit: int | None) -> pa.Table:
        found = self.sql(query)
        with query_errors(), followed(self.session):
            return (found if limit is None else found.limit(limit)).toArrow()

    def __repr__(self) -> str:
        return f"<store {self.path}: {', '.join(self.experiments)}>"


@contextmanager
def query_errors() -> Iterator[None]:
    """Raise what Spark says of a query or of the files under it as errors of this package."""
    from pyspark.errors import AnalysisException, ParseException, PySparkException

    try:
        yield
    except (AnalysisException, ParseException) as error:
        raise WrongQuery("\n    ".join(_lines(error))) from error
    except PySparkException as error:
        if damaged := re.search(r"\bfile:(?://)?(/\S+?\.parquet)", str(error)):
            raise TablesFailed(
                f"{damaged.group(1)}: not a Parquet file that can be read\n"
                "    `orchestrate ingest EXPERIMENT --metrics` makes damaged tables anew from the runs"
            ) from error
        raise WrongQuery("\n    ".join(_lines(error))) from error


def _lines(error: Any) -> list[str]:
    """Return the lines of a Spark error that say what is wrong, and in which line of the query."""
    said = [line for line in str(error).splitlines() if line.strip()]
    first = re.sub(r"^\[[A-Z_.]+\] | SQLSTATE: \w+", "", said[0]) if said else type(error).__name__
    place = next((at for at, line in enumerate(said) if line.startswith("== SQL")), None)
    return [first, *(said[place + 1 : place + _SHOWN_LINES] if place is not None else [])]
