# SPDX-License-Identifier: Apache-2.0
"""orchestrate metrics: print the metrics of stored runs, including a user's own, as a table."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.options import add_store
from orchestrator.cli.spark_options import add_spark_options

if TYPE_CHECKING:
    from orchestrator.scenario.model import Scenario

DESCRIPTION = """Compute and show the metrics of an experiment in the store: the mean over seeds
and its 95 % confidence interval.

  orchestrate metrics chain-aggregation
      the totals of each cell
  orchestrate metrics chain-aggregation --only delay_ms
      everything about one metric
  orchestrate metrics chain-aggregation --metric ./mine.py
      with a metric of yours, for the existing runs
  orchestrate metrics chain.yaml
      with the metrics that the scenario names

Your own metric is a Python file or an entry point (group orchestrate.metrics)
of an installed package. It is run, so name only what you trust. It is kept
and shown in the report until its runs change or you name other metrics
(--no-own removes all). If one fails, its line is named (exit code 3), and the
others are computed."""
HEAD = ("cell", "metric", "key", "n", "mean", "ci_low", "ci_high")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate metrics`."""
    parser.add_argument(
        "experiment", metavar="EXPERIMENT|SCENARIO", help="an experiment's name, or its scenario file"
    )
    parser.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="FILE.py|NAME",
        help="also compute this metric of yours; may be repeated",
    )
    parser.add_argument("--no-own", action="store_true", help="remove your own metrics from the results")
    parser.add_argument("--only", metavar="LIST", help="show only these metrics, with all their keys: a,b,c")
    add_store(parser)
    add_spark_options(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print CSV with unrounded numbers")
    form.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate metrics`; return the exit code."""
    from orchestrate_spark.jobs.metrics import Computed
    from orchestrate_spark.load import load_metrics

    from orchestrator.cli.ingest import CHECKING, renewed
    from orchestrator.console import stages
    from orchestrator.errors import FaultyInput, as_faults
    from orchestrator.execution.pipeline import keep_extra, own_metrics
    from orchestrator.execution.spark_errors import spark_errors
    from orchestrator.runs.store import Store, default_store

    name, given, scenario = _named(args)
    store = Store(default_store(args.store))
    folder = store.experiment(name)  # a name that none can have says so
    store.known(name)
    if scenario is not None:
        keep_extra(scenario, folder)
    own = [] if args.no_own else own_metrics(given) or None

    with stages(name) as stage:
        stage(CHECKING)
        done = renewed(folder, stage, args.master, own) or Computed(0)
    with spark_errors():
        summary = load_metrics(folder, "arrow")["summary"].select(HEAD).to_pylist()
    mine = {metric for one in own or () if one.value.name in done.own for metric in one.value.metrics}
    failed = {metric for one in own or () if one.value.name not in done.own for metric in one.value.metrics}
    place = {cell: number for number, cell in enumerate(store.cells(name))}  # in the scenario's order
    summary.sort(key=lambda row: place.get(row["cell"], len(place)))
    rows = _chosen(summary, args.only, mine, failed)
    _print(rows, args)  # before what failed
    if done.failed:
        raise FaultyInput(as_faults(done.failed))
    return 0


def _named(args: argparse.Namespace) -> tuple[str, list[str], Scenario | None]:
    """Return the experiment's name, the user's metrics of scenario and command line, and the scenario."""
    from orchestrate_spark import own_code

    from orchestrator.errors import NoSuchThing

    for given in args.metric:
        if own_code.is_path(given) and not Path(given).is_file():
            raise NoSuchThing(f"{given}: no such file\n    name a Python file or an installed metric")
    path = Path(args.experiment)
    if path.suffix in (".yaml", ".yml") or path.is_file():
        from orchestrator.cli import files
        from orchestrator.scenario.load import load

        scenario = load(files.scenario(path))
        return scenario.experiment, [*scenario.metrics, *args.metric], scenario
    return args.experiment, args.metric, None


def _chosen(summary: list[dict], only: str | None, mine: set[str], failed: set[str]) -> list[dict]:
    from orchestrator.errors import NoSuchThing
    from orchestrator.words import did_you_mean

    known = sorted({row["metric"] for row in summary})
    if only is not None:
        wanted = {word.strip() for word in only.split(",")}
        if strange := sorted(wanted - set(known) - failed):
            raise NoSuchThing(f"no metric {', '.join(strange)}; {did_you_mean(strange[0], known)}")
        return [row for row in summary if row["metric"] in wanted]
    if mine:
        return [row for row in summary if row["metric"] in mine]
    return [row for row in summary if row["key"] == "total"]


def _print(rows: list[dict], args: argparse.Namespace) -> None:
    if args.json:
        print(json.dumps(rows, indent=2), flush=True)
    elif args.csv:
        import csv

        writer = csv.DictWriter(sys.stdout, HEAD, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        sys.stdout.flush()
    else:
        from orchestrator.cli.numbers import count, measured
        from orchestrator.cli.tables import Column, Table, numbers
        from orchestrator.console import show

        columns = [Column(name, key=True) for name in HEAD[:3]]
        columns += numbers("n", "mean", "95\u00a0% CI low", "high")
        entries = [
            (*(row[name] for name in HEAD[:3]), count(row["n"]), *(measured(row[name]) for name in HEAD[4:]))
            for row in rows
        ]
        show(Table("", columns, entries))
