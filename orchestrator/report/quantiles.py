# SPDX-License-Identifier: Apache-2.0
"""Charts of distributions: ranges between percentiles, and cumulative curves."""

from __future__ import annotations

import math
from collections.abc import Sequence

from orchestrator.report import style
from orchestrator.report.axis import LOGARITHMIC
from orchestrator.report.charts import rows_down
from orchestrator.report.drawing import Drawing
from orchestrator.report.pen import Look
from orchestrator.report.plot import Key, Mark, Plot


def spans(
    labels: Sequence[str],
    low: Sequence[float],
    middle: Sequence[float],
    mean: Sequence[float],
    high: Sequence[float],
    unit: str,
) -> Drawing:
    """Draw one row for each label: a bar between percentiles, a line at the median, a dot at the mean."""

    def paint(plot: Plot) -> None:
        for y in range(len(labels)):
            if all(map(math.isfinite, (low[y], high[y]))):
                plot.bar(low[y], y - 0.25, high[y], y + 0.25, Look(style.FAINT, edge=style.SOFT, wide=0.8))
            if math.isfinite(middle[y]):
                plot.line([(middle[y], y - 0.25), (middle[y], y + 0.25)], style.INK, 2)
            plot.mark(mean[y], y, Mark("o", 5, style.VERMILLION, "#ffffff", 0.5))
        rows_down(plot, labels, unit)
        plot.x.low = 0
        finite = [value for value in high if not math.isnan(value)]
        if finite and max(finite) > 0:
            plot.x.kind, plot.x.linear_to, plot.x.high = LOGARITHMIC, 10, max(finite) * 1.3
        plot.keys += [
            Key("5th to 95th percentile", fill=style.FAINT, edge=style.SOFT),
            Key("median", stroke=style.INK, wide=2),
            Key("mean", marker="o", fill=style.VERMILLION, size=5),
        ]

    quantiles = (("p05", low), ("p50", middle), ("mean", mean), ("p95", high))
    lines = [
        (label, key, None, values[i], None, None, None, None, unit)
        for i, label in enumerate(labels)
        for key, values in quantiles
    ]
    return Drawing(paint, style.WIDTH, 1.2 + 0.34 * len(labels), lines)


def curves(
    series: Sequence[tuple[str, Sequence[float], Sequence[float]]],
    xlabel: str,
    ylabel: str,
    *,
    places: Sequence[int] | None = None,
) -> Drawing:
    """Draw step curves (name, x, y) of cumulative distributions over a logarithmic axis.

    `places`: of their looks (style.look).
    """

    def paint(plot: Plot) -> None:
        plot.y.label, plot.y.grid, plot.y.low, plot.y.high = ylabel, True, 0, 1.02
        plot.x.label, plot.x.low, plot.x.kind, plot.x.linear_to = xlabel, 0, LOGARITHMIC, 10
        for place, (name, x, y) in enumerate(series):
            its = style.look(places[place] if places else place)
            # Looks of different colours may share their dashes; six curves must not.
            dash = style.DASHES[style.SERIES.index(its.colour)]
            steps = [
                step for at, before, share in zip(x[1:], y, y[1:]) for step in ((at, before), (at, share))
            ]
            plot.line([*zip(x[:1], y[:1]), *steps], its.colour, 1.8, dash)
            plot.keys.append(Key(name, stroke=its.colour, wide=1.8, dash=dash))

    lines = [
        (name, f"{at:g}", None, float(share), None, None, None, None, ylabel)
        for name, x, y in series
        for at, share in zip(x, y, strict=True)
    ]
    return Drawing(paint, style.WIDTH, 3.7, lines)
