# SPDX-License-Identifier: Apache-2.0
"""What `orchestrate testbed survey` and `predict` take, refuse and say."""

from __future__ import annotations

import argparse
from types import SimpleNamespace

import pytest

from orchestrator.cli import app
from orchestrator.csc.model import LogDistance
from orchestrator.errors import NoSuchThing, WrongUsage
from orchestrator.execution import fresh
from orchestrator.features.testbed import lab_survey, prediction
from orchestrator.features.testbed.commands import testbed_survey
from orchestrator.features.testbed.lab_survey import Surveyed, Sweep
from orchestrator.features.testbed.survey import kept
from orchestrator.features.testbed.survey.measure import Count, MeasuredLink, Survey
from orchestrator.features.testbed.survey.mesh import Step, Wanted
from orchestrator.features.testbed.survey.propagation import Fit

MODEL = LogDistance(-45.5, 3.2, 4.0, 1.5, -88.0, 1.25, 3.0)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("8in..10in", 0.2032, 0.254), ("20cm..25cm", 0.2, 0.25), ("0.2 m..0.2 m", 0.2, 0.2)],
)
def test_lengths_of_a_mesh(text, low, high):
    wanted = testbed_survey._mesh(text)
    assert (wanted.low, wanted.high) == pytest.approx((low, high))


@pytest.mark.parametrize("text", ["8in", "10in..8in", "0cm..5cm", "8..10", "xin..10in", "5 s..6 s"])
def test_what_is_no_mesh_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError):
        testbed_survey._mesh(text)


def test_a_survey_that_is_too_short_for_a_round_is_refused():
    course = lab_survey.course(96, 60)
    assert course.period_s == 12 and lab_survey.course(4, 60).period_s == 1
    assert course.round_s(1) == 8 + 8 * 12
    with pytest.raises(
        WrongUsage, match="a round with 8 transmit powers takes 781 s, but the survey only 60 s"
    ):
        course.check(8)
    lab_survey.course(96, 781).check(8)


def test_the_application_gets_the_powers():
    assert lab_survey.application(Sweep(8), 2.0) == ("{name: link-survey, period: 2 s, frames: 8, powers: 8}")
    assert lab_survey.application(Sweep(3, 49, 11), 1.5).endswith("powers: 3, power-high: 49, power-low: 11}")


def surveyed(links: list[MeasuredLink], *steps: Step, **more) -> Surveyed:
    survey = Survey((1, 2), {}, tuple(links), (), **more)
    return Surveyed(
        survey, steps or (Step(0, 1, 1, 1.0, 1.0, 1),), steps[0] if steps else Step(0, 1, 1, 1, 1, 1), ()
    )


def both(ratio_there: int, ratio_back: int, power: int | None = -7) -> list[MeasuredLink]:
    def one(heard: int) -> tuple[tuple[int, Count], ...]:
        first, second = min(heard, 10), max(heard - 10, 0)
        return (1, Count(10, first, first * -70, 0, first * 100)), (
            2,
            Count(10, second, second * -70, 0, second * 100),
        )

    return [MeasuredLink(1, 2, power, one(ratio_there)), MeasuredLink(2, 1, power, one(ratio_back))]


def test_the_summary_counts_directions():
    said = testbed_survey._found(both(20, 10))
    assert said.startswith(
        "Of 2 directions at power -7, each measured with 20 frames, 1 carry 90 % or more of the frames, "
        "1 fewer, "
        "and 0 none. 1 pairs differ by more than 20 points"
    )
    assert "1 directions between rounds" in said


def test_doubts_are_only_those_that_the_counts_show():
    quiet = testbed_survey._doubts(surveyed(both(20, 20)), {1: "M1", 2: "M2"})
    assert quiet == [
        "Every frame came with the link quality 100: this radio doesn't measure it.",
        "The radio's driver tells no signal strength between frames, so there is no noise floor.",
    ]
    loud = testbed_survey._doubts(surveyed(both(20, 20, None), strangers=3, reboots=(2,)), {1: "M1", 2: "M2"})
    assert loud[2:] == [
        "The radio's driver has no transmit powers, so there is no sweep.",
        "3 frames came from motes that aren't of this survey.",
        "Rebooted during the survey: M2.",
    ]


def test_the_verdict_on_a_mesh():
    wanted = Wanted(0.2, 0.25)
    fits = surveyed([], Step(30, 120, 21, 0.27, 0.2286, 1, 0, 0))
    assert testbed_survey._verdict(fits, wanted) == "Power 30 makes a mesh with links of 20.0 cm to 25.0 cm."
    not_yet = surveyed([], Step(31, 120, 40, 0.4, 0.33, 2, 1, 19))
    assert (
        "Power 31 comes nearest: 1 of 120 pairs lack a link, 19 have one that is too long, "
        "and the network has 2 parts." in (testbed_survey._verdict(not_yet, wanted))
    )


def test_the_fitted_model_is_told_with_its_doubts():
    sure = testbed_survey._fitted(Fit(MODEL, 42, 40, 2.25, True, True))
    assert "Fitted to 40 of 42 directions (no medium of Cooja's" in sure and "exponent: 3.2" in sure
    assert sure.endswith("capture is a data sheet's, not measured.")
    unsure = testbed_survey._fitted(Fit(MODEL, 6, 6, 2.2, False, False))
    assert "the exponent is assumed" in unsure and "only bounded" in unsure
    assert testbed_survey._fitted(Fit(MODEL, 42, 40, 2.25, True, True, True)).startswith(sure)
    assert "doesn't describe this lab" in testbed_survey._fitted(Fit(MODEL, 42, 40, 2.25, True, True, True))
    assert testbed_survey._fitted(None).startswith("No propagation model is fitted: fewer than 6")


def test_predict_wants_a_survey_of_this_lab(tmp_path, capsys):
    lab = tmp_path / "mine.yaml"
    assert app.main(["testbed", "init", str(lab), "--boards", "1"]) == 0
    assert app.main(["testbed", "predict", str(lab), str(tmp_path), "x.yaml"]) == 9
    assert "holds no survey" in capsys.readouterr().err


def test_predict_computes_the_metrics_of_measured_runs_first(tmp_path, monkeypatch, capsys):
    lab, scenario = tmp_path / "mine.yaml", tmp_path / "x.yaml"
    assert app.main(["testbed", "init", str(lab), "--boards", "1"]) == 0
    assert app.main(["init", str(scenario)]) == 0
    done = []

    def predict(*_):
        done.append("predicted")
        raise NoSuchThing("enough")

    monkeypatch.setattr(kept, "read", lambda _: SimpleNamespace(lab="mine"))
    monkeypatch.setattr(prediction, "predict", predict)
    monkeypatch.setattr(fresh, "renew", lambda experiment, *_, **__: done.append(experiment))
    words = ["testbed", "predict", str(lab), str(tmp_path), str(scenario), "--store", str(tmp_path / "store")]
    assert app.main(words) == 9
    (tmp_path / "store" / "x" / "runs").mkdir(parents=True)
    assert app.main(words) == 9
    assert done == ["predicted", tmp_path / "store" / "x", "predicted"]
    assert "enough" in capsys.readouterr().err
