# SPDX-License-Identifier: Apache-2.0
"""orchestrate paper: run a paper's experiments and print its numbers beside ours."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

from orchestrator.cli.run import positive

DESCRIPTION = """Run a paper's experiments and set its published numbers beside ours.

  orchestrate paper list           the papers there are
  orchestrate paper aggregation    its experiments, simulated, measured, compared
  orchestrate paper aggregation --figures
                                   the topologies that it draws, what each is to show, and partly deployed merge functions

Runs that are in the store already are not done again."""
QUICK_SEEDS = "1..5"
PIPED_WIDTH = 120  # columns, where there is no terminal to ask


def add_arguments(parser) -> None:
    parser.add_argument("paper", nargs="?", default="list", help="a paper's name, or `list` (the default)")
    parser.add_argument("--seeds", metavar="1..30", help="other seeds than the scenario's, for its main experiment")
    parser.add_argument("--workers", type=positive, metavar="N", help="simulations at a time (default: one per core)")
    parser.add_argument("--store", type=Path, help="the store's folder (default: $ORCHESTRATE_STORE or ./orchestrate-store)")
    parser.add_argument("--no-sensitivity", action="store_true", help="leave out the runs that vary our own decisions")
    parser.add_argument("--quick", action="store_true", help=f"seeds {QUICK_SEEDS} and no sensitivity runs")
    parser.add_argument("--figures", action="store_true", help="instead: the drawn topologies, and partly deployed merge functions")
    parser.add_argument("--open", action="store_true", help="show the report in the web browser")
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")


def run(args) -> int:
    if args.paper == "list":
        return listing(args.json)
    from orchestrator.papers.table import paper as find
    from orchestrator.runs.store import default_store

    paper = find(args.paper)
    store = default_store(args.store)
    if args.figures:
        return figures(paper, store, args)
    seeds = args.seeds or (QUICK_SEEDS if args.quick else None)
    scenarios = [with_seeds(*paper.scenarios()[0], seeds)]
    if not (args.no_sensitivity or args.quick):
        # The main report shows the sensitivity runs, so they come first.
        scenarios = [*(loaded(name, text) for name, text in paper.scenarios()[1:]), *scenarios]
    done = [campaign(scenario, store, args.workers) for scenario in scenarios]
    index = done[-1].report
    show_comparison(paper, store, scenarios[-1].experiment, index, args.json)
    if args.open and index:
        from orchestrator.cli.report import show

        show(index.absolute())
    from orchestrator.cli.run import exit_code

    return max(exit_code(result.summary) for result in done)


def figures(paper, store: Path, args) -> int:
    """The paper's drawn topologies: runs, reports, and a line for each thing that a figure is to show."""
    from orchestrator.cli.run import exit_code
    from orchestrator.report.data import read

    scenarios = [with_seeds(name, text, args.seeds) for name, text in paper.figure_scenarios()]
    done = [campaign(scenario, store, args.workers) for scenario in scenarios]
    tested = paper.figure_checks(read(store, scenarios[0].experiment))
    reports = [result.report for result in done if result.report]
    if args.json:
        print(json.dumps({"checks": [vars(check) for check in tested], "reports": [str(report) for report in reports]},
                         indent=2, ensure_ascii=False))
    else:
        from orchestrator.cli.paper_tables import checks_table
        from orchestrator.console import console

        out = console()
        out.print(checks_table(tested, "What each figure is to show"), width=None if out.is_terminal else PIPED_WIDTH)
        for report in reports:
            print(f"report: {report}")
    if args.open and reports:
        from orchestrator.cli.report import show

        show(reports[0].absolute())
    return max(exit_code(result.summary) for result in done)


def listing(as_json: bool) -> int:
    from orchestrator.papers.table import PAPERS

    if as_json:
        print(json.dumps({name: text for name, (_, text) in PAPERS.items()}, indent=2, ensure_ascii=False))
    else:
        for name, (_, text) in PAPERS.items():
            print(f"{name}  {text}")
    return 0


def loaded(name: str, text: str):
    from orchestrator.scenario.load import loads

    return loads(text, name)


def with_seeds(name: str, text: str, seeds: str | None):
    """The scenario with other seeds, written into its text too, so that the stored file says what was run."""
    from orchestrator.cli import run as run_command
    from orchestrator.report.provenance import seeds_in_words

    scenario = run_command.with_seeds(loaded(name, text), seeds)
    listed = f"seeds: [{seeds_in_words(scenario.seeds)}]"
    return scenario if seeds is None else replace(scenario, source=re.sub(r"(?m)^seeds:.*$", listed, text, count=1))


def campaign(scenario, store: Path, workers: int | None):
    """Run one scenario, with progress and report, on standard error; returns the pipeline's result."""
    from orchestrator.campaign import pipeline
    from orchestrator.console import runs_progress, say

    with runs_progress(scenario.experiment) as show:
        result = pipeline.run(scenario, store, workers=workers, show=show, say=say)
    failures = result.summary.failures
    if failures:
        say(f"{scenario.experiment}: {len(failures)} of {len(result.summary.run_ids)} runs did not end well, first "
            f"{failures[0].cell} seed {failures[0].seed}: {failures[0].outcome.value}; the report's provenance lists them")
    return result


def show_comparison(paper, store: Path, experiment: str, index: Path | None, as_json: bool) -> None:
    from orchestrator.report.data import read

    results = read(store, experiment)
    rows, tested = paper.rows(results), paper.checks(results)
    if as_json:
        print(json.dumps({"experiment": experiment, "report": str(index) if index else None,
                          "numbers": [plain(row) for row in rows], "checks": [vars(check) for check in tested]},
                         indent=2, ensure_ascii=False))
        return
    from orchestrator.cli.paper_tables import checks_table, numbers_table
    from orchestrator.console import console

    out = console()
    width = None if out.is_terminal else PIPED_WIDTH
    out.print(numbers_table(rows), width=width)
    out.print(checks_table(tested), width=width)
    if index:
        # Not through rich: a path is copied, so it must not be wrapped.
        print(f"report: {index}")


def plain(row) -> dict:
    """A row of the comparison as JSON can hold it; an unknown number is null."""
    def known(value: float) -> float | None:
        return None if math.isnan(value) else value

    return {"id": row.id, "cell": row.cell, "what": row.what, "reading": row.reading, "section": row.where,
            "unit": row.measure.unit, "paper": row.published, "mean": known(row.ours.mean), "ci_low": known(row.ours.low),
            "ci_high": known(row.ours.high), "n": row.ours.n, "difference": known(row.difference), "verdict": row.verdict}
