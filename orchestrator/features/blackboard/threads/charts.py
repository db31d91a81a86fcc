# SPDX-License-Identifier: Apache-2.0
"""Charts of threads: their shares of the CPU, and the delays of notifications with their deadlines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.features.blackboard.threads.execution import IDLE
from orchestrator.features.blackboard.threads.subscriptions import Subscription
from orchestrator.report import style
from orchestrator.report.charts import rows_down
from orchestrator.report.drawing import Drawing, row
from orchestrator.report.pen import Look
from orchestrator.report.plot import Key, Mark, Plot, Whisker
from orchestrator.statistics.estimates import NOTHING, Estimate

UNIT = "delay, ms"


@dataclass(frozen=True)
class Shares:
    """One bar: the shares of the CPU in % that the threads of a node in a cell have, by their names."""

    label: str
    cell: str
    node: str
    parts: dict[str, Estimate]


def shares(bars: Sequence[Shares], threads: Sequence[str] = ()) -> Drawing:
    """Draw stacked bars, one for each row; the idle thread is last and faint.

    `threads`: all threads of several figures, so that each has one look in all of them.
    """
    looks = dict.fromkeys(
        name for name in (*threads, *(name for bar in bars for name in bar.parts)) if name != IDLE
    )
    looks = {name: style.look(place) for place, name in enumerate(looks)}
    looks[IDLE] = style.look(0)._replace(colour=style.FAINT, hatch="")
    names = [name for name in looks if any(name in bar.parts for bar in bars)]

    def paint(plot: Plot) -> None:
        for y, bar in enumerate(bars):
            left = 0.0
            for name in names:
                value = bar.parts.get(name)
                if value is not None and value.known:
                    plot.bar(
                        left,
                        y - 0.31,
                        left + value.mean,
                        y + 0.31,
                        Look(looks[name].colour, looks[name].hatch),
                    )
                    left += value.mean
        rows_down(plot, [bar.label for bar in bars], "share of the CPU's time, %")
        plot.x.low, plot.x.high = 0, 100
        plot.keys += [Key(name, fill=looks[name].colour, hatch=looks[name].hatch) for name in names]

    lines = [
        row(bar.cell, f"{bar.node}/{name}", value, "%") for bar in bars for name, value in bar.parts.items()
    ]
    return Drawing(paint, style.WIDTH, 1.3 + 0.34 * len(bars) + 0.2 * (len(names) // 3), lines)


def delays(subscriptions: Sequence[Subscription], labels: Sequence[str]) -> Drawing:
    """Draw a row for each subscription.

    A bar is from the 5th to the 95th percentile (of traced runs); marks are the mean with its interval, the
    largest delay, and the deadline.
    """

    def paint(plot: Plot) -> None:
        for y, subscription in enumerate(subscriptions):
            low, high, mean, most = (
                subscription.delay.get(name, NOTHING) for name in ("p05", "p95", "mean", "max")
            )
            if low.known and high.known:
                plot.bar(low.mean, y - 0.23, high.mean, y + 0.23, Look(style.SKY, edge=style.BLUE, wide=0.8))
            if mean.known:
                if mean.n > 1:
                    plot.interval(mean.mean, y, mean.low, mean.high, Whisker(style.INK, across=True))
                plot.mark(mean.mean, y, Mark("o", 5, style.INK))
            if most.known:
                plot.mark(most.mean, y, Mark(">", 6, style.BLUE))
            if subscription.deadline_ms is not None:
                plot.line(
                    [(subscription.deadline_ms, y - 0.4), (subscription.deadline_ms, y + 0.4)],
                    style.VERMILLION,
                    1.8,
                    z=3,
                )
        if any("p95" in subscription.delay for subscription in subscriptions):
            plot.keys.append(Key("5th to 95th percentile", fill=style.SKY, edge=style.BLUE))
        plot.keys += [
            Key("mean", marker="o", fill=style.INK, size=5),
            Key("largest", marker=">", fill=style.BLUE),
        ]
        if any(subscription.deadline_ms is not None for subscription in subscriptions):
            plot.keys.append(Key("deadline", marker="|", fill=style.VERMILLION, size=10))
        rows_down(plot, labels, UNIT)
        plot.x.low, plot.columns = 0, 2

    lines = [
        row(subscription.cell, f"{label}/{which}", value, "ms")
        for subscription, label in zip(subscriptions, labels, strict=True)
        for which, value in sorted(subscription.delay.items())
    ]
    lines += [
        row(subscription.cell, f"{label}/missed", subscription.rate, "%")
        for subscription, label in zip(subscriptions, labels, strict=True)
        if subscription.rate.known
    ]
    return Drawing(paint, style.WIDTH, 1.5 + 0.4 * len(labels), lines)
