# SPDX-License-Identifier: Apache-2.0
"""A campaign's parts with their firmware built: what names its runs and what makes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.build import cache
from orchestrator.execution import plan as execution_plan
from orchestrator.execution.plan import CellRuns, Plan
from orchestrator.execution.progress import NOBODY, Compiling, Listener
from orchestrator.features.campaigns.model import CellPlan, PartPlan, RunKey
from orchestrator.features.campaigns.written import Campaign, Part
from orchestrator.runs import identity
from orchestrator.runs.spec import EngineUsed, RunSpec


@dataclass(frozen=True)
class PreparedPart:
    """A part; `cells`: what its runs are made of, without seeds; `runs`: by the cell's name."""

    part: Part
    plan: Plan
    cells: tuple[CellPlan, ...]
    runs: Mapping[str, CellRuns]

    def planned(self, fresh: tuple[int, ...]) -> PartPlan:
        """Return the part with its seeds, some of them drawn for this round."""
        fixed = self.part.seeds.fixed
        drawn = tuple(seed for seed in fresh if seed not in fixed)[: self.part.seeds.fresh]
        seeds = (*fixed, *drawn)
        return PartPlan(
            self.part.experiment,
            self.part.named,
            self.part.text(seeds),
            self.part.overrides,
            tuple(replace(cell, seeds=seeds) for cell in self.cells),
        )


@dataclass(frozen=True)
class Prepared:
    """All parts of a campaign."""

    campaign: Campaign
    parts: Mapping[str, PreparedPart]  # by experiment

    def runs(self, key: RunKey) -> CellRuns:
        """Return the runs of a planned run's cell."""
        return self.parts[key.experiment].runs[key.cell]

    def ids(self, key: RunKey) -> tuple[str, str]:
        """Return a planned run's id and trend id."""
        return self.runs(key).ids(key.seed)

    def spec(self, key: RunKey) -> RunSpec:
        """All of a planned run."""
        return self.runs(key).spec(key.seed)


def prepare(campaign: Campaign, store: Path, listener: Listener = NOBODY) -> Prepared:
    """Build the firmware and engines of all parts. Raises what builds raise."""
    parts = {}
    with cache.watched(Compiling(listener.stage)):
        for part in campaign.parts:
            scenario = replace(part.scenario, experiment=part.experiment)
            planned = execution_plan.prepare(scenario, store, say=listener.say, show=listener.line)
            runs = {cell.name: planned.runs(cell) for cell in scenario.cells}
            cells = tuple(
                CellPlan(
                    cell.name,
                    identity.digest(runs_of_cell.cell),
                    runs_of_cell.made_of,
                    runs_of_cell.firmware,
                    EngineUsed(
                        runs_of_cell.cell.engine, planned.versions[cell.engine], runs_of_cell.cell.ruleset
                    ),
                    (),
                    identity.plain(cell.settings),
                )
                for cell in scenario.cells
                for runs_of_cell in [runs[cell.name]]
            )
            parts[part.experiment] = PreparedPart(part, planned, cells, runs)
    return Prepared(campaign, parts)
