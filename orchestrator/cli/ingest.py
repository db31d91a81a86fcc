# SPDX-License-Identifier: Apache-2.0
"""`orchestrate ingest`: run folders, or a log of a stock Cooja, into tables and metrics."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator import feature
from orchestrator.cli.guard import handled
from orchestrator.cli.options import add_store
from orchestrator.cli.spark_options import add_spark_options, session_before
from orchestrator.words import counted, first_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from orchestrate_spark.jobs.ingest import Ingested
    from orchestrate_spark.jobs.metrics import Computed
    from orchestrate_spark.metrics.own import Own

    from orchestrator.execution.progress import Stage

DESCRIPTION = """Read an experiment's runs into typed Parquet tables. With --metrics, also
compute its metrics.

  orchestrate ingest chain-aggregation --metrics
      an experiment in the store
  orchestrate ingest some/store/chain-aggregation
      an experiment by its folder
  orchestrate ingest --log COOJA.testlog
  orchestrate ingest mine --log out/*/COOJA.testlog
      logs of a stock Cooja, without run folders (into the experiment `logs`,
      or the one that you name before --log)

  orchestrate ingest chain-aggregation --follow --report
      while it is running: keep its tables, metrics and report up to date,
      until Ctrl-C

Runs that are already in the tables are not read again. Lines that do not fit
the log format are counted by reason and shown. A run whose log has changed
since it was written (a flipped byte) is left out and named; the exit code is
then 8. Tables are EXPERIMENT/tables/NAME/*.parquet, metrics are
EXPERIMENT/metrics/{per_run,summary}/*.parquet."""

CHECKING, INGESTING, COMPUTING = "looking for new logs", "ingesting the logs", "computing metrics"  # stages
FOREIGN = "logs"  # the experiment that logs without one go to


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate ingest`."""
    parser.add_argument(
        "experiment",
        nargs="?",
        metavar="EXPERIMENT|FOLDER",
        help="an experiment's name in the store, or its folder",
    )
    parser.add_argument(
        "--log",
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE",
        help="read these logs, such as */COOJA.testlog, which have no manifest",
    )
    parser.add_argument(
        "--cell", metavar="NAME", help="the cell name under which the tables hold the logs of --log"
    )
    for module in feature.listed("ingestion"):
        module.add_arguments(parser)
    add_store(parser)
    parser.add_argument("--metrics", action="store_true", help="compute the metrics as well")
    parser.add_argument(
        "--follow",
        action="store_true",
        help="go on with the runs that come, until Ctrl-C",
    )
    parser.add_argument(
        "--report", action="store_true", help="with --follow: write the metrics and the report anew as well"
    )
    add_spark_options(parser)
    parser.add_argument("--json", action="store_true", help="print what was done as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate ingest`; return the exit code."""
    from orchestrate_spark import printed
    from orchestrate_spark.experiment import add_logs

    from orchestrator.errors import StorageFailed, WrongUsage

    if args.report and not args.follow:
        raise WrongUsage(
            "--report goes with --follow; "
            f"`orchestrate report {args.experiment or FOREIGN}` writes the report of the present runs"
        )
    folder = _folder(args)
    with ExitStack() as prepared:
        logs = [(Path(log), args.cell) for log in args.log]
        for module in feature.listed("ingestion"):
            logs = prepared.enter_context(module.prepared(args, folder, logs))
        for cell in dict.fromkeys(cell for _, cell in logs):
            add_logs(folder, [log for log, of in logs if of == cell], cell)
    if args.follow:
        return _follow(args, folder)
    begin = time.monotonic()
    done, computed = _ingested(folder, args.metrics, args.master)
    if computed is not None:
        _say_dropped(folder.name, computed.dropped)
    measured = computed and computed.runs
    sentences = [sentence for tell in feature.listed("after_tables") for sentence in tell(folder, None)]
    seconds = time.monotonic() - begin
    damage, own = _damage(folder), printed.own(folder)
    if args.json:
        rest = {
            "runs_in_metrics": measured,
            "own_records": own,
            "damage": damage,
            "told": sentences,
            "seconds": round(seconds, 3),
        }
        print(json.dumps(_plain(folder, done) | rest, indent=2))
    else:
        _show(folder, done, measured, own, damage, seconds)
        for sentence in sentences:
            print(f"orchestrate: {sentence}", file=sys.stderr)
    return StorageFailed.exit_code if done.damaged else 0


def renewed(
    folder: Path, stage: Stage, master: str | None, own: Sequence[Own] | None = None
) -> Computed | None:
    """Bring an experiment's tables and metrics up to date (execution/fresh.py), and say how far that is."""
    from orchestrator.execution.fresh import renew

    return renew(folder, session_before(COMPUTING, stage, master), own, lambda *far: stage(COMPUTING, *far))


def _ingested(folder: Path, metrics: bool, master: str | None) -> tuple[Ingested, Computed | None]:
    """Read the runs into tables and, if wanted, compute their metrics, with progress in the terminal."""
    from orchestrate_spark.jobs.ingest import ingest

    from orchestrator.console import stages
    from orchestrator.runs import run_list as run_lists

    with stages(folder.name) as stage:
        stage(CHECKING)
        done = ingest(
            folder,
            session_before(INGESTING, stage, master),
            told=lambda read, whole: stage(INGESTING, read, whole, "batches"),
        )
        if not metrics:
            return done, None
        from orchestrate_spark.jobs.metrics import compute

        return done, compute(
            folder,
            run_lists.runs(folder),
            session_before(COMPUTING, stage, master),
            told=lambda *far: stage(COMPUTING, *far),
        )


def _say_dropped(experiment: str, metrics: Iterable[str]) -> None:
    for name in metrics:
        print(
            f"orchestrate: the metric {name} of your own is left out, because its values "
            "belong to other runs\n"
            f"    compute it with `orchestrate metrics {experiment} --metric FILE.py`",
            file=sys.stderr,
        )


def _plain(folder: Path, done: Ingested) -> dict:
    return {
        "experiment": str(folder),
        "runs": done.runs,
        "added": list(done.added),
        "dropped": list(done.dropped),
        "skipped": [{"folder": bad.folder, "why": bad.why} for bad in done.skipped],
        "damaged": [
            {"run_id": Path(bad.folder).name, "folder": bad.folder, "why": bad.why} for bad in done.damaged
        ],
        "faulty": [
            {"run_id": Path(bad.folder).name, "folder": bad.folder, "why": bad.why} for bad in done.faulty
        ],
        "torn": list(done.torn),
        "without_log": list(done.without_log),
    }


def _follow(args: argparse.Namespace, folder: Path) -> int:
    """Keep the tables, and the metrics and report if wanted, up to date until Ctrl-C."""
    from orchestrate_spark.errors import NoRuns
    from orchestrate_spark.jobs.metrics import compute
    from orchestrate_spark.jobs.stream import follow

    from orchestrator.console import stages
    from orchestrator.runs import run_list as run_lists

    with stages(folder.name) as stage:
        sessions = session_before(INGESTING, stage, args.master)
        if sessions.spreads:
            sessions()

    def announce(done: Ingested) -> None:
        begin = time.monotonic()
        written = []
        if args.metrics or args.report:
            try:
                measured = compute(folder, run_lists.runs(folder), sessions).runs
                written.append(f"metrics of {counted(measured, 'run')}")
            except NoRuns:  # none of them is in the tables
                pass
        if args.report and written:
            from orchestrator.report.page import write

            written.append(str(write(folder.parent, folder.name, replays=False)))
        now = time.strftime("%H:%M:%S")
        summary = "; ".join([f"{counted(done.runs, 'run')}, {len(done.added)} new", *written])
        print(f"{now} {folder.name}: {summary} ({time.monotonic() - begin:.1f} s)", flush=True)
        _say_left_out(folder, done)

    over = threading.Event()

    def asked(_signal: int, _frame: object) -> None:
        if over.is_set():
            raise KeyboardInterrupt
        over.set()

    with handled(signal.SIGINT, asked):
        follow(folder, sessions, announce, over=over)
    print(f"{folder.name}: what has come is in the tables")
    return 0


def _say_left_out(folder: Path, done: Ingested) -> None:
    """Name damaged runs and files."""
    from orchestrate_spark.experiment import SOURCE
    from orchestrate_spark.jobs.ingest import REMEDY

    for file in done.torn:
        print(
            f"orchestrate: {folder}/tables/{file}: cut short or changed since it was written\n    its runs "
            "were read again from their logs",
            file=sys.stderr,
        )
    for bad in done.skipped:
        print(
            f"orchestrate: {bad.folder}: {bad.why}\n    not read; remove the run and make it again",
            file=sys.stderr,
        )
    for bad in done.damaged:
        remedy = REMEDY.format(experiment=folder.name, run=Path(bad.folder).name)
        print(f"orchestrate: {bad.folder}: {bad.why}\n    not read; {remedy}", file=sys.stderr)
    for bad in done.faulty:
        source = Path(bad.folder) / SOURCE
        given = json.loads(source.read_bytes())["log"] if source.is_file() else ""
        remedy = f"name the whole {given}" if given else "make the run again to have them all"
        print(
            f"orchestrate: {bad.folder}{given and f' ({given})'}: {bad.why}\n    its rows up to there are in "
            f"the tables; {remedy}",
            file=sys.stderr,
        )
    if done.without_log:
        print(
            f"orchestrate: {counted(len(done.without_log), 'run')} of {folder.name} without a log, first "
            f"{done.without_log[0]}\n    the rows that the tables have of them stay",
            file=sys.stderr,
        )


def _folder(args: argparse.Namespace) -> Path:
    from orchestrator.errors import WrongUsage
    from orchestrator.runs.store import Store, default_store

    store = Store(default_store(args.store))
    given = args.log or any(module.given(args) for module in feature.listed("ingestion"))
    if args.cell is not None and not given:
        raise WrongUsage("--cell names the logs of --log; the runs of an experiment have their cells' names")
    if args.experiment is None:
        if not given:
            raise WrongUsage(f"name an experiment; there are: {', '.join(store.experiments()) or 'none'}")
        return store.experiment(FOREIGN)
    path = Path(args.experiment)
    if path.is_dir() and any((path / part).is_dir() for part in ("runs", "logs")):
        return path
    folder = store.experiment(args.experiment)
    if not given and not folder.is_dir():
        store.known(args.experiment)  # says what there is
    return folder


def _damage(folder: Path) -> list[dict]:
    """Damage by cell and reason, most first."""
    from orchestrate_spark.load import load
    from orchestrate_spark.log_format import DAMAGE

    damage: dict[tuple[str, str], dict] = {}
    for row in load(folder, "arrow", ["damage"])["damage"].to_pylist():
        if row["reason"] not in DAMAGE:  # rows of an older parser, whose log is gone
            continue
        entry = damage.setdefault(
            (row["cell"], row["reason"]),
            {
                "cell": row["cell"],
                "reason": row["reason"],
                "meaning": DAMAGE[row["reason"]][1],
                "kept": row["kept"],
                "lines": 0,
                "runs": 0,
                "first": f"run {row['run_id'][:12]} line {row['first_line']}",
                "sample": "",
            },
        )
        entry["lines"] += row["count"]
        entry["runs"] += 1
        entry["sample"] = entry["sample"] or next(iter(row["samples"]), "")
    return sorted(
        damage.values(), key=lambda entry: (entry["kept"], -entry["lines"], entry["cell"], entry["reason"])
    )


def _show(
    folder: Path,
    done: Ingested,
    measured: int | None,
    own: dict[str, int],
    damage: list[dict],
    seconds: float,
) -> None:
    from orchestrator.cli.numbers import count
    from orchestrator.cli.tables import Column, Table, numbers
    from orchestrator.console import show

    print(
        f"{counted(done.runs, 'run')} in {folder}/tables: {count(len(done.added))} read, "
        f"{count(len(done.dropped))} dropped ({seconds:.1f} s)"
    )
    if measured is not None:
        print(f"metrics of {counted(measured, 'run')} in {folder}/metrics")
    sys.stdout.flush()  # before what is wrong, also where both go to one file
    _say_left_out(folder, done)
    if own:
        listed = first_of([f"{count(lines)} {kind}" for kind, lines in own.items()])
        print(f"records of the application's own, in the tables records and counters: {listed}")
    if not damage:
        print("no damaged lines")
        return
    columns = (
        Column("cell", key=True),
        Column("reason", key=True),
        *numbers("lines", "runs"),
        *(Column(name, prose=True) for name in ("what", "first", "sample")),
    )
    rows = [
        (
            entry["cell"],
            entry["reason"] + (" (kept)" if entry["kept"] else ""),
            count(entry["lines"]),
            count(entry["runs"]),
            entry["meaning"],
            entry["first"],
            entry["sample"][:60],
        )
        for entry in damage
    ]
    show(Table("", columns, rows))
