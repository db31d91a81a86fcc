# SPDX-License-Identifier: Apache-2.0
"""`orchestrate ingest`: run folders, or a log of a stock Cooja, into tables and metrics."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from orchestrator.words import counted

DESCRIPTION = """Read an experiment's runs into typed Parquet tables, and compute its metrics with --metrics.

  orchestrate ingest chain-aggregation --metrics     an experiment of the store
  orchestrate ingest some/store/chain-aggregation    the same by its folder
  orchestrate ingest --log COOJA.testlog             a log that a stock Cooja wrote, without a run folder
                                                     (into the experiment `logs`, or the one named)

Runs that are in the tables already are not read again. Lines that do not fit the log format are counted by reason and
shown; a run whose log is not the one that it wrote (a flipped byte) is left out and named, exit code 8. Tables: EXPERIMENT/tables/NAME/*.parquet; metrics: EXPERIMENT/metrics/{per_run,summary}/*.parquet."""

FOREIGN = "logs"  # the experiment that logs without one go to


def add_arguments(parser) -> None:
    parser.add_argument("experiment", nargs="?", metavar="EXPERIMENT|FOLDER", help="name in the store, or its folder")
    parser.add_argument("--log", action="append", default=[], metavar="FILE", help="a COOJA.testlog without manifest")
    parser.add_argument("--cell", metavar="NAME", help="what to call the logs of --log in the tables")
    parser.add_argument("--store", metavar="DIR", help="folder of runs (default: $ORCHESTRATE_STORE, ./orchestrate-store)")
    parser.add_argument("--metrics", action="store_true", help="compute the metrics as well")
    parser.add_argument("--master", metavar="URL", help="a Spark master (default: this machine's cores)")
    parser.add_argument("--json", action="store_true", help="print what was done as JSON")


def run(args) -> int:
    from orchestrate_spark.errors import FaultyLog, NoRuns, NoSpark, SparkError

    from orchestrator.errors import FaultyInput, MissingTool, NoSuchThing, StorageFailed, as_faults

    try:
        return _run(args)
    except FaultyLog as error:
        raise FaultyInput(as_faults(error.flaws)) from error
    except NoSpark as error:
        raise MissingTool(str(error)) from error
    except NoRuns as error:
        raise NoSuchThing(str(error)) from error
    except SparkError as error:
        raise StorageFailed(str(error)) from error


def _run(args) -> int:
    from orchestrate_spark.experiment import add_log
    from orchestrate_spark.jobs.ingest import ingest

    from orchestrator.errors import StorageFailed
    from orchestrator.report.data import current_runs

    folder = _folder(args)
    for log in args.log:
        add_log(folder, Path(log), args.cell)

    def spark():
        from orchestrate_spark.session import session

        return session(master=args.master)

    begin = time.monotonic()
    done = ingest(folder, spark)
    measured = None
    if args.metrics:
        from orchestrate_spark.jobs.metrics import compute

        done_metrics = compute(folder, current_runs(folder), spark)
        measured = done_metrics.runs
        for name in done_metrics.dropped:
            print(f"orchestrate: the metric {name} of your own is left out, its values were of other runs\n"
                  f"    compute it with `orchestrate metrics {folder.name} --metric FILE.py`", file=sys.stderr)
    seconds = time.monotonic() - begin
    damage = _damage(folder)
    if args.json:
        print(json.dumps({
            "experiment": str(folder), "runs": done.runs, "added": list(done.added), "dropped": list(done.dropped),
            "skipped": [{"folder": bad.folder, "why": bad.why} for bad in done.skipped],
            "damaged": [{"run_id": Path(bad.folder).name, "folder": bad.folder, "why": bad.why} for bad in done.damaged],
            "runs_in_metrics": measured,
            "damage": damage, "seconds": round(seconds, 3)}, indent=2))
    else:
        _show(folder, done, measured, damage, seconds)
    return StorageFailed.exit_code if done.damaged else 0


def _folder(args) -> Path:
    from orchestrator.errors import NoSuchThing, WrongUsage
    from orchestrator.runs.store import Store, default_store

    store = Store(default_store(args.store))
    if args.cell is not None and not args.log:
        raise WrongUsage("--cell names the logs of --log; the runs of an experiment have their cells' names")
    if args.experiment is None:
        if not args.log:
            raise WrongUsage(f"name an experiment; there are: {', '.join(store.experiments()) or 'none'}")
        return store.experiment(FOREIGN)
    path = Path(args.experiment)
    if path.is_dir() and any((path / part).is_dir() for part in ("runs", "logs")):
        return path
    folder = store.experiment(args.experiment)
    if not args.log and not folder.is_dir():
        raise NoSuchThing(f"no experiment {args.experiment!r} in {store.path}; "
                          f"there are: {', '.join(store.experiments()) or 'none'}")
    return folder


def _damage(folder: Path) -> list[dict]:
    """Damage by cell and reason, most first."""
    from orchestrate_spark.load import load
    from orchestrate_spark.log_format import DAMAGE

    found: dict[tuple[str, str], dict] = {}
    for row in load(folder, "arrow", ["damage"])["damage"].to_pylist():
        entry = found.setdefault((row["cell"], row["reason"]), {
            "cell": row["cell"], "reason": row["reason"], "meaning": DAMAGE[row["reason"]][1], "kept": row["kept"],
            "lines": 0, "runs": 0, "first": f"run {row['run_id'][:12]} line {row['first_line']}", "sample": ""})
        entry["lines"] += row["count"]
        entry["runs"] += 1
        entry["sample"] = entry["sample"] or next(iter(row["samples"]), "")
    return sorted(found.values(), key=lambda entry: (entry["kept"], -entry["lines"], entry["cell"], entry["reason"]))


def _show(folder: Path, done, measured: int | None, damage: list[dict], seconds: float) -> None:
    from orchestrate_spark.jobs.ingest import REMEDY
    from rich.markup import escape
    from rich.table import Table

    from orchestrator.console import console

    out = console()
    out.print(f"{counted(done.runs, 'run')} in {folder}/tables: {len(done.added)} read, {len(done.dropped)} dropped "
              f"({seconds:.1f} s)", markup=False, soft_wrap=True)
    if measured is not None:
        out.print(f"metrics of {counted(measured, 'run')} in {folder}/metrics", markup=False, soft_wrap=True)
    for bad in done.skipped:
        print(f"orchestrate: {bad.folder}: {bad.why}\n    not read; remove the run and make it again", file=sys.stderr)
    for bad in done.damaged:
        remedy = REMEDY.format(experiment=folder.name, run=Path(bad.folder).name)
        print(f"orchestrate: {bad.folder}: {bad.why}\n    not read; {remedy}", file=sys.stderr)
    if not damage:
        out.print("no damaged lines")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("cell", "reason", "lines", "runs", "what", "first", "sample"):
        table.add_column(heading, overflow="fold")
    for entry in damage:
        kept = " (kept)" if entry["kept"] else ""
        table.add_row(*(escape(str(cell)) for cell in (
            entry["cell"], entry["reason"] + kept, entry["lines"], entry["runs"], entry["meaning"], entry["first"],
            entry["sample"][:60])))
    out.print(table)
