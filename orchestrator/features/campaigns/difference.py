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
    found = []
    if new := [name for name in here if name not in there]:
        found.append(f"{_some(new, 'experiment')} new")
    if gone := [name for name in there if name not in here]:
        found.append(f"{_some(gone, 'experiment')} gone")
    for name in here.keys() & there.keys():
        found += _of_part(here[name], there[name])
    if tuple(quarantine) != plan.quarantine:
        found.append("the quarantine is another")
    return sorted(found)


def other_version(plan: RoundPlan) -> list[str]:
    """Whether orchestrate itself is another than the one that began the round."""
    return [] if plan.version == __version__ else [f"orchestrate is {__version__} here, there {plan.version}"]


def _of_part(here: PartPlan, there: PartPlan) -> list[str]:
    cells, before = ({cell.cell: cell for cell in part.cells} for part in (here, there))
    found = []
    if new := [name for name in cells if name not in before]:
        found.append(f"{_some(new, 'cell')} new in {here.experiment}")
    if gone := [name for name in before if name not in cells]:
        found.append(f"{_some(gone, 'cell')} gone from {here.experiment}")
    both = [(cells[name], before[name]) for name in cells if name in before]
    for what, different in (
        ("other settings", [one for one, was in both if one.digest != was.digest]),
        ("other firmware", [one for one, was in both if one.firmware != was.firmware]),
        ("another version of the engine", [one for one, was in both if one.engine != was.engine]),
        ("another .csc", [one for one, was in both if _of_nothing_else(one, was)]),
        ("other seeds", [one for one, was in both if one.seeds != was.seeds]),
    ):
        if different:
            found.append(f"{_cells(different)} of {here.experiment} with {what}")
    return found


def _of_nothing_else(one: CellPlan, was: CellPlan) -> bool:
    """Whether only orchestrate itself can differ, as cell, firmware and engine are the same."""
    return one.made_of != was.made_of and (one.digest, one.firmware, one.engine) == (
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
