# SPDX-License-Identifier: Apache-2.0
"""Simulates what was measured on a lab, on media made of a survey of that lab.

The application, roles and routes are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.applications.place import place
from orchestrator.errors import FaultyInput, Unsupported
from orchestrator.execution import pipeline
from orchestrator.execution.execute import Effort
from orchestrator.execution.progress import Listener
from orchestrator.features.testbed.predicted_page import CellRows, LinkRow, Predicted
from orchestrator.features.testbed.survey.kept import Kept, Pair
from orchestrator.features.testbed.survey.measure import measure
from orchestrator.features.testbed.survey.propagation import STRAINED, predicted, predicted_quantile
from orchestrator.media.log_distance import LogDistanceRadioSpec
from orchestrator.report.comparison.rows import Comparison, compare
from orchestrator.report.comparison.sides import Side, side
from orchestrator.report.data import Results
from orchestrator.runs.cell import as_cell
from orchestrator.runs.manifest import LOG_FILE, Manifest
from orchestrator.runs.store import Store
from orchestrator.scenario.model import (
    ApplicationSpec,
    Cell,
    Link,
    LinkedRadioSpec,
    RadioSpec,
    Scenario,
    TopologySpec,
)
from orchestrator.topology.positions import Position
from orchestrator.vocabulary.simulators import DEFAULT_RULES

EMBEDDED_ENGINE = "embedded"  # the only one that has both media
GRAPH, MODEL = "directed graph", "log-distance model"
_PARTS = {GRAPH: "on-links", MODEL: "on-log-distance"}  # of the experiments' names
_SURVEYED_US = 600_000_000  # of a simulated survey
_FRAMES = 100
_BEST_LQI = 255
NINE_OF_TEN = 1.645  # standard deviations to each side


@dataclass(frozen=True)
class CellPrediction:
    """A cell's measured runs beside those simulated on each medium; `compared`: by the medium's name."""

    name: str
    measured: Side
    compared: Mapping[str, Comparison]
    replaced: tuple[str, ...]


@dataclass(frozen=True)
class Prediction:
    """Measured results, and the predictions of simulations.

    `graph_ratios`: the share of frames that each direction carries in a simulated survey on the directed
    graph. `refused`: cells that can't be simulated, and why.
    """

    experiment: str
    survey: Kept
    cells: tuple[CellPrediction, ...]
    graph_ratios: Mapping[Pair, float]
    margin: float
    refused: tuple[str, ...]


def predict(
    scenario: Scenario,
    measured_store: Path,
    survey: Kept,
    store: Path,
    seeds: Sequence[int],
    margin: float,
    listener: Listener,
) -> Prediction:
    """Simulate every measured cell on each medium, and compare.

    Raises NoSuchThing if nothing was measured.
    """
    cells, replaced, refused = _on_survey(side(measured_store, scenario.experiment).results, survey)
    if not cells:
        raise Unsupported("no cell can be simulated on the survey:\n" + "\n".join(refused))
    for medium in _media(survey):
        simulated = replace(
            scenario,
            experiment=_experiment(scenario, medium),
            seeds=tuple(seeds),
            cells=tuple(replace(by_medium[medium], name=name) for name, by_medium in cells.items()),
        )
        pipeline.run(simulated, store, Effort(), page=False, told=listener)
    predictions = []
    for name in cells:
        measured = side(measured_store, f"{scenario.experiment}/{name}")
        compared = {
            medium: compare(measured, side(store, f"{_experiment(scenario, medium)}/{name}"), margin=margin)
            for medium in _media(survey)
        }
        predictions.append(CellPrediction(name, measured, compared, replaced[name]))
    again = _surveyed_again(scenario, survey, store, listener)
    return Prediction(scenario.experiment, survey, tuple(predictions), again, margin, tuple(refused))


def _on_survey(
    measured: Results, survey: Kept
) -> tuple[dict[str, dict[str, Cell]], dict[str, tuple[str, ...]], list[str]]:
    """Return, by measured cell, its cell on each medium and who stood in for whom; and what can't be run.

    Of a cell that can't be simulated it says why.
    """
    cells: dict[str, dict[str, Cell]] = {}
    replaced, refused = {}, []
    for name in measured.cells:
        try:
            first, replaced[name] = _acted(measured, name)
            cells[name] = {medium: _cell(first, survey, medium) for medium in _media(survey)}
        except Unsupported as error:
            refused.append(f"{name}: {error}")
        except FaultyInput as error:  # a next hop without a link that was heard both ways
            refused += [f"{name}: {fault.what}" for fault in error.faults]
    return cells, replaced, refused


def _media(survey: Kept) -> tuple[str, ...]:
    return (GRAPH, MODEL) if survey.fit is not None else (GRAPH,)


def _experiment(scenario: Scenario, medium: str) -> str:
    return f"{scenario.experiment}-{_PARTS[medium]}"


def _acted(results: Results, cell: str) -> tuple[Manifest, tuple[str, ...]]:
    """Return the first run of a cell that counts, and who stood in for whom in any of them.

    Raises Unsupported if no run was on a testbed.
    """
    runs = [run for run in results.manifests if run.cell == cell and run.testbed.lab]
    if not runs:
        raise Unsupported("it was not measured on a testbed")
    cast = {tuple((mote.mote, mote.name) for mote in run.testbed.motes) for run in runs}
    if len(cast) > 1:
        raise Unsupported("its runs were on different motes; simulate those of one cast")
    return runs[0], tuple(dict.fromkeys(name_ for run in runs for name_ in run.testbed.replaced))


def _cell(run: Manifest, survey: Kept, medium: str) -> Cell:
    """Return the cell of a run, its motes where the lab's stand, on a medium of the survey.

    Raises Unsupported.
    """
    cell = as_cell(run.parameters)
    played = {mote.mote: mote.name for mote in run.testbed.motes}
    if strangers := sorted(set(played.values()) - set(survey.places)):
        raise Unsupported(f"the survey doesn't have {', '.join(strangers)}; survey the same layout")
    if any(node.topic != 1 or node.second or node.also for node in run.motes):
        raise Unsupported("its topology gives motes more than one role or topic")
    names = {node.mote: node.name for node in run.motes}
    positions = tuple(
        Position(node.name, node.role, *survey.places[played[node.mote]], names.get(node.parent, ""))
        for node in run.motes
    )
    simulated = replace(
        cell,
        topology=TopologySpec("positions", {"file": "positions.csv", "nodes": positions}),
        radio=_radio(survey, medium, {played[number]: name for number, name in names.items()}),
        engine=EMBEDDED_ENGINE,
        ruleset=DEFAULT_RULES,
    )
    placed = place(simulated)
    if {node.mote: node.name for node in placed.layout.nodes} != names:
        raise Unsupported("its motes would get other ids in a topology of positions")
    return simulated


def _radio(survey: Kept, medium: str, names: Mapping[str, str]) -> RadioSpec:
    """Return the survey's medium; `names`: of the lab's motes that take part -> of the topology's nodes."""
    if medium == MODEL and survey.fit is not None:
        return LogDistanceRadioSpec.of(survey.fit.model)
    links = tuple(
        Link(names[source], names[to], link.ratio, link.rssi, min(_BEST_LQI, round(link.lqi)))
        for (source, to), link in sorted(survey.links.items())
        if source in names and to in names and link.rssi is not None and link.lqi is not None
    )
    return LinkedRadioSpec(file="links.csv", links=links)


def _surveyed_again(scenario: Scenario, survey: Kept, store: Path, listener: Listener) -> dict[Pair, float]:
    """Return the share of frames that each direction carries in a simulated survey on the directed graph.

    So what frames lose when they meet is in it as in the measured one.
    """
    names = {name: name for name in survey.places}
    positions = tuple(
        Position(name, "publisher" if number else "subscriber", *spot)
        for number, (name, spot) in enumerate(survey.places.items())
    )
    cell = replace(
        scenario.cells[0],
        name="survey",
        topology=TopologySpec("positions", {"file": "positions.csv", "nodes": positions}),
        radio=_radio(survey, GRAPH, names),
        application=ApplicationSpec(
            "link-survey",
            {
                "period": round(survey.period_s * 1e6),
                "frames": _FRAMES,
                "powers": 1,
            },
        ),
        duration_us=_SURVEYED_US,
        engine=EMBEDDED_ENGINE,
        ruleset=DEFAULT_RULES,
    )
    placed = place(cell)
    simulated = replace(
        scenario, experiment=f"survey-{survey.lab}-again", seeds=(1,), cells=(cell,), metrics=()
    )
    result = pipeline.run(simulated, store, Effort(1), report=False, told=listener)
    if result.summary.failures:
        raise result.summary.failures[0].error("the survey has no simulation")
    log = Store(store).folder(simulated.experiment, result.summary.run_ids[0]) / LOG_FILE
    ids = {node.mote: node.name for node in placed.layout.nodes}
    with log.open(encoding="utf-8", errors="replace") as lines:
        resurveyed = measure(lines, ids)
    return {(ids[link.source], ids[link.destination]): link.ratio for link in resurveyed.links}


def page(prediction: Prediction) -> Predicted:
    """Return what the page shows."""
    survey = prediction.survey
    power = "the driver's own power" if survey.power is None else f"power {survey.power}"
    about = [
        f"The survey of the layout {survey.layout} was made at {power}, with "
        f"{max((link.sent for link in survey.links.values()), default=0)} frames of each mote."
    ]
    if survey.fit is not None:
        model, fit = survey.fit.model, survey.fit
        about.append(
            f"The log-distance model, which is none of Cooja's, is fitted to {fit.heard} directions of "
            f"{fit.directions}: path loss exponent {model.path_loss_exponent:.2f}, {model.reference_dbm:.1f} "
            f"dBm at 1 m, shadowing {model.shadowing_db:.1f} dB and {model.asymmetry_db:.1f} dB a direction, "
            f"half of the frames at {model.sensitivity_dbm:.1f} dBm. The path loss leaves "
            f"{fit.unexplained_db:.1f} dB unexplained. Capture is a data sheet's, not measured."
        )
        if fit.strained:
            about.append(STRAINED)
    else:
        about.append("Too few links were heard to fit a propagation model.")
    return Predicted(
        survey.lab,
        prediction.experiment,
        prediction.margin,
        tuple(_link_row(prediction, pair) for pair in sorted(survey.links)),
        tuple(CellRows(cell.name, cell.measured, cell.compared, cell.replaced) for cell in prediction.cells),
        tuple(about),
        prediction.refused,
    )


def _link_row(prediction: Prediction, pair: Pair) -> LinkRow:
    from scipy.stats import binomtest

    survey, link = prediction.survey, prediction.survey.links[pair]
    length = survey.length(pair)
    low, high = 0.0, 1.0
    if link.sent:
        interval = binomtest(link.heard, link.sent).proportion_ci(method="wilson")
        low, high = float(interval.low), float(interval.high)
    model = None if survey.fit is None else survey.fit.model
    return LinkRow(
        *pair,
        length,
        link.sent,
        link.ratio,
        low,
        high,
        link.rssi,
        prediction.graph_ratios.get(pair),
        None if model is None else predicted(model, length),
        0.0 if model is None else predicted_quantile(model, length, -NINE_OF_TEN),
        1.0 if model is None else predicted_quantile(model, length, NINE_OF_TEN),
    )
