# SPDX-License-Identifier: Apache-2.0
"""The page of what was measured on a lab beside what is predicted: its sentences are those of the numbers."""

from __future__ import annotations

import pytest
from compared_store import cell, store, values

from orchestrator.features.testbed import predicted_page as predicted
from orchestrator.features.testbed.predicted_page import CellRows, LinkRow, Predicted
from orchestrator.report.comparison.rows import compare
from orchestrator.report.comparison.sides import side

GRAPH, MODEL = "directed graph", "log-distance"


def link(source="M1", destination="M2", measured=0.9, graph: float | None = 0.88, **more) -> LinkRow:
    bounds = {"low": measured - 0.05, "high": measured + 0.05} | more
    return LinkRow(
        source, destination, 0.2286, 60, measured, rssi=-71.5, graph=graph, **{"model": None} | bounds
    )


@pytest.fixture
def found(tmp_path):
    measured = store(
        tmp_path / "measured",
        "agg",
        {"5": cell()},
        lambda name, seed: values(100 + seed % 2, 0.01 * (seed % 2)),
        outcome=lambda name, seed: "testbed failed" if seed == 4 else "ok",
    )
    store(tmp_path / "s", "agg-on-links", {"5": cell(rx=0.9)}, lambda name, seed: values(101 + seed % 2, 0.3))
    theirs = side(tmp_path / "s", "agg-on-links/5")
    mine = side(measured, "agg/5")
    return Predicted(
        "cellar",
        "agg",
        0.05,
        (
            link(),
            link("M2", "M1", 0.5, 0.9, model=0.95, model_low=0.9, model_high=1.0),
            link("M1", "M3", 0.2, None, model=0.3, model_low=0.1, model_high=0.6),
        ),
        (
            CellRows(
                "5", mine, {GRAPH: compare(mine, theirs, margin=0.05)}, ("M9 is in the place of M2: dead.",)
            ),
        ),
        ("The survey was made.",),
        ("7: the survey doesn't have M8",),
    )


def text_of(found: Predicted) -> str:
    return predicted.build(found).html


def test_the_sentences_count_what_the_rows_show(found):
    first, second, *_, last = predicted.sentences(found)
    rows = [row for _, row in predicted.rows_on(found, GRAPH)]
    alike = [row.title for row in rows if row.equivalent]
    assert len(rows) == 3 and len(alike) == 2
    assert first == (
        f"On the directed graph, the simulation gives 2 of 3 metrics within 5\u00a0% of what was measured: "
        f"{'; '.join(alike)}."
    )
    assert (
        second.startswith("1 of its metrics is larger or smaller than what was measured: ") and "%" in second
    )
    assert "nothing here tells of other scenarios" in last


def test_every_direction_stands_beside_its_predictions(found):
    html = text_of(found)
    assert "M2 → M1" in html and "22.9" in html and "-71.5" in html.replace("−", "-")
    assert "Of 2 directions of links, 1 carry within 10 points the same share" in html
    assert "agrees with 1 of 2 measured directions" in html


def test_dead_motes_and_what_was_not_simulated_are_named(found):
    html = text_of(found)
    assert "testbed failed" in html and "seed 4" in html
    assert "M9 is in the place of M2: dead." in html
    assert "Not simulated: 7: the survey doesn" in html


def test_the_band_agrees_where_it_meets_the_measured_interval():
    row = link(measured=0.5, model=0.8, model_low=0.54, model_high=0.95)
    assert row.in_band is True and link().in_band is None
    assert link(measured=0.4, model=0.8, model_low=0.54, model_high=0.95).in_band is False


def test_the_figures_numbers_are_all_directions(found):
    (figure,) = [
        block
        for section in predicted.build(found).sections
        for block in section.blocks
        if isinstance(block, predicted.Figure)
    ]
    head, *rows = figure.drawing.file("csv").decode().splitlines()
    assert head == "direction,length_m,sent,measured,low,high,rssi_dbm,graph,model"
    assert len(rows) == 3 and rows[0].startswith("M1-M2,0.2286,60,0.9,")
    assert b"<svg" in figure.svg
