# SPDX-License-Identifier: Apache-2.0
"""orchestrate compare: two scenarios, or two cells, metric by metric."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.options import add_figures, add_store, names, share
from orchestrator.cli.spark_options import add_spark_options

if TYPE_CHECKING:
    from orchestrator.report.comparison.rows import Comparison

DESCRIPTION = """Compare two cells or experiments, metric by metric.

Each row has the change of B relative to A with its 95 % confidence interval,
both means, the difference B - A, a verdict in words, and the effect size.
Nothing is simulated: both must be in the store (`orchestrate run`). Metrics
that do not belong to the present campaign's runs are computed again first.

  orchestrate compare chain tree
      two experiments, by name or scenario file
  orchestrate compare chain/H10 chain/H10A
      two cells
  orchestrate compare chain chain --store-b other
      the same experiment in two stores
  orchestrate compare old new --margin 1% --metrics packets_sent
      an equivalence test of one metric

Cells are matched by their parameters; the output begins with what differs
between A and B. If the same application published the same number of events
at every publisher in every seed, runs are compared seed by seed (paired t
test, effect size dz). Otherwise Welch's t test and Hedges' g are used. The
p values are adjusted for the number of rows by Holm's method, so fewer
--metrics make stronger tests.

--margin tests whether B is equivalent to A, by two one-sided tests at 5 %. The
margin is a share of A's mean. For a metric that is itself a share (a loss
rate), it is in percentage points.

exit code: 0 done, and with --margin every row is equivalent; 1 with --margin,
some row is not shown to be equivalent; 4 A and B are the same; 9 not in the
store, or nothing in common; for others see `orchestrate --help`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate compare`."""
    for name in ("a", "b"):
        parser.add_argument(name, metavar=name.upper(), help="EXPERIMENT, EXPERIMENT/CELL or a scenario file")
    add_store(parser)
    parser.add_argument("--store-b", metavar="DIR", help="the store of B, if it is a different one")
    parser.add_argument(
        "--metrics",
        metavar="LIST",
        type=names,
        default=(),
        help="compare only these metrics, such as "
        "packet_loss_rate,delay_ms/p95,packets_sent/P1 (default: all, summed over nodes)",
    )
    parser.add_argument(
        "--margin",
        metavar="SHARE",
        type=share,
        help="test whether B is equivalent to A within this margin, such as 1%%",
    )
    parser.add_argument("--csv", metavar="FILE", type=Path, help="write the rows to this file")
    parser.add_argument(
        "--report",
        metavar="DIR",
        type=Path,
        help="write a page into this folder: index.html and the files of its figures",
    )
    add_figures(parser)
    parser.add_argument(
        "--open", action="store_true", help="show the page in the web browser (with --report)"
    )
    add_spark_options(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate compare`; return the exit code."""
    from orchestrator.cli.ingest import CHECKING, renewed
    from orchestrator.cli.report import experiment_name, show
    from orchestrator.console import stages
    from orchestrator.report.comparison.rows import compare
    from orchestrator.report.comparison.sides import side
    from orchestrator.runs.store import Store, default_store

    store_a = default_store(args.store)
    store_b = default_store(args.store_b) if args.store_b else store_a
    index = None
    with stages("compare") as stage:
        for store, name in dict.fromkeys(
            ((store_a, experiment_name(args.a)), (store_b, experiment_name(args.b)))
        ):
            stage(CHECKING)
            experiment = Store(store).known(name.partition("/")[0])
            renewed(Store(store).experiment(experiment), stage, args.master)
        stage("comparing")
        comparison = compare(
            side(store_a, experiment_name(args.a)),
            side(store_b, experiment_name(args.b)),
            args.metrics,
            args.margin,
        )
        if args.report:
            from orchestrator.report.comparison.page import write as write_page

            index = write_page(comparison, args.report, args.figures, stage).absolute()
    _print(comparison, index, args)
    if index and args.open:
        show(index)
    return 1 if comparison.equivalent is False else 0


def _print(comparison: Comparison, index: Path | None, args: argparse.Namespace) -> None:
    from orchestrator.report.comparison import written

    if args.csv:
        from orchestrator.cli.files import write

        write(args.csv, written.table(comparison))
    if args.json:
        plain = written.plain(comparison) | {"report": None if index is None else str(index)}
        print(json.dumps(plain, indent=2, allow_nan=False))
        return
    from orchestrator.cli.compare_tables import parts
    from orchestrator.console import show as print_parts

    print_parts(*parts(comparison))
    if index:
        print(f"report: {index}")
