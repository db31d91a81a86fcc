# SPDX-License-Identifier: Apache-2.0
"""orchestrate replay: a traced run as a page to watch."""

from __future__ import annotations

import json
from pathlib import Path

DESCRIPTION = """Write the replay of a traced run, STORE/EXPERIMENT/report/replay-RUN.html: one self-contained page with
the motes at their positions, the frames between them, and a timeline of every mote. The experiment's report links it.

A run has a trace if its scenario says `trace: true`; `orchestrate runs list EXPERIMENT` shows the runs.
exit code: 0 done, 9 no such run, or one without a trace."""


def add_arguments(parser) -> None:
    parser.add_argument("experiment", metavar="EXPERIMENT|SCENARIO", help="an experiment's name, or its scenario file")
    parser.add_argument("run", metavar="RUN", help="a run's id, or the start of it")
    parser.add_argument("--store", type=Path, help="the store's folder (default: $ORCHESTRATE_STORE or ./orchestrate-store)")
    parser.add_argument("--open", action="store_true", help="show the replay in the web browser")
    parser.add_argument("--json", action="store_true", help="print the path as JSON")


def run(args) -> int:
    from orchestrator.cli.report import experiment_name, show
    from orchestrator.report.replay import write
    from orchestrator.runs.store import default_store

    page = write(default_store(args.store), experiment_name(args.experiment), args.run).absolute()
    print(json.dumps({"replay": str(page)}, indent=2) if args.json else page)
    if args.open:
        show(page)
    return 0
