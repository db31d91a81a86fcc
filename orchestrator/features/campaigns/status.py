# SPDX-License-Identifier: Apache-2.0
"""The progress of rounds, counted from their plans and journals."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from orchestrator.features.campaigns.model import State, Why
from orchestrator.features.campaigns.record import Round
from orchestrator.runs.model import UNDECIDED, Outcome


@dataclass(frozen=True)
class PartStatus:
    """One experiment's planned runs, runs with a result, and results by outcome other than ok."""

    experiment: str
    planned: int
    done: int
    not_ok: Counter[Outcome]


@dataclass(frozen=True)
class Status:
    """A round's progress. `made`: the runs that it simulated; `wall_s`: their total wall time."""

    round: Round
    state: State
    parts: tuple[PartStatus, ...]
    made: int
    wall_s: float
    left: Counter[Why]

    @property
    def planned(self) -> int:
        """Runs that it set out to make."""
        return sum(part.planned for part in self.parts)

    @property
    def done(self) -> int:
        """Runs that have a result, whatever it is."""
        return sum(part.done for part in self.parts)

    @property
    def not_ok(self) -> Counter[Outcome]:
        """Results by outcome other than ok."""
        return sum((part.not_ok for part in self.parts), Counter())


def status(round_: Round) -> Status:
    """Return the present progress of a round."""
    done: Counter[str] = Counter()
    bad: dict[str, Counter[Outcome]] = {part.experiment: Counter() for part in round_.plan.parts}
    simulated, wall_s = 0, 0.0
    for run in round_.runs():
        if run.experiment not in bad:
            continue
        if run.outcome not in UNDECIDED:
            done[run.experiment] += 1
        if run.outcome is not Outcome.OK:
            bad[run.experiment][run.outcome] += 1
        simulated += run.made
        wall_s += run.wall_s
    parts = tuple(
        PartStatus(
            part.experiment,
            sum(len(cell.seeds) for cell in part.cells),
            done[part.experiment],
            bad[part.experiment],
        )
        for part in round_.plan.parts
    )
    return Status(round_, round_.state, parts, simulated, wall_s, Counter(left.why for left in round_.left()))
