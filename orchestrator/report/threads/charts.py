# SPDX-License-Identifier: Apache-2.0
"""Charts of threads: who used the CPU, and how soon subscribers were notified beside their deadlines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.report import style
from orchestrator.report.drawing import Drawing, row
from orchestrator.report.statistics import NOTHING, Estimate
from orchestrator.report.style import pt
from orchestrator.report.threads.execution import IDLE
from orchestrator.report.threads.subscriptions import Subscription

UNIT = "delay, ms"


@dataclass(frozen=True)
class Shares:
    """One bar: the threads' shares of the CPU in %, by their names. `cell` and `node`: whose they are."""

    label: str
    cell: str
    node: str
    parts: dict[str, Estimate]


def shares(bars: Sequence[Shares]) -> Drawing:
    """Stacked, a bar a row, the idle thread last and faint."""
    found = dict.fromkeys(name for bar in bars for name in bar.parts)
    names = [*(name for name in found if name != IDLE), *(name for name in found if name == IDLE)]

    def paint(figure, axes) -> None:
        from matplotlib.patches import Patch

        looks = {name: (style.SERIES[i % len(style.SERIES)], style.HATCHES[i // len(style.SERIES) % len(style.HATCHES)])
                 for i, name in enumerate(names)} | {IDLE: (style.FAINT, "")}
        for y, bar in enumerate(bars):
            left = 0.0
            for name in names:
                value = bar.parts.get(name)
                if value is not None and value.known:
                    axes.barh(y, value.mean, left=left, height=0.62, color=looks[name][0], hatch=looks[name][1], edgecolor="white",
                              linewidth=0)
                    left += value.mean
        axes.grid(True, axis="x")
        axes.grid(False, axis="y")
        axes.set_yticks(range(len(bars)), [bar.label for bar in bars])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(bars) - 0.5, -0.5)
        axes.set_xlim(0, 100)
        axes.set_xlabel("share of the CPU's time, %", loc="right")
        figure.legend(handles=[Patch(facecolor=looks[name][0], hatch=looks[name][1], edgecolor="white", linewidth=0, label=name)
                               for name in names], loc="outside upper center", ncols=3, handlelength=1.4, columnspacing=1.2)

    lines = [row(bar.cell, f"{bar.node}/{name}", value, "%") for bar in bars for name, value in bar.parts.items()]
    return Drawing(paint, style.WIDTH, 1.3 + 0.34 * len(bars) + 0.2 * (len(names) // 3), lines)


def delays(subscriptions: Sequence[Subscription], labels: Sequence[str]) -> Drawing:
    """A row a subscription: from its 5th to its 95th percentile a bar (of traced runs), the mean with its interval, the
    largest, and the deadline across it."""

    def paint(figure, axes) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        handles = []
        for y, one in enumerate(subscriptions):
            low, high, mean, most = (one.delay.get(name, NOTHING) for name in ("p05", "p95", "mean", "max"))
            if low.known and high.known:
                axes.barh(y, high.mean - low.mean, left=low.mean, height=0.46, color=style.SKY, edgecolor=style.BLUE, linewidth=pt(0.8))
            if mean.known:
                error = 0.0 if mean.n < 2 else mean.half
                axes.errorbar(mean.mean, y, xerr=error, color=style.INK, marker="o", markersize=pt(5), capsize=pt(3),
                              linestyle="none", zorder=4)
            if most.known:
                axes.plot([most.mean], [y], ">", color=style.BLUE, markersize=pt(6), zorder=4, clip_on=False)
            if one.deadline_ms is not None:
                axes.plot([one.deadline_ms] * 2, [y - 0.4, y + 0.4], color=style.VERMILLION, linewidth=pt(1.8), zorder=3)
        if any("p95" in one.delay for one in subscriptions):
            handles.append(Patch(facecolor=style.SKY, edgecolor=style.BLUE, label="5th to 95th percentile"))
        handles += [Line2D([], [], color=style.INK, marker="o", markersize=pt(5), linestyle="none", label="mean"),
                    Line2D([], [], color=style.BLUE, marker=">", markersize=pt(6), linestyle="none", label="largest")]
        if any(one.deadline_ms is not None for one in subscriptions):
            handles.append(Line2D([], [], color=style.VERMILLION, marker="|", markersize=pt(10), markeredgewidth=pt(1.8),
                                  linestyle="none", label="deadline"))
        axes.grid(True, axis="x")
        axes.grid(False, axis="y")
        axes.set_yticks(range(len(labels)), labels)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(labels) - 0.5, -0.5)
        axes.set_xlim(left=0)
        axes.set_xlabel(UNIT, loc="right")
        figure.legend(handles=handles, loc="outside upper center", ncols=2, handlelength=1.4, columnspacing=1.2)

    lines = [row(one.cell, f"{label}/{which}", value, "ms") for one, label in zip(subscriptions, labels, strict=True)
             for which, value in sorted(one.delay.items())]
    lines += [row(one.cell, f"{label}/missed", one.rate, "%") for one, label in zip(subscriptions, labels, strict=True) if one.rate.known]
    return Drawing(paint, style.WIDTH, 1.5 + 0.4 * len(labels), lines)
