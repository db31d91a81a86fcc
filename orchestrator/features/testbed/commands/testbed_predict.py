# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed predict: how far simulation can be trusted for a lab."""

from __future__ import annotations

import argparse
from pathlib import Path

from orchestrator.cli.options import add_store, share

DESCRIPTION = """Simulate a scenario that was measured on a lab, on media made of a survey of that
lab, and write one page: measured beside predicted, link by link and metric by
metric, and how far the simulation can be trusted.

  orchestrate run scenario.yaml --engine testbed --inventory LAB --layout mesh
  orchestrate testbed survey LAB surveyed --layout mesh
  orchestrate testbed predict LAB surveyed scenario.yaml --open

The same application runs with the same roles and routes, the motes stand where
the lab's stand. The media are the survey's directed graph, and the propagation
model that is fitted to it (no medium of Cooja's)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed predict`."""
    parser.add_argument("survey", type=Path, metavar="SURVEY", help="the folder of a survey of this lab")
    parser.add_argument(
        "scenario", type=Path, metavar="SCENARIO", help="the scenario that was measured (YAML)"
    )
    add_store(parser, "where its runs on the testbed are (default: as for `orchestrate run`)")
    parser.add_argument(
        "--seeds", default="1..10", metavar="LIST", help="of the simulations (default: 1..10)"
    )
    parser.add_argument(
        "--margin",
        type=share,
        default=0.05,
        metavar="SHARE",
        help="two means so near to each other count as equal (default: 5%%)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="a folder for page and runs (default: SURVEY/predicted)"
    )
    parser.add_argument("--open", action="store_true", help="open the page in a browser")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed predict`; return the exit code."""
    from orchestrator.cli import files
    from orchestrator.cli.ingest import renewed
    from orchestrator.console import say, show, stages
    from orchestrator.durable import rewrite
    from orchestrator.errors import WrongUsage
    from orchestrator.execution.progress import Listener
    from orchestrator.features.testbed import predicted_page as predicted
    from orchestrator.features.testbed import prediction
    from orchestrator.features.testbed.inventory import load
    from orchestrator.features.testbed.survey import kept
    from orchestrator.runs.store import Store, default_store
    from orchestrator.scenario.changed import seeds_of
    from orchestrator.scenario.load import load as load_scenario

    seeds = seeds_of(args.seeds)
    lab = load(args.lab)
    survey = kept.read(args.survey)
    if survey.lab != lab.name:
        raise WrongUsage(f"{args.survey} is a survey of the lab {survey.lab}, not of {lab.name}")
    scenario = load_scenario(files.scenario(args.scenario))
    out = args.out or args.survey / "predicted"
    out.mkdir(parents=True, exist_ok=True)
    measured = default_store(args.store)
    with stages(f"{scenario.experiment} on {lab.name}") as display:
        if scenario.experiment in Store(measured).experiments():
            renewed(Store(measured).experiment(scenario.experiment), display, None)
        listener = Listener(display, display.runs, display.line, say)
        outcome = prediction.predict(scenario, measured, survey, out / "store", seeds, args.margin, listener)
        page = prediction.page(outcome)
    index = (out / "index.html").absolute()
    rewrite(index, predicted.build(page).html.encode())
    for sentence in predicted.sentences(page):
        show(sentence)
    show(f"page: {index}")
    if args.open:
        from orchestrator.cli.report import show as open_page

        open_page(index)
    return 0
