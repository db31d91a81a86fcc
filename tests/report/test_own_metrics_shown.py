# SPDX-License-Identifier: Apache-2.0
"""How metrics of a user's own are shown: unit, meaning and kind come from what they say of themselves."""

from __future__ import annotations

import math

import pytest
from orchestrate_spark.metrics.model import Family

from orchestrator.report.metrics import shown


def own(histograms=(), **told):
    """As files of a user's own declare them in short."""
    return Family("mine", None, {name: (*words, "-") for name, words in told.items()}, histograms).declared


@pytest.mark.parametrize(
    ("unit", "keys", "histogram", "expected"),
    [
        ("share", ["total"], False, ("%", 100, "total", False)),
        ("V", ["P1", "P2", "total"], False, ("V", 1, "total", True)),
        ("V", ["P1", "P2"], False, ("V", 1, "node", False)),
        ("frames", ["1", "2"], True, ("frames", 1, "histogram", False)),
    ],
)
def test_the_keys_tell_the_kind(unit, keys, histogram, expected):
    how = shown(
        "my_metric", keys, own(my_metric=(unit, "what it is"), histograms=("my_metric",) if histogram else ())
    )
    assert (how.unit, how.scale, how.kind, how.by_node) == expected
    assert (how.title, how.meaning, how.declared.by) == ("My metric", "what it is", "key")


def test_one_that_says_nothing_still_appears_and_a_built_in_one_stays_as_it_is():
    assert shown("other", ["total"], {}).kind == "total"
    assert (
        shown("events_lost", ["total"], own(events_lost=("x", "y"), histograms=("events_lost",))).unit
        == "events"
    )


def test_only_a_share_of_ones_own_has_bounds():
    given = own(fairness=("share", ""), shift=("ms", ""), rise=("%", ""))
    assert shown("fairness", ["total"], given).bounds == (0.0, 1.0)
    assert (
        shown("shift", ["total"], given).bounds
        == shown("rise", ["total"], given).bounds
        == shown("unheard", [], given).bounds
        == (-math.inf, math.inf)
    )
    assert shown("event_loss_rate", ["total"], given).bounds == (0.0, 1.0) and shown(
        "reduction", ["total"], given
    ).bounds == (-math.inf, 1.0)
    assert shown("events_lost", ["total"], given).bounds == (0.0, math.inf)
