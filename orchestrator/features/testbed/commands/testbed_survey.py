# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed survey: a lab's links, as media for the simulator."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.options import duration, length
from orchestrator.features.testbed.commands.testbed import layout

if TYPE_CHECKING:
    from orchestrator.cli.tables import Table
    from orchestrator.features.testbed.lab_survey import Course, Site, Surveyed
    from orchestrator.features.testbed.survey.measure import MeasuredLink
    from orchestrator.features.testbed.survey.mesh import Wanted
    from orchestrator.features.testbed.survey.propagation import Fit

DESCRIPTION = """Measure which share of frames each mote hears of each other one, how strong, in
both directions and over time, and the noise on every channel: all motes run the
application link-survey. Into the folder OUT go

  links.csv            a directed graph: radio: {medium: directed-graph, links: links.csv}
  links-measured.csv   every direction at every transmit power
  links-over-time.csv  the same for each round
  noise.csv            what each mote hears on each channel while nobody sends
  powers.csv           what each transmit power gives
  survey.json          all of it at the chosen power, with the fitted propagation model
  positions.csv        a topology: {shape: positions, file: positions.csv}
  simulate.yaml        the survey as a scenario, to be simulated on its own links

--powers sweeps the radio's transmit powers. --mesh 8in..10in finds the one that
makes a mesh whose links have this length: pairs of motes that stand so far from
each other are linked, those farther apart not. links.csv is of that power,
otherwise of the highest.

A lab with a dead mote has no survey; spares stand in."""
MEASURED = "{medium: directed-graph, links: links.csv}"
_GOOD = 0.9
_INCH = 0.0254  # m
_MOST_POWERS = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed survey`."""
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder for the survey's files")
    parser.add_argument("--layout", default="all", metavar="NAME", help="whose motes (default: all)")
    parser.add_argument(
        "--duration", type=duration, default=900.0, metavar="TIME", help="of one sweep (default: 15 min)"
    )
    parser.add_argument(
        "--powers",
        type=_powers,
        metavar="N",
        help="how many transmit powers, evenly over what the radio has (default: only the highest; with "
        "--mesh 8)",
    )
    parser.add_argument(
        "--mesh", type=_mesh, metavar="LOW..HIGH", help="find the power for links of this length: 20cm..25cm"
    )


def _powers(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _MOST_POWERS):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {_MOST_POWERS}")
    return int(text)


def _mesh(text: str) -> Wanted:
    from orchestrator.features.testbed.survey.mesh import Wanted

    low, dots, high = text.partition("..")
    if not dots:
        raise argparse.ArgumentTypeError(f"{text!r} is not a range of lengths: write one as 20cm..25cm")
    wanted = Wanted(_length(low), _length(high))
    if not 0 < wanted.low <= wanted.high:
        raise argparse.ArgumentTypeError(
            f"{text!r}: the first length is to be above 0 and not the larger one"
        )
    return wanted


def _length(text: str) -> float:
    """Return a length in m; inches are taken, too, as the thesis has them."""
    number = text.strip().removesuffix("in").strip()
    if number == text.strip():
        return length(text)
    try:
        return float(number) * _INCH
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a length; write one as 8in or 20cm") from None


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed survey`; return the exit code."""
    from orchestrator.cli import files
    from orchestrator.console import say, show, stages
    from orchestrator.errors import WrongUsage
    from orchestrator.execution.progress import Listener
    from orchestrator.features.testbed import lab_survey
    from orchestrator.features.testbed.inventory import load
    from orchestrator.features.testbed.lab_survey import AUTOMATIC, Site, Sweep
    from orchestrator.features.testbed.survey import propagation, written
    from orchestrator.words import counted

    lab = load(args.lab)
    site = Site(args.lab, lab, layout(lab, args.layout))
    spots = site.layout.spots
    course = lab_survey.course(len(spots), args.duration)
    sweep = Sweep(args.powers or (AUTOMATIC if args.mesh else 1))
    course.check(sweep.powers)
    places = {number: (spot.x, spot.y) for number, spot in enumerate(spots, 1)}
    if args.mesh and not args.mesh.possible(places):
        raise WrongUsage(f"--mesh: no two motes of the layout {args.layout} are that far apart")
    out = args.out
    out.mkdir(parents=True, exist_ok=True)
    files.write(out / written.POSITIONS, written.positions_csv(site.layout).encode())
    with stages(f"survey of {lab.name}") as display:
        listener = Listener(display, display.runs, display.line, say)
        surveyed = lab_survey.survey(site, out, sweep, course, args.mesh, listener)
    names = {number: spot.mote for number, spot in enumerate(spots, 1)}
    chosen = surveyed.survey.at(surveyed.chosen.power)
    model = propagation.fit(chosen, places)
    for name, text in _texts(surveyed, site, course, model).items():
        files.write(out / name, text.encode())
    show(
        *([_steps(surveyed)] if len(surveyed.steps) > 1 or args.mesh else []),
        _links_in_words(chosen),
        *_doubts(surveyed, names),
        *written.differing(surveyed.survey, lab, names),
        *surveyed.replaced,
        *([_verdict(surveyed, args.mesh)] if args.mesh else []),
        _fitted(model),
        f"{counted(len(names), 'mote')}: {out / written.LINKS} has their links. To simulate on them:\n"
        f"    orchestrate run {out / 'simulate.yaml'} --no-report",
    )
    return 0


def _texts(surveyed: Surveyed, site: Site, course: Course, model: Fit | None) -> dict[str, str]:
    """Return the text of each file of a survey, but for that of the positions."""
    from orchestrator.features.testbed import lab_survey
    from orchestrator.features.testbed.survey import kept, written

    spots, power = site.layout.spots, surveyed.chosen.power
    names = {number: spot.mote for number, spot in enumerate(spots, 1)}
    places = {number: (spot.x, spot.y) for number, spot in enumerate(spots, 1)}
    chosen = surveyed.survey.at(power)
    of_motes = {spot.mote: (spot.x, spot.y) for spot in spots}
    links = kept.named(chosen, names)
    whole = kept.Kept(site.lab.name, site.layout.name, power, course.period_s, of_motes, links, model)
    application = lab_survey.application(lab_survey.Sweep(1), course.period_s)
    times = lab_survey.time(course.duration_s)
    return {
        written.LINKS: written.links_csv(chosen, names),
        written.EVERYTHING: written.measured_csv(surveyed.survey.links, names, places),
        written.OVER_TIME: written.over_time_csv(surveyed.survey.links, names),
        written.NOISE: written.noise_csv(surveyed.survey.noise, names),
        written.POWERS: written.powers_csv(surveyed.steps),
        kept.FILE: kept.text(whole),
        "simulate.yaml": written.scenario(site.lab, "simulated", "embedded", MEASURED, application, times),
    }


def _steps(surveyed: Surveyed) -> Table:
    from orchestrator.cli.tables import Table, numbers

    rows = [
        (
            "default" if step.power is None else str(step.power),
            f"{step.linked} of {step.pairs}",
            "all" if step.reach == float("inf") else _centimetres(step.reach),
            _centimetres(step.longest) if step.linked else None,
            str(step.parts),
            None if step.too_short is None else str(step.too_short),
            None if step.too_long is None else str(step.too_long),
        )
        for step in surveyed.steps
    ]
    return Table(
        "Transmit powers",
        numbers("power", "linked pairs", "reach", "longest", "parts", "lacking", "too long"),
        rows,
        "linked: 50 % of the frames in both directions; reach: the length that best separates linked pairs "
        "from the others; parts: of the network; lacking, too long: pairs against the wanted mesh",
    )


def _centimetres(length: float) -> str:
    return f"{100 * length:.1f} cm"


def _verdict(surveyed: Surveyed, wanted: Wanted) -> str:
    step = surveyed.chosen
    length = f"{_centimetres(wanted.low)} to {_centimetres(wanted.high)}"
    if step.fits:
        return f"Power {step.power} makes a mesh with links of {length}."
    return (
        f"No power that was tried makes a mesh with links of {length}. Power {step.power} comes nearest: "
        f"{step.too_short} of {step.pairs} pairs lack a link, {step.too_long} have one that is too long, and "
        f"the network has {step.parts} {'part' if step.parts == 1 else 'parts'}."
    )


def _links_in_words(links: list[MeasuredLink]) -> str:
    from orchestrator.words import counted

    ratios = {(link.source, link.destination): link.ratio for link in links}
    good = sum(ratio >= _GOOD for ratio in ratios.values())
    none = sum(ratio == 0 for ratio in ratios.values())
    apart = sum(abs(ratio - ratios[b, a]) > 0.2 for (a, b), ratio in ratios.items() if a < b)
    unsteady = sum(link.swing > 0.2 for link in links)
    power = links[0].power if links else None
    at = "" if power is None else f" at power {power}"
    frames = sorted({link.sent for link in links})
    many = str(frames[0]) if frames[:1] == frames[-1:] else f"{frames[0]} to {frames[-1]}"
    return (
        f"Of {counted(len(ratios), 'direction')}{at}, each measured with {many} frames, {good} carry 90 % or "
        f"more of the frames, {len(ratios) - good - none} fewer, and {none} none. {apart} pairs differ by "
        f"more than 20 points between their directions, {unsteady} directions between rounds of the survey."
    )


def _fitted(fit: Fit | None) -> str:
    from orchestrator.features.testbed.survey import kept
    from orchestrator.features.testbed.survey.propagation import LEAST_LINKS, STRAINED

    if fit is None:
        return f"No propagation model is fitted: fewer than {LEAST_LINKS} directions have a known strength."
    doubts = [] if fit.known_exponent else ["all links have one length, so that the exponent is assumed"]
    if not fit.known_sensitivity:
        doubts.append("no link carried only a part of the frames, so that the sensitivity is only bounded")
    text = (
        f"Fitted to {fit.heard} of {fit.directions} directions (no medium of Cooja's; the embedded engine "
        f"alone has it):\n    radio: {kept.radio(fit.model)}\n"
        f"The path loss leaves {fit.unexplained_db:.1f} dB of the strengths unexplained; capture is a data "
        "sheet's, not measured" + "".join(f"; {doubt}" for doubt in doubts) + "."
    )
    return f"{text} {STRAINED}" if fit.strained else text


def _doubts(surveyed: Surveyed, names: dict[int, str]) -> list[str]:
    """Sentences about what the radios didn't tell, and what disturbed the survey."""
    survey, doubts = surveyed.survey, []
    heard = [link for link in survey.links if link.heard]
    if len({link.lqi for link in heard}) == 1 and len(heard) > 1:
        doubts.append(
            f"Every frame came with the link quality {heard[0].lqi:g}: this radio doesn't measure it."
        )
    if not survey.noise:
        doubts.append(
            "The radio's driver tells no signal strength between frames, so there is no noise floor."
        )
    if survey.powers == (None,):
        doubts.append("The radio's driver has no transmit powers, so there is no sweep.")
    if survey.strangers:
        doubts.append(f"{survey.strangers} frames came from motes that aren't of this survey.")
    if survey.reboots:
        rebooted = ", ".join(names[number] for number in survey.reboots)
        doubts.append(f"Rebooted during the survey: {rebooted}.")
    return doubts
