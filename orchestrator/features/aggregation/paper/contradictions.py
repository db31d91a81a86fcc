# SPDX-License-Identifier: Apache-2.0
"""The paper's contradictions (contradictions.yaml): the readings of each, with its numbers and ours."""

from __future__ import annotations

from typing import Any

from orchestrator.features.aggregation.paper import ideal
from orchestrator.features.aggregation.paper.data import load, published
from orchestrator.features.aggregation.paper.measures import MEASURES
from orchestrator.report.data import Results
from orchestrator.report.model import Contradiction, Reading
from orchestrator.report.statistics import number, with_interval


def contradictions(results: Results, sensitivity: Results | None) -> list[Contradiction]:
    """Return the contradictions in the file's order; cells without runs are said to be not measured."""
    return [
        Contradiction(
            entry["title"],
            entry["where"],
            tuple(_reading(reading, results, sensitivity) for reading in entry["readings"]),
            entry["why"],
        )
        for entry in load("contradictions.yaml")
    ]


def _reading(reading: dict[str, Any], results: Results, sensitivity: Results | None) -> Reading:
    lines = [f"Paper: {line}" for line in reading.get("paper", ())]
    lines += [_derived(entry) for entry in reading.get("derived", ())]
    lines += [_measured(entry, results) for entry in reading.get("ours", ())]
    lines += [_measured(entry, sensitivity) for entry in reading.get("sensitivity", ())]
    return Reading(reading["text"], tuple(lines), bool(reading.get("held")))


def _measured(entry: dict[str, str], results: Results | None) -> str:
    measure = MEASURES[entry["measure"]]
    values = None
    if results is not None and entry["cell"] in results.cells:
        values = measure.estimate(results, entry["cell"])
    if values is None or not values.known:
        return f"Ours, {entry['cell']}: {measure.title} not measured"
    text, detail = with_interval(values, measure.decimals, measure.unit)
    return f"Ours, {entry['cell']}: {measure.title} {text} ({detail})"


def _derived(entry: dict[str, Any]) -> str:
    n = int(entry["publishers"])
    messages = ideal.counted(n) if entry["as"] == "counted" else ideal.transmissions(n, True)
    if entry["formula"] == "ideal":
        return (
            f"Ideal, {n} publishers: {ideal.transmissions(n, False)} to {messages} a round, a reduction of "
            f"{number(100 * ideal.reduction(n, messages), 1)} %"
        )
    value = published(entry["published"])
    hop = ideal.implied_hop(n, value / 100, messages)
    name = entry["published"].removeprefix("reduction-")
    return (
        f"Paper's {number(value, 1)} % of {name} implies that {number(100 * (1 - hop), 0)} % of the packets "
        "are lost per hop without aggregation"
    )
