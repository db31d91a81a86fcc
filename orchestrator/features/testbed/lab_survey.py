# SPDX-License-Identifier: Apache-2.0
"""Surveys a lab: the application link-survey runs on its motes, and its log becomes links."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from orchestrate_testbed.model import Lab, LabLayout

from orchestrator.errors import WrongUsage
from orchestrator.execution import pipeline
from orchestrator.execution.execute import Effort
from orchestrator.execution.progress import Listener
from orchestrator.features.testbed.survey import mesh, written
from orchestrator.features.testbed.survey.measure import Survey, joined, measure
from orchestrator.features.testbed.survey.mesh import Step, Wanted
from orchestrator.runs.manifest import FILE, LOG_FILE
from orchestrator.runs.manifest import read as read_manifest
from orchestrator.runs.store import Store
from orchestrator.scenario.changed import on_lab
from orchestrator.scenario.load import load as load_scenario
from orchestrator.vocabulary.units import TIME, show

EVERYWHERE = (
    "{medium: udgm, range: 1 km, interference: 1 km}"  # of the .csc beside the log; real radios decide
)
WARM_UP_S, NOISE_S = 5, 8  # link-survey.c: before the first round, and at the begin of each
FRAMES = 8  # at each power in a round
RATE = 8.0  # frames/s of all motes: 1.1 ms of air each, so that under 2 % meet another one
LEAST_PERIOD_S = 1.0
SWEEPS = 3  # of powers, each between two of the one before
AUTOMATIC = 8  # powers in a sweep if a mesh is wanted


@dataclass(frozen=True)
class Sweep:
    """So many powers, evenly from the highest to the lowest; None: as far as the radio goes."""

    powers: int
    high: int | None = None
    low: int | None = None


@dataclass(frozen=True)
class Site:
    """The motes that are surveyed: a layout of a lab, which an inventory describes."""

    inventory: Path
    lab: Lab
    layout: LabLayout


@dataclass(frozen=True)
class Course:
    """The timing of a survey. `duration_s`: of one sweep."""

    duration_s: float
    period_s: float

    def round_s(self, powers: int) -> float:
        """How long a round with so many powers takes."""
        return NOISE_S + powers * FRAMES * self.period_s

    def check(self, powers: int) -> None:
        """Check that there is time for one round. Raises WrongUsage."""
        needed = WARM_UP_S + self.round_s(powers)
        if self.duration_s < needed:
            raise WrongUsage(
                f"a round with {powers} transmit powers takes {needed:.0f} s, but the survey only "
                f"{self.duration_s:.0f} s\n    give it more --duration, or fewer --powers"
            )


@dataclass(frozen=True)
class Surveyed:
    """The result of a survey of a lab.

    `steps`: what each power gives; `chosen`: the one that makes the wanted mesh, or comes nearest to it.
    `replaced`: which mote stood in for which, as sentences.
    """

    survey: Survey
    steps: tuple[Step, ...]
    chosen: Step
    replaced: tuple[str, ...]


def time(seconds: float) -> str:
    """Return a time as a scenario writes it."""
    return show(round(seconds * 1e3) * 1000, TIME)


def course(motes: int, duration_s: float) -> Course:
    """How fast motes count, so that few of their frames meet."""
    return Course(duration_s, max(LEAST_PERIOD_S, motes / RATE))


def application(sweep: Sweep, period_s: float) -> str:
    """Return the scenario's application."""
    bounds = "".join(
        f", power-{name}: {value}"
        for name, value in (("high", sweep.high), ("low", sweep.low))
        if value is not None
    )
    period = time(period_s)
    return f"{{name: link-survey, period: {period}, frames: {FRAMES}, powers: {sweep.powers}{bounds}}}"


def survey(
    site: Site,
    folder: Path,
    first: Sweep,
    course: Course,
    wanted: Wanted | None,
    listener: Listener,
) -> Surveyed:
    """Run sweeps until a power fits, or none is left between two; the runs are kept in the folder's store.

    Raises RunFailed if a run didn't end well: a lab with a dead mote has no survey.
    """
    places = {number: (spot.x, spot.y) for number, spot in enumerate(site.layout.spots, 1)}
    surveys: list[Survey] = []
    replaced: dict[str, None] = {}
    sweep = first
    while True:
        course.check(sweep.powers)
        sweep_survey, stood_in = _made(site, folder, len(surveys) + 1, sweep, course, listener)
        surveys.append(sweep_survey)
        replaced |= dict.fromkeys(stood_in)
        whole = joined(surveys)
        steps = mesh.steps(whole, places, wanted)
        between = mesh.between(steps) if wanted is not None else None
        if between is None or len(surveys) == SWEEPS:
            return Surveyed(whole, tuple(steps), mesh.best(steps), tuple(replaced))
        high, low = between
        sweep = Sweep(min(AUTOMATIC, high - low + 1), high, low)


def _made(
    site: Site, folder: Path, number: int, sweep: Sweep, course: Course, listener: Listener
) -> tuple[Survey, tuple[str, ...]]:
    """One run on the lab, measured; and who stood in for whom."""
    path = folder / f"survey-{number}.yaml"
    path.write_text(
        written.scenario(
            site.lab,
            str(number),
            "testbed",
            EVERYWHERE,
            application(sweep, course.period_s),
            time(course.duration_s),
        )
    )
    scenario = load_scenario(path)
    scenario = on_lab(scenario, site.inventory, site.layout.name)
    store = folder / "store"
    result = pipeline.run(scenario, store, Effort(1), report=False, told=listener)
    if result.summary.failures:
        raise result.summary.failures[0].error("the lab has no survey")
    (run_id,) = result.summary.run_ids
    run = Store(store).folder(scenario.experiment, run_id)
    ids = range(1, len(site.layout.spots) + 1)
    with (run / LOG_FILE).open(encoding="utf-8", errors="replace") as lines:
        return measure(lines, ids), read_manifest(run / FILE, "survey again").testbed.replaced
