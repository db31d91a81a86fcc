# SPDX-License-Identifier: Apache-2.0
"""Figure 28 of the paper on policies: whose code is whose layer's, what is subtracted, what is judged."""

from __future__ import annotations

from collections import Counter

import pytest

from orchestrator.errors import MissingTool
from orchestrator.features.policies.paper import data, figure_28
from orchestrator.features.policies.paper.figure_28 import (
    BROKER,
    DIFFUSION,
    MANAGER,
    POLICIES,
    SYSTEM,
    Profile,
)
from orchestrator.papers.check import FAILS, HOLDS, MISSING
from orchestrator.scenario.load import loads


def test_each_file_is_of_the_layer_that_the_note_says():
    layers = {
        "app/sensing.c": figure_28.APPLICATION,
        "app/policies-generated.c": POLICIES,
        "middleware/policies/policy-manager.c": MANAGER,
        "middleware/pubsub/pubsub.c": BROKER,
        "middleware/push-dpc/push-dpc.c": DIFFUSION,
        "middleware/cpc/reliable-cpc.c": DIFFUSION,
        "middleware/run-log/event-trace.c": None,
        "middleware/policy-log/policy-log.c": None,
        "os/platform/tick.c": None,
        "os/platform/main.c": SYSTEM,
        "os/lib/format.c": None,
        "os/lib/list.c": SYSTEM,
        "os/dev/cooja-radio.c": SYSTEM,
        "libc": SYSTEM,
    }
    assert {file: figure_28.layer_of(file) for file in layers} == layers
    with pytest.raises(LookupError):
        figure_28.layer_of("elsewhere/file.c")


def test_boot_is_subtracted_and_readings_are_as_many_at_every_size(monkeypatch):
    cells = loads(data.text(figure_28.FILE), figure_28.FILE).cells
    assert [cell.name for cell in cells] == [f"{hot}-{n}" for hot in ("0%", "1%") for n in (5, 30, 60, 118)]
    readings = {(c.topology.parameters["sensors"] + 1) // 2 * c.duration_us / 400_000 for c in cells}
    assert readings <= {590, 600}

    def instructions(cell):
        booted = Counter({"app/lorry.c": 500, "os/sys/process.c": 1000, "os/platform/stdio.c": 9})
        return booted if cell.duration_us < 10_000 else booted + Counter({"os/sys/process.c": 5600})

    monkeypatch.setattr(figure_28, "_instructions", instructions)
    found = figure_28.profile(cells[0])
    assert found.layers == {figure_28.APPLICATION: 0, SYSTEM: 5600}
    assert found.motes == 7
    assert found.each(SYSTEM) == pytest.approx(10, rel=1e-3)


def test_layers_are_judged_in_both_readings(monkeypatch):
    quiet = Profile({POLICIES: 10, MANAGER: 50, BROKER: 20, SYSTEM: 20}, 7, 1.0)
    busy = Profile({POLICIES: 1, MANAGER: 9, DIFFUSION: 30, SYSTEM: 60}, 7, 1.0)
    large = Profile({POLICIES: 20, DIFFUSION: 40, SYSTEM: 40}, 32, 1.0)
    found = {("0%", 5): quiet, ("1%", 5): busy, ("1%", 30): large}
    monkeypatch.setattr(figure_28, "measured", lambda: found)
    told = {check.id: (check.verdict, check.evidence) for check in figure_28.checks({})}
    assert told["layers-0-narrow"] == (FAILS, "60 to 60 % of all instructions")
    assert told["layers-0-wide"][0] == FAILS
    assert told["layers-1-narrow"] == (HOLDS, "10 to 20 % of all instructions")
    assert told["layers-1-wide"] == (FAILS, "40 to 60 % of all instructions")
    (table,) = figure_28.tables({})
    assert [entry.text for entry in table.rows[1]][:2] == ["1 %", "5"]
    assert [entry.text for entry in table.rows[1]][-2:] == ["10 %", "40 %"]


def test_without_valgrind_nothing_is_claimed(monkeypatch):
    def missing(cell):
        raise MissingTool("no valgrind")

    monkeypatch.setattr(figure_28, "profile", missing)
    assert figure_28.measured.__wrapped__() == {}
    monkeypatch.setattr(figure_28, "measured", dict)
    assert {check.verdict for check in figure_28.checks({})} == {MISSING}
    assert figure_28.tables({}) == []
