# SPDX-License-Identifier: Apache-2.0
"""A model that surveys were made with is found again."""

from __future__ import annotations

import math
import random

import pytest

from orchestrator.features.testbed.survey.measure import Count, MeasuredLink
from orchestrator.features.testbed.survey.propagation import CAPTURE_DB, fit, predicted
from orchestrator.media.log_distance import LogDistance

PLACES = {number: (10.0 * ((number - 1) % 6), 10.0 * ((number - 1) // 6)) for number in range(1, 37)}
TRUE = LogDistance(-45.0, 3.2, 4.0, 1.5, -88.0, 1.2)


def links(model: LogDistance, places=PLACES, frames: int = 40) -> list[MeasuredLink]:
    """As a survey would measure them, drawn by one seed."""
    draw = random.Random(7)
    shared = {(a, b): draw.gauss(0, model.shadowing_db) for a in places for b in places if a < b}
    found = []
    for a in places:
        for b in places:
            if a == b:
                continue
            signal = model.reference_dbm - 10 * model.path_loss_exponent * math.log10(
                math.dist(places[a], places[b])
            )
            signal += shared[min(a, b), max(a, b)] + draw.gauss(0, model.asymmetry_db)
            chance = 1 / (1 + math.exp(-(signal - model.sensitivity_dbm) / model.width_db))
            heard = sum(draw.random() < chance for _ in range(frames))
            count = Count(frames, heard, heard * signal, heard * signal**2, heard * 100)
            found.append(MeasuredLink(a, b, 0, ((1, count),)))
    return found


@pytest.fixture(scope="module")
def fitted():
    found = fit(links(TRUE), PLACES)
    assert found is not None
    return found


def test_the_model_is_found_again(fitted):
    model = fitted.model
    assert model.reference_dbm == pytest.approx(TRUE.reference_dbm, abs=2)
    assert model.path_loss_exponent == pytest.approx(TRUE.path_loss_exponent, abs=0.2)
    assert model.shadowing_db == pytest.approx(TRUE.shadowing_db, rel=0.15)
    assert model.asymmetry_db == pytest.approx(TRUE.asymmetry_db, rel=0.15)
    assert model.sensitivity_dbm == pytest.approx(TRUE.sensitivity_dbm, abs=0.3)
    assert model.width_db == pytest.approx(TRUE.width_db, rel=0.2)
    assert model.capture_db == CAPTURE_DB


def test_what_was_not_heard_counts(fitted):
    """A line through the strengths that are known would be too flat: weak links are known only if they are
    stronger than most.
    """
    import numpy as np

    heard = [link for link in links(TRUE) if link.rssi is not None]
    lengths = [10 * math.log10(math.dist(PLACES[link.source], PLACES[link.destination])) for link in heard]
    line = -np.polyfit(lengths, [link.rssi for link in heard], 1)[0]
    assert line < TRUE.path_loss_exponent - 0.3 < fitted.model.path_loss_exponent


def test_a_lab_that_the_model_does_not_describe_is_told():
    """A unit disk's strength falls linearly, and nothing is heard beyond its range."""
    disk = []
    for link in links(TRUE):
        length = math.dist(PLACES[link.source], PLACES[link.destination])
        heard = 20 if length <= 25 else 0
        signal = -10 - 85 * length / 25
        count = Count(20, heard, heard * signal, heard * signal**2, heard * 100)
        disk.append(MeasuredLink(link.source, link.destination, 0, ((1, count),)))
    found = fit(disk, PLACES)
    assert found is not None and found.strained
    assert found.model.path_loss_exponent <= 8 and found.model.shadowing_db <= 16


def test_what_it_rests_on_is_told(fitted):
    assert not fitted.strained
    assert fitted.directions == 36 * 35 and 300 < fitted.heard < fitted.directions
    assert fitted.known_exponent and fitted.known_sensitivity
    assert 3 < fitted.unexplained_db < 5


def test_too_few_links_give_no_model():
    silent = [MeasuredLink(one.source, one.destination, 0, ((1, Count(9)),)) for one in links(TRUE)]
    assert fit(silent, PLACES) is None
    assert fit(links(TRUE)[:5], PLACES) is None


def test_links_of_one_length_tell_no_exponent():
    corners = {1: (0.0, 0.0), 2: (20.0, 0.0), 3: (10.0, 10 * math.sqrt(3))}
    found = fit(links(TRUE, corners), corners)
    assert found is not None and not found.known_exponent and found.model.path_loss_exponent == 3.0


def test_prediction_is_a_mean_over_the_shadows():
    sharp = LogDistance(-40.0, 2.0, 0.0, 0.0, -80.0, 0.0)
    assert predicted(sharp, 99) == pytest.approx(1) and predicted(sharp, 101) == pytest.approx(0)
    shadowed = LogDistance(-40.0, 2.0, 6.0, 0.0, -80.0, 1.0)
    assert predicted(shadowed, 100) == pytest.approx(0.5, abs=0.01)
    assert 0.5 < predicted(shadowed, 60) < predicted(shadowed, 30) < 1
