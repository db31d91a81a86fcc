# SPDX-License-Identifier: Apache-2.0
"""Figure 26 executed: cycles of a Tmote Sky's processor, which an emulated one counts."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from orchestrator.console import say
from orchestrator.engines.embedded import executed
from orchestrator.engines.embedded.executed import HZ
from orchestrator.errors import MissingTool
from orchestrator.features.policies.paper import figure_26_program
from orchestrator.report.model import Entry, Table

_NOTE = (
    f"Executed: cycles of the processor of {executed.PROCESSOR}, from the component's call until the link "
    "has the frame. The time on air is that of the frame alone. The paper names no compiler, and its times "
    "are of a whole operation."
)


@cache
def measured() -> dict[str, figure_26_program.Cost]:
    """Return the cycles of both policies; empty, and says why, where clang or lld are missing."""
    try:
        return {
            name: figure_26_program.Cost(*(_of(name, managed) for managed in (False, True)))
            for name in figure_26_program.PRINTED
        }
    except MissingTool as missing:
        say(str(missing))
        return {}


def _of(name: str, managed: bool) -> int:
    return figure_26_program.cost_of(_cycles, name, managed)


def _cycles(folder: Path, defines: dict[str, object], managed: bool) -> list[int]:
    """Compile and run the program. Raises MissingTool or BuildFailed."""
    return executed.cycles(*figure_26_program.program_parts(folder, defines, managed), folder)


def overhead_with_frame(cost: figure_26_program.Cost) -> float:
    """Return how much more time passes until the frame has left, in percent."""
    air = figure_26_program.AIR_MS * HZ / 1000
    return 100 * ((cost.managed + air) / (cost.without + air) - 1)


def table() -> list[Table]:
    """Return the table for the terminal and the page, if the tools are here."""
    rows = []
    for name, cost in measured().items():
        without, managed, overhead = figure_26_program.PRINTED[name]
        air_ms = figure_26_program.AIR_MS
        mine, with_manager = (1000 * cycles / HZ for cycles in (cost.without, cost.managed))
        whole = overhead_with_frame(cost)
        rows.append(
            (
                Entry(name),
                Entry(f"{without:g} ms, {managed:g} ms: +{overhead:g} %"),
                Entry(f"{mine:.2f} ms", number=True),
                Entry(f"{with_manager:.2f} ms", number=True),
                Entry(f"+{100 * (with_manager / mine - 1):.0f} %", number=True),
                Entry(f"{mine + air_ms:.1f} ms, {with_manager + air_ms:.1f} ms: +{whole:.1f} %", number=True),
            )
        )
    if not rows:
        return []
    columns = ("Policy", "Paper", "Without", "With the manager", "More", "With the frame's time on air")
    return [Table("Figure 26 executed on a Tmote Sky", columns, tuple(rows), note=_NOTE)]
