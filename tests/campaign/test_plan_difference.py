# SPDX-License-Identifier: Apache-2.0
"""How a round's plan differs from an earlier one's, cell by cell."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from orchestrator import __version__
from orchestrator.features.campaigns.difference import _of_part, differences, other_version
from orchestrator.features.campaigns.model import CellPlan, PartPlan, Quarantined
from orchestrator.runs.spec import EngineUsed
from tests.campaign.conftest import round_plan

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
        (
            {"engine": EngineUsed("embedded", "2", "5.0"), "made_of": "n"},
            ["1 cell (A) of trial with another version of the engine"],
        ),
        (
            {"digest": "e", "firmware": {}, "seeds": ()},
            [f"1 cell (A) of trial with other {what}" for what in ("settings", "firmware", "seeds")],
        ),
        ({"seeds": (1, 3)}, ["1 cell (A) of trial with other seeds"]),
        ({"cell": "B"}, ["1 cell (B) is new in trial", "1 cell (A) is gone from trial"]),
    ],
)
def test_what_is_other_in_a_cell(other, said):
    assert _of_part(part(replace(CELL, **other)), part(CELL)) == said


def test_of_many_cells_some_are_named():
    many = part(*(replace(CELL, cell=f"C{number}") for number in range(5)))
    assert _of_part(many, part()) == ["5 cells (C0, C1, C2 and 2 more) are new in trial"]
    assert _of_part(part(), part(CELL)) == ["1 cell (A) is gone from trial"]
    three = part(*many.cells[:3])
    assert _of_part(three, part()) == ["3 cells (C0, C1 and C2) are new in trial"]
    assert _of_part(three, part(*(replace(cell, seeds=(7,)) for cell in three.cells))) == [
        "3 cells (C0, C1 and C2) of trial with other seeds"
    ]


def prepared(*parts):
    """A campaign whose parts have been built; `planned` gets the seeds that the round drew."""
    asked = []

    def made(part):
        return SimpleNamespace(planned=lambda fresh: asked.append(fresh) or part)

    return SimpleNamespace(parts={part.experiment: made(part) for part in parts}), asked


def test_a_campaign_beside_the_plan_of_a_round():
    out = Quarantined("one", "A", None, "2026-04-01", "x")
    one, two = round_plan().parts
    same, asked = prepared(one, two)
    assert differences(same, (), round_plan(fresh=(5, 6))) == [] and asked == [(5, 6)] * 2
    assert differences(same, [out], round_plan(quarantine=(out,))) == []
    for now, then in (((out,), ()), ((), (out,))):
        assert differences(same, now, round_plan(quarantine=then)) == ["the quarantine is another"]
    three = replace(two, experiment="three")
    assert differences(prepared(one, three)[0], (), round_plan()) == [
        "1 experiment (three) is new",
        "1 experiment (two) is gone",
    ]
    assert differences(prepared(three)[0], (), round_plan()) == [
        "1 experiment (three) is new",
        "2 experiments (one and two) are gone",
    ]
    edited = replace(one, cells=tuple(replace(cell, digest="other") for cell in one.cells))
    assert differences(prepared(edited, two)[0], (), round_plan()) == [
        "1 cell (A) of one with other settings"
    ]


def test_another_version_of_orchestrate_is_named():
    assert other_version(round_plan(version=__version__)) == []
    assert other_version(round_plan(version="0.0.1")) == [f"orchestrate is {__version__} here, there 0.0.1"]
