# SPDX-License-Identifier: Apache-2.0
"""The cells of a round on their own: outcomes of their runs, missing runs, and faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from orchestrator.errors import NoSuchThing, StorageFailed
from orchestrator.features.campaigns.judging.model import CellState, Colour, Standing
from orchestrator.features.campaigns.model import CellPlan, RoundRun, Why
from orchestrator.features.campaigns.record import Round
from orchestrator.runs.model import Outcome
from orchestrator.runs.store import Store
from orchestrator.words import counted

_WHY = {
    Why.BUDGET.value: "the round's time was over",
    Why.DRAINED.value: "the round was interrupted or is still running",
    Why.SHARD.value: "their shard never came",
    "machine": "the machine or the simulator failed them",
}


class Cells:
    """`measured`: the ids of the runs that have metrics. `say(colour, text, place)` gets each reason."""

    def __init__(
        self, store: Path, round_: Round, measured: set[str], say: Callable[[Colour, str, str], None]
    ):
        self.store, self.round, self.measured, self._say = store, round_, measured, say

    def states(self, runs: Sequence[RoundRun]) -> list[CellState]:
        """Return the state of each cell; its standing is found later."""
        plan = self.round.plan
        by_cell: dict[tuple[str, str], list[RoundRun]] = {}
        for run in runs:
            by_cell.setdefault((run.experiment, run.cell), []).append(run)
        left: dict[tuple[str, str], Counter] = {}
        for key in self.round.left():
            left.setdefault((key.experiment, key.cell), Counter())[key.why.value] += 1
        states_of_cells = []
        for (experiment, name), cell in plan.cells.items():
            theirs, why = by_cell.get((experiment, name), []), left.get((experiment, name), Counter())
            outcomes = Counter(run.outcome.value for run in theirs)
            reasons = "; ".join(
                f"{entry.reason} (until {entry.until}"
                + (f", seed {entry.seed})" if entry.seed is not None else ")")
                for entry in plan.quarantine
                if entry.experiment == experiment and entry.cell in (None, name)
            )
            standing, planned = Standing.NOT_MEASURED, len(cell.seeds)
            states_of_cells.append(
                CellState(experiment, name, standing, planned, dict(outcomes), dict(why), reasons)
            )
            self._outcomes(states_of_cells[-1], cell, theirs)
        return states_of_cells

    def _outcomes(self, cell: CellState, plan: CellPlan, runs: Sequence[RoundRun]) -> None:
        failed = cell.outcomes.get(Outcome.FAILED.value, 0) + cell.outcomes.get(Outcome.NO_VERDICT.value, 0)
        if failed:
            seeds = sorted(run.seed for run in runs if run.outcome in (Outcome.FAILED, Outcome.NO_VERDICT))
            self._say(
                Colour.RED,
                f"{counted(failed, 'run')} failed: seed {', '.join(map(str, seeds[:6]))}"
                + (f" and {failed - 6} more" if failed > 6 else ""),
                cell.place,
            )
        others = {
            what: count
            for what, count in cell.outcomes.items()
            if what not in (Outcome.OK.value, Outcome.FAILED.value, Outcome.NO_VERDICT.value)
        }
        for what, count in sorted(others.items()):
            self._say(
                Colour.INCOMPLETE, f"{counted(count, 'run')} ended without a verdict: {what}", cell.place
            )
        for why, count in sorted(cell.left.items()):
            if why != Why.QUARANTINE.value:
                self._say(
                    Colour.INCOMPLETE,
                    f"{count} of {counted(cell.planned, 'run')} not run: {_WHY.get(why, why)}",
                    cell.place,
                )
        lost = [run for run in runs if run.outcome is Outcome.OK and run.run_id not in self.measured]
        if lost:
            self._say(
                Colour.INCOMPLETE,
                f"{counted(len(lost), 'run')} without metrics (`orchestrate runs verify {cell.experiment}` "
                "says whether their logs are whole)",
                cell.place,
            )
        self._made_by_others(cell, plan, runs)

    def _made_by_others(self, cell: CellState, plan: CellPlan, runs: Sequence[RoundRun]) -> None:
        """Say which runs aren't of the code of the round's plan, by their manifests."""
        other: Counter = Counter()
        for run in runs:
            if run.outcome is not Outcome.OK:
                continue
            try:
                manifest = Store(self.store).manifest(cell.experiment, run.run_id)
            except (NoSuchThing, StorageFailed):
                other["is no longer whole in the store"] += 1
                continue
            if dict(manifest.firmware) != dict(plan.firmware):
                other["has other firmware than the round's plan"] += 1
            elif manifest.engine != plan.engine:
                other[f"was made by another engine ({manifest.engine.name} {manifest.engine.version})"] += 1
            elif (manifest.cell, manifest.seed) != (run.cell, run.seed):
                other["has another cell or seed than its journal says"] += 1
        for what, count in sorted(other.items()):
            self._say(Colour.INCOMPLETE, f"{counted(count, 'run')}: it {what}", cell.place)
