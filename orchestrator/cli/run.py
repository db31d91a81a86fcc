# SPDX-License-Identifier: Apache-2.0
"""orchestrate run: a scenario from file to report."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.options import (
    add_engine,
    add_firmware,
    add_sanitize,
    add_store,
    add_wall_limit,
    add_workers,
    whole,
)
from orchestrator.cli.spark_options import add_spark_options, cluster
from orchestrator.vocabulary.simulators import RULES
from orchestrator.words import counted

if TYPE_CHECKING:
    from orchestrator.execution.execute import Summary
    from orchestrator.execution.pipeline import Result
    from orchestrator.scenario.model import Scenario

DESCRIPTION = """Plan, build, simulate, ingest and report a scenario.

Runs that are already in the store are not repeated. So the same command
continues after an interruption, and after a finished campaign it only writes
the report.

exit code: 0 every run passed; 1 the verdict of some run is a failure; 3 one of
the scenario's own metrics failed (the runs and all other metrics are kept);
7 some run crashed, hung or was lost; 8 a stored log has changed since it was
written (its run is named and left out); for others see `orchestrate --help`."""
PLAIN_ONLY = "--plain applies to the embedded engine only; Cooja has no optimisations to switch off"
_SHOWN_FAILURES = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate run`."""
    parser.add_argument("scenario", type=Path, help="the scenario file (YAML), or a .csc file")
    parser.add_argument(
        "--seeds", metavar="LIST", help="use these seeds instead of the scenario's: 7, 1..30 or 1,5,10..20"
    )
    add_engine(parser)
    parser.add_argument(
        "--inventory", type=Path, metavar="LAB", help="for the engine testbed: the lab's inventory (YAML)"
    )
    parser.add_argument(
        "--layout", metavar="NAME", help="for the engine testbed: who takes part (default: all motes)"
    )
    add_firmware(parser)
    parser.add_argument("--rules", choices=RULES, help="the version of Cooja whose rules all cells follow")
    add_workers(parser)
    add_store(parser)
    add_wall_limit(parser, " (default: 600)")
    parser.add_argument(
        "--retries",
        type=whole,
        metavar="N",
        help="repeat a run that failed because of the machine or the simulator up to N times (default: 2)",
    )
    parser.add_argument(
        "--no-report", action="store_true", help="only simulate; do not start Spark, write no report"
    )
    add_spark_options(parser, runs=True)
    add_sanitize(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate run`; return the exit code."""
    from orchestrator.build import sanitizers
    from orchestrator.console import say, stages
    from orchestrator.errors import FaultyInput, StorageFailed
    from orchestrator.execution import pipeline
    from orchestrator.execution.execute import RETRIES, WALL_LIMIT_S, Effort
    from orchestrator.execution.progress import Listener
    from orchestrator.runs.store import default_store

    cflags = sanitizers.flags(args.sanitize)
    scenario = _scenario(args)
    store = default_store(args.store)
    with stages(scenario.experiment) as display:
        result = pipeline.run(
            scenario,
            store,
            Effort(
                args.workers,
                args.wall_limit or WALL_LIMIT_S,
                RETRIES if args.retries is None else args.retries,
            ),
            report=not args.no_report,
            cflags=cflags,
            master=args.master,
            cluster=cluster(args),
            told=Listener(display, display.runs, display.line, say),
        )
    print(json.dumps(described(result, store), indent=2) if args.json else _text(result, _time_of(scenario)))
    for fault in result.metric_faults:
        print(f"orchestrate: {fault}\n    the runs and all other metrics are kept", file=sys.stderr)
    return (
        exit_code(result.summary)
        or (StorageFailed.exit_code if result.damaged else 0)
        or (FaultyInput.exit_code if result.metric_faults else 0)
    )


def _scenario(args: argparse.Namespace) -> Scenario:
    """Return the scenario as the options change it. Faults of the options come before those of its file.

    Raises WrongUsage, Unsupported, and what `load` raises.
    """
    from orchestrator.cli import files
    from orchestrator.engines.protocol import known
    from orchestrator.errors import Unsupported, WrongUsage
    from orchestrator.scenario import changed
    from orchestrator.scenario.load import load

    if args.seeds is not None:
        changed.seeds_of(args.seeds)
    if args.engine is not None:
        known(args.engine)
    scenario = changed.with_engine(
        load(files.scenario(args.scenario), tree=args.contiki_ng),
        args.engine,
        args.cooja,
        args.heap,
        args.engine_image,
        args.plain,
    )
    scenario = changed.with_lab(scenario, args.inventory, args.layout)
    if args.plain and all(cell.engine != "embedded" for cell in scenario.cells):
        raise WrongUsage(PLAIN_ONLY)
    scenario = changed.with_rules(scenario, args.rules)
    scenario = changed.with_firmware(scenario, args.builder, args.image, args.contiki_ng, args.compile)
    scenario = changed.with_seeds(scenario, args.seeds)
    if args.sanitize and any(cell.engine != "embedded" for cell in scenario.cells):
        raise Unsupported(
            "--sanitize: what such firmware calls only the embedded engine has; leave out --engine and "
            "engine:"
        )
    return scenario


def exit_code(summary: Summary) -> int:
    """0 all runs ok, 1 only verdicts failed, 7 something else."""
    from orchestrator.errors import RunFailed
    from orchestrator.runs.model import Outcome

    worst = summary.worst()
    return 0 if worst is Outcome.OK else 1 if worst is Outcome.FAILED else RunFailed.exit_code


def described(result: Result, store: Path) -> dict:
    """Return the result as plain values."""
    summary = result.summary
    return {
        "experiment": result.experiment,
        "store": str(store),
        "runs": len(summary.run_ids),
        "made": summary.made,
        "simulated_min": round(summary.sim_us / 60e6, 3),
        "failures": [
            vars(failure) | {"outcome": failure.outcome.value, "evidence": list(failure.evidence)}
            for failure in summary.failures
        ],
        "damaged": list(result.damaged),
        "metric_faults": [vars(fault) for fault in result.metric_faults],
        "report": None if result.report is None else str(result.report),
        "seconds": result.seconds,
    }


def _time_of(scenario: Scenario) -> str:
    """Return the name of its runs' minutes: motes of a testbed aren't simulated."""
    on_motes = {cell.engine == "testbed" for cell in scenario.cells}
    return (
        "minutes of runs"
        if len(on_motes) == 2
        else "minutes on motes"
        if True in on_motes
        else "simulated minutes"
    )


def _text(result: Result, minutes: str) -> str:
    from orchestrator.console import duration

    summary = result.summary
    there = len(summary.run_ids) - summary.made
    lines = [
        f"{result.experiment}: {counted(len(summary.run_ids), 'run')}"
        + (f" ({there} already in the store)" if there else "")
        + f", {summary.sim_us / 60e6:,.1f} {minutes} in {duration(summary.seconds)}"
    ]
    lines += failures(summary)
    if len(summary.failures) > _SHOWN_FAILURES:
        lines.append(f"  and {len(summary.failures) - _SHOWN_FAILURES} more that did not end well")
    if result.report is not None:
        lines.append(f"report: {result.report}")
    return "\n".join(lines)


def failures(summary: Summary) -> Iterator[str]:
    """Yield lines about the first runs that did not end ok."""
    for failure in summary.failures[:_SHOWN_FAILURES]:
        yield f"  {failure.cell} seed {failure.seed}: {failure.outcome.value} (run {failure.run_id[:8]})"
        yield from (f"    {line}" for line in failure.evidence)
