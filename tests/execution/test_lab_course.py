# SPDX-License-Identifier: Apache-2.0
"""How long the survey of a lab takes, what its motes are told, and which powers it tries next."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from orchestrate_testbed.model import Layout, Spot

from orchestrator.errors import RunFailed, WrongUsage
from orchestrator.execution.execute import Effort, Failure, Summary
from orchestrator.execution.progress import Listener
from orchestrator.features.testbed import lab_survey
from orchestrator.features.testbed.lab_survey import Course, Site, Surveyed, Sweep
from orchestrator.features.testbed.survey import mesh
from orchestrator.features.testbed.survey.mesh import Step, Wanted
from orchestrator.runs.model import OnTestbed, Outcome
from orchestrator.runs.store import Store
from tests.runs.conftest import make_result, make_spec, put
from tests.testbed.survey.logs import log


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0, "0 s"), (1.0, "1 s"), (0.0014, "1 ms"), (0.0016, "2 ms"), (90, "90 s"), (120, "2 min")],
)
def test_times_are_written_to_the_millisecond(seconds, written):
    assert lab_survey.time(seconds) == written


@pytest.mark.parametrize(("motes", "period_s"), [(1, 1.0), (8, 1.0), (9, 1.125), (40, 5.0)])
def test_motes_count_no_faster_than_eight_frames_a_second_together(motes, period_s):
    assert lab_survey.course(motes, 60.0) == Course(60.0, period_s)


def test_a_survey_has_time_for_a_round():
    course = Course(61.0, 2.0)
    assert [course.round_s(powers) for powers in (1, 3)] == [24.0, 56.0]
    assert course.check(3) is None  # exactly: 5 s to warm up, and the round
    words = (
        "a round with 4 transmit powers takes 77 s, but the survey only 61 s\n"
        "    give it more --duration, or fewer --powers"
    )
    with pytest.raises(WrongUsage, match=f"^{re.escape(words)}$"):
        course.check(4)


@pytest.mark.parametrize(
    ("sweep", "bounds"),
    [
        (Sweep(3), "3"),
        (Sweep(3, high=0), "3, power-high: 0"),
        (Sweep(3, low=-7), "3, power-low: -7"),
        (Sweep(2, 5, 0), "2, power-high: 5, power-low: 0"),
    ],
)
def test_the_application_of_a_scenario(sweep, bounds):
    told = lab_survey.application(sweep, 1.5)
    assert told == f"{{name: link-survey, period: 1500 ms, frames: 8, powers: {bounds}}}"


def step(power, short=None, long=None) -> Step:
    return Step(power, 10, 5, 3.0, 4.0, 1, short, long)


SITE = Site(Path("lab.yaml"), SimpleNamespace(), Layout("all", (Spot("M1", 0.0, 1.0), Spot("M2", 2.0, 3.0))))
WANTED = Wanted(1.0, 2.0)
WIDE = [step(20, 0, 5), step(-20, 5, 0)]
FITS = [step(3, 0, 0)]


@pytest.fixture
def sweeps(monkeypatch):
    """Answer what a survey found, and its sweeps, if the surveys joined give these steps."""

    def found(given, wanted):
        made = []

        def one(site, folder, number, sweep, course, told):
            assert (site, folder, told) == (SITE, Path("there"), print)
            made.append((number, sweep))
            return f"survey {number}", ("M9 for M1", f"M{number}")

        def steps(whole, places, asked):
            assert places == {1: (0.0, 1.0), 2: (2.0, 3.0)} and asked is wanted
            assert whole == [f"survey {number}" for number, _ in made]
            return given[len(made) - 1]

        monkeypatch.setattr(lab_survey, "_made", one)
        monkeypatch.setattr(lab_survey, "joined", list)
        monkeypatch.setattr(mesh, "steps", steps)
        return lab_survey.survey(SITE, Path("there"), Sweep(4), Course(900.0, 1.0), wanted, print), made

    return found


@pytest.mark.parametrize(
    ("given", "wanted", "tried"),
    [
        ([WIDE], None, []),
        ([FITS], WANTED, []),
        ([WIDE, FITS], WANTED, [Sweep(8, 19, -19)]),
        ([[step(4, 0, 5), step(0, 5, 0)], FITS], WANTED, [Sweep(3, 3, 1)]),
        ([WIDE, [step(9, 0, 3), step(0, 3, 0)], WIDE], WANTED, [Sweep(8, 19, -19), Sweep(8, 8, 1)]),
    ],
)
def test_sweeps_lie_between_powers_until_one_fits_or_three_were_made(sweeps, given, wanted, tried):
    surveyed, made = sweeps(given, wanted)
    assert made == list(enumerate([Sweep(4), *tried], 1))
    last = given[-1]
    assert surveyed == Surveyed(
        [f"survey {number}" for number, _ in made],
        tuple(last),
        mesh.best(last),
        ("M9 for M1", *(f"M{number}" for number, _ in made)),
    )


def test_a_sweep_without_time_for_a_round_is_not_made(monkeypatch):
    monkeypatch.setattr(lab_survey, "_made", None)
    with pytest.raises(WrongUsage):
        lab_survey.survey(SITE, Path("there"), Sweep(4), Course(44.9, 1.0), None, print)


TOLD = Listener()
THREE = Site(
    Path("/labs/mine.yaml"),
    SimpleNamespace(name="cellar"),
    Layout("seven", tuple(Spot(f"M{number}", 0.2 * number, 0.0) for number in (1, 2, 3))),
)


@pytest.fixture
def sweep(tmp_path, monkeypatch):
    """A function that makes the second sweep of a lab, whose run ends so; it gives what was found, and the
    scenario.
    """

    def made(*failures):
        ran = []

        def run(scenario, store, effort, *, report, told):
            assert (store, effort, report, told) == (tmp_path / "store", Effort(1), False, TOLD)
            ran.append(scenario)
            spec = replace(make_spec(), experiment=scenario.experiment)
            result = replace(make_result(), testbed=OnTestbed("cellar", "seven", replaced=("M9 for M1",)))
            said = "".join(log({1, 2}, {1, 2, 3})).encode() + b"\xff\n"
            put(Store(store), spec, result, said)
            return SimpleNamespace(summary=Summary([spec.run_id], 1, list(failures)))

        (tmp_path / "positions.csv").write_text(
            "name,role,x,y\nM1,subscriber,0.2,0\nM2,publisher,0.4,0\nM3,publisher,0.6,0\n"
        )
        monkeypatch.setattr(lab_survey.pipeline, "run", run)
        found = lab_survey._made(THREE, tmp_path, 2, Sweep(3, 5, 0), Course(100.0, 1.5), TOLD)
        return found, ran[0]

    return made


def test_a_sweep_is_a_run_on_the_lab_whose_log_is_measured(sweep, tmp_path):
    (survey, replaced), scenario = sweep()
    assert (survey.ids, replaced) == ((1, 2, 3), ("M9 for M1",))
    ratios = {(link.source, link.destination): link.ratio for link in survey.links}
    assert (ratios[1, 2], ratios[2, 1], ratios[1, 3]) == (0.25, 0.375, 0.0)
    assert (scenario.experiment, scenario.seeds) == ("survey-cellar-2", (1,))
    assert (scenario.engine.inventory, scenario.engine.layout) == ("/labs/mine.yaml", "seven")
    (cell,) = scenario.cells
    assert (cell.engine, cell.duration_us) == ("testbed", 100_000_000)
    asked = {"period": 1_500_000, "frames": 8, "powers": 3, "power-high": 5, "power-low": 0}
    assert cell.application.name == "link-survey" and asked.items() <= cell.application.parameters.items()
    assert (tmp_path / "survey-2.yaml").read_text() == scenario.source


def test_a_lab_whose_run_failed_has_no_survey(sweep):
    dead = Failure("base", 1, "ab", Outcome.TESTBED, ("M2 does not answer",))
    with pytest.raises(RunFailed, match=r"^the lab has no survey: testbed failed\n    M2 does not answer$"):
        sweep(dead)
