# SPDX-License-Identifier: Apache-2.0
"""How a round's plan differs from an earlier one's, cell by cell."""

from dataclasses import replace

import pytest

from orchestrator.campaign.difference import _of_part
from orchestrator.campaign.model import CellPlan, PartPlan
from orchestrator.runs.spec import EngineUsed

CELL = CellPlan("A", "d", "m", {"mtype1": "f"}, EngineUsed("embedded", "1", "5.0"), (1, 2))


def part(*cells):
    return PartPlan("trial", "trial.yaml", "", {}, cells)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({}, []),
        ({"digest": "e", "made_of": "n"}, ["1 cell (A) of trial with other settings"]),
        ({"firmware": {"mtype1": "g"}, "made_of": "n"}, ["1 cell (A) of trial with other firmware"]),
        ({"made_of": "n"}, ["1 cell (A) of trial with another .csc"]),
        ({"seeds": (1, 3)}, ["1 cell (A) of trial with other seeds"]),
        ({"cell": "B"}, ["1 cell (B) is new in trial", "1 cell (A) is gone from trial"]),
    ],
)
def test_what_is_other_in_a_cell(other, said):
    assert _of_part(part(replace(CELL, **other)), part(CELL)) == said


def test_of_many_cells_some_are_named():
    many = part(*(replace(CELL, cell=f"C{number}") for number in range(5)))
    assert _of_part(many, part()) == ["5 cells (C0, C1, C2 and 2 more) are new in trial"]
