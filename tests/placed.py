# SPDX-License-Identifier: Apache-2.0
"""Cells of scenarios as the simulators get them."""

from orchestrator.applications.place import place
from orchestrator.csc import deployed
from orchestrator.csc.model import Simulation
from orchestrator.scenario.model import Cell


def simulation(cell: Cell, seed: int, **how: str) -> Simulation:
    """Returns the simulation of one seed; `how`: source and commands of its firmware, where they are not the
    store's."""
    return deployed.simulation(place(cell).deployment(seed, **how))
