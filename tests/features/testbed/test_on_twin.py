# SPDX-License-Identifier: Apache-2.0
"""A scenario's testbed cells get a virtual testbed of their own, and simulations get none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.applications.place import place
from orchestrator.features.testbed import inventory, on_twin
from orchestrator.scenario.load import loads

SIMULATED = loads(
    "experiment: trial\ntopology: {shape: chain, publishers: 2, spacing: 5 m}\n"
    "application: {name: aggregation}\nduration: 10 s\nseeds: 4..5\n"
    "matrix: {application.aggregate: [false, true]}\n",
    "x.yaml",
)


@pytest.fixture
def started(monkeypatch) -> list:
    """What was started of virtual testbeds, and which were ended; nothing of them runs."""
    heard: list = []

    def up(path: Path, medium: object, layout: str, seed: int) -> SimpleNamespace:
        heard.append((inventory.load(path), medium, layout, seed))
        return SimpleNamespace(inventory=path.with_name("twin.yaml"))

    monkeypatch.setattr(on_twin.virtual_testbed, "up", up)
    monkeypatch.setattr(on_twin.virtual, "down", heard.append)
    return heard


def test_simulations_need_no_testbed(started):
    with on_twin.on_twin(SIMULATED) as scenario:
        assert scenario is SIMULATED
    assert started == []


def test_cells_on_a_testbed_get_one_whose_motes_stand_as_the_first_cells(started):
    on_testbed = replace(SIMULATED.cells[1], engine="testbed")
    mixed = replace(SIMULATED, cells=(SIMULATED.cells[0], on_testbed))
    placed = place(mixed.cells[0])
    with on_twin.on_twin(mixed) as scenario:
        (lab, medium, layout, seed) = started[0]
        assert (medium, layout, seed) == (placed.medium, "all", 4)
        assert len(lab.motes) == len(placed.layout.nodes)
        assert scenario.engine.inventory.endswith("/twin.yaml") and scenario.cells == mixed.cells
        folder = Path(scenario.engine.inventory).parent
        assert folder.is_dir() and len(started) == 1
    assert started[1:] == [folder / "lab.virtual"] and not folder.exists()


def test_a_testbed_is_gone_after_a_failure_too(started):
    on_testbed = replace(SIMULATED, cells=tuple(replace(cell, engine="testbed") for cell in SIMULATED.cells))
    with pytest.raises(KeyError), on_twin.on_twin(on_testbed):
        raise KeyError
    assert len(started) == 2
