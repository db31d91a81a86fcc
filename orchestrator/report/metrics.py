# SPDX-License-Identifier: Apache-2.0
"""The metrics of the pipeline as a reader sees them, by what each declares of itself
(orchestrate_spark.metrics.model.Metric).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from orchestrate_spark.metrics import built_in
from orchestrate_spark.metrics.model import SHARE, Metric


@dataclass(frozen=True)
class Shown:
    """A metric for readers. `declared`: what it says of itself; `unit` and `scale`: shares are shown in %.
    `by_node`: the keys of a total beside "total" get a figure of their own. `meaning`: for captions; of the
    user's own nothing but the report tells what they are, and which way is better."""

    declared: Metric
    title: str
    meaning: str
    unit: str
    scale: float
    kind: str
    by_node: bool

    @property
    def bounds(self) -> tuple[float, float]:
        """What is possible, in the table's unit."""
        least = -math.inf if self.declared.least is None else self.declared.least
        return least, 1.0 if self.declared.unit == SHARE else math.inf

    @property
    def percent(self) -> str:
        """For the head of a column."""
        return f"{self.title}, %" if self.unit == "%" else self.title


def shown(metric: str, keys: list[str], own: Mapping[str, Metric]) -> Shown:
    """How a metric is shown: as it or the user's own declares; what neither tells, its name and keys do."""
    declared = built_in().get(metric) or own.get(metric) or Metric.of(("", "", "-"))
    kind = declared.kind or ("total" if "total" in keys else "node")
    unit, scale = ("%", 100.0) if declared.unit == SHARE else (declared.unit, 1.0)
    meaning = declared.meaning
    if metric not in built_in():
        better = f"{declared.better} is better" if declared.better else ""
        meaning = "; ".join(filter(None, (meaning or declared.definition, better)))
    return Shown(
        declared,
        declared.title or metric.replace("_", " ").capitalize(),
        meaning,
        unit,
        scale,
        kind,
        kind == "total" and bool(declared.by) and len(keys) > 1,
    )


def order(metric: str) -> int:
    """Its place in a report; others are behind."""
    return list(built_in()).index(metric) if metric in built_in() else len(built_in())


def ranked(rank: str) -> list[str]:
    """The built-in metrics that have this rank (`column`, `step`, `expected`), in its order."""
    found = [(place, name) for name, metric in built_in().items() if (place := getattr(metric, rank))]
    return [name for _, name in sorted(found)]
