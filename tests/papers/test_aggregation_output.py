# SPDX-License-Identifier: Apache-2.0
"""What a user reads of the aggregation paper, of made-up runs: page, terminal, JSON (tests/recorded.py)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.cli.paper_tables import checks_table, numbers_table
from orchestrator.papers import aggregation
from orchestrator.papers.aggregation import hypotheses, sensitivity
from orchestrator.papers.aggregation.cells import CELLS
from orchestrator.papers.aggregation.checks import checks
from orchestrator.papers.aggregation.comparison import rows
from orchestrator.papers.aggregation.hypotheses import Hypotheses
from orchestrator.papers.aggregation.panels import headline, panels
from orchestrator.report.data import Results
from tests import page_in_words, recorded
from tests.papers import made_up

RECORDED = Path(__file__).with_name("recorded_output")
# Cells in which nothing is lost, so that the counts explain what differs from the paper.
LOSSLESS = {
    "event_loss_rate": 0.0,
    "packet_loss_rate": 0.0,
    "dropped__queue": 0,
    "dropped__channel_access": 0,
    "dropped__collision": 0,
}
FULL = {"aggregates": 2421, "full_aggregates": 2372}


def main_runs(cells: Iterable[str] = CELLS, seeds: Iterable[int] = (1, 2, 3), **given: dict) -> Results:
    """The paper's configurations; `given`: of a cell, numbers that aren't drawn."""
    made = [row for cell in cells for row in made_up.chain(cell, cell, seeds, **given.get(cell, {}))]
    return made_up.results(aggregation.EXPERIMENT, made, cells)


def explained() -> Results:
    """Runs of which all explanations are true, and others that they don't explain."""
    few, many = {"packet_loss_rate": 0.01, "reduction": 0.7}, {"packet_loss_rate": 0.4, "reduction": 0.2}
    in_queues = {"packet_loss_rate": 0.3, "dropped__queue": 3000, "dropped__channel_access": 1001}
    return main_runs(
        H10A=LOSSLESS | FULL | {"reduction": 0.7},
        H10=in_queues,
        H5=few,
        H5A=LOSSLESS | {"reduction": 0.72, "events_published": 500, "events_transmitted__P5": 400},
        L10=many,
        L10A=LOSSLESS,
        L5=LOSSLESS,
        L5A=LOSSLESS,
        L10AD=LOSSLESS,
    )


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


def test_verdicts_have_their_colours_in_the_terminal():
    shown = numbers_table(rows(explained())), checks_table(checks(explained()), "Claims")
    words = {
        "green": ("holds", "within the range"),
        "red": ("reversed", "does not hold", "outside the range"),
        "yellow": ("no difference shown", "equal in every seed"),
    }
    cells = [cell for table in shown for row in table.rows for cell in row if isinstance(cell, tuple)]
    cells = [(text, style) for text, style in cells if style]
    assert {style for _, style in cells} == set(words)
    assert all(text.startswith(words[style]) for text, style in cells)


def test_only_panels_whose_cells_ran_are_drawn():
    def names(*cells: str) -> list[str]:
        return [figure.name for figure in panels(main_runs(cells, (1,)))]

    losses = ["figure-7g", "figure-7h"]
    assert names("L5D") == losses and names() == []
    assert names("L5") == names("L10") == ["figure-7f", *losses]
    assert names("H10A") == ["figure-7b-h10a", "figure-6-2-h10a", "figure-7e", *losses]
    other = made_up.results("x", [], ("other",))
    assert panels(other) == [] and headline(other) is None


def test_only_a_reduction_that_is_known_is_written_above_a_total():
    """Beside the paper's, which is drawn where the runs without aggregation are known."""

    def notes(cells: tuple[str, ...], reduced: tuple[str, ...]) -> list[str]:
        ran = main_runs(cells, (1,), **dict.fromkeys(reduced, {"reduction": 0.25}))
        known = (ran.per_run["metric"] != "reduction") | ran.per_run["cell"].isin(reduced)
        (figure,) = (
            one for one in panels(replace(ran, per_run=ran.per_run[known])) if one.name == "figure-7f"
        )
        texts = next(line for line in page_in_words.in_brief(figure.drawing) if " | " in line).split(" | ")
        return [one for one in texts if one in ("paper", "ours") or one.startswith("−")]

    cells = ("L5", "L5A", "L5D", "L5AD")
    assert notes(cells, ("L5A", "L5AD")) == ["paper", "−34.1 %", "ours", "−25.0 %", "ours", "−25.0 %"]
    assert notes(cells, ("L5AD",)) == ["ours", "−25.0 %"] and notes(cells, ()) == []
    assert notes(("L5A",), ("L5A",)) == ["paper", "−34.1 %", "ours", "−25.0 %"]
