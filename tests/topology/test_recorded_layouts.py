# SPDX-License-Identifier: Apache-2.0
"""Layouts and their pictures as they were recorded: a layout is part of a run's identity, and a picture that
changed is to be looked at before its digest is recorded anew.
"""

from __future__ import annotations

import hashlib

import pytest

from orchestrator.scenario.model import TopologySpec
from orchestrator.topology.model import Layout
from orchestrator.topology.shapes import layout

LAYOUTS = {
    ("chain", ()): "7394234ad486",
    ("folded-chain", (("publishers", 6),)): "21c7594693d0",
    ("star", ()): "a23adf5730a1",
    ("tree", ()): "94a2a3eb35b5",
    ("tree", (("depth", 3), ("fan-out", 3), ("inner", "relay"))): "f408bda1d697",
    ("tree", (("depth", 4), ("fan-out", 1))): "464896947820",
    ("grid", ()): "ed82d542c89d",
    ("grid", (("rows", 4), ("columns", 5), ("subscriber", "centre"))): "cabbc7ac813a",
    ("mesh", ()): "50087618132c",
    ("random-geometric", ()): "e156a6dfafa9",
    (
        "random-geometric",
        (("subscriber", "centre"), ("publishers", 9), ("width", 60.0), ("height", 90.0)),
    ): "432e47669796",
    (
        "random-geometric",
        (("subscriber", "random"), ("publishers", 9), ("width", 60.0), ("height", 90.0)),
    ): "e8227770f12d",
    ("figure-2", ()): "b21422481390",
    ("figure-3", ()): "b0256053519e",
    ("figure-4", (("chains", 2),)): "b5c914fae2f8",
    ("figure-6", ()): "29431c769c0a",
    ("lorry", ()): "c228148ab0b3",
    (
        "lorry",
        (("packages", 3), ("cab", True), ("attacker", True), ("sensors", 5), ("sprinklers", 1)),
    ): "6cd1d6d407a5",
    ("boards", (("boards", 3),)): "592a4fd41204",
}


def made(case) -> Layout:
    return layout(TopologySpec(case[0], dict(case[1])), 50.0)


def digest(of) -> str:
    return hashlib.sha256(str(of).encode()).hexdigest()[:12]


@pytest.mark.parametrize("case", LAYOUTS, ids=str)
def test_layouts_are_as_they_were(case):
    assert digest(made(case)) == LAYOUTS[case]
