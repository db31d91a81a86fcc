# SPDX-License-Identifier: Apache-2.0
"""Computes metrics from tables: `python -m orchestrate_spark.jobs.metrics FOLDER...`, also by spark-submit.

It writes metrics/per_run (experiment, cell, seed, run_id, metric, key, value) and metrics/summary, one file
each, with sorted rows. If a cell and seed have several runs (of older firmware, say), the newest counts; runs
that did not end well don't count.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import parquet

from orchestrate_spark import code, schema_version, snapshot
from orchestrate_spark import functions as F
from orchestrate_spark.errors import FaultyCode, Flaw, NoRuns, SparkError, TablesFailed
from orchestrate_spark.experiment import UNKNOWN
from orchestrate_spark.follow import followed
from orchestrate_spark.metrics import families, modules
from orchestrate_spark.metrics import own as own_metrics
from orchestrate_spark.metrics.inputs import read, summed_meanwhile
from orchestrate_spark.metrics.model import Family, Inputs, Metric
from orchestrate_spark.own_code import Own
from orchestrate_spark.tables import COLUMNS, KEYS, schema

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "metrics"
COUNTED = ("ok", UNKNOWN)  # outcomes of runs that count
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
MANY_ROWS = 50_000  # of all tables; below this, compiling expressions takes longer than evaluating them
OWN_MADE_OF = tuple(f"metrics.{name}" for name in ("model", "inputs", "owed", "summary", "own"))
USUAL = "part-0"  # the file of the built-in metrics in each table; a user's own family has a file own-NAME


Told = Callable[[int, int, str], None]  # called with what is done, the total, and what is counted


def _untold(done: int, total: int, what: str) -> None:
    """Ignore progress, for callers that gave no Told."""


@dataclass(frozen=True)
class Computed:
    """The result of computing metrics.

    `runs`: number of runs that count; `own`: the user's own families that are in metrics/ now; `dropped`:
    those that were removed; `failed`: the faults of those that failed, each with its file and line.
    """

    runs: int
    own: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    failed: tuple[Flaw, ...] = ()


def compute(
    experiment: str | Path,
    run_ids: Iterable[str] | None = None,
    spark: Callable | None = None,
    own: Sequence[Own] | None = None,
    told: Told | None = None,
) -> Computed:
    """Bring EXPERIMENT/metrics up to date with its tables.

    `run_ids`: count only these runs (a scenario's present ones). `spark`: makes the session, called only if
    there is something to compute (default: session.session). `own`: the user's own metrics (metrics/own.py),
    exactly these; None keeps those whose values still hold. If one fails, all others are computed. `told` is
    called with the progress. Raises NoRuns, NoSpark, TablesFailed.
    """
    folder = Path(experiment)
    chosen = choose(folder, run_ids)
    tables = snapshot.index(folder, "tables").get("identity", "")
    made_of = (f"metrics.{name}" for name in modules() if name != "own")
    identity = _digest(tables, code.digest((*code.METRICS, *made_of)), sorted(chosen))
    own_base = _digest(tables, code.digest((*code.METRICS, *OWN_MADE_OF)), sorted(chosen))
    with snapshot.writing(folder, NAME):
        return _update(folder, chosen, identity, own_base, own, spark, told or _untold)


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:20]


def _update(
    folder: Path,
    chosen: dict[str, tuple[str, str]],
    identity: str,
    own_base: str,
    own: Sequence[Own] | None,
    spark: Callable | None,
    told: Told,
) -> Computed:
    held = own_in(folder)
    intact = snapshot.intact(folder, NAME)
    wanted = {one.value.name: _digest(own_base, one.digest) for one in own or ()}

    def whole(name: str) -> bool:
        return all(f"{table}/{name}.parquet" in intact for table in TABLES)

    kept = {
        name: entry
        for name, entry in held.items()
        if (entry.get("base") == own_base if own is None else entry.get("identity") == wanted.get(name))
        and whole(f"own-{name}")
    }
    todo = [one for one in own or () if one.value.name not in kept]
    usual = snapshot.index(folder, NAME).get("built_in") != identity or not whole(USUAL)
    flaws: list[Flaw] = []
    if usual or todo or set(kept) != set(held):
        new = snapshot.draft(folder, NAME)
        for name in ([] if usual else [USUAL]) + [f"own-{name}" for name in kept]:
            for table in TABLES:
                snapshot.keep(folder / NAME, new, f"{table}/{name}.parquet")
        made = False  # also of what is there already, if its file was damaged
        for family, tables in _compute(folder, chosen, spark, usual, todo, flaws, told):
            made = True
            file = USUAL if family is None else f"own-{family.value.name}"
            for table, rows in zip(TABLES, tables):
                _write(rows, TABLES[table], new / table / f"{file}.parquet")
            if family is not None:
                name = family.value.name
                kept[name] = {"base": own_base, "identity": wanted[name], **_described(family)}
        if made or kept != held:
            state = _digest(identity, sorted((name, entry["identity"]) for name, entry in kept.items()))
            snapshot.publish(
                folder, NAME, new, state, {"built_in": identity, "own": kept, "runs": sorted(chosen)}
            )
    return Computed(len(chosen), tuple(sorted(kept)), tuple(sorted(set(held) - set(kept))), tuple(flaws))


def _described(own: Own) -> dict:
    metrics = {name: asdict(metric) for name, metric in own.value.declared.items()}
    return {"given": own.given, "sha256": own.digest, "metrics": metrics}


def own_in(experiment: Path) -> dict[str, dict]:
    """Return the user's own families in EXPERIMENT/metrics by name.

    Each has the path or entry point `given`, the `sha256` of the source, and its `metrics`.
    """
    own = snapshot.index(experiment, NAME).get("own")
    return own if isinstance(own, dict) else {}


def own_metrics_in(experiment: Path) -> dict[str, Metric]:
    """Return the declarations of the user's own metrics in EXPERIMENT/metrics, by name."""
    found = {}
    for family in own_in(experiment).values():
        of = Family(
            family.get("name", ""), None, family["metrics"], family.get("histograms", ())
        )  # stores of earlier versions have the short forms
        found |= of.declared
    return found


def choose(experiment: Path, run_ids: Iterable[str] | None = None) -> dict[str, tuple[str, str]]:
    """Return (experiment, cell) by run id for the runs that count. Raises NoRuns, TablesFailed."""
    schema_version.check(experiment)
    files = sorted((experiment / "tables" / "runs").glob("*.parquet"))
    if not files:
        raise NoRuns(f"{experiment}: no tables in it\n    ingest its runs first")
    columns = ["experiment", "cell", "seed", "run_id", "outcome", "finished"]
    wanted = pa.schema([field for field in schema("runs") if field.name in columns])
    try:
        rows = [
            row
            for file in files
            for row in parquet.read_table(
                file, columns=columns, schema=wanted, page_checksum_verification=True
            ).to_pylist()
        ]
    except (OSError, pa.ArrowException) as error:
        raise TablesFailed(
            f"{files[0].parent}: {error}\n    ingest again, which makes damaged tables anew"
        ) from error
    only = None if run_ids is None else set(run_ids)
    newest: dict[tuple, dict] = {}
    for row in sorted(rows, key=lambda row: (row["finished"] or "", row["run_id"])):
        if row["outcome"] in COUNTED and (only is None or row["run_id"] in only):
            newest[row["experiment"], row["cell"], row["seed"]] = row
    return {row["run_id"]: (row["experiment"], row["cell"]) for row in newest.values()}


def _compute(
    folder: Path,
    chosen: dict[str, tuple[str, str]],
    spark: Callable | None,
    usual: bool,
    own: Sequence[Own],
    flaws: list[Flaw],
    told: Told,
) -> Iterator[tuple[Own | None, tuple[pa.Table, pa.Table]]]:
    """Yield (None, (per_run, summary)) for the built-in metrics if `usual`, then the same for each own one.

    An own metric that fails is left out, and its flaws are added to `flaws`.
    """
    if not chosen or not (usual or own):
        yield from (
            (one, (PER_RUN.empty_table(), SUMMARY.empty_table()))
            for one in ([None] if usual else []) + list(own)
        )
        return
    if spark is None:
        from orchestrate_spark.session import session as spark
    from pyspark.errors import PySparkException

    from orchestrate_spark.jvm import keep_classes
    from orchestrate_spark.session import interpreted

    session = spark()
    rows_of = {table: _rows(folder, table) for table in COLUMNS}
    try:
        found = read(session, folder, list(chosen))
        with ExitStack() as afterwards:
            afterwards.callback(session.catalog.clearCache)
            afterwards.enter_context(interpreted(session, sum(rows_of.values()) < MANY_ROWS))
            if usual:
                asked = [one for one in families() if not one.of or any(rows_of[of] for of in one.of)]
                with summed_meanwhile(found, len(chosen)):
                    rows = reduce(F.DataFrame.union, (family.rows(found) for family in _counted(asked, told)))
                # With a task for each partition of each family, the whole plan would be deserialised for
                # each.
                rows = rows.coalesce(TASKS_A_CORE * session.sparkContext.defaultParallelism)
                yield None, _both(session, found, rows, chosen, families(), told)
            for one in own:
                try:
                    made = own_metrics.computed(one, lambda one=one: _own(session, found, one, chosen, told))
                except FaultyCode as faulty:
                    flaws += faulty.flaws
                else:
                    yield one, made
        keep_classes()
    except PySparkException as error:
        said = str(error).strip().splitlines()[:3]
        raise TablesFailed("Spark could not compute the metrics:\n    " + "\n    ".join(said)) from error


def _rows(folder: Path, table: str) -> int:
    try:
        return sum(
            parquet.read_metadata(file).num_rows for file in (folder / "tables" / table).glob("*.parquet")
        )
    except (OSError, pa.ArrowException):  # a damaged file is reported by what reads it
        return 1


def _counted(asked: Sequence, told: Told) -> Iterator:
    """Yield the families, and tell how many were planned each time the next one is asked for."""
    for done, family in enumerate(asked):
        told(done, len(asked), "families planned")
        yield family


def _own(
    session: SparkSession, found: Inputs, own: Own, chosen: dict[str, tuple[str, str]], told: Told
) -> tuple[pa.Table, pa.Table]:
    with followed(session):
        made = own_metrics.frame(own, found).toArrow()
    rows = own_metrics.checked(own, made, chosen)
    if not rows.num_rows:
        return PER_RUN.empty_table(), SUMMARY.empty_table()
    return _both(session, found, session.createDataFrame(rows), chosen, [own.value], told)


def _both(
    session: SparkSession,
    found: Inputs,
    rows: F.DataFrame,
    chosen: dict[str, tuple[str, str]],
    of: Sequence[Family],
    told: Told,
) -> tuple[pa.Table, pa.Table]:
    """Return metrics/per_run and metrics/summary of the rows that the families `of` gave."""
    from orchestrate_spark.metrics.summary import summarise

    runs = Counter(chosen.values())
    keys = found.runs.select("experiment", "cell", "seed", "run_id")
    values = rows.join(F.broadcast(keys), on="run_id", how="inner").select(*PER_RUN.names).persist()
    cells = session.createDataFrame(
        pa.table(
            {
                "experiment": [experiment for experiment, _ in runs],
                "cell": [cell for _, cell in runs],
                "runs": list(runs.values()),
            }
        )
    )
    metrics = {name: metric for family in of for name, metric in family.declared.items()}
    with followed(session, lambda done, total: told(done, total, "tasks, run by run")):
        per_run = values.toArrow()
    with followed(session, lambda done, total: told(done, total, "tasks, over the runs")):
        return per_run, summarise(values, cells, max(runs.values()), metrics).toArrow()


def _write(rows: pa.Table, wanted: pa.Schema, file: Path) -> None:
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


def main(argv: list[str] | None = None) -> int:
    """Compute the metrics of the experiments that the command line names; return the exit code."""
    parser = argparse.ArgumentParser(prog="metrics", description=__doc__.splitlines()[0])
    parser.add_argument("experiment", nargs="+", help="experiment folder, which holds tables/")
    parser.add_argument("--master", help="Spark master's URL (default: this machine's cores)")
    parser.add_argument(
        "--metric",
        action="append",
        metavar="FILE.py|NAME",
        help="a metric of your own, by file or entry point; it is run (default: those that are there stay)",
    )
    args = parser.parse_args(argv)
    from orchestrate_spark.session import session

    failed: list[Flaw] = []
    try:
        own = None if args.metric is None else own_metrics.load(args.metric, Path())
        for folder in args.experiment:
            done = compute(folder, spark=lambda: session(master=args.master), own=own)
            print(
                f"{folder}: metrics of {done.runs} runs"
                + (f", own: {', '.join(done.own)}" if done.own else "")
            )
            failed += done.failed
    except SparkError as error:
        print(f"metrics: {error}", file=sys.stderr)
        return 1
    for flaw in failed:
        print(f"metrics: {flaw}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
