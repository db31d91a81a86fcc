# SPDX-License-Identifier: Apache-2.0
"""When a cell's measured time begins and its simulation ends, computed so that no more is simulated."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.applications.model import Application
from orchestrator.scenario.model import Cell, DeclaredRadioSpec, LinkedRadioSpec, RadioSpec
from orchestrator.topology.model import Layout


@dataclass(frozen=True)
class CellCourse:
    """When the measured time begins, from a mote's boot, and when the simulation ends.

    `is_known` False: both are the latest times that are allowed; it begins as soon as the motes are ready,
    and the simulation ends at the line that says so.
    """

    begins_us: int
    ends_us: int
    is_known: bool = True


def course(app: Application, placed: Layout, cell: Cell) -> CellCourse:
    """Compute when a cell's run begins to measure, and when it ends."""
    says = app.course
    squared = sum(node.role == "publisher" for node in placed.nodes) ** 2
    begins = app.complete(cell.application.parameters).get(says.begins_parameter) or 0
    is_known = bool(begins) or not (says.within and app.success_line and _loses_frames(cell.radio))
    if not begins:
        begins = (
            says.begins + says.growth * squared
            if is_known
            else max(says.within, says.within_growth * squared)
        )
    # Motes with clocks of their own boot up to the start delay late.
    late = cell.start_delay_us if begins or says.outside else 0
    return CellCourse(begins, late + begins + cell.duration_us + cell.drain_us + says.outside, is_known)


def _loses_frames(radio: RadioSpec) -> bool:
    """Whether frames are lost by chance, and not only by collisions."""
    if isinstance(radio, LinkedRadioSpec):
        return any(link.ratio < 1 for link in radio.links)
    if isinstance(radio, DeclaredRadioSpec):
        return True
    return radio.tx_ratio < 1 or radio.rx_ratio < 1
