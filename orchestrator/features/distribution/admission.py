# SPDX-License-Identifier: Apache-2.0
"""Admits a target that asks for data while the system runs (section 6).

The paper expects that a deadline that is computed online must be found faster, "resulting in a possibly more
pessimistic deadline". The fastest to compute is OV_i - P_i, which depends on no target at all. As one
target's part in a deadline is found at once (deadlines.py), the exact deadline costs next to nothing more, so
it is the one that is used; the quick one is reported beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from orchestrator.features.distribution.deadlines import Deadline, deadline
from orchestrator.features.distribution.model import System, Target
from orchestrator.features.distribution.readings import Reading
from orchestrator.features.distribution.schedulability.verdict import Verdict, verdict
from orchestrator.features.distribution.utilisation import overloaded


@dataclass(frozen=True)
class Admission:
    """The result of an admission. Times are us.

    `before`: the deadline without the new target. `exact`: the latest deadline with the target. `verdict`:
    that of the system with the target; None if a resource has more work than time, and is listed in
    `overloaded`.
    """

    system: System
    target: Target
    before: int | None
    exact: Deadline
    verdict: Verdict | None
    overloaded: tuple[str, ...]

    @property
    def admitted(self) -> bool:
        """Whether the system with the target holds all deadlines."""
        return self.verdict is not None and self.verdict.schedulable


def admit(system: System, target: Target, distribution: str, reading: Reading) -> Admission:
    """Judge whether a distribution can go to one more target. It has to be of its object."""
    wider = system.distributions[distribution]
    larger = replace(wider, targets=(*wider.targets, target.name))
    validity, source = system.objects[wider.object], system.source(wider).timing
    now = deadline(wider, validity, source, system.readers(wider), reading)
    extended = replace(
        system,
        targets=system.targets | {target.name: target},
        distributions=system.distributions | {wider.name: larger},
    )
    exact = deadline(larger, validity, source, extended.readers(larger), reading)
    judged = verdict(extended, reading)
    too_much = overloaded(judged.tasks)
    return Admission(extended, target, now.deadline, exact, None if too_much else judged, too_much)
