# SPDX-License-Identifier: Apache-2.0
import re
import sys
from pathlib import Path

import pandas as pd
import pytest

from orchestrator.papers import aggregation
from orchestrator.papers.aggregation import finding, hypotheses_page
from orchestrator.papers.aggregation.cells import CELLS
from orchestrator.papers.aggregation.checks import CLAIMS
from orchestrator.papers.aggregation.data import numbers
from orchestrator.papers.aggregation.hypotheses import (
    COUNTED,
    MODERN,
    NONE,
    RADIO,
    Hypotheses,
    Place,
)
from orchestrator.papers.aggregation.measures import MEASURES
from orchestrator.report.data import Results
from orchestrator.report.model import Section, Text
from orchestrator.report.render import Page, html
from orchestrator.scenario.load import loads

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "report"))
import metrics_store

SEEDS = (1, 2, 3)
OWN = (
    "reduction-H10",
    "reduction-H5",
    "reduction-L10",
    "reduction-L5",
    "full-H10A",
    "others-H10A",
    "aggregated-L10AD",
    "full-L10AD",
)


def made(rows) -> Hypotheses:
    """Of (cell, metric, key, one value a seed)."""
    frame = pd.DataFrame(
        [
            ("x", cell, seed, f"{cell}{seed}", metric, key, float(value))
            for cell, metric, key, values in rows
            for seed, value in enumerate(values, 1)
        ],
        columns=["experiment", "cell", "seed", "run_id", "metric", "key", "value"],
    )
    return Hypotheses(Results("x", Path(), frame, (), "", tuple(sorted(set(frame["cell"])))))


def savings(stack: str, place: str, **of: tuple[float, float]) -> list[tuple]:
    """A stack's savings at a place, in %, smallest and largest of its runs."""
    return [
        (f"{stack}-{place}-{name}A", "reduction", "total", (low / 100, high / 100))
        for name, (low, high) in of.items()
    ]


@pytest.fixture(scope="module")
def whole() -> Hypotheses:
    """All configurations under all hypotheses at two places, alike in all of them."""
    rows = {}
    for cell in CELLS:
        for seed in SEEDS:
            for metric, key, value in metrics_store.run(cell, seed):
                rows.setdefault((cell, metric, key), []).append(value)
    return made(
        [
            (f"{stack}-{place}-{cell}", metric, key, values)
            for (cell, metric, key), values in rows.items()
            for stack in ("csma", "none", "radio-csma")
            for place in ("line-4", "folded-20")
            if len(values) == len(SEEDS)
        ]
    )


# --- the scenario
# ------------------------------------------------------------------------------------------------------
def test_the_scenario_is_the_twelve_configurations_under_each_hypothesis_at_each_place():
    main, scenario = (loads(*reversed(one)) for one in aggregation.scenarios()[:2])
    twelve = {cell.name: cell for cell in main.cells}
    cells = {cell.name: cell for cell in scenario.cells}
    places = [f"line-{metres}" for metres in (4, 10, 20, 30, 45)] + [
        f"folded-{metres}" for metres in (10, 20, 30, 45)
    ]
    macs = {"csma": "csma", "none": "nullmac", "radio-csma": "radio-csma"}
    assert set(cells) == {f"{stack}-{place}-{name}" for stack in macs for place in places for name in CELLS}
    assert len(scenario.seeds) >= 10
    for name, cell in cells.items():
        stack, (shape, metres, config) = (
            next(key for key in ("radio-csma", "csma", "none") if name.startswith(key)),
            name.split("-")[-3:],
        )
        base = twelve[config]
        assert (cell.duration_us, cell.drain_us, cell.radio) == (base.duration_us, base.drain_us, base.radio)
        assert cell.topology.shape == {"line": "chain", "folded": "folded-chain"}[shape]
        assert cell.topology.parameters == base.topology.parameters | {"spacing": float(metres)}
        differing = {
            key
            for key, value in cell.application.parameters.items()
            if base.application.parameters.get(key) != value
        }
        assert cell.application.parameters["mac"] == macs[stack]
        assert (
            differing == {"csma": set(), "none": {"mac"}}.get(stack, differing)
            and "mac" in differing
            or stack == "csma"
        )


# --- by stack and place
# ------------------------------------------------------------------------------------------------
def test_a_view_is_an_experiment_of_the_twelve_configurations(whole):
    assert (
        whole.stacks == (MODERN, NONE, RADIO)
        and whole.places == (Place("line", 4), Place("folded", 20))
        and whole.seeds == 3
    )
    view = whole.view(NONE, Place("folded", 20))
    assert sorted(view.cells) == sorted(CELLS)
    same = whole.results.values("none-folded-20-H10", "events_transmitted")
    assert view.values("H10", "events_transmitted").tolist() == same.tolist() and len(same) == 3


def test_inside_is_the_range_of_single_runs_and_the_rounding_of_the_number():
    found = made(
        [*savings("csma", "line-4", H5=(20, 32.04), H10=(50.46, 60), L5=(34.15, 40), L10=(45.3, 45.3))]
    )
    inside = {one.number["id"] for one in found.inside(MODERN, Place("line", 4))}
    assert inside == {"reduction-L5", "reduction-L10"}  # 32.1 is 32.05 to 32.15, and 50.4 is below 50.45


def test_each_published_number_counts_once_in_either_reading(whole):
    for reading, savings_of in (("transmissions", "reduction-"), (COUNTED, "reduction-counted-")):
        ids = {one.number["id"] for one in whole.own(reading)}
        assert ids == {id.replace("reduction-", savings_of) for id in OWN}
    assert {one.number["id"] for one in whole.judged} == {number["id"] for number in numbers()}


def test_every_claim_is_counted_run_by_run(whole):
    shown = {(one.claim.id, one.stack.key, one.place.shape): (one.so, one.runs) for one in whole.shown}
    assert shown["event-loss-H10", "csma", "line"] == (3, 3) and shown[
        "grows-H10", "radio-csma", "folded"
    ] == (3, 3)
    assert {runs for _, runs in shown.values()} == {3}


def test_the_page_shows_every_number_claim_and_cause_at_every_place(whole):
    blocks = hypotheses_page.blocks(whole)
    tables = {block.title: block for block in blocks if hasattr(block, "rows")}
    assert all(block.columns[2:] == ("4 m", "20 m, folded") for block in tables.values())
    assert [len(block.rows) for block in tables.values()] == [
        3 * len(numbers()),
        3 * len(CLAIMS),
        3 * len(CELLS),
    ]
    own = MEASURES["reduction"].estimate(whole.view(MODERN, Place("line", 4)), "H10A")
    row = tables["Published numbers within the range of single runs"].rows[0]
    assert row[0].text == "the saving of H10, 50.4 %" and row[2].text == hypotheses_page.single_runs(own, 1)
    page = html(Page("t", "s", (), (Section("h", "H", tuple(blocks)),), ""))
    assert "by the motes" in page and finding.figure(whole).name == "hypotheses-inside"
    assert all("%" in text for text in finding.paragraphs(whole)[1:])


def test_the_causes_of_lost_packets_are_shares_of_all_that_were_lost():
    def plain(place: str, sent: int, lost: int, full: int, deaf: int) -> list[tuple]:
        cell = f"csma-{place}-H10"
        return [
            (cell, "events_transmitted", "total", (sent, sent)),
            (cell, "packet_loss_rate", "total", (lost / sent, lost / sent)),
            (cell, "dropped", "queue", (full, full)),
            (cell, "dropped", "contending", (deaf, deaf)),
        ]

    _, text = finding.paragraphs(
        made([*plain("line-4", 600, 150, 20, 30), *plain("line-20", 400, 50, 30, 20)])
    )
    assert (
        "its runs without aggregation or delay lose 20.0 % of the event packets, of these: 25.0 % no "
        "room in the send queue; 75.0 % sent and not received. For each packet sent, 0.05 frames" in text
    )


def test_no_sentence_of_the_page_has_two_signs_in_a_row(whole):
    said = [
        text
        for block in hypotheses_page.blocks(whole)
        if isinstance(block, Text)
        for text in block.paragraphs
    ]
    assert said and not [text for text in said if re.search(r"[,;:.]\s*[,;:.]", text)]
