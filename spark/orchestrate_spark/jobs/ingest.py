# SPDX-License-Identifier: Apache-2.0
"""Makes tables of run folders: `python -m orchestrate_spark.jobs.ingest FOLDER...`, also by spark-submit.

The logs of each batch are parsed by the native parser and written to its Parquet files, by a process of this
machine (workers.py) or by a cluster's executor; rows never pass through an engine or Python objects.
Runs that are in the tables already are not read again, and removed or changed runs leave the tables. The
tables change as a whole, by one rename (snapshot.py).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import pickle
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrate_spark import batches, code, engines, schema_version, snapshot, workers
from orchestrate_spark.batches import Batch, Merge, merge, split, write
from orchestrate_spark.errors import OrchestrateError, TablesFailed
from orchestrate_spark.experiment import Run, Skipped, damage, find_runs
from orchestrate_spark.follow import followed
from orchestrate_spark.tables import COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "tables"
HERE = "this machine's processes"  # where batches are written without a cluster, as their record names it
REMEDY = "remove it with `orchestrate runs remove {experiment} {run}` and run the scenario again"
MANY = 16  # batches that are not full; if there are more, their rows are put together


@dataclass(frozen=True)
class Ingested:
    """The result of an ingestion.

    `runs`: the number in the tables now. `added`, `dropped`: ids of runs that came and went (a changed run is
    in both). `skipped`: folders that can't be read as runs. `damaged`: runs whose log is not the one that
    they wrote; they are not in the tables. `files`: the number of Parquet files of each table. `torn`: files
    that were not what had been written; their runs were read again. `without_log`: runs whose rows stay
    although their log is gone.
    """

    runs: int
    added: tuple[str, ...]
    dropped: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    files: int
    damaged: tuple[Skipped, ...] = ()
    torn: tuple[str, ...] = ()
    without_log: tuple[str, ...] = ()


def ingest(
    experiment: str | Path,
    spark: Callable | None = None,
    cores: int | None = None,
    told: Callable[[int, int], None] | None = None,
    arrived: Collection[str] | None = None,
) -> Ingested:
    """Bring EXPERIMENT/tables up to date with its run folders.

    `arrived`: add only these runs, and do not look at the others (a stream names them as they come).
    `spark`: engines.Sessions; if it names a cluster, its executors parse the logs.
    `told(done, total)` is called with the batches that are done. Raises NoRuns, NoSpark, TablesFailed.
    """
    folder = Path(experiment).absolute()  # a cluster's executors have a working folder of their own
    cores = cores or len(os.sched_getaffinity(0))
    found = find_runs(folder) if arrived is None else None
    with snapshot.writing(folder, NAME):
        schema_version.check(folder)
        if arrived is not None and (done := _add(folder, arrived, spark, cores, told)) is not None:
            return done
        return _ingest(folder, *(found or find_runs(folder)), spark, cores, told)


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
    ours = index.get("batches", {})
    held = ours if index.get("code") == parser else {}
    before = _prints(held.values())
    now = {run.run_id: run.fingerprint for run in runs}
    torn = _torn_files(folder, ours)
    torn_batches = {Path(file).stem for file in torn}
    whole = {name: batch for name, batch in ours.items() if name not in torn_batches}
    without_log = _without_log(folder, runs, whole, parser)
    now |= without_log.prints
    kept = {
        name: batch
        for name, batch in held.items()
        if name in whole and all(now.get(run_id) == print_ for run_id, print_ in batch["runs"].items())
    }
    safe = {run_id for batch in kept.values() for run_id in batch["runs"]}
    rescued = [] if set(without_log.prints) <= safe else [without_log]  # or they are where they were
    safe |= without_log.prints.keys()
    unread = [run for run in runs if run.run_id not in safe]
    damaged = _damaged(unread, cores)
    bad = sorted(Path(one.folder).name for one in damaged)
    if damaged and len(damaged) == len(runs):
        raise TablesFailed(
            f"{folder}: none of its {len(runs)} runs has the log that it wrote, first {bad[0]}\n"
            f"    {REMEDY.format(experiment=folder.name, run='RUN')}; "
            f"`orchestrate runs verify {folder.name}` lists them"
        )
    todo = [*split([run for run in unread if run.run_id not in bad], parser, cores), *rescued]
    now = {run_id: print_ for run_id, print_ in now.items() if run_id not in bad}
    result = Ingested(
        len(now),
        _not_in(now, before),
        _not_in(before, now),
        tuple(skipped),
        0,
        tuple(damaged),
        tuple(torn),
        tuple(sorted(run.run_id for run in runs if run.run_id in now and not Path(run.log).is_file())),
    )
    if not todo and set(kept) == set(ours) and index and index.get("damaged", []) == bad:
        return replace(result, files=len(kept))
    files = _publish(folder, kept, todo, bad, parser, spark, cores, told)
    return replace(result, files=files)


def _torn_files(folder: Path, batches: Iterable[str]) -> list[str]:
    """Return the files of these batches that are not as they were written."""
    intact = snapshot.intact(folder, NAME)
    files = (f"{table}/{name}.parquet" for name in batches for table in COLUMNS)
    return sorted(file for file in files if file not in intact)


def _not_in(runs: Mapping[str, str], others: Mapping[str, str]) -> tuple[str, ...]:
    """Return the ids of the runs that the others lack, or have with another fingerprint."""
    return tuple(sorted(run_id for run_id, print_ in runs.items() if others.get(run_id) != print_))


def _add(
    folder: Path,
    arrived: Collection[str],
    spark: Callable | None,
    cores: int,
    told: Callable[[int, int], None] | None,
) -> Ingested | None:
    """Add those of these runs that the tables lack. Return None if everything must be ingested instead.

    That is so if there are no tables, if another parser made them, or if a run differs from the one in them.
    """
    parser = code.digest(code.TABLES)
    index = snapshot.index(folder, NAME)
    if index.get("code") != parser:
        return None
    held, bad_before = index.get("batches", {}), set(index.get("damaged", ()))
    before = _prints(held.values())
    runs, skipped = find_runs(folder, arrived)
    if any(before.get(run.run_id, run.fingerprint) != run.fingerprint for run in runs):
        return None
    new = [run for run in runs if run.run_id not in before]
    damaged = _damaged(new, cores)
    bad = {Path(one.folder).name for one in damaged}
    good = [run for run in new if run.run_id not in bad]
    added = tuple(sorted(run.run_id for run in good))
    result = Ingested(len(before) + len(good), added, (), tuple(skipped), len(held), tuple(damaged))
    bad |= bad_before - set(added)
    if not good and bad == bad_before:
        return result
    files = _publish(folder, held, split(good, parser, cores), sorted(bad), parser, spark, cores, told)
    return replace(result, files=files)


def _publish(
    folder: Path,
    kept: dict,
    todo: list[Batch | Merge],
    bad: list[str],
    parser: str,
    spark: Callable | None,
    cores: int,
    told: Callable[[int, int], None] | None,
) -> int:
    """Publish a state of `kept` batches of the present one and of new ones; many small ones are merged.

    Return how many files a table has now.
    """
    kept, merges = _compacted(folder, kept, parser)
    todo = [*todo, *merges]
    new = snapshot.draft(folder, NAME)
    for name in kept:
        for table in COLUMNS:
            snapshot.keep(folder / NAME, new, f"{table}/{name}.parquet")
    where = _run(todo, new, spark, cores, told) if todo else ""
    held = {
        **kept,
        **{made.name: {"bytes": made.size, "runs": dict(made.prints), "engine": where} for made in todo},
    }
    identity = hashlib.sha256(" ".join(sorted(held)).encode()).hexdigest()[:20]
    content = {"code": parser, "identity": identity, "batches": held, "damaged": bad}
    snapshot.publish(folder, NAME, new, identity, {**content, schema_version.KEY: schema_version.SCHEMA})
    return len(held)


def _prints(held: Iterable[dict]) -> dict[str, str]:
    """Return the fingerprints of the runs in these batches, by id."""
    return {run_id: print_ for batch in held for run_id, print_ in batch["runs"].items()}


def _without_log(folder: Path, runs: list[Run], whole: dict, parser: str) -> Merge:
    """Return a merge of the rows of runs whose log is gone but whose manifest is there."""
    gone = {run.run_id for run in runs if not Path(run.log).is_file()}
    sources = {name: batch for name, batch in whole.items() if gone & set(batch["runs"])}
    prints = {run_id: print_ for run_id, print_ in _prints(sources.values()).items() if run_id in gone}
    return merge(prints, list(sources), (folder / NAME).resolve(), 0, parser)


def damaged_in(experiment: Path) -> list[str]:
    """Return the run ids that the last ingestion left out because of their logs."""
    found = snapshot.index(experiment, NAME).get("damaged")
    return found if isinstance(found, list) else []


def _damaged(runs: list[Run], cores: int) -> list[Skipped]:
    """Return the runs whose log is not the one that they wrote."""
    with ThreadPoolExecutor(cores) as pool:  # hashing releases the interpreter's lock
        return [found for found in pool.map(damage, runs) if found]


def _compacted(folder: Path, kept: dict, parser: str) -> tuple[dict, list[Merge]]:
    """Return the batches to keep, and merges of the small ones if there are more than MANY of these."""
    small = {name: batch for name, batch in kept.items() if batch["bytes"] < batches.TARGET // 2}
    if len(small) <= MANY:
        return kept, []
    groups: list[list[str]] = []
    room = 0
    for name, batch in small.items():
        if not groups or room < batch["bytes"]:
            groups.append([])
            room = batches.TARGET
        groups[-1].append(name)
        room -= batch["bytes"]
    merges = [
        merge(
            _prints(small[name] for name in group),
            group,
            (folder / NAME).resolve(),
            sum(small[name]["bytes"] for name in group),
            parser,
        )
        for group in groups
    ]
    return {name: batch for name, batch in kept.items() if name not in small}, merges


def _run(
    todo: Sequence[Batch | Merge],
    folder: Path,
    spark: Callable | None,
    cores: int,
    told: Callable[[int, int], None] | None,
) -> str:
    """Write the batches, on a cluster's executors or on this machine; return where, for the record."""
    if getattr(spark, "cluster", False):
        session = spark()
        _on_executors(session, todo, folder, told)
        return engines.in_words(engines.describe(session))
    try:
        workers.write_all(todo, folder, cores, told)
    except RuntimeError as error:
        raise TablesFailed(
            f"{folder.parent.parent}: {error}\n    the tables are as before; ingest again"
        ) from error
    return HERE


def _on_executors(
    session: SparkSession,
    todo: Sequence[Batch | Merge],
    folder: Path,
    told: Callable[[int, int], None] | None,
) -> None:
    """Write each batch as a task of its own, which is sent its own runs and no others."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    work, place = _task, str(folder)
    calls = [pickle.dumps(batch) for batch in todo]
    try:
        with followed(session, told):
            rows = session.sparkContext.parallelize(calls, len(calls))
            done = set(rows.map(lambda call: work(call, place)).collect())
    except (Py4JError, PySparkException) as error:
        reason = str(error).strip().splitlines()
        raise TablesFailed(
            f"Spark could not write the tables in {folder.parent.parent}:\n    "
            + "\n    ".join(_telling(reason))
            + "\n    the tables are as before; free space or memory and ingest again"
        ) from error
    if missing := {batch.name for batch in todo} - done:
        raise TablesFailed(
            f"Spark lost {len(missing)} of {len(todo)} batches; the tables are as before, ingest again"
        )


def _telling(lines: list[str]) -> list[str]:
    """Return the lines of a Spark error that say what happened, without its Java frames."""
    told = [line for line in lines if "Error" in line and not line.lstrip().startswith("at ")]
    return (told or lines)[-3:]


def _task(call: bytes, folder: str) -> str:
    """Write a batch on an executor; return its name."""
    import socket

    if not Path(folder).is_dir():  # the driver made it; a folder of this machine alone would be lost
        raise FileNotFoundError(
            f"the executor on {socket.gethostname()} does not see {folder}; "
            "the store must be on a file system that all of the cluster shares"
        )
    batch = pickle.loads(call)
    write(batch, Path(folder))
    return batch.name


def main(argv: list[str] | None = None) -> int:
    """Ingest the experiments that the command line names; return the exit code."""
    parser = argparse.ArgumentParser(prog="ingest", description=__doc__.splitlines()[0])
    parser.add_argument("experiment", nargs="+", help="experiment folder, which holds runs/")
    parser.add_argument("--master", help="Spark master's URL (default: this machine's cores)")
    args = parser.parse_args(argv)
    sessions = engines.Sessions(args.master)
    try:
        for folder in args.experiment:
            done = ingest(folder, sessions)
            print(f"{folder}: {done.runs} runs, {len(done.added)} read, {len(done.dropped)} dropped")
            for bad in (*done.skipped, *done.damaged):
                print(f"{bad.folder}: {bad.why}", file=sys.stderr)
    except OrchestrateError as error:
        print(f"ingest: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
