# SPDX-License-Identifier: Apache-2.0
"""What tables, pages and comparisons know of every metric: its declaration, as somebody last looked at it.

A metric of a user's own takes its ranks among these.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from orchestrate_spark.metrics import built_in, families
from orchestrate_spark.metrics.model import Family, Metric

from tests.recorded import same

RECORDED = Path(__file__).parent / "recorded" / "declarations.txt"


def told(metric: Metric) -> list[str]:
    """Every field that is not the usual one."""
    values = ((one.name, getattr(metric, one.name), one.default) for one in fields(Metric))
    return [f"    {name}: {value!r}" for name, value, usual in values if value != usual]


def test_every_declaration_is_as_it_was():
    lines = []
    for family in families():
        lines.append(f"{family.name}: of {', '.join(family.of) or 'whatever there is'}")
        for name, metric in family.declared.items():
            lines += [f"  {name}", *told(metric)]
    same("\n".join(lines) + "\n", RECORDED)


def test_the_built_in_metrics_are_those_of_the_families():
    assert built_in() == {name: one for family in families() for name, one in family.declared.items()}


def test_a_metric_is_declared_in_full_by_its_fields_or_shortly():
    whole = Metric("ms", "a delay", kind="node", place=3)
    assert Metric.of(whole) is whole
    assert Metric.of({"unit": "ms", "definition": "a delay", "kind": "node", "place": 3}) == whole
    short = Metric.of(("events", "what it is", "section 1"))
    assert told(short) == [
        "    unit: 'events'",
        "    definition: 'what it is'",
        "    paper: 'section 1'",
        "    decimals: 3",
        "    meaning: 'what it is'",
        "    by: 'key'",
        "    axis: 'key'",
        "    least: None",
    ]
    assert Metric.of(("share", "a part", "-")).least == 0.0, "which is at least 0"


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
