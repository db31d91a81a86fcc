# SPDX-License-Identifier: Apache-2.0
"""What `orchestrate testbed survey` and `predict` take, refuse and say."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from orchestrator.cli import app
from orchestrator.errors import NoSuchThing, WrongUsage
from orchestrator.execution import fresh
from orchestrator.features.testbed import lab_survey, prediction
from orchestrator.features.testbed.lab_survey import Sweep
from orchestrator.features.testbed.survey import kept


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
