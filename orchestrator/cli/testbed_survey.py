# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed survey: a lab's links, as a medium for the simulator."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.testbed.survey import MeasuredLink

DESCRIPTION = """Measure which share of frames each mote hears of each other one, in both
directions and over time: every mote counts aloud, once in 8 s, in the
application hello-nullnet. Into the folder OUT go

  links.csv            a directed graph: radio: {medium: directed-graph, links: links.csv}
  links-over-time.csv  frames sent and heard in each quarter of the survey
  positions.csv        a topology: {shape: positions, file: positions.csv}
  simulate.yaml        the survey as a scenario, to be simulated on its own links

Signal strengths, noise and transmit powers are not measured: no firmware of
ours reports them. A lab with a dead mote has no survey; spares stand in."""
EVERYWHERE = (
    "{medium: udgm, range: 1 km, interference: 1 km}"  # of the .csc beside the log; real radios decide
)
MEASURED = "{medium: directed-graph, links: links.csv}"
_GOOD = 0.9


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed survey`."""
    parser.add_argument("out", type=Path, metavar="OUT", help="a folder for what is written")
    parser.add_argument("--layout", default="all", metavar="NAME", help="whose motes (default: all)")
    parser.add_argument(
        "--duration",
        type=_time,
        default="15 min",
        metavar="TIME",
        help="how long (default: 15 min, which is 112 frames of each mote)",
    )


def _time(text: str) -> str:
    """An argparse type: a time as a scenario writes it."""
    from orchestrator.cli.campaign import duration

    duration(text)
    return text


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed survey`; return 7 if a mote was dead."""
    from orchestrator.cli.run import with_lab
    from orchestrator.console import say, show, stages
    from orchestrator.errors import RunFailed, WrongUsage
    from orchestrator.execution import pipeline
    from orchestrator.execution.execute import Effort
    from orchestrator.execution.progress import Listener
    from orchestrator.runs.manifest import LOG_FILE
    from orchestrator.runs.store import Store
    from orchestrator.scenario.load import load as load_scenario
    from orchestrator.testbed import survey
    from orchestrator.testbed.inventory import load
    from orchestrator.words import counted, did_you_mean

    lab = load(args.lab)
    layouts = [layout.name for layout in lab.layouts]
    if args.layout not in layouts:
        raise WrongUsage(f"--layout: no layout {args.layout!r}; {did_you_mean(args.layout, layouts)}")
    layout = lab.layout(args.layout)
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "positions.csv").write_text(survey.positions_csv(layout))
    path = args.out / "survey.yaml"
    path.write_text(survey.scenario(lab, args.duration, "testbed", EVERYWHERE))
    scenario = with_lab(load_scenario(path), args.lab, args.layout)
    store = args.out / "store"
    with stages(scenario.experiment) as display:
        result = pipeline.run(
            scenario, store, Effort(1), report=False, told=Listener(display, display.runs, display.line, say)
        )
    if result.summary.failures:
        failed = result.summary.failures[0]
        raise RunFailed(
            f"the lab has no survey: {failed.outcome.value}\n"
            + "\n".join(f"    {line}" for line in failed.evidence)
        )
    (run_id,) = result.summary.run_ids
    names = {number: spot.mote for number, spot in enumerate(layout.spots, 1)}
    log = Store(store).folder(scenario.experiment, run_id) / LOG_FILE
    with log.open(encoding="utf-8", errors="replace") as lines:
        links = survey.measure(lines, names)
    (args.out / "links.csv").write_text(survey.links_csv(links, names))
    (args.out / "links-over-time.csv").write_text(survey.over_time_csv(links, names))
    (args.out / "simulate.yaml").write_text(survey.scenario(lab, args.duration, "embedded", MEASURED))
    show(_found(links))
    show(
        f"{counted(len(names), 'mote')}: {args.out / 'links.csv'} has their links. To simulate on them:\n"
        f"    orchestrate run {args.out / 'simulate.yaml'} --no-report"
    )
    return 0


def _found(links: list[MeasuredLink]) -> str:
    from orchestrator.words import counted

    ratios = {(link.source, link.destination): link.ratio for link in links}
    good = sum(ratio >= _GOOD for ratio in ratios.values())
    none = sum(ratio == 0 for ratio in ratios.values())
    apart = sum(abs(ratio - ratios[b, a]) > 0.2 for (a, b), ratio in ratios.items() if a < b)
    unsteady = sum(
        max(shares) - min(shares) > 0.2
        for link in links
        if (shares := [heard / sent for heard, sent in zip(link.heard, link.sent, strict=True) if sent])
    )
    return (
        f"Of {counted(len(ratios), 'direction')}, {good} carry 90 % or more of the frames, "
        f"{len(ratios) - good - none} fewer, and {none} none. {apart} pairs differ by more than 20 points "
        f"between their directions, {unsteady} directions between quarters of the survey."
    )
