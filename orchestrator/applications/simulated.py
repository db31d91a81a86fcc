# SPDX-License-Identifier: Apache-2.0
"""A cell that is a whole simulation, placed: what place.PlacedCell is for a cell with an application."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from orchestrator.applications.course import CellCourse
from orchestrator.csc.model import EndScript, Simulation
from orchestrator.csc.mote_type import MoteType
from orchestrator.scenario.model import SimulationCell
from orchestrator.topology.model import Layout


@dataclass(frozen=True)
class PlacedSimulation:
    """The layout, times and simulations of a cell; all seeds share it."""

    cell: SimulationCell

    @property
    def layout(self) -> Layout:
        """The nodes as they stand."""
        return Layout(self.cell.topology.shape, self.cell.nodes)

    acting = layout

    @cached_property
    def course(self) -> CellCourse:
        """When it ends at the latest; another script than one of ours may end it before."""
        script = self.cell.simulation.script
        exact = isinstance(script, EndScript) and not script.ends_at_verdict
        return CellCourse(0, script.timeout_us, exact)

    def simulation(self, seed: int, mote_types: tuple[MoteType, ...] | None = None) -> Simulation:
        """Return the simulation of one seed, its mote types replaced if others are given."""
        base = self.cell.simulation
        return replace(base, seed=seed, mote_types=base.mote_types if mote_types is None else mote_types)
