# SPDX-License-Identifier: Apache-2.0
"""A run of a testbed as the cell that is simulated on a survey of its lab."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from orchestrator.applications.place import place
from orchestrator.csc.model import DirectedGraph, LogDistance
from orchestrator.errors import Unsupported
from orchestrator.execution import prediction
from orchestrator.execution.prediction import GRAPH, MODEL, CellPrediction, Prediction
from orchestrator.report.predicted import CellRows
from orchestrator.runs.identity import plain
from orchestrator.runs.model import OnTestbed, PlacedMote
from orchestrator.scenario.load import loads
from orchestrator.testbed.survey.kept import Kept, KeptLink
from orchestrator.testbed.survey.propagation import STRAINED, Fit, predicted, predicted_quantile

MODELLED = LogDistance(-45.5, 3.2, 4.0, 1.5, -88.0, 1.25, 3.0)
NAMES = ("M1", "M2", "M3", "M4", "M5")
PLACES = {name: (0.2286 * number, 0.1) for number, name in enumerate(NAMES)}
LINKS = {(a, b): KeptLink(60, 54 if a < b else 30, -71.25, 103.4) for a in NAMES for b in NAMES if a != b} | {
    ("M1", "M5"): KeptLink(60, 0, None, None)
}
SURVEY = Kept("cellar", "seven", None, 1.0, PLACES, LINKS, Fit(MODELLED, 20, 19, 3.0, True, True))
SCENARIO = """experiment: agg
topology: {shape: chain, publishers: 3, spacing: 40 m}
radio: {range: 50 m}
application: {name: aggregation, rate: high}
duration: 30 s
seeds: 1
"""


def measured(played=NAMES):
    """What a manifest says of a run: a chain of three, its subscriber and its control node."""
    (cell,) = loads(SCENARIO, "agg.yaml").cells
    nodes = place(cell).layout.nodes
    return SimpleNamespace(
        cell=cell.name,
        parameters=plain(replace(cell, engine="testbed", ruleset="real radios and clocks")),
        motes=nodes,
        testbed=OnTestbed(
            "cellar",
            "seven",
            tuple(PlacedMote(node.mote, name, "G1", "") for node, name in zip(nodes, played, strict=True)),
        ),
    )


def test_the_cell_has_the_labs_places_and_the_runs_roles_and_routes():
    run = measured()
    made = place(prediction._cell(run, SURVEY, GRAPH))
    before = {node.mote: node for node in run.motes}
    assert {node.mote for node in made.layout.nodes} == set(before)
    for node in made.layout.nodes:
        assert (node.name, node.role, node.parent) == (
            before[node.mote].name,
            before[node.mote].role,
            before[node.mote].parent,
        )
        assert (node.x, node.y) == pytest.approx(PLACES[NAMES[node.mote - 1]], abs=1e-3), "whole mm"


def test_the_graph_has_the_measured_links_under_the_nodes_names():
    medium = place(prediction._cell(measured(), SURVEY, GRAPH)).medium
    assert isinstance(medium, DirectedGraph)
    edges = {(edge.source, edge.destination): edge for edge in medium.edges}
    assert edges[1, 2].ratio == 0.9 and edges[2, 1].ratio == 0.5
    assert (edges[1, 2].signal_dbm, edges[1, 2].lqi) == (-71.25, 103)
    assert (1, 5) not in edges and (5, 1) in edges and len(edges) == 19


def test_the_model_is_the_fitted_one():
    assert place(prediction._cell(measured(), SURVEY, MODEL)).medium == MODELLED
    made = prediction._cell(measured(), SURVEY, MODEL)
    assert (made.engine, made.ruleset) == ("embedded", "5.0")
    assert prediction._media(SURVEY) == (GRAPH, MODEL)
    assert prediction._media(replace(SURVEY, fit=None)) == (GRAPH,)


def test_a_mote_that_the_survey_lacks_is_named():
    with pytest.raises(Unsupported, match="the survey doesn't have M9; survey the same layout"):
        prediction._cell(measured((*NAMES[:4], "M9")), SURVEY, GRAPH)


def test_runs_on_different_motes_are_not_one_prediction():
    runs = (measured(), measured(NAMES[::-1]))
    with pytest.raises(Unsupported, match="different motes"):
        prediction._acted(SimpleNamespace(manifests=runs), "base")
    simulated = SimpleNamespace(cell="base", testbed=OnTestbed())
    with pytest.raises(Unsupported, match="not measured on a testbed"):
        prediction._acted(SimpleNamespace(manifests=(simulated,)), "base")


def test_links_beside_their_predictions():
    found = SimpleNamespace(survey=SURVEY, graph_ratios={("M1", "M2"): 0.88})
    row = prediction._link_row(found, ("M1", "M2"))
    assert (row.measured, row.graph, row.sent, row.rssi) == (0.9, 0.88, 60, -71.25)
    assert row.low < 0.9 < row.high and row.length == pytest.approx(0.2286)
    assert row.model_low - 1e-6 <= row.model <= row.model_high + 1e-6
    far = prediction._link_row(found, ("M1", "M5"))
    assert far.measured == 0 and far.graph is None and far.high > 0


MODEL_WORDS = (
    "The log-distance model, which is none of Cooja's, is fitted to 19 directions of 20: path loss exponent "
    "3.20, -45.5 dBm at 1 m, shadowing 4.0 dB and 1.5 dB a direction, half of the frames at -88.0 dBm. The "
    "path loss leaves 3.0 dB unexplained. Capture is a data sheet's, not measured."
)
SENT_WORDS = "The survey of the layout seven was made at {}, with {} frames of each mote."


@pytest.mark.parametrize(
    ("changes", "about"),
    [
        ({}, (SENT_WORDS.format("the driver's own power", 60), MODEL_WORDS)),
        (
            {"power": 0, "fit": replace(SURVEY.fit, strained=True)},
            (SENT_WORDS.format("power 0", 60), MODEL_WORDS, STRAINED),
        ),
        (
            {"links": {}, "fit": None},
            (
                SENT_WORDS.format("the driver's own power", 0),
                "Too few links were heard to fit a propagation model.",
            ),
        ),
    ],
)
def test_what_the_page_says_of_the_survey(changes, about):
    survey = replace(SURVEY, **changes)
    cell = CellPrediction("base", "measured", {GRAPH: "compared"}, ("M9 for M1",))
    shown = prediction.page(Prediction("agg", survey, (cell,), {}, 0.1, ("other: why",)))
    assert (shown.lab, shown.experiment, shown.margin) == ("cellar", "agg", 0.1)
    assert (shown.about, shown.refused) == (about, ("other: why",))
    assert shown.cells == (CellRows("base", "measured", {GRAPH: "compared"}, ("M9 for M1",)),)
    assert [(row.source, row.destination) for row in shown.links] == sorted(survey.links)


@pytest.mark.parametrize(
    ("link", "low", "high"),
    [(KeptLink(60, 54, -70.0, 100.0), 0.7985, 0.9534), (KeptLink(0, 0, None, None), 0.0, 1.0)],
)
def test_a_link_s_intervals(link, low, high):
    found = SimpleNamespace(
        survey=replace(SURVEY, links={("M1", "M2"): link}, fit=None), graph_ratios={("M1", "M2"): 0.5}
    )
    row = prediction._link_row(found, ("M1", "M2"))
    assert (row.low, row.high) == pytest.approx((low, high), abs=1e-4)
    assert (row.rssi, row.graph, row.model, row.model_low, row.model_high) == (link.rssi, 0.5, None, 0.0, 1.0)


def test_nine_of_ten_links_stay_in_the_model_s_band():
    far = replace(SURVEY, places=SURVEY.places | {"M2": (20.0, 0.1)})
    row = prediction._link_row(SimpleNamespace(survey=far, graph_ratios={}), ("M1", "M2"))
    model = MODELLED
    band = [predicted_quantile(model, row.length, deviations) for deviations in (-1.645, 1.645)]
    assert [row.model_low, row.model_high] == band and row.model == predicted(model, row.length)
    assert 0.0 < row.model_low < row.model < row.model_high < 1.0


def test_cells_that_can_t_be_simulated_are_told():
    strange = measured((*NAMES[:4], "M9"))
    strange.cell = "strange"
    results = SimpleNamespace(cells=["base", "strange", "none"], manifests=(measured(), strange))
    cells, replaced, refused = prediction._on_survey(results, SURVEY)
    assert list(cells) == ["base"] and list(cells["base"]) == [GRAPH, MODEL] and replaced["base"] == ()
    assert refused == [
        "strange: the survey doesn't have M9; survey the same layout",
        "none: it was not measured on a testbed",
    ]


@pytest.mark.parametrize("change", [{"topic": 2}, {"second": 1}, {"also": "publisher"}])
def test_motes_with_more_than_one_role_or_topic_are_refused(change):
    run = measured()
    run.motes = (*run.motes[:-1], replace(run.motes[-1], **change))
    with pytest.raises(Unsupported, match=r"^its topology gives motes more than one role or topic$"):
        prediction._cell(run, SURVEY, GRAPH)
