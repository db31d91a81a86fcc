# SPDX-License-Identifier: Apache-2.0
"""How metrics of a user's own are shown: unit, meaning and kind come from what they say of themselves."""

from __future__ import annotations

import math

import pytest

from orchestrator.report.metrics import Own, shown


@pytest.mark.parametrize(("unit", "keys", "histogram", "expected"), [
    ("share", ["total"], False, ("%", 100, "total", False)),
    ("V", ["P1", "P2", "total"], False, ("V", 1, "total", True)),
    ("V", ["P1", "P2"], False, ("V", 1, "node", False)),
    ("frames", ["1", "2"], True, ("frames", 1, "histogram", False)),
])
def test_the_keys_tell_the_kind(unit, keys, histogram, expected):
    how = shown("my_metric", keys, {"my_metric": Own(unit, "what it is", histogram)})
    assert (how.unit, how.scale, how.kind, how.by_node) == expected
    assert (how.title, how.meaning, how.by) == ("My metric", "what it is", "key")


def test_one_that_says_nothing_still_appears_and_a_built_in_one_stays_as_it_is():
    assert shown("other", ["total"], {}).kind == "total"
    assert shown("events_lost", ["total"], {"events_lost": Own("x", "y", True)}).unit == "events"


def test_only_a_share_of_ones_own_has_bounds():
    own = {"fairness": Own("share", "", False), "shift": Own("ms", "", False), "rise": Own("%", "", False)}
    assert shown("fairness", ["total"], own).bounds == (0.0, 1.0)
    assert shown("shift", ["total"], own).bounds == shown("rise", ["total"], own).bounds == shown("unheard", [], own).bounds == (-math.inf, math.inf)
    assert shown("event_loss_rate", ["total"], own).bounds == (0.0, 1.0) and shown("reduction", ["total"], own).bounds == (-math.inf, 1.0)
    assert shown("events_lost", ["total"], own).bounds == (0.0, math.inf)
