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
import json
import os
import pickle
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrate_spark import batches, code, engines, schema_version, snapshot, sources, workers
from orchestrate_spark.batches import FAULTS, Batch, Beside, Merge, merge, split, write
from orchestrate_spark.errors import SparkError, TablesFailed
from orchestrate_spark.experiment import Run, Skipped, damage, find_runs
from orchestrate_spark.follow import followed
from orchestrate_spark.sources.plan import RECORDS, Plan
from orchestrate_spark.sources.plan import files as files_of
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
    although their log is gone. `faulty`: runs with a file, beside the log, that could not be read to its end;
    the rows up to there are in the tables.
    """

    runs: int
    added: tuple[str, ...]
    dropped: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    files: int
    damaged: tuple[Skipped, ...] = ()
    torn: tuple[str, ...] = ()
    without_log: tuple[str, ...] = ()
    faulty: tuple[Skipped, ...] = ()


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
    intact = snapshot.intact(folder, NAME)
    torn = _torn_files(intact, ours)
    torn_batches = {Path(file).stem for file in torn if file.partition("/")[0] in COLUMNS}
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
    plan = Plan(
        sources.in_effect(folder),
        ours,
        {run.run_id: run for run in runs},
        intact,
        (folder / NAME).resolve(),
    )
    same = set(kept) == set(ours) and plan.current(kept)
    if not todo and same and index and index.get("damaged", []) == bad:
        return replace(result, files=len(kept), faulty=_faulty(folder))
    files = _publish(folder, kept, todo, plan, bad, parser, spark, cores, told)
    return replace(result, files=files, faulty=_faulty(folder))


def _torn_files(intact: Collection[str], batches: Mapping[str, dict]) -> list[str]:
    """Return the files of these batches that are not as they were written."""
    files = {f"{table}/{name}.parquet" for name in batches for table in COLUMNS}
    for name, batch in batches.items():
        for source in batch.get(RECORDS, {}).keys() & sources.found().keys():
            files.update(files_of(source, name))
    return sorted(files.difference(intact))


def _faulty(folder: Path) -> tuple[Skipped, ...]:
    """Return the runs with a file beside the log that could not be read to its end."""
    found = {
        (run_id, why)
        for batch in snapshot.index(folder, NAME).get("batches", {}).values()
        for record in batch.get(RECORDS, {}).values()
        for run_id, why in record.get("faults", {}).items()
    }
    return tuple(Skipped(str(_place(folder, run_id)), why) for run_id, why in sorted(found))


def _place(folder: Path, run_id: str) -> Path:
    """Return the folder of a run or of a log without manifest."""
    return next((place for kind in ("runs", "logs") if (place := folder / kind / run_id).is_dir()), folder)


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
    arrivals = {run.run_id: run for run in runs if run.run_id not in before}
    intact = index.get(snapshot.DIGESTS, {})  # whether they still are is for an ingestion of everything
    plan = Plan(sources.in_effect(folder), held, arrivals, intact, (folder / NAME).resolve())
    if plan.versions_differ(held):
        return None
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
        return replace(result, faulty=_faulty(folder))
    todo = split(good, parser, cores)
    files = _publish(folder, held, todo, plan, sorted(bad), parser, spark, cores, told)
    return replace(result, files=files, faulty=_faulty(folder))


def _publish(
    folder: Path,
    kept: dict,
    todo: list[Batch | Merge],
    plan: Plan,
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
    work: list[Batch | Merge | Beside] = []
    for made in (*todo, *merges):
        work.append(replace(made, parts=plan.of(made.name, made.prints, stays=False)[1]))
    new = snapshot.draft(folder, NAME)
    records: dict[str, dict] = {}
    for name, batch in kept.items():
        records[name], parts = plan.of(name, batch["runs"], stays=True)
        stays = [f"{table}/{name}.parquet" for table in COLUMNS]
        for file in (*stays, *(file for source in records[name] for file in files_of(source, name))):
            snapshot.keep(folder / NAME, new, file)
        work += [Beside(name, parts, batch["bytes"])] if parts else []
    where = _run(work, new, spark, cores, told) if work else ""
    for made in work:
        records.setdefault(made.name, {}).update(
            {
                part.source: {
                    "version": part.version,
                    "files": dict(part.files),
                    "faults": _said(new / files_of(part.source, made.name)[0]),
                }
                for part in made.parts
            }
        )
    held = {
        name: {key: value for key, value in batch.items() if key != RECORDS} for name, batch in kept.items()
    }
    held |= {
        made.name: {"bytes": made.size, "runs": dict(made.prints), "engine": where}
        for made in (*todo, *merges)
    }
    for name, found in records.items():
        if found:
            held[name][RECORDS] = found
    versions = sorted(
        (name, source, record["version"], sorted(record["files"].items()))
        for name, found in records.items()
        for source, record in found.items()
    )
    content = " ".join(sorted(held)) + (repr(versions) if versions else "")
    identity = hashlib.sha256(content.encode()).hexdigest()[:20]
    state = {"code": parser, "identity": identity, "batches": held, "damaged": bad}
    snapshot.publish(folder, NAME, new, identity, {**state, schema_version.KEY: schema_version.SCHEMA})
    return len(held)


def _said(file: Path) -> dict[str, str]:
    """Return what was wrong with files that a source read, by run id."""
    from pyarrow import parquet

    return json.loads((parquet.read_metadata(file).metadata or {}).get(FAULTS, b"{}"))


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
    todo: Sequence[Batch | Merge | Beside],
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
    todo: Sequence[Batch | Merge | Beside],
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
    except SparkError as error:
        print(f"ingest: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
