# SPDX-License-Identifier: Apache-2.0
"""orchestrate paper: run a paper's experiments and print its numbers beside ours."""

from __future__ import annotations

import argparse
import json
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator import feature
from orchestrator.cli.options import add_store, add_workers
from orchestrator.words import counted

if TYPE_CHECKING:
    from orchestrator.execution import pipeline
    from orchestrator.papers.result import Result
    from orchestrator.report.data import Results
    from orchestrator.scenario.model import Scenario

DESCRIPTION = """Repeat a paper's experiments, and show its published numbers beside ours.

  orchestrate paper list
      all papers, with the results of each
  orchestrate paper aggregation
      simulate, measure and compare the paper's experiments
  orchestrate paper aggregation --only figures
      the topologies that the paper draws, what each of them is to show, and
      merge functions on some of the motes only
  orchestrate paper event-service --real-time
      a part of Table 6-2 on a virtual testbed, beside the same in virtual time
  orchestrate paper jitdd --real-time
      the paper's scenarios as processes of this machine, for eleven minutes
  orchestrate paper policies --only requirements
      each requirement of the case study with its policy and without it
  orchestrate paper blackboard
      all results of this paper
  orchestrate paper blackboard --only figure-7
      one result: the time to notification against the publisher's extra work
  orchestrate paper blackboard --only storage --only figure-2
      two results

Runs that are already in the store are not repeated."""
QUICK_SEEDS = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate paper`."""
    parser.add_argument("paper", nargs="?", default="list", help="a paper's name, or `list` (the default)")
    parser.add_argument(
        "--only",
        metavar="RESULT",
        action="append",
        help="make only this result, by its name in `paper list`; may be repeated",
    )
    parser.add_argument(
        "--figures", action="append_const", dest="only", const="figures", help="the same as --only figures"
    )
    parser.add_argument(
        "--real-time",
        action="append_const",
        dest="only",
        const="real-time",
        help="the same as --only real-time: what runs in real time",
    )
    parser.add_argument(
        "--seeds",
        metavar="1..30",
        help="use these seeds for the main experiments instead of the scenarios' seeds",
    )
    add_workers(parser, "number of simulations")
    add_store(parser)
    parser.add_argument(
        "--no-sensitivity", action="store_true", help="omit the runs that vary our own decisions"
    )
    parser.add_argument("--quick", action="store_true", help="use few seeds and omit the sensitivity runs")
    parser.add_argument("--open", action="store_true", help="show the report in the web browser")
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate paper`; return the exit code."""
    if args.paper == "list":
        return listing(args.json)
    from orchestrator.cli.run import exit_code
    from orchestrator.console import stages
    from orchestrator.papers import page
    from orchestrator.papers.table import chosen, papers
    from orchestrator.report.data import read
    from orchestrator.runs.store import default_store

    wanted = chosen(args.paper, args.only)
    store = default_store(args.store)
    main = [scenario for result in wanted for scenario in result.scenarios]
    few = args.no_sensitivity or args.quick
    varied = [] if few else [scenario for result in wanted for scenario in result.varied]
    # A main experiment's report shows the runs that vary our decisions, so they come first.
    scenarios = [(loaded(*scenario), False) for scenario in dict.fromkeys(varied)]
    scenarios += [(with_seeds(*scenario, args.seeds, args.quick), True) for scenario in dict.fromkeys(main)]
    done = [run_scenario(scenario, store, args.workers, own_page) for scenario, own_page in scenarios]
    with stages(f"paper-{args.paper}") as stage:
        stage("reading the metrics")
        results = {
            scenario.experiment: read(store, scenario.experiment)
            for (scenario, _), result in zip(scenarios, done, strict=True)
            if result.measured
        }
        own = page.write(store, args.paper, papers()[args.paper].summary, wanted, results, args.only, stage)
    # The paper's own page first, then those of its main experiments.
    reports = [report for report in (own, *(result.report for result in done)) if report]
    if args.json:
        print(json.dumps(as_json(wanted, results, reports), indent=2, ensure_ascii=False))
    else:
        show_results(wanted, results, reports)
    if args.open and reports:
        from orchestrator.cli.report import show as browse

        browse(reports[0].absolute())
    return max((exit_code(result.summary) for result in done), default=0)


def show_results(wanted: Sequence[Result], results: Mapping[str, Results], reports: list[Path]) -> None:
    """Tables, numbers and checks of each result, then where the reports are."""
    from orchestrator.cli.paper_tables import checks_table, numbers_table, plain_table
    from orchestrator.console import show

    for result in wanted:
        show(*map(plain_table, result.tables(results)))
        if rows := result.rows(results):
            show(numbers_table(rows))
        if tested := result.checks(results):
            show(checks_table(tested, result.heading))
    for report in reports:
        # Not through rich: a path is copied, so it must not be wrapped.
        print(f"report: {report}")


def as_json(wanted: Sequence[Result], results: Mapping[str, Results], reports: list[Path]) -> dict:
    """All of them together; the first report is `report`."""
    from orchestrator.cli.numbers import shown

    return {
        "results": [result.name for result in wanted],
        "experiments": list(results),
        "report": str(reports[0]) if reports else None,
        "reports": [str(report) for report in reports],
        "numbers": [plain(row) for result in wanted for row in result.rows(results)],
        "tables": [
            {
                "result": result.name,
                "title": table.title,
                "columns": list(table.columns),
                "rows": [[shown(entry.text) for entry in row] for row in table.rows],
                "note": table.note,
            }
            for result in wanted
            for table in result.tables(results)
        ],
        "checks": [
            {"result": result.name, **vars(check)} for result in wanted for check in result.checks(results)
        ],
    }


def listing(as_json: bool) -> int:
    """Print all papers with their results; return the exit code."""
    from orchestrator.papers.table import papers, results

    if as_json:
        papers_listed = {
            name: {"paper": text, "results": {result.name: result.summary for result in results(name)}}
            for name, (_, text) in papers().items()
        }
        print(json.dumps(papers_listed, indent=2, ensure_ascii=False))
        return 0
    for name, (_, text) in papers().items():
        print(f"{name}  {text}")
        for result in results(name):
            print(f"  {result.name}: {result.summary}" + ("" if result.asked else " (only if asked for)"))
    return 0


def loaded(name: str, text: str) -> Scenario:
    """Load a scenario from its text; files that it names are in the paper's folder."""
    from orchestrator.papers import scenarios
    from orchestrator.scenario.load import loads

    return loads(text, name, scenarios.folder(text))


def with_seeds(name: str, text: str, seeds: str | None, quick: bool = False) -> Scenario:
    """Return the scenario with other seeds, also in its text, so that the stored file says what was run."""
    from orchestrator.report.provenance import seeds_in_words
    from orchestrator.scenario import changed

    scenario = loaded(name, text)
    if seeds is None and quick and len(scenario.seeds) > QUICK_SEEDS:
        seeds = seeds_in_words(scenario.seeds[:QUICK_SEEDS]).replace(" ", "")
    if seeds is None:
        return scenario
    scenario = changed.with_seeds(scenario, seeds)
    listed = f"seeds: [{seeds_in_words(scenario.seeds)}]"
    return replace(scenario, source=re.sub(r"(?m)^seeds:.*$", listed, text))


def run_scenario(scenario: Scenario, store: Path, workers: int | None, own_page: bool) -> pipeline.Result:
    """Run one scenario, with progress, on standard error; returns the pipeline's result.

    Without `own_page` its metrics are for the pages of others; `orchestrate report` writes one of them too.
    """
    from orchestrator.console import say, stages
    from orchestrator.execution import pipeline
    from orchestrator.execution.execute import Effort
    from orchestrator.execution.progress import Listener

    with stages(scenario.experiment) as display, ExitStack() as around:
        for replaced in feature.listed("around_paper_runs"):
            scenario = around.enter_context(replaced(scenario))
        result = pipeline.run(
            scenario,
            store,
            Effort(workers),
            page=own_page,
            told=Listener(display, display.runs, display.line, say),
        )
    failures = result.summary.failures
    if failures:
        say(
            f"{scenario.experiment}: {len(failures)} of {counted(len(result.summary.run_ids), 'run')} did "
            f"not end well, first {failures[0].cell} seed {failures[0].seed}: "
            f"{failures[0].outcome.value}; the report's provenance lists them"
        )
    return result


def plain(row: Any) -> dict:
    """Return a row of the comparison as JSON can hold it; an unknown number is null."""

    def finite(value: float) -> float | None:
        return None if math.isnan(value) else value

    return {
        "id": row.id,
        "cell": row.cell,
        "what": row.what,
        "reading": row.reading,
        "section": row.where,
        "unit": row.measure.unit,
        "paper": row.published,
        "mean": finite(row.ours.mean),
        "ci_low": finite(row.ours.low),
        "ci_high": finite(row.ours.high),
        "run_low": finite(row.ours.one_low),
        "run_high": finite(row.ours.one_high),
        "n": row.ours.n,
        "difference": finite(row.difference),
        "verdict": row.verdict,
    }
