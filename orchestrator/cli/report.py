# SPDX-License-Identifier: Apache-2.0
"""orchestrate report: write the HTML report of an experiment that is in the store."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from orchestrator.cli.options import FIGURES, add_figures, add_store, quantity
from orchestrator.cli.spark_options import add_spark_options

DESCRIPTION = """Write the report of an experiment from the metrics in the store.

The report is one self-contained HTML file; its figures are also written as
separate files. All are in STORE/EXPERIMENT/report/. Nothing is simulated.
Metrics that do not belong to the present campaign's runs are computed again
first. For each cell with `trace: true`, the replay of the first seed is
written as well, as long as the size allowed for a page is not exceeded;
`orchestrate replay` makes the others.

  orchestrate report EXPERIMENT --figures svg,pdf,pgf,csv --figure-width 84mm
      figures for a publication

  orchestrate report EXPERIMENT --for paper
      figures (PDF, PGF, CSV), tables for booktabs and a paragraph on setup,
      seeds, intervals and versions, in STORE/EXPERIMENT/report/paper/

A LaTeX document that says \\usepackage{pgf} can \\input PGF files; writing them
needs no LaTeX."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate report`."""
    parser.add_argument(
        "experiment", metavar="EXPERIMENT|SCENARIO", help="an experiment's name, or its scenario file"
    )
    add_store(parser)
    add_out(parser)
    parser.add_argument(
        "--for",
        dest="audience",
        choices=("screen", "paper"),
        default="screen",
        help="for a paper: write LaTeX in place of the page (default: screen)",
    )
    parser.add_argument("--open", action="store_true", help="show the report in the web browser")
    add_figures(parser)
    parser.add_argument(
        "--figure-width",
        metavar="WIDTH",
        type=inches,
        help="width of the figures' files, such as 84mm for a journal's column (default: "
        "depends on the figure)",
    )
    parser.add_argument(
        "--no-replays",
        action="store_true",
        help="make no replays of traced cells; existing ones stay linked",
    )
    add_spark_options(parser)
    parser.add_argument("--json", action="store_true", help="print the paths as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate report`; return the exit code."""
    from orchestrator.cli.ingest import CHECKING, renewed
    from orchestrator.console import stages
    from orchestrator.errors import WrongUsage
    from orchestrator.report.page import write
    from orchestrator.runs.store import Store, default_store

    if args.audience == "paper" and (args.open or args.figures != FIGURES):
        raise WrongUsage(
            "--open and --figures are about the page; --for paper writes PDF, PGF and CSV\n    leave them out"
        )
    store, experiment = default_store(args.store), experiment_name(args.experiment)
    folder = Store(store).experiment(experiment)
    if not folder.is_dir():
        Store(store).known(experiment)  # says what there is
    with stages(experiment) as stage:
        stage(CHECKING)
        renewed(folder, stage, args.master)
        index = write(
            store,
            experiment,
            args.figures,
            args.figure_width,
            replays=not args.no_replays,
            stage=stage,
            out=where(folder, args.out),
            audience=args.audience,
        ).absolute()
    if args.json:
        figures = sorted(str(path) for path in (index.parent / "figures").iterdir())
        print(
            json.dumps(
                {"paper" if args.audience == "paper" else "report": str(index), "figures": figures}, indent=2
            )
        )
    else:
        print(index)
    if args.open:
        show(index)
    return 0


def add_out(parser: argparse.ArgumentParser) -> None:
    """Add --out, the folder of the pages about an experiment."""
    parser.add_argument(
        "--out",
        "-o",
        metavar="DIR",
        type=Path,
        help="write into this folder (default: the store's, or EXPERIMENT-report if the store is read-only)",
    )


def where(experiment: Path, out: Path | None) -> Path:
    """Return the folder of the pages about an experiment: `out`, else the store's, else one here."""
    folder = experiment / "report"
    if out is not None:
        return out
    writable = os.access(folder if folder.is_dir() else experiment, os.W_OK)
    return folder if writable else Path(f"{experiment.name}-report")


def inches(given: str) -> float:
    """Return an argparse type: a length with its unit, 30 mm to 500 mm, in inches."""
    metres = quantity(given, "length", "write millimetres, such as 84mm")
    if not 0.03 <= metres <= 0.5:
        raise argparse.ArgumentTypeError(f"{given} is not between 30mm and 500mm")
    return metres / 0.0254


def experiment_name(given: str) -> str:
    """Return an experiment's name as it is, or the one in a scenario file."""
    path = Path(given)
    if path.suffix in (".yaml", ".yml") or path.is_file():
        from orchestrator.cli import files
        from orchestrator.scenario.load import load

        return load(files.scenario(path)).experiment
    return given


def show(index: Path) -> None:
    """In the user's browser; without one, a line says so."""
    import webbrowser

    if not webbrowser.open(index.as_uri()):
        print("orchestrate: there is no web browser to open it", file=sys.stderr)
