# SPDX-License-Identifier: Apache-2.0
"""What a user reads of the aggregation paper, of made-up runs: page, terminal, JSON (tests/recorded.py)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.cli import paper
from orchestrator.cli.paper_tables import checks_table, numbers_table
from orchestrator.papers import aggregation
from orchestrator.papers.aggregation import deployment, hypotheses, sensitivity
from orchestrator.papers.aggregation.cells import CELLS
from orchestrator.papers.aggregation.checks import checks
from orchestrator.papers.aggregation.comparison import rows
from orchestrator.papers.aggregation.explanations import STEPS
from orchestrator.papers.aggregation.hypotheses import Hypotheses
from orchestrator.papers.aggregation.panels import headline, panels
from orchestrator.report.data import Results
from orchestrator.scenario.load import loads
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


def swept() -> Results:
    """The sensitivity runs, but for those with a loss of 2 %, which all failed."""
    cells = [cell for _, several in sensitivity.VARIANTS for _, cell in several if "loss" not in cell]
    shares = {cell: 0.9 - 0.2 * place for place, (_, cell) in enumerate(STEPS)}
    made = []
    for cell in cells:
        load, delayed = cell.split("-")[0].rstrip("D"), "D" * cell.split("-")[0].endswith("D")
        made += made_up.chain(cell, load + delayed, (1, 2))
        given = {"aggregated_share": shares[f"{cell}-A"]} if f"{cell}-A" in shares else {}
        made += made_up.chain(f"{cell}-A", f"{load}A{delayed}", (1, 2, 3), **given)
    every = [name for cell in cells for name in (cell, f"{cell}-A")]
    return made_up.results(sensitivity.EXPERIMENT, made, every)


def supposed() -> Hypotheses:
    """Under each hypothesis at three placements; nothing ran without CSMA at 45 m."""
    cells = {
        f"{stack.key}-{place}-{name}": name
        for stack in hypotheses.STACKS
        for place in ("line-4", "line-45", "folded-20")
        for name in CELLS
        if (stack.key, place) != ("none", "line-45")
    }
    made = [
        row
        for cell, name in cells.items()
        for row in made_up.chain(
            cell, name, (1, 2, 3), **(LOSSLESS if cell.startswith("csma-line-4-") and "A" in name else {})
        )
    ]
    return Hypotheses(made_up.results(hypotheses.EXPERIMENT, made, cells))


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


def test_the_page_beside_hypotheses_and_other_decisions(beside):
    beside(swept(), supposed())
    recorded.same(told(aggregation.sections(explained())), RECORDED / "aggregation-explained.txt")


def test_the_page_of_one_run_of_some_configurations(beside):
    """Its nodes handed more events to the MAC than packets, which leaves none for the routes."""
    beside(None, None)
    some = main_runs(("H5A", "H10A", "L5", "L10A", "L10AD"), (7,), H10A={"events_transmitted": 99_999})
    recorded.same(told(aggregation.sections(some)), RECORDED / "aggregation-of-one-run.txt")


def test_the_page_without_a_cell_with_aggregation_has_no_picture_beside_its_summary(beside):
    beside(None, None)
    sections = aggregation.sections(main_runs(("H10",)))
    recorded.same(told(sections), RECORDED / "aggregation-without-aggregation.txt")


def test_what_the_command_prints(monkeypatch, capsys):
    """Numbers of cells that didn't run are null in JSON, which has no NaN."""
    monkeypatch.setenv("COLUMNS", "130")
    result, _, others = aggregation.results()
    ran = explained()
    found = {
        aggregation.EXPERIMENT: replace(
            ran, per_run=ran.per_run[ran.per_run["cell"] != "H5A"], cells=tuple(set(CELLS) - {"H5A"})
        )
    }
    paper.show_results([result, others], found, [Path("one/index.html"), Path("two/index.html")])
    said = capsys.readouterr().out
    told_as_json = paper.as_json([result, others], found, [Path("one/index.html"), Path("two")])
    said += json.dumps(told_as_json, indent=1, ensure_ascii=False, allow_nan=False)
    recorded.same(recorded.rounded(said) + "\n", RECORDED / "aggregation-command.txt")
    assert paper.as_json([result], {}, []) == {
        "results": ["numbers"],
        "experiments": [],
        "report": None,
        "reports": [],
        "numbers": [],
        "tables": [],
        "checks": [],
    }


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


def test_merge_functions_on_some_of_the_motes():
    scenario = loads(aggregation.figure_scenarios()[1][1], "deployment.yaml")
    cells = [cell.name for cell in scenario.cells]
    made = [
        row
        for cell in cells
        for row in made_up.chain(cell, "H10A", (1, 2, 3))
        if cell != "far-60" and row[:3] != ("near-20", "delay_ms", "mean")
    ]
    results = made_up.results(deployment.EXPERIMENT, made, cells)
    said = deployment.title(results) + "\n" + told(deployment.sections(results))
    recorded.same(said, RECORDED / "aggregation-deployment.txt")


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

    def notes(*cells: str) -> list[str]:
        (figure,) = (one for one in panels(main_runs(cells, (1,))) if one.name == "figure-7f")
        texts = next(line for line in page_in_words.in_brief(figure.drawing) if " | " in line).split(" | ")
        return [one for one in texts if one in ("paper", "ours") or one[0] in "−+"]

    assert [one for one in notes("L5", "L5A", "L5D", "L5AD") if one[0] in "po"] == ["paper", "ours", "ours"]
    assert notes("L5A", "L5AD") == []
    more_than_without = notes("L5", "L5A")[-1]  # the made-up runs with aggregation generate and forward more
    assert more_than_without.startswith("+") and "−" not in more_than_without


def test_titles_of_the_reports():
    results = replace(main_runs(("H5",)), cells=())
    assert aggregation.title(results) == "Aggregation in publish/subscribe systems, measured again"
