# SPDX-License-Identifier: Apache-2.0
"""Tables -> metrics: `python -m orchestrate_spark.jobs.metrics FOLDER...`, also by spark-submit.

Writes metrics/per_run (experiment, cell, seed, run_id, metric, key, value) and metrics/summary, one file each, rows
sorted. Of several runs of a cell and seed (an old firmware's) the newest counts; runs that did not end well do not.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from functools import reduce
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from orchestrate_spark import code, snapshot
from orchestrate_spark.errors import NoRuns, SparkError, TablesFailed
from orchestrate_spark.experiment import UNKNOWN
from orchestrate_spark.metrics import FAMILIES, families
from orchestrate_spark.tables import schema

NAME = "metrics"
COUNTED = ("ok", UNKNOWN)  # outcomes of runs that count
PER_RUN = pa.schema([("experiment", pa.string()), ("cell", pa.string()), ("seed", pa.int64()), ("run_id", pa.string()),
                     ("metric", pa.string()), ("key", pa.string()), ("value", pa.float64())])
SUMMARY = pa.schema([("experiment", pa.string()), ("cell", pa.string()), ("metric", pa.string()), ("key", pa.string()),
                     ("n", pa.int64()), ("mean", pa.float64()), ("sd", pa.float64()), ("ci_low", pa.float64()),
                     ("ci_high", pa.float64())])


def compute(experiment: str | Path, run_ids: Iterable[str] | None = None, spark: Callable | None = None) -> int:
    """Bring EXPERIMENT/metrics up to date with its tables; returns how many runs count.

    `run_ids`: count only these runs (a scenario's present ones). `spark`: makes the session, called only if there is
    something to compute (default: session.session). Raises NoRuns, NoJava, TablesFailed.
    """
    folder = Path(experiment)
    chosen = choose(folder, run_ids)
    tables = snapshot.index(folder, "tables").get("identity", "")
    made_of = (*code.METRICS, *(f"metrics/{name}" for name in (*FAMILIES, "model", "summary", "energy_model")))
    identity = hashlib.sha256(repr((tables, code.digest(made_of), sorted(chosen))).encode()).hexdigest()[:20]
    try:
        with snapshot.writing(folder, NAME):
            if snapshot.index(folder, NAME).get("identity") != identity:
                per_run, summary = _compute(folder, chosen, spark)
                new = snapshot.draft(folder, NAME)
                _write(per_run, PER_RUN, new / "per_run")
                _write(summary, SUMMARY, new / "summary")
                snapshot.publish(folder, NAME, new, identity, {"identity": identity, "runs": sorted(chosen)})
    except OSError as error:
        raise TablesFailed(f"{error.filename or folder}: {error.strerror or error}\n"
                           "    free space or make the store writable, then compute again; the metrics are as before"
                           ) from error
    return len(chosen)


def choose(experiment: Path, run_ids: Iterable[str] | None = None) -> dict[str, tuple[str, str]]:
    """run id -> (experiment, cell) of the runs that count. Raises NoRuns if no run is in the tables."""
    files = sorted((experiment / "tables" / "runs").glob("*.parquet"))
    if not files:
        raise NoRuns(f"{experiment}: no tables in it\n    ingest its runs first")
    columns = ["experiment", "cell", "seed", "run_id", "outcome", "finished"]
    wanted = pa.schema([field for field in schema("runs") if field.name in columns])
    try:
        rows = [row for file in files for row in parquet.read_table(file, columns=columns, schema=wanted).to_pylist()]
    except (OSError, pa.ArrowException) as error:
        raise TablesFailed(f"{files[0].parent}: {error}\n    remove the folder `tables` and ingest again") from error
    only = None if run_ids is None else set(run_ids)
    newest: dict[tuple, dict] = {}
    for row in sorted(rows, key=lambda row: (row["finished"] or "", row["run_id"])):
        if row["outcome"] in COUNTED and (only is None or row["run_id"] in only):
            newest[row["experiment"], row["cell"], row["seed"]] = row
    return {row["run_id"]: (row["experiment"], row["cell"]) for row in newest.values()}


def _compute(folder: Path, chosen: dict[str, tuple[str, str]], spark: Callable | None) -> tuple[pa.Table, pa.Table]:
    if not chosen:
        return PER_RUN.empty_table(), SUMMARY.empty_table()
    if spark is None:
        from orchestrate_spark.session import session as spark
    from pyspark.errors import PySparkException

    from orchestrate_spark.jvm import keep_classes
    from orchestrate_spark.metrics.summary import summarise

    session = spark()
    runs = Counter(chosen.values())
    try:
        values = per_run(session, folder, list(chosen)).persist()
        cells = session.createDataFrame(pa.table({
            "experiment": [experiment for experiment, _ in runs], "cell": [cell for _, cell in runs],
            "runs": list(runs.values())}))
        histograms = [name for family in families() for name in family.histograms]
        try:
            made = values.toArrow(), summarise(values, cells, max(runs.values()), histograms).toArrow()
        finally:
            session.catalog.clearCache()
        keep_classes()
        return made
    except PySparkException as error:
        told = str(error).strip().splitlines()[:3]
        raise TablesFailed("Spark could not compute the metrics:\n    " + "\n    ".join(told)) from error


def per_run(spark, folder: Path, run_ids: list[str]):
    """The DataFrame of metrics/per_run for these runs."""
    from pyspark.sql.functions import broadcast

    found = inputs(spark, folder, run_ids)
    rows = reduce(lambda a, b: a.union(b), (family.rows(found) for family in families()))
    runs = found.runs.select("experiment", "cell", "seed", "run_id")
    return rows.join(broadcast(runs), "run_id").select(*PER_RUN.names)


def inputs(spark, folder: Path, run_ids: list[str]):
    """What the families take (metrics/model.py), of these runs only."""
    from pyspark.sql.functions import broadcast, expr
    from pyspark.sql.pandas.types import from_arrow_schema

    from orchestrate_spark.metrics.model import Inputs

    chosen = spark.createDataFrame(pa.table({"run_id": pa.array(run_ids, pa.string())}))

    def table(name: str):
        rows = spark.read.schema(from_arrow_schema(schema(name))).parquet(str((folder / "tables" / name).resolve()))
        return rows.join(broadcast(chosen), "run_id", "left_semi").drop("experiment", "cell", "seed")

    runs = spark.read.schema(from_arrow_schema(schema("runs"))).parquet(str((folder / "tables" / "runs").resolve()))
    # What motes said, under one another, so that one exchange by run serves this grouping and those that follow.
    said = table("counters").selectExpr("run_id", "mote", "'c' as of", "name", "value").union(
        table("states").selectExpr("run_id", "mote", "'s'", "state", "state_us")).union(
        table("nodes").selectExpr("run_id", "mote", "'n'", "role", "index")).repartition("run_id")
    motes = said.groupBy("run_id", "mote").agg(
        *(expr(f"map_from_entries(collect_list(if(of = '{of}', struct(name, value), null))) as {of}") for of in "cs"),
        expr("max(if(of = 'n', name, null)) as said"), expr("max(if(of = 'n', value, 0)) as index")).join(
        broadcast(table("motes").select("run_id", "mote", "name", "role")), ["run_id", "mote"], "left")
    everywhere = "over (partition by run_id)"
    motes = motes.selectExpr(
        "run_id", "mote", "coalesce(name, concat('mote ', mote)) as node", "coalesce(said, role) as role", "index",
        "c", "s", f"sum(if(index > 0, 1, 0)) {everywhere} as publishers",
        f"sum(if(coalesce(said, role) = 'subscriber', 1, 0)) {everywhere} as subscribers")
    return Inputs(runs.join(broadcast(chosen), "run_id", "left_semi").persist(), motes.persist(), table("deliveries"),
                  table("aggregates"), table("delays"), table("events"))


def _write(rows: pa.Table, wanted: pa.Schema, folder: Path) -> None:
    by = ("experiment", "cell", "metric", "key", "seed", "run_id")
    order = [(name, "ascending") for name in wanted.names if name in by]
    folder.mkdir(parents=True)
    with open(folder / "part-0.parquet", "wb") as stream:
        parquet.write_table(rows.select(wanted.names).cast(wanted).sort_by(order), stream, compression="zstd",
                            store_schema=False)
        stream.flush()
        os.fsync(stream.fileno())


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="metrics", description=__doc__.splitlines()[0])
    parser.add_argument("experiment", nargs="+", help="experiment folder, which holds tables/")
    parser.add_argument("--master", help="Spark master's URL (default: this machine's cores)")
    args = parser.parse_args(argv)
    from orchestrate_spark.session import session

    try:
        for folder in args.experiment:
            print(f"{folder}: metrics of {compute(folder, spark=lambda: session(master=args.master))} runs")
    except SparkError as error:
        print(f"metrics: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
