# SPDX-License-Identifier: Apache-2.0
"""Runs a scenario's testbed cells without a testbed: on a virtual one whose motes stand as the scenario's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrate_testbed.virtual import testbed as virtual

from orchestrator.applications.place import place
from orchestrator.features.testbed import virtual_testbed
from orchestrator.features.testbed.starter import like
from orchestrator.scenario.changed import on_lab
from orchestrator.scenario.model import Scenario


@contextmanager
def on_twin(scenario: Scenario) -> Iterator[Scenario]:
    """Give a scenario the testbed that it names none of; a scenario of simulations stays as it is.

    Every cell has the first one's motes and medium. The testbed is gone at the end.
    """
    if not any(cell.engine == "testbed" for cell in scenario.cells):
        yield scenario
        return
    placed = place(scenario.cells[0])
    with tempfile.TemporaryDirectory(prefix="o-", ignore_cleanup_errors=True) as folder:
        lab = Path(folder).resolve() / "lab.yaml"
        lab.write_text(like("lab", placed.layout, "sky"), encoding="utf-8")
        twin = virtual_testbed.up(lab, placed.medium, "all", scenario.seeds[0])
        try:
            yield on_lab(scenario, twin.inventory, None)
        finally:
            virtual.down(virtual_testbed.folder_of(lab))
