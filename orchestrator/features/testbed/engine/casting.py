# SPDX-License-Identifier: Apache-2.0
"""Decides which mote of a lab plays which mote of a deployment; spares replace missing motes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from orchestrate_testbed.model import Lab, Mote
from orchestrate_testbed.ssh import Network

from orchestrator.errors import RunFailed
from orchestrator.features.testbed.gateways import AtGateway
from orchestrator.features.testbed.pool import spare_for


@dataclass(frozen=True)
class Bed:
    """A lab in reach: its gateways by name, over a network. `layout`: whose motes are to take part."""

    lab: Lab
    layout: str
    network: Network
    places: Mapping[str, AtGateway]


@dataclass
class Cast:
    """The assignment of motes to parts.

    `parts`: mote id of the deployment -> mote of the lab. `replaced`: sentences about replacements.
    `lacking`: why there is nobody for a part.
    """

    parts: dict[int, Mote] = field(default_factory=dict)
    replaced: list[str] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)

    def taken(self) -> set[str]:
        """Return the names of the lab's motes that take part."""
        return {mote.name for mote in self.parts.values()}


def cast(lab: Lab, layout: str, ids: list[int], unfit: Mapping[str, str]) -> Cast:
    """Give the motes of a layout, in its order, to the deployment's motes in theirs.

    `unfit`: motes that can't take part, and why. A spare takes such a mote's part.
    """
    assignment = Cast()
    spots = lab.layout(layout).spots
    if len(spots) < len(ids):
        assignment.lacking.append(
            f"the run has {len(ids)} motes, but the layout {layout} of {lab.name} has {len(spots)}"
        )
        return assignment
    wanted = dict(zip(sorted(ids), (lab.mote(spot.mote) for spot in spots), strict=False))
    out = set(unfit) | {mote.name for mote in wanted.values()}
    for number, mote in wanted.items():
        assignment.parts[number] = mote
        if mote.name in unfit:
            replace(assignment, lab, number, unfit[mote.name], out)
    return assignment


def replace(assignment: Cast, lab: Lab, number: int, why: str, out: set[str]) -> None:
    """Give a part to a spare, and note it, or note that there is none. `out`: motes that can't take it."""
    mote = assignment.parts.pop(number)
    spare = spare_for(lab, mote, out | assignment.taken())
    if spare is None:
        assignment.lacking.append(f"{mote.name} ({mote.gateway}): {why}")
        return
    assignment.parts[number] = spare
    assignment.replaced.append(f"{spare.name} is in the place of {mote.name}: {why}")


def start_together(motes: Iterable[Mote]) -> bool:
    """Return whether the lab can start these motes at one time; else each starts as it is flashed."""
    together = list(motes)
    return all(mote.power_off and mote.power_on for mote in together) or all(mote.reset for mote in together)


def enough(assignment: Cast) -> None:
    """Raise RunFailed if there is nobody for a part: nothing runs on fewer motes than asked for."""
    if assignment.lacking:
        raise RunFailed(
            "no mote can take the place of\n"
            + "\n".join(f"    {each}" for each in assignment.lacking)
            + "\n    mend them, name spares in the inventory, or choose another layout"
        )
