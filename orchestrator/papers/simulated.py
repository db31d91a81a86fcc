# SPDX-License-Identifier: Apache-2.0
"""A run of one of a figure's cells, outside of any experiment."""

from __future__ import annotations

from pathlib import Path

from orchestrator.applications import place
from orchestrator.build import host
from orchestrator.engines.model import Job
from orchestrator.scenario.model import Cell

SEED = 1  # that of the figures' files


def job(cell: Cell, folder: Path, *, radio: Path | None = None, cflags: str = "") -> Job:
    """Build the cell's firmware, with these flags beside the usual ones, and return its run.

    The run's log is in `folder`. Raises BuildFailed or MissingTool.
    """
    application = place.application(cell)
    variant = application.variant(cell.application.parameters)
    firmware = host.firmware(application, variant, cflags=cflags)
    deployment = place.place(cell).deployment(SEED)
    types = {deployment.firmware.identifier: firmware.path}
    return Job(deployment, SEED, types, folder / "log", radio=radio)
