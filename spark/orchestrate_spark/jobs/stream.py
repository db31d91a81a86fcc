# SPDX-License-Identifier: Apache-2.0
"""Ingests runs as they come: `python -m orchestrate_spark.jobs.stream FOLDER`, also by spark-submit.

On Apache Spark, Structured Streaming watches for manifests, which a run gets last, by a rename; otherwise
this process looks for them, as often. Each micro-batch is ingested like any other runs: by one rename of the
whole state, which holds the ids of its runs. So a run is in the
tables exactly once, even after a kill at any moment: the checkpoint says where to go on, and a run that comes
twice is already there. A lost checkpoint only costs a look at all manifests.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from orchestrate_spark.engines import Sessions
from orchestrate_spark.errors import OrchestrateError, TablesFailed
from orchestrate_spark.experiment import MANIFEST
from orchestrate_spark.jobs.ingest import Ingested, ingest

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

CHECKPOINT = ".follow"  # in the experiment's folder
EVERY_S = 10.0  # a run is in the tables at most so long after its end, plus the time that its batch takes
_LOOK_S = 0.5
_FOREVER = "36500d"


def follow(
    experiment: str | Path,
    spark: Callable,
    told: Callable[[Ingested], None],
    *,
    every_s: float = EVERY_S,
    over: threading.Event | None = None,
    once: bool = False,
) -> None:
    """Keep EXPERIMENT/tables up to date until `over` is set or, with `once`, until it has all present runs.

    First all runs are ingested, so that removed runs leave and torn files are made again. `told` is called
    with each later ingestion's result, perhaps in another thread. `spark`: engines.Sessions. Raises what
    `ingest` raises, and TablesFailed if the stream ends.
    """
    folder = Path(experiment).absolute()
    runs = folder / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    before = _finished(runs)
    if any(runs.glob(f"*/{MANIFEST}")):
        told(ingest(folder, spark))
    over = over or threading.Event()
    if over.is_set():
        return
    if not getattr(spark, "spreads", True):
        if not once:
            _look(folder, before, spark, told, every_s, over)
        return
    _stream(folder, spark, told, every_s, over, once)


def _finished(runs: Path) -> set[str]:
    """Return the ids of the runs that have a manifest."""
    return {file.parent.name for file in runs.glob(f"*/{MANIFEST}")}


def _look(
    folder: Path,
    before: set[str],
    spark: Callable,
    told: Callable[[Ingested], None],
    every_s: float,
    over: threading.Event,
) -> None:
    """Look every `every_s` seconds for runs that are not among those `before`, until `over` is set."""
    while not over.wait(every_s):
        now = _finished(folder / "runs")
        arrived, before = sorted(now - before), now
        if arrived and (done := ingest(folder, spark, arrived=arrived)).added + done.damaged:
            told(done)


def _stream(
    folder: Path,
    spark: Callable,
    told: Callable[[Ingested], None],
    every_s: float,
    over: threading.Event,
    once: bool,
) -> None:
    from pyspark.errors import PySparkException

    session, runs = spark(), folder / "runs"
    failed: list[BaseException] = []

    def batch(found: DataFrame, _number: int) -> None:
        try:
            arrived = [_run_id(row.path) for row in found.select("path").collect()]
            if arrived and (done := ingest(folder, spark, arrived=arrived)).added + done.damaged:
                told(done)
        except BaseException as error:
            failed.append(error)
            raise

    stream = (
        _manifests(session, runs).foreachBatch(batch).option("checkpointLocation", str(folder / CHECKPOINT))
    )
    timing = {"availableNow": True} if once else {"processingTime": f"{every_s} seconds"}
    query = stream.trigger(**timing).start()
    try:
        while query.isActive and not over.is_set():
            query.awaitTermination(_LOOK_S)
        failure = query.exception()
    except PySparkException as error:
        failure = error
    finally:
        if query.isActive:
            query.stop()
    if failed:
        raise failed[0]
    if failure is not None:
        raise _ended(folder, failure) from failure


def _ended(folder: Path, failure: Exception) -> TablesFailed:
    return TablesFailed(
        f"{folder}: the stream of its runs ended: {str(failure).strip().splitlines()[0]}\n"
        f"    the tables are whole; remove {folder / CHECKPOINT} if it is damaged, then follow again"
    )


def _manifests(session: SparkSession, runs: Path) -> DataStreamWriter:
    """Return the stream of the manifests of run folders, each when it comes."""
    # The driver lists the folders one after the other: a Spark job of thousands of tasks would take longer.
    session.conf.set("spark.sql.sources.parallelPartitionDiscovery.threshold", "1000000000")
    return (
        session.readStream.format("binaryFile")
        .schema("path string, modificationTime timestamp, length long, content binary")
        .option("maxFileAge", _FOREVER)  # by default, files a week older than the newest are passed over
        .load(str(runs / "*" / MANIFEST))
        .writeStream
    )


def _run_id(path: str) -> str:
    """Return the run id in a manifest's URL."""
    return Path(unquote(urlsplit(path).path)).parent.name


def main(argv: list[str] | None = None) -> int:
    """Follow the experiment that the command line names; return the exit code."""
    parser = argparse.ArgumentParser(prog="stream", description=__doc__.splitlines()[0])
    parser.add_argument("experiment", help="experiment folder, which holds runs/")
    parser.add_argument("--master", help="Spark master's URL (default: this machine's cores)")
    parser.add_argument("--once", action="store_true", help="end when all runs are in the tables")
    args = parser.parse_args(argv)

    def told(done: Ingested) -> None:
        print(f"{args.experiment}: {done.runs} runs, {len(done.added)} read", flush=True)

    try:
        follow(args.experiment, Sessions(args.master), told, once=args.once)
    except KeyboardInterrupt:
        return 0
    except OrchestrateError as error:
        print(f"stream: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
