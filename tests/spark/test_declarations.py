# SPDX-License-Identifier: Apache-2.0
"""What tables, pages and comparisons know of every metric: its declaration, as somebody last looked at it.

A metric of a user's own takes its ranks among these.
"""

from __future__ import annotations

import pytest
from orchestrate_spark.metrics import built_in, families
from orchestrate_spark.metrics.model import Family, Metric


def test_the_built_in_metrics_are_those_of_the_families():
    assert built_in() == {name: one for family in families() for name, one in family.declared.items()}


KINDS = "total, node, histogram, quantiles, cumulative, table, hidden"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kind": "bar"}, f"kind is 'bar'; there are: {KINDS}"),
        ({"better": "more"}, "better is 'more'; there are: higher, lower"),
    ],
)
def test_what_no_metric_can_be_is_refused(wrong, said):
    with pytest.raises(ValueError, match=f"^{said}$"):
        Metric("ms", "a delay", **wrong)


@pytest.mark.parametrize(
    ("kind", "histogram"),
    [("", False), ("total", False), ("histogram", True), ("cumulative", True), ("quantiles", False)],
)
def test_histograms_are_metrics_in_which_an_absent_key_is_a_zero(kind, histogram):
    assert Metric("ms", "a delay", kind=kind).histogram is histogram


def test_a_family_names_which_of_its_short_metrics_are_histograms():
    short = ("events", "what it is", "-")
    declared = Family("f", None, {"a": short, "b": short}, ("b",)).declared
    assert {name: one.kind for name, one in declared.items()} == {"a": "", "b": "histogram"}
