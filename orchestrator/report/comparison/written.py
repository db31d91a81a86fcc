# SPDX-License-Identifier: Apache-2.0
"""Writes a comparison as JSON values and as CSV; unknown numbers are null, or empty."""

from __future__ import annotations

import csv
import io
import math
from operator import attrgetter
from typing import Any

from orchestrator.report.comparison.rows import Comparison, Row
from orchestrator.report.comparison.sides import Side

FORMAT = 1
# Column -> where a row has its value; the verdict's words are the last column.
_WHERE = {
    "cell_a": "pair.a",
    "cell_b": "pair.b",
    "metric": "metric",
    "key": "key",
    "unit": "how.unit",
    "n_a": "difference.a.n",
    "mean_a": "difference.a.mean",
    "sd_a": "difference.a.sd",
    "n_b": "difference.b.n",
    "mean_b": "difference.b.mean",
    "sd_b": "difference.b.sd",
    "paired": "difference.paired",
    "n": "difference.n",
    "difference": "difference.mean",
    "ci_low": "difference.low",
    "ci_high": "difference.high",
    "percent": "percent",
    "effect": "difference.effect",
    "effect_is": "difference.effect_is",
    "effect_low": "difference.effect_low",
    "effect_high": "difference.effect_high",
    "t": "difference.t",
    "freedom": "difference.freedom",
    "p": "difference.p",
    "p_holm": "p",
    "margin": "margin",
    "p_equivalence": "p_equivalence",
    "equivalent": "equivalent",
}
COLUMNS = (*_WHERE, "verdict")


def plain(comparison: Comparison) -> dict[str, Any]:
    """Return everything that the tables have; `percent` is relative to A's mean."""
    return {
        "format": FORMAT,
        "a": _side(comparison.a),
        "b": _side(comparison.b),
        "differs": [
            {"what": change.what, "values": [{"a": ours, "b": other} for ours, other in change.values]}
            for change in comparison.matched.changes
        ],
        "pairs": [
            {"a": pair.a, "b": pair.b, "paired": pair.by_seed, "why_not_paired": pair.why or None}
            for pair in comparison.matched.pairs
        ],
        "only_a": list(comparison.matched.only_a),
        "only_b": list(comparison.matched.only_b),
        "one_sided": list(comparison.one_sided),
        "margin": comparison.margin,
        "equivalent": comparison.equivalent,
        "rows": [
            {name: _plain_value(value) for name, value in zip(COLUMNS, line(row), strict=True)}
            for row in comparison.rows
        ],
    }


def table(comparison: Comparison) -> bytes:
    """Return the rows as CSV with COLUMNS."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in comparison.rows:
        writer.writerow(["" if (value := _plain_value(each)) is None else value for each in line(row)])
    return text.getvalue().encode()


def line(row: Row) -> tuple[Any, ...]:
    """Return the values of a row in COLUMNS."""
    return (*attrgetter(*_WHERE.values())(row), row.verdict[0])


def _side(side: Side) -> dict[str, Any]:
    return {
        "name": side.name,
        "store": str(side.store),
        "experiment": side.results.experiment,
        "cells": list(side.results.cells),
        "runs": len(side.runs),
        "excluded": list(side.excluded),
    }


def _plain_value(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
