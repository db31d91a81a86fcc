# SPDX-License-Identifier: Apache-2.0
"""orchestrate search: the parameters of a scenario that meet a goal."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.options import add_store, add_workers, positive, whole
from orchestrator.cli.run import seeds_of

if TYPE_CHECKING:
    from orchestrator.features.search.model import Search
    from orchestrator.features.search.run import Found
    from orchestrator.scenario.model import Scenario

DESCRIPTION = """Search for the parameters of a scenario that meet a goal.

  orchestrate search chain.yaml --minimise events_transmitted \\
      --subject-to "event_loss_rate <= 2 %" --over "application.delay=0..10 s"
  orchestrate search chain.yaml --minimise energy_mj \\
      --maximise delivery_ratio \\
      --over "topology.publishers=2..10" --over "application.mac=csma,nullmac"
      several goals: the front

Settings are proposed by Optuna, tried as runs of an experiment of the store
(SCENARIO-search), and given up early if they are hopeless. The best are then
measured with fresh seeds; these alone say what is the best, and a constraint
counts as kept if the worse end of its 95 % interval keeps it. The same command
goes on after an interruption; with a larger --trials it tries more.

exit code: 0 something is confirmed; 1 nothing meets the goal; 2 wrong options;
others as `orchestrate run`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate search`."""
    parser.add_argument("scenario", type=Path, help="the scenario file (YAML)")
    for name, what in (("--minimise", "as small"), ("--maximise", "as large")):
        parser.add_argument(
            name,
            action="append",
            default=[],
            metavar="METRIC",
            help=f"this metric is to be {what} as possible",
        )
    parser.add_argument(
        "--subject-to",
        action="append",
        default=[],
        metavar="BOUND",
        help='keep this bound: "event_loss_rate <= 2 %%"',
    )
    parser.add_argument(
        "--over",
        action="append",
        default=[],
        metavar="RANGE",
        help='vary this setting: "PATH=0..10 s", with "step 1 s" or "log" if wanted, or "PATH=one,another"',
    )
    parser.add_argument("--cell", metavar="NAME", help="the cell to search, if the scenario has several")
    parser.add_argument("--name", help="the experiment's name in the store (default: SCENARIO-search)")
    parser.add_argument(
        "--trials", type=positive, default=40, metavar="N", help="settings to try (default: 40)"
    )
    parser.add_argument(
        "--batch", type=positive, default=8, metavar="N", help="settings proposed at a time (default: 8)"
    )
    parser.add_argument(
        "--seeds",
        metavar="LIST",
        help="seeds of each trial, such as 1..5 (default: the first 5 of the scenario)",
    )
    parser.add_argument(
        "--first",
        type=positive,
        default=3,
        metavar="N",
        help="number of seeds after which a hopeless trial is given up (default: 3)",
    )
    parser.add_argument(
        "--confirm", type=positive, default=20, metavar="N", help="fresh seeds for the best (default: 20)"
    )
    parser.add_argument(
        "--candidates", type=positive, default=3, metavar="N", help="how many are confirmed (default: 3)"
    )
    parser.add_argument(
        "--seed", type=whole, default=1, metavar="N", help="seed of the optimiser (default: 1)"
    )
    add_workers(parser)
    add_store(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate search`; return the exit code."""
    from orchestrator.cli import files
    from orchestrator.console import say, stages
    from orchestrator.execution.execute import Effort
    from orchestrator.execution.progress import Listener
    from orchestrator.features.search import page
    from orchestrator.features.search.measure import Measurer
    from orchestrator.features.search.run import run as searched
    from orchestrator.features.search.scenarios import Scenarios
    from orchestrator.runs.store import default_store

    scenarios = Scenarios(files.scenario(args.scenario), args.cell, args.name)
    wanted = _search(args, scenarios.plain)
    for end in (0, -1):  # a setting or value that no scenario may have is said before anything is run
        scenarios.of([{one.path: _end(one, end) for one in wanted.parameters}], wanted.seeds)
    store = Path(default_store(args.store))
    with stages(scenarios.experiment) as display:
        told = Listener(display, display.runs, display.line, say)
        measurer = Measurer(scenarios, store, Effort(args.workers), told)
        found = searched(wanted, measurer, told)
        index = page.write(measurer.folder, found, scenarios)
    if args.json:
        print(json.dumps(page.described(found, index), indent=2))
    else:
        _show(found, index)
    return 0 if found.winners else 1


def _end(parameter: object, end: int) -> str:
    if parameter.choices:
        return parameter.choices[end]
    value = (parameter.low, parameter.high)[end]
    return parameter.text(int(value) if parameter.whole else value)


def _search(args: argparse.Namespace, scenario: Scenario) -> Search:
    """Return what is looked for. Raises WrongUsage with every fault."""
    from orchestrator.execution.pipeline import declared_metrics
    from orchestrator.features.search.model import Search
    from orchestrator.features.search.written import Written

    chosen = scenario.seeds[:5] if args.seeds is None else seeds_of(args.seeds)
    written = Written(declared_metrics(scenario))
    goals = written.goals(args.minimise, args.maximise)
    constraints = written.constraints(args.subject_to)
    parameters = written.parameters(args.over)
    written.raise_any()
    after = max(chosen) + 1
    return Search(
        scenario.experiment,
        goals,
        constraints,
        parameters,
        args.trials,
        args.batch,
        tuple(chosen),
        min(args.first, len(chosen)),
        tuple(range(after, after + args.confirm)),
        args.candidates,
        args.seed,
    )


def _show(found: Found, index: Path) -> None:
    from orchestrator.cli.tables import Column, Table, numbers
    from orchestrator.console import show
    from orchestrator.features.search.judge import with_interval

    search = found.search
    rows = [
        [
            f"{one.trial.number}",
            one.trial.told,
            *(with_interval(each, one.fresh.of(each)).partition(" ")[2] for each in search.measures),
            ("yes", "green") if one.kept else ("no", "red"),
        ]
        for one in found.confirmed
    ]
    measured = (each.name for each in search.measures)
    columns = [*numbers("trial"), Column("settings", prose=True), *measured, "constraints kept"]
    if rows:
        show(Table("Measured again with fresh seeds", columns, rows))
    for line in found.sentences:
        show(line)
    stopped = sum(bool(one.stopped) for one in found.trials)
    failed = sum(bool(one.failed) for one in found.trials)
    show(f"{len(found.trials)} trials, {stopped} given up early, {failed} without a result; page: {index}")
    for one in found.winners:
        show(f"run it: orchestrate run {index.parent / (one.trial.label + '.yaml')}")
