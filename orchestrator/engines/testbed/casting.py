# SPDX-License-Identifier: Apache-2.0
"""Which mote of a lab plays which mote of a deployment; who is missing is replaced from spares, or said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orchestrate_testbed.model import Lab, Mote

from orchestrator.testbed.pool import spare_for


@dataclass
class Cast:
    """`parts`: mote id of the deployment -> mote of the lab. `replaced`: sentences. `lacking`: why there is
    nobody for a part.
    """

    parts: dict[int, Mote] = field(default_factory=dict)
    replaced: list[str] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)

    def taken(self) -> set[str]:
        """The names of the lab's motes that play."""
        return {mote.name for mote in self.parts.values()}


def cast(lab: Lab, layout: str, ids: list[int], unfit: Mapping[str, str]) -> Cast:
    """Give the motes of a layout, in its order, to the deployment's motes in theirs.

    `unfit`: motes that can't play, and why. A spare takes such a mote's part.
    """
    made = Cast()
    spots = lab.layout(layout).spots
    if len(spots) < len(ids):
        made.lacking.append(
            f"the run has {len(ids)} motes, but the layout {layout} of {lab.name} has {len(spots)}"
        )
        return made
    wanted = dict(zip(sorted(ids), (lab.mote(spot.mote) for spot in spots), strict=False))
    out = set(unfit) | {mote.name for mote in wanted.values()}
    for number, mote in wanted.items():
        made.parts[number] = mote
        if mote.name in unfit:
            replace(made, lab, number, unfit[mote.name], out)
    return made


def replace(made: Cast, lab: Lab, number: int, why: str, out: set[str]) -> None:
    """Give a part to a spare; `out`: who can't take it. Note it, or that there is none."""
    mote = made.parts.pop(number)
    spare = spare_for(lab, mote, out | made.taken())
    if spare is None:
        made.lacking.append(f"{mote.name} ({mote.gateway}): {why}")
        return
    made.parts[number] = spare
    made.replaced.append(f"{spare.name} is in the place of {mote.name}: {why}")
