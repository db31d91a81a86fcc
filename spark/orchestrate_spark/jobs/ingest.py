# SPDX-License-Identifier: Apache-2.0
"""Run folders -> typed tables: `python -m orchestrate_spark.jobs.ingest FOLDER...`, also by spark-submit.

Every task parses the logs of one batch with the native parser and writes its Parquet files; rows never pass
through the JVM or Python objects. Runs that are in the tables already are not read again; removed or changed
ones leave. The tables change as a whole, by one rename (snapshot.py).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrate_spark import batches, code, snapshot
from orchestrate_spark.batches import Batch, split, summary_schema, write
from orchestrate_spark.errors import SparkEnded, SparkError, TablesFailed
from orchestrate_spark.experiment import Run, Skipped, damage, find_runs
from orchestrate_spark.follow import followed
from orchestrate_spark.tables import COLUMNS

NAME = "tables"
REMEDY = "remove it with `orchestrate runs remove {experiment} {run}` and run the scenario again"
MANY = 16  # batches that are not full; more are made into full ones


@dataclass(frozen=True)
class Ingested:
    """What an ingestion did. `runs`: in the tables now; `added`, `dropped`: run ids that came and went (a
    changed run does both); `skipped`: folders that can't be read as runs; `damaged`: runs whose log is not
    the one that they wrote, which are in no table either; `files`: Parquet files of each table.
    """

    runs: int
    added: tuple[str, ...]
    dropped: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    files: int
    damaged: tuple[Skipped, ...] = ()


def ingest(
    experiment: str | Path,
    spark: Callable | None = None,
    cores: int | None = None,
    told: Callable[[int, int], None] | None = None,
) -> Ingested:
    """Bring EXPERIMENT/tables up to date with its run folders.

    `spark`: makes the session, called only if there is something to read (default: session.session).
    `told` hears how many batches of how many are read. Raises NoRuns, NoSpark, TablesFailed.
    """
    folder = Path(experiment).absolute()  # a cluster's executors have a working folder of their own
    runs, skipped = find_runs(folder)
    try:
        with snapshot.writing(folder, NAME):
            return _ingest(folder, runs, skipped, spark, cores or len(os.sched_getaffinity(0)), told)
    except ConnectionError as error:  # py4j's: the JVM was ended under it
        raise SparkEnded(
            f"{folder}: Spark's process has ended: {error.strerror or error}; the tables are as before"
        ) from error
    except OSError as error:
        raise TablesFailed(
            f"{error.filename or folder}: {error.strerror or error}\n"
            "    free space or make the store writable, then run the same command again; the tables are as "
            "before"
        ) from error


def _ingest(
    folder: Path,
    runs: list[Run],
    skipped: list[Skipped],
    spark: Callable | None,
    cores: int,
    told: Callable[[int, int], None] | None,
) -> Ingested:
    parser = code.digest(code.TABLES)
    index = snapshot.index(folder, NAME)
    held = index.get("batches", {}) if index.get("code") == parser else {}
    before = {run_id: print_ for batch in held.values() for run_id, print_ in batch["runs"].items()}
    now = {run.run_id: run.fingerprint for run in runs}
    intact = snapshot.intact(folder, NAME)
    kept = {
        name: batch
        for name, batch in held.items()
        if all(now.get(run_id) == print_ for run_id, print_ in batch["runs"].items())
        and all(f"{table}/{name}.parquet" in intact for table in COLUMNS)
    }
    kept = _compacted(kept, runs)
    safe = {run_id for batch in kept.values() for run_id in batch["runs"]}
    unread = [run for run in runs if run.run_id not in safe]
    damaged = _damaged(unread, cores)
    bad = sorted(Path(one.folder).name for one in damaged)
    if damaged and len(damaged) == len(runs):
        raise TablesFailed(
            f"{folder}: none of its {len(runs)} runs has the log that it wrote, first {bad[0]}\n"
            f"    {REMEDY.format(experiment=folder.name, run='RUN')}; `orchestrate runs verify` lists them"
        )
    runs = [run for run in runs if run.run_id not in bad]
    now = {run.run_id: run.fingerprint for run in runs}
    todo = split([run for run in unread if run.run_id not in bad], parser, cores)
    added = tuple(sorted(run_id for run_id, print_ in now.items() if before.get(run_id) != print_))
    dropped = tuple(sorted(run_id for run_id, print_ in before.items() if now.get(run_id) != print_))
    result = Ingested(len(runs), added, dropped, tuple(skipped), len(kept) + len(todo), tuple(damaged))
    if not todo and set(kept) == set(held) and index and index.get("damaged", []) == bad:
        return result
    new = snapshot.draft(folder, NAME)
    for name in kept:
        for table in COLUMNS:
            snapshot.keep(folder / NAME, new, f"{table}/{name}.parquet")
    if todo:
        _run(todo, new, spark, told)
    held = {
        **kept,
        **{
            batch.name: {"bytes": batch.size, "runs": {r.run_id: r.fingerprint for r in batch.runs}}
            for batch in todo
        },
    }
    identity = _identity(sorted(held))
    snapshot.publish(
        folder, NAME, new, identity, {"code": parser, "identity": identity, "batches": held, "damaged": bad}
    )
    return result


def damaged_in(experiment: Path) -> list[str]:
    """The run ids that the last ingestion left out because of their logs."""
    found = snapshot.index(experiment, NAME).get("damaged")
    return found if isinstance(found, list) else []


def _damaged(runs: list[Run], cores: int) -> list[Skipped]:
    """Those whose log is not the one that they wrote."""
    with ThreadPoolExecutor(cores) as pool:  # hashing leaves the interpreter's lock
        return [found for found in pool.map(damage, runs) if found]


def _compacted(kept: dict, runs: list[Run]) -> dict:
    """Without the small batches if there are many: their runs are read again, into full ones."""
    sizes = {run.run_id: run.size for run in runs}
    small = [
        name
        for name, batch in kept.items()
        if sum(sizes.get(run_id, 0) for run_id in batch["runs"]) < batches.TARGET // 2
    ]
    return {name: batch for name, batch in kept.items() if name not in small} if len(small) > MANY else kept


def _identity(names: list[str]) -> str:
    return hashlib.sha256(" ".join(names).encode()).hexdigest()[:20]


def _run(
    todo: list[Batch], folder: Path, spark: Callable | None, told: Callable[[int, int], None] | None
) -> None:
    if spark is None:
        from orchestrate_spark.session import session as spark
    from pyspark.errors import PySparkException
    from pyspark.sql.pandas.types import from_arrow_schema

    session = spark()
    frame = session.range(0, len(todo), 1, len(todo))
    try:
        with followed(session, told):
            done = frame.mapInArrow(_task(todo, str(folder)), from_arrow_schema(summary_schema())).collect()
    except PySparkException as error:
        reason = str(error).strip().splitlines()
        raise TablesFailed(
            f"Spark could not write the tables in {folder.parent.parent}:\n    "
            + "\n    ".join(_telling(reason))
            + "\n    the tables are as before; free space or memory and ingest again"
        ) from error
    missing = {batch.name for batch in todo} - {row.batch for row in done}
    if missing:
        raise TablesFailed(
            f"Spark lost {len(missing)} of {len(todo)} batches; the tables are as before, ingest again"
        )


def _telling(lines: list[str]) -> list[str]:
    """The lines of a Spark error that say what happened: not its Java frames."""
    told = [line for line in lines if "Error" in line and not line.lstrip().startswith("at ")]
    return (told or lines)[-3:]


def _task(todo: list[Batch], folder: str) -> Callable:
    def work(numbers: Iterable[Any]):
        import socket

        import pyarrow as pa

        if not Path(folder).is_dir():  # the driver made it: this machine would write tables that nobody finds
            raise FileNotFoundError(
                f"the executor on {socket.gethostname()} does not see {folder}; "
                "the store must be on a file system that all of the cluster shares"
            )
        for rows in numbers:
            for number in rows.column(0).to_pylist():  # one a task: a batch, not a row
                made = todo[number]
                written = write(made, Path(folder))
                yield pa.RecordBatch.from_pydict(
                    {
                        "batch": [made.name] * len(written),
                        "table": list(written),
                        "rows": list(written.values()),
                    },
                    schema=summary_schema(),
                )

    return work


def main(argv: list[str] | None = None) -> int:
    """Ingest the experiments that the command line names; return the exit code."""
    parser = argparse.ArgumentParser(prog="ingest", description=__doc__.splitlines()[0])
    parser.add_argument("experiment", nargs="+", help="experiment folder, which holds runs/")
    parser.add_argument("--master", help="Spark master's URL (default: this machine's cores)")
    args = parser.parse_args(argv)
    from orchestrate_spark.session import session

    try:
        for folder in args.experiment:
            done = ingest(folder, lambda: session(master=args.master))
            print(f"{folder}: {done.runs} runs, {len(done.added)} read, {len(done.dropped)} dropped")
            for bad in (*done.skipped, *done.damaged):
                print(f"{bad.folder}: {bad.why}", file=sys.stderr)
    except SparkError as error:
        print(f"ingest: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
