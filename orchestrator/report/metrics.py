# SPDX-License-Identifier: Apache-2.0
"""The presentation of metrics, from their declarations (orchestrate_spark.metrics.model.Metric)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from orchestrate_spark.metrics import built_in
from orchestrate_spark.metrics.model import SHARE, Metric


@dataclass(frozen=True)
class Shown:
    """A metric as it is shown.

    `unit` and `scale`: shares are shown in %. `by_node`: the other keys of a metric with a total have a
    figure of their own. `meaning`: for captions; for the user's own metrics it includes which way is better,
    because no page of ours documents them.
    """

    declared: Metric
    title: str
    meaning: str
    unit: str
    scale: float
    kind: str
    by_node: bool

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest possible value, in the unit of the table."""
        least = -math.inf if self.declared.least is None else self.declared.least
        return least, 1.0 if self.declared.unit == SHARE else math.inf

    @property
    def label(self) -> str:
        """The label of an axis: the title and the unit."""
        return f"{self.title}, {self.unit}" if self.unit else self.title

    @property
    def head(self) -> str:
        """The head of a column: the title, with the unit unless the title says what is counted."""
        return self.title if self.unit.lower() in self.title.lower().split() else self.label


def shown(metric: str, keys: list[str], own: Mapping[str, Metric]) -> Shown:
    """Return how a metric is shown: as it declares; else its name and keys decide."""
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
    """Return a metric's place in a report; the user's own come last."""
    return list(built_in()).index(metric) if metric in built_in() else len(built_in())


def ranked(rank: str) -> list[str]:
    """Return the built-in metrics that have a rank (`column`, `step` or `expected`), in its order."""
    places = [(place, name) for name, metric in built_in().items() if (place := getattr(metric, rank))]
    return [name for _, name in sorted(places)]
