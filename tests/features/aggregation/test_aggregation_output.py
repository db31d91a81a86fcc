# SPDX-License-Identifier: Apache-2.0
"""What a user reads of the aggregation paper, of made-up runs: page, terminal, JSON (tests/recorded.py)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from orchestrator.features.aggregation import paper as aggregation
from orchestrator.features.aggregation.paper import hypotheses, sensitivity
from orchestrator.features.aggregation.paper.cells import CELLS
from orchestrator.features.aggregation.paper.hypotheses import Hypotheses
from orchestrator.features.aggregation.paper.panels import headline, panels
from orchestrator.report.data import Results
from tests import page_in_words, recorded
from tests.features.aggregation import made_up

RECORDED = Path(__file__).with_name("recorded_output")


def main_runs(cells: Iterable[str] = CELLS, seeds: Iterable[int] = (1, 2, 3), **given: dict) -> Results:
    """The paper's configurations; `given`: of a cell, numbers that aren't drawn."""
    made = [row for cell in cells for row in made_up.chain(cell, cell, seeds, **given.get(cell, {}))]
    return made_up.results(aggregation.EXPERIMENT, made, cells)


def told(part) -> str:
    return recorded.rounded(page_in_words.told(part, page_in_words.in_brief))


@pytest.fixture
def beside(monkeypatch):
    """What the main experiment's page finds in the store beside it."""

    def made(varied: Results | None, stacks: Hypotheses | None) -> None:
        monkeypatch.setattr(sensitivity, "read_beside", lambda results: varied)
        monkeypatch.setattr(hypotheses, "read_beside", lambda results: stacks)

    return made


def test_the_page_of_the_twelve_configurations_alone(beside):
    beside(None, None)
    recorded.same(told(aggregation.sections(main_runs())), RECORDED / "aggregation-alone.txt")


def test_only_panels_whose_cells_ran_are_drawn():
    def names(*cells: str) -> list[str]:
        return [figure.name for figure in panels(main_runs(cells, (1,)))]

    losses = ["figure-7g", "figure-7h"]
    assert names("L5D") == losses and names() == []
    assert names("L5") == names("L10") == ["figure-7f", *losses]
    assert names("H10A") == ["figure-7b-h10a", "figure-6-2-h10a", "figure-7e", *losses]
    other = made_up.results("x", [], ("other",))
    assert panels(other) == [] and headline(other) is None
