# SPDX-License-Identifier: Apache-2.0
"""Writes a comparison as JSON values and as CSV; unknown numbers are null, or empty."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

from orchestrator.report.comparison.rows import Comparison, Row
from orchestrator.report.comparison.sides import Side

FORMAT = 1
COLUMNS = (
    "cell_a",
    "cell_b",
    "metric",
    "key",
    "unit",
    "n_a",
    "mean_a",
    "sd_a",
    "n_b",
    "mean_b",
    "sd_b",
    "paired",
    "n",
    "difference",
    "ci_low",
    "ci_high",
    "percent",
    "effect",
    "effect_is",
    "effect_low",
    "effect_high",
    "t",
    "freedom",
    "p",
    "p_holm",
    "margin",
    "p_equivalence",
    "equivalent",
    "verdict",
)


def plain(found: Comparison) -> dict[str, Any]:
    """Return everything that the tables have; `percent` is relative to A's mean."""
    return {
        "format": FORMAT,
        "a": _side(found.a),
        "b": _side(found.b),
        "differs": [
            {"what": change.what, "values": [{"a": one, "b": other} for one, other in change.values]}
            for change in found.matched.changes
        ],
        "pairs": [
            {"a": pair.a, "b": pair.b, "paired": pair.by_seed, "why_not_paired": pair.why or None}
            for pair in found.matched.pairs
        ],
        "only_a": list(found.matched.only_a),
        "only_b": list(found.matched.only_b),
        "one_sided": list(found.one_sided),
        "margin": found.margin,
        "equivalent": found.equivalent,
        "rows": [
            {name: _known(value) for name, value in zip(COLUMNS, line(row), strict=True)}
            for row in found.rows
        ],
    }


def table(found: Comparison) -> bytes:
    """Return the rows as CSV with COLUMNS."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in found.rows:
        writer.writerow(["" if (value := _known(each)) is None else value for each in line(row)])
    return text.getvalue().encode()


def line(row: Row) -> tuple[Any, ...]:
    """Return the values of a row in COLUMNS."""
    one = row.difference
    return (
        row.pair.a,
        row.pair.b,
        row.metric,
        row.key,
        row.how.unit,
        one.a.n,
        one.a.mean,
        one.a.sd,
        one.b.n,
        one.b.mean,
        one.b.sd,
        one.paired,
        one.n,
        one.mean,
        one.low,
        one.high,
        row.percent,
        one.effect,
        "dz" if one.paired else "g",
        one.effect_low,
        one.effect_high,
        one.t,
        one.freedom,
        one.p,
        row.p,
        row.margin,
        row.p_equivalence,
        row.equivalent,
        row.verdict[0],
    )


def _side(side: Side) -> dict[str, Any]:
    return {
        "name": side.name,
        "store": str(side.store),
        "experiment": side.results.experiment,
        "cells": list(side.results.cells),
        "runs": len(side.runs),
        "excluded": list(side.excluded),
    }


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
