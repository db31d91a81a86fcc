# SPDX-License-Identifier: Apache-2.0
"""Says how a campaign differs now from the plan of one of its rounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orchestrator import __version__
from orchestrator.features.campaigns.model import CellPlan, PartPlan, Quarantined, RoundPlan
from orchestrator.features.campaigns.prepared import Prepared
from orchestrator.words import counted, enumerated

_NAMED = 3


def differences(prepared: Prepared, quarantine: Sequence[Quarantined], plan: RoundPlan) -> list[str]:
    """One sentence each; none if its runs would be the same."""
    here = {name: part.planned(plan.fresh) for name, part in prepared.parts.items()}
    there = {part.experiment: part for part in plan.parts}
    differences_ = []
    if new := [name for name in here if name not in there]:
        differences_.append(f"{_some(new, 'experiment')} new")
    if gone := [name for name in there if name not in here]:
        differences_.append(f"{_some(gone, 'experiment')} gone")
    for name in here.keys() & there.keys():
        differences_ += _of_part(here[name], there[name])
    if tuple(quarantine) != plan.quarantine:
        differences_.append("the quarantine has changed")
    return sorted(differences_)


def other_version(plan: RoundPlan) -> list[str]:
    """Whether orchestrate itself is another than the one that began the round."""
    return [] if plan.version == __version__ else [f"orchestrate is {__version__} here, there {plan.version}"]


def _of_part(here: PartPlan, there: PartPlan) -> list[str]:
    cells, before = ({cell.cell: cell for cell in part.cells} for part in (here, there))
    changes = []
    if new := [name for name in cells if name not in before]:
        changes.append(f"{_some(new, 'cell')} new in {here.experiment}")
    if gone := [name for name in before if name not in cells]:
        changes.append(f"{_some(gone, 'cell')} gone from {here.experiment}")
    both = [(cells[name], before[name]) for name in cells if name in before]
    for what, different in (
        ("other settings", [cell for cell, was in both if cell.digest != was.digest]),
        ("other firmware", [cell for cell, was in both if cell.firmware != was.firmware]),
        ("another version of the engine", [cell for cell, was in both if cell.engine != was.engine]),
        ("another .csc", [cell for cell, was in both if _of_nothing_else(cell, was)]),
        ("other seeds", [cell for cell, was in both if cell.seeds != was.seeds]),
    ):
        if different:
            changes.append(f"{_cells(different)} of {here.experiment} with {what}")
    return changes


def _of_nothing_else(cell_plan: CellPlan, was: CellPlan) -> bool:
    """Whether only orchestrate itself can differ, as cell, firmware and engine are the same."""
    return cell_plan.made_of != was.made_of and (cell_plan.digest, cell_plan.firmware, cell_plan.engine) == (
        was.digest,
        was.firmware,
        was.engine,
    )


def _cells(cells: Iterable[CellPlan]) -> str:
    names = [cell.cell for cell in cells]
    return f"{counted(len(names), 'cell')} ({_list(names)})"


def _some(names: Sequence[str], noun: str) -> str:
    return f"{counted(len(names), noun)} ({_list(names)}) {'is' if len(names) == 1 else 'are'}"


def _list(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return enumerated([*names[:_NAMED], *([f"{more} more"] if more > 0 else [])])
