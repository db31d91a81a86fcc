# SPDX-License-Identifier: Apache-2.0
"""orchestrate compare: two scenarios, or two cells, metric by metric."""

from __future__ import annotations

import json
from pathlib import Path

DESCRIPTION = """Compare B with A, metric by metric: the change relative to A with its 95 % confidence interval, both means, B - A, in words
what that shows, the effect size. Nothing is simulated; both must be in the store (`orchestrate run`), and metrics that are
not those of the present campaign's runs are made anew first.

  orchestrate compare chain tree                     two experiments, by name or scenario file
  orchestrate compare chain/H10 chain/H10A           two cells
  orchestrate compare chain chain --store-b other    the same experiment from two stores
  orchestrate compare old new --margin 1% --metrics packets_sent,events_delivered

Cells are matched on their parameters; what differs between A and B is said first. Where the same application published
the same number of events at every publisher in every seed, runs are compared seed by seed (paired t, effect size dz);
else Welch's t and Hedges' g. p values are Holm's, adjusted for the number of rows: fewer --metrics, fewer rows.

--margin asks for more than no difference: that B is equivalent to A, by two one-sided tests at 5 %. The margin is that
share of A's mean; of a metric that is itself a share (loss rates), that many points.

exit code: 0 done, with --margin: every row is equivalent; 1 with --margin: some row is not shown to be; 4 A is B;
9 not in the store, or nothing in common; others below `orchestrate --help`."""  # noqa: E501


def add_arguments(parser) -> None:
    for name in ("a", "b"):
        parser.add_argument(name, metavar=name.upper(), help="EXPERIMENT, EXPERIMENT/CELL or a scenario file")
    parser.add_argument(
        "--store", metavar="DIR", help="folder of runs (default: $ORCHESTRATE_STORE, ./orchestrate-store)"
    )
    parser.add_argument("--store-b", metavar="DIR", help="the folder of B's runs, if another")
    parser.add_argument(
        "--metrics",
        metavar="LIST",
        type=_names,
        default=(),
        help="only these, such as packet_loss_rate,delay_ms/p95,packets_sent/P1 (default: all, summed over "
        "nodes)",
    )
    parser.add_argument(
        "--margin", metavar="SHARE", type=_share, help="test equivalence within it, such as 1%%"
    )
    parser.add_argument("--csv", metavar="FILE", type=Path, help="write the rows there")
    parser.add_argument(
        "--report", metavar="DIR", type=Path, help="write a page there: index.html and its figures' files"
    )
    parser.add_argument(
        "--figures",
        metavar="FORMATS",
        type=_formats,
        default=("svg", "csv"),
        help="the files of the page's figures: any of svg,pdf,pgf,csv (default: svg,csv)",
    )
    parser.add_argument(
        "--open", action="store_true", help="show the page in the web browser (with --report)"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args) -> int:
    from orchestrator.campaign.fresh import renew
    from orchestrator.cli.ingest import CHECKING, COMPUTING, session_before
    from orchestrator.cli.report import experiment_name, show
    from orchestrator.console import stages
    from orchestrator.report.comparison import written
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
            renew(
                Store(store).experiment(Store(store).known(name.partition("/")[0])),
                session_before(COMPUTING, stage, None),
                told=lambda *far: stage(COMPUTING, *far),
            )
        stage("comparing")
        found = compare(
            side(store_a, experiment_name(args.a)),
            side(store_b, experiment_name(args.b)),
            args.metrics,
            args.margin,
        )
        if args.report:
            from orchestrator.report.comparison.page import write as write_page

            index = write_page(found, args.report, args.figures, stage).absolute()
    if args.csv:
        from orchestrator.cli.files import write

        write(args.csv, written.table(found))
    if args.json:
        print(
            json.dumps(
                written.plain(found) | {"report": None if index is None else str(index)},
                indent=2,
                allow_nan=False,
            )
        )
    else:
        from orchestrator.cli.compare_tables import parts
        from orchestrator.console import show as print_parts

        print_parts(*parts(found))
        if index:
            print(f"report: {index}")
    if index and args.open:
        show(index)
    return 1 if found.equivalent is False else 0


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _share(text: str) -> float:
    """A share above 0 and below 100 %, as a fraction."""
    from argparse import ArgumentTypeError

    from orchestrator.vocabulary.units import RATIO, NotAQuantity, parse

    try:
        value = parse(text, RATIO)
    except NotAQuantity as error:
        raise ArgumentTypeError(f"{error.what}; write a share, such as 1%") from None
    if not 0 < value < 1:
        raise ArgumentTypeError(f"{text} is not between 0% and 100%")
    return value


def _formats(text: str) -> tuple[str, ...]:
    from orchestrator.cli.report import formats

    return formats(text)
