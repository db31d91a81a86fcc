# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import pytest

from orchestrator.errors import NoSuchThing, StorageFailed
from orchestrator.features.testbed.survey import kept
from orchestrator.features.testbed.survey.measure import measure
from orchestrator.features.testbed.survey.propagation import Fit
from orchestrator.media.log_distance import LogDistance
from orchestrator.scenario.load import loads
from tests.features.testbed.survey.logs import NAMES, log
from tests.placed import simulation as simulation_of

MODEL = LogDistance(-45.5, 3.2, 4.0, 1.5, -88.0, 1.25, 4.0)
PLACES = {1: (0.0, 0.0), 2: (3.0, 4.0), 3: (5.0, 0.0)}


def survey(fit: Fit | None = None) -> kept.Kept:
    links = measure(log({1, 2, 3}, set()), NAMES).links
    places = {NAMES[number]: place for number, place in PLACES.items()}
    return kept.Kept("cellar", "seven", -7, 2.0, places, kept.named(links, NAMES), fit)


@pytest.mark.parametrize("fit", [None, Fit(MODEL, 12, 9, 3.5, True, False)])
def test_what_was_written_is_read(tmp_path, fit):
    (tmp_path / kept.FILE).write_text(kept.text(survey(fit)))
    found = kept.read(tmp_path)
    assert found == survey(fit)
    assert found.links["M1", "M2"].ratio == 3 / 8 and found.links["M1", "M2"].rssi == -72
    assert found.length(("M1", "M2")) == 5


def test_a_folder_without_a_survey_and_a_damaged_one_are_told(tmp_path):
    with pytest.raises(NoSuchThing, match="holds no survey\n.*`orchestrate testbed survey LAB"):
        kept.read(tmp_path)
    for content in ("{", "[]", json.dumps({"format": 2}), json.dumps({"format": 1, "lab": "x"})):
        (tmp_path / kept.FILE).write_text(content)
        with pytest.raises(StorageFailed, match="not a survey as it was written"):
            kept.read(tmp_path)


def test_the_model_as_a_scenario_writes_it_is_the_model():
    (cell,) = loads(
        "experiment: s\ntopology: {shape: chain, publishers: 1, spacing: 10 m}\n"
        f"radio: {kept.radio(MODEL)}\napplication: {{name: hello-nullnet}}\nduration: 1 min\nseeds: 1\n",
        "s.yaml",
    ).cells
    assert simulation_of(cell, 1).medium == MODEL
