# SPDX-License-Identifier: Apache-2.0
"""Pictures of three simulations, as they were when they were last looked at (tests/recorded.py)."""

from __future__ import annotations

from pathlib import Path

from orchestrator.csc import interfaces
from orchestrator.csc.model import (
    DirectedGraph,
    Edge,
    EndScript,
    LogisticLoss,
    Mote,
    MoteType,
    Simulation,
    Udgm,
)
from orchestrator.csc.picture import picture
from orchestrator.csc.survey import survey
from orchestrator.csc.write import write
from tests import recorded

RECORDED = Path(__file__).with_name("recorded_pictures")
TYPES = tuple(
    MoteType(name, title, f"[CONFIG_DIR]/{name}.c", "make", interfaces.STANDARD_INTERFACES)
    for name, title in (("a", "A node"), ("b", "B & <b>"), ("c", "C " * 40))
)


def simulation(medium, places) -> Simulation:
    motes = tuple(Mote("abc"[number % 3], number, *place) for number, place in enumerate(places, 1))
    return Simulation(
        "three <kinds>",
        1,
        0,
        medium,
        TYPES,
        tuple(sorted(motes, key=lambda one: one.type_identifier)),
        EndScript(1000),
    )


SIMULATIONS = {
    "unit-disk": simulation(  # two beside each other in one place, one far away, one above the others
        Udgm(50, 70, 0.9, 0.5), [(0, 0), (40, 10), (40, 10), (20, -30, 2.5), (300, 0), (60, 40)]
    ),
    "edges": simulation(
        DirectedGraph((Edge(1, 2, 0.25), Edge(2, 1), Edge(2, 3, 0.5))),
        [(0, 0), (30, 5), (10, 40)],
    ),
    "logistic": simulation(LogisticLoss(30), [(0, 0), (25, 0), (50, 0), (0, 200)]),
}


def drawn(name: str, folder: Path) -> str:
    (folder / "a.csc").write_bytes(write(SIMULATIONS[name]))
    return picture(survey(folder / "a.csc")).svg()


def test_a_picture_is_drawn_as_it_was(tmp_path):
    recorded.same(drawn("unit-disk", tmp_path), RECORDED / "unit-disk.svg")
