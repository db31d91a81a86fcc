# SPDX-License-Identifier: Apache-2.0
"""A run of a testbed as the cell that is simulated on a survey of its lab."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from orchestrator.applications.place import place
from orchestrator.csc.model import DirectedGraph, LogDistance
from orchestrator.errors import RunFailed, Unsupported
from orchestrator.execution.execute import Effort, Failure, Summary
from orchestrator.execution.progress import Listener
from orchestrator.features.testbed import prediction
from orchestrator.features.testbed.predicted_page import CellRows
from orchestrator.features.testbed.prediction import GRAPH, MODEL, CellPrediction, Prediction
from orchestrator.features.testbed.survey.kept import Kept, KeptLink
from orchestrator.features.testbed.survey.propagation import STRAINED, Fit, predicted, predicted_quantile
from orchestrator.runs.identity import plain
from orchestrator.runs.model import OnTestbed, Outcome, PlacedMote
from orchestrator.runs.store import Store
from orchestrator.scenario.load import loads
from orchestrator.scenario.model import Link

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


def test_a_cell_whose_next_hop_the_survey_never_heard_is_told_and_the_others_are_simulated():
    other = measured(NAMES[::-1])  # there M4 is the first publisher, and M5 the subscriber
    other.cell = "other"
    results = SimpleNamespace(cells=["base", "other"], manifests=(measured(), other))
    links = {pair: link for pair, link in LINKS.items() if set(pair) != {"M4", "M5"}}
    cells, _, refused = prediction._on_survey(results, replace(SURVEY, links=links))
    assert (list(cells), refused) == (
        ["base"],
        ["other: radio: P1 and its next hop S have no link both ways in links.csv"],
    )


@pytest.mark.parametrize("change", [{"topic": 2}, {"second": 1}, {"also": "publisher"}])
def test_motes_with_more_than_one_role_or_topic_are_refused(change):
    run = measured()
    run.motes = (*run.motes[:-1], replace(run.motes[-1], **change))
    with pytest.raises(Unsupported, match=r"^its topology gives motes more than one role or topic$"):
        prediction._cell(run, SURVEY, GRAPH)


def test_motes_that_would_get_other_ids_are_refused():
    """A topology of positions numbers its motes in its own order."""
    run = measured()
    numbers = {1: 2, 2: 1}
    run.motes = tuple(
        replace(
            node,
            mote=numbers.get(node.mote, node.mote),
            parent=numbers.get(node.parent, node.parent),
        )
        for node in run.motes
    )
    with pytest.raises(Unsupported, match=r"^its motes would get other ids in a topology of positions$"):
        prediction._cell(run, SURVEY, GRAPH)


def test_who_stood_in_for_whom_is_told_once_for_all_runs_of_a_cell():
    def run(*replaced):
        found = measured()
        found.testbed = replace(found.testbed, replaced=replaced)
        return found

    other = run("M9 for M1")
    other.cell = "other"
    runs = (run("M5 for M2"), run("M6 for M3", "M5 for M2"), other)
    first, replaced = prediction._acted(SimpleNamespace(manifests=runs), "base")
    assert first is runs[0] and replaced == ("M5 for M2", "M6 for M3")


@pytest.mark.parametrize(
    ("link", "lqi"),
    [
        (KeptLink(60, 54, -70.0, 103.4), 103),
        (KeptLink(60, 54, -70.0, 254.6), 255),
        (KeptLink(60, 54, -70.0, 270.0), 255),
        (KeptLink(60, 54, None, 100.0), None),
        (KeptLink(60, 54, -70.0, None), None),
    ],
)
def test_a_link_of_the_graph_has_what_was_measured_of_both(link, lqi):
    """What one byte can't hold is the best quality; a mote that takes no part has no links."""
    links = {("M1", "M2"): link, ("M1", "M3"): link, ("M3", "M1"): link}
    radio = prediction._radio(replace(SURVEY, links=links), GRAPH, {"M1": "S", "M2": "P1"})
    made = [] if lqi is None else [Link("S", "P1", 0.9, -70.0, lqi)]
    assert (list(radio.links), radio.file) == (made, "links.csv")
    assert prediction._radio(replace(SURVEY, links=links, fit=None), MODEL, {"M1": "S"}).links == ()


STORE, TOLD = "here", Listener()


@pytest.fixture
def simulated(monkeypatch):
    """What was simulated; nothing is: a stand-in tells what it was asked for."""
    made = []

    def run(scenario, store, effort, *, page, told):
        assert (store, effort, page, told) == (STORE, Effort(), False, TOLD)
        made.append(scenario)

    monkeypatch.setattr(prediction.pipeline, "run", run)
    monkeypatch.setattr(prediction, "_surveyed_again", lambda *given: {("M1", "M2"): 0.5})
    monkeypatch.setattr(prediction, "compare", lambda one, other, *, margin: (one.of, other.of, margin))
    return made


@pytest.mark.parametrize(
    ("fit", "experiments"),
    [(SURVEY.fit, {GRAPH: "agg-on-links", MODEL: "agg-on-log-distance"}), (None, {GRAPH: "agg-on-links"})],
)
def test_a_measured_cell_is_simulated_on_each_medium_and_compared_with_each(
    monkeypatch, simulated, fit, experiments
):
    strange = measured((*NAMES[:4], "M9"))
    strange.cell = "strange"
    results = SimpleNamespace(cells=("base", "strange"), manifests=(measured(), strange))
    monkeypatch.setattr(
        prediction, "side", lambda store, name: SimpleNamespace(results=results, of=(store, name))
    )
    survey = replace(SURVEY, fit=fit)
    found = prediction.predict(loads(SCENARIO, "agg.yaml"), "there", survey, STORE, range(3, 6), 0.1, TOLD)
    assert [(one.experiment, one.seeds) for one in simulated] == [
        (name, (3, 4, 5)) for name in experiments.values()
    ]
    media = [(cell.name, type(place(cell).medium)) for one in simulated for cell in one.cells]
    assert media == [("base", DirectedGraph), ("base", LogDistance)][: len(experiments)]
    (cell,) = found.cells
    assert (cell.name, cell.measured.of, cell.replaced) == ("base", ("there", "agg/base"), ())
    assert cell.compared == {
        medium: (("there", "agg/base"), (STORE, f"{name}/base"), 0.1) for medium, name in experiments.items()
    }
    assert (found.experiment, found.survey, found.margin) == ("agg", survey, 0.1)
    assert found.graph_ratios == {("M1", "M2"): 0.5}
    assert found.refused == ("strange: the survey doesn't have M9; survey the same layout",)


def test_without_a_cell_that_can_be_simulated_each_reason_is_told(monkeypatch, simulated):
    results = SimpleNamespace(cells=("base", "next"), manifests=())
    monkeypatch.setattr(prediction, "side", lambda *_: SimpleNamespace(results=results))
    why = "it was not measured on a testbed"
    words = f"^no cell can be simulated on the survey:\nbase: {why}\nnext: {why}$"
    with pytest.raises(Unsupported, match=words):
        prediction.predict(loads(SCENARIO, "agg.yaml"), "there", SURVEY, STORE, (1,), 0.1, TOLD)
    assert simulated == []


HEARD = (
    "".join(
        f"1\tID:{mote}\twho link-survey address 0{mote}00000000000000 eui64 unknown platform cooja\n"
        for mote in range(1, 6)
    )
    + """10000000\tID:1\tsay 1 round 1 power 0
10000900\tID:2\theard 1 from 0100000000000000 power 0 rssi -70 lqi 100
20000000\tID:1\tsay 2 round 1 power 0
30000000\tID:2\tsay 1 round 1 power 0
40000000\tID:2\tsay 2 round 1 power 0
"""
)


@pytest.fixture
def surveyed(monkeypatch, tmp_path):
    """A function that surveys a lab again in a simulation whose run ends so; it gives what was found, and the
    scenario.
    """

    def again(outcome=Outcome.OK):
        made = []

        def run(scenario, store, effort, *, report, told):
            assert (store, effort, report, told) == (tmp_path, Effort(1), False, TOLD)
            made.append(scenario)
            folder = Store(store).folder(scenario.experiment, "ab")
            folder.mkdir(parents=True)
            (folder / "COOJA.testlog").write_bytes(HEARD.encode() + b"\xff\n")
            failed = [Failure("survey", 1, "ab", outcome, ("why",))] if outcome is not Outcome.OK else []
            return SimpleNamespace(summary=Summary(["ab"], 1, failed))

        monkeypatch.setattr(prediction.pipeline, "run", run)
        scenario = loads(f"{SCENARIO}matrix: {{drain: [3 s, 4 s]}}\n", "agg.yaml")
        return prediction._surveyed_again(scenario, SURVEY, tmp_path, TOLD), made[0]

    return again


def test_the_survey_is_simulated_on_its_own_links(surveyed):
    found, scenario = surveyed()
    assert found[("M1", "M2")] == 0.5 and found[("M2", "M1")] == 0.0 and found[("M1", "M5")] == 0.0
    assert (scenario.experiment, scenario.seeds, scenario.metrics) == ("survey-cellar-again", (1,), ())
    (cell,) = scenario.cells
    assert (cell.name, cell.engine, cell.ruleset, cell.duration_us) == (
        "survey",
        "embedded",
        "5.0",
        600_000_000,
    )
    assert cell.application.name == "link-survey" and cell.drain_us == 3_000_000, "else as the first cell"
    assert cell.application.parameters == {"period": 1_000_000, "frames": 100, "powers": 1}
    placed = place(cell)
    assert [(node.mote, node.name) for node in placed.layout.nodes] == list(enumerate(NAMES, 1))
    assert [node.role for node in placed.layout.nodes] == ["subscriber", *["publisher"] * 4]
    assert [(node.x, node.y) for node in placed.layout.nodes] == [
        pytest.approx(PLACES[name], abs=1e-3) for name in NAMES
    ]
    edges = {(edge.source, edge.destination): edge.ratio for edge in placed.medium.edges}
    assert edges[1, 2] == 0.9 and edges[2, 1] == 0.5 and len(edges) == 19


def test_a_survey_whose_simulation_fails_is_no_prediction(surveyed):
    with pytest.raises(RunFailed, match=r"^the survey has no simulation: crash\n    why$"):
        surveyed(Outcome.CRASH)
