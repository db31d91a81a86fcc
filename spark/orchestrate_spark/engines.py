# SPDX-License-Identifier: Apache-2.0
"""Chooses the engine that computes tables, metrics and queries.

The same PySpark code runs on two engines. The embedded one (embedded.py) works inside this process and needs
no Java. Apache Spark (session.py) works in a JVM or on a cluster. A job takes the one that `--master`, the
variable ORCHESTRATE_MASTER or a file's key `spark` names, else the embedded one up to MOST_ROWS.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrate_spark import embedded, jvm, session
from orchestrate_spark.errors import NoEngine, NoSpark, by_ctrl_c

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VARIABLE = "ORCHESTRATE_MASTER"
EMBEDDED = "embedded"  # the word for --master that means the embedded engine
CONNECT = "sc://"
APACHE = "local[*]"  # Apache Spark on all cores of this machine
NAMES = {"sail": "Sail", "spark": "Apache Spark", "connect": "Spark Connect"}

# Rows of an experiment's tables up to which the embedded engine computes: no grouping then gives more groups
# than a batch has rows, beyond which Sail 0.7.2 was seen to mix up groups (embedded.BATCH_ROWS).
MOST_ROWS = embedded.BATCH_ROWS


def master_of(given: str | None, file: str | None = None) -> str | None:
    """Return the master that is named; None if none is.

    First counts --master (`given`), then ORCHESTRATE_MASTER, then the key `spark` of a scenario or campaign.
    """
    return given or os.environ.get(VARIABLE) or file


class Sessions:
    """Gives jobs their session, which starts when the first job has something to compute.

    `master`: "embedded", local[N], spark://HOST:PORT, sc://HOST:PORT or another URL that Apache Spark knows;
    None for what ORCHESTRATE_MASTER or `file` (a scenario's or campaign's key) says, else the engine that
    suits the size. `before(name)` is called before an engine starts, and `ready()` when there is a session.
    `say` gets a sentence if another engine than the chosen one computes.
    """

    def __init__(
        self,
        master: str | None = None,
        before: Callable[[str], None] = lambda name: None,
        say: Callable[[str], None] | None = None,
        file: str | None = None,
        ready: Callable[[], None] = lambda: None,
    ):
        self.named = master_of(master, file)
        self._before, self._ready = before, ready
        self._say = say or (lambda text: print(f"orchestrate: {text}", file=sys.stderr))

    @property
    def cluster(self) -> bool:
        """Whether other machines' cores do the work, so that logs are parsed there, too."""
        if self.named is not None:
            return self.named != EMBEDDED and not self.named.startswith(("local", CONNECT))
        return session.submitted()

    @property
    def spreads(self) -> bool:
        """Whether somebody wants Apache Spark's executors, which also do work that needs no engine."""
        if self.named is not None:
            return self.named != EMBEDDED and not self.named.startswith(CONNECT)
        return session.submitted()

    def __call__(self, rows: int = 0) -> SparkSession:
        """Return the session for a job over so many rows. Raises NoSpark with the way to get one."""
        made = self._made(rows)
        self._ready()
        return made

    def _made(self, rows: int) -> SparkSession:
        if self.named is None and not session.submitted():
            return self._by_size(rows)
        if self.named == EMBEDDED and rows > MOST_ROWS:
            raise NoEngine(
                f"the embedded engine computes tables of up to {MOST_ROWS:,} rows, these have {rows:,}\n"
                "    use --master local[*]"
            )
        if self.named == EMBEDDED:
            return self._embedded()
        if self.named is not None and self.named.startswith(CONNECT):
            if not embedded.running(self.named):
                self._before(NAMES["connect"])
            return embedded.session(self.named)
        return self._apache(self.named)

    def instead(self, what: str, error: BaseException) -> SparkSession | None:
        """Return Apache Spark's session for what the embedded engine couldn't do, and say so.

        None if there is no Apache Spark here, or if somebody has named the master.
        """
        if self.named is not None:
            return None
        try:
            session.need()
        except NoSpark:
            return None
        self._say(f"{what}: the embedded engine can't compute it ({reason(error)}); Apache Spark does it")
        return self._apache(None)

    def need(self) -> None:
        """Raise NoSpark, with the remedy, if the engine of a small job can't run on this machine."""
        if self.spreads:
            session.need()
        elif self.named is None or self.named == EMBEDDED:
            embedded.version()
            jvm.need_loopback()

    def _by_size(self, rows: int) -> SparkSession:
        if rows > MOST_ROWS:
            return self._apache(None)
        try:
            return self._embedded()
        except NoEngine as error:
            try:
                session.need()
            except NoSpark:
                raise error from None
            self._say(f"{str(error).splitlines()[0]}; Apache Spark computes instead")
            return self._apache(None)

    def _embedded(self) -> SparkSession:
        if not embedded.running():
            self._before(NAMES["sail"])
        return embedded.session()

    def _apache(self, master: str | None) -> SparkSession:
        if not session.running():
            self._before(NAMES["spark"])
        return session.session(master=None if master == APACHE else master)


def rows_in(folder: Path, names: Iterable[str] | None = None) -> int:
    """Return how many rows the Parquet files in a folder, or those of these names, have.

    It is 1 if that can't be read.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        files = folder.glob("*.parquet") if names is None else (folder / f"{name}.parquet" for name in names)
        return sum(parquet.read_metadata(file).num_rows for file in files if file.exists())
    except (OSError, pa.ArrowException):  # a damaged file is reported by what reads it
        return 1


def describe(made: SparkSession) -> dict[str, str]:
    """Return the name, version and master of the engine behind a session, as records have it."""
    if embedded.is_embedded(made):
        return {"name": NAMES["sail"], "version": embedded.version(), "master": EMBEDDED}
    if embedded.is_connect(made):
        return {"name": NAMES["connect"], "version": made.version, "master": made.client.host}
    return {"name": NAMES["spark"], "version": made.version, "master": made.sparkContext.master}


def in_words(engine: Any) -> str:
    """Return an engine's record (`describe`) as text; empty if there is none."""
    if not isinstance(engine, dict):
        return ""
    master = engine.get("master")
    where = f" ({master})" if master and master != EMBEDDED else ""
    return f"{engine.get('name')} {engine.get('version')}{where}"


def reason(error: BaseException) -> str:
    """Return the first line of what an engine says is wrong."""
    said = [line.strip() for line in str(error).splitlines() if line.strip()]
    return said[0][:200] if said else type(error).__name__


def without(what: str, error: BaseException) -> str:
    """Return what to say if the embedded engine can't compute something and Apache Spark may not do it."""
    return (
        f"{what}: the embedded engine can't compute it ({reason(error)})\n    let Apache Spark do it: "
        f"--master {APACHE}, which needs a Java: {jvm.REMEDY}"
    )


# What the embedded engine says of damaged files and full disks, which no other engine mends.
_OF_FILES = ("parquet error", "io error", "object store error", "no space left", "no such file")


def lacks(error: BaseException | None) -> bool:
    """Whether an error of the embedded engine may be one that Apache Spark doesn't have.

    A name that isn't there, SQL that can't be parsed and Python code that raises are faults on both.
    """
    from pyspark.errors import AnalysisException, ParseException, PySparkException, PythonException

    if not isinstance(error, PySparkException) or isinstance(error, PythonException) or by_ctrl_c(error):
        return False
    text = str(error).lower()
    if any(word in text for word in _OF_FILES):
        return False
    if any(word in text for word in ("not supported", "unsupported", "not implemented", "unknown function")):
        return True
    return not isinstance(error, (AnalysisException, ParseException))
