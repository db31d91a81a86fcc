# SPDX-License-Identifier: Apache-2.0
"""The application link-survey in the embedded engine: what it prints is what its medium does."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from orchestrator.applications import descriptor
from orchestrator.build import host
from orchestrator.csc.model import Silent
from orchestrator.engines.embedded.live import Live, LiveMote, Stage
from orchestrator.engines.embedded.mote_host.motes import Plugged, eeprom
from orchestrator.engines.embedded.mote_host.plan import VirtualMote
from orchestrator.engines.embedded.mote_host.port import Port
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.features.testbed.identity import Identity, identity
from orchestrator.features.testbed.survey import mesh, propagation
from orchestrator.features.testbed.survey.measure import Survey, measure
from orchestrator.features.testbed.survey.mesh import Wanted
from orchestrator.media.log_distance import LogDistance
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import load
from tests import needs
from tests.placed import simulation as simulation_of

needs.a_compiler()
TRUE = LogDistance(-45.0, 3.2, 4.0, 1.5, -88.0, 1.2)


def simulated(folder: Path, topology: str, radio: str, application: str = "", duration: str = "2 min"):
    """The survey of a scenario, where its motes stand, and its simulation."""
    path = folder / "s.yaml"
    path.write_text(
        f"experiment: s\ntopology: {{{topology}}}\nradio: {{{radio}}}\n"
        f"application: {{name: link-survey, {application}}}\nduration: {duration}\nseeds: 1\n"
    )
    (cell,) = load(path).cells
    simulation = simulation_of(cell, 1)
    app = descriptor.load("link-survey")
    library = host.firmware(app, app.variant(cell.application.parameters)).path
    log = folder / "COOJA.testlog"
    types = {one.identifier: library for one in simulation.mote_types}
    result = run_one(engine("embedded"), Job(simulation, 1, types, log))
    assert result.outcome is Outcome.OK, result.evidence
    with log.open() as lines:
        found = measure(lines, [mote.id for mote in simulation.motes])
    return found, {mote.id: (mote.x, mote.y) for mote in simulation.motes}, simulation


def ratios(survey: Survey, power: int) -> dict[tuple[int, int], float]:
    return {(link.source, link.destination): link.ratio for link in survey.at(power)}


def test_powers_reach_as_far_as_the_unit_disk_lets_them(tmp_path):
    survey, places, _ = simulated(
        tmp_path,
        "shape: chain, publishers: 5, spacing: 10 m",
        "medium: udgm, range: 55 m, interference: 55 m",
        "period: 500 ms, frames: 4, powers: 4, power-low: 25",
    )
    assert survey.powers == (100, 75, 50, 25)
    found = {step.power: step for step in mesh.steps(survey, places, Wanted(9, 11))}
    assert {power: step.longest for power, step in found.items()} == pytest.approx(
        {100: 50, 75: 40, 50: 20, 25: 10}
    )
    assert mesh.best(list(found.values())).power == 25 and found[25].fits
    for link in survey.at(100):
        length = math.dist(places[link.source], places[link.destination])
        assert link.rssi == pytest.approx(int(-10 - 85 * length / 55), abs=1), "but where frames met"


def test_a_noise_floor_comes_for_every_channel_and_is_coojas(tmp_path):
    survey, _, _ = simulated(tmp_path, "shape: chain, publishers: 1, spacing: 10 m", "range: 50 m")
    assert {(one.mote, one.channel) for one in survey.noise} == {
        (m, c) for m in (1, 2) for c in range(11, 27)
    }
    assert {(one.low, one.median, one.high) for one in survey.noise} == {(-100, -100, -100)}


def test_a_directed_graph_shows_its_links_again(tmp_path):
    """Ratios, strengths and link qualities that were measured are those of the medium made of them."""
    (tmp_path / "links.csv").write_text(
        "from,to,ratio,rssi,lqi\nS,P1,0.9,-61.0,104\nP1,S,0.5,-67.0,97\nP1,P2,1.0,-40.0,110\n"
    )
    survey, _, _ = simulated(
        tmp_path,
        "shape: chain, publishers: 2, spacing: 10 m",
        "medium: directed-graph, links: links.csv",
        "period: 200 ms, frames: 500",
    )
    found = {(link.source, link.destination): link for link in survey.at(100)}
    sent = found[1, 2].sent
    assert sent > 300
    for pair, ratio, rssi, lqi in (((1, 2), 0.9, -61, 104), ((2, 1), 0.5, -67, 97), ((2, 3), 1.0, -40, 110)):
        link, slack = found[pair], 4 * math.sqrt(ratio * (1 - ratio) / sent) + 0.02  # 2 %: frames that meet
        assert link.ratio == pytest.approx(ratio, abs=slack)
        assert (link.rssi, link.lqi) == (rssi, lqi)
    assert found[3, 2].heard == found[1, 3].heard == 0


def test_the_fitted_model_is_the_simulated_one(tmp_path):
    survey, places, simulation = simulated(
        tmp_path,
        "shape: grid, rows: 5, columns: 5, spacing: 10 m",
        "medium: log-distance, reference: -45, exponent: 3.2, shadowing: 4, asymmetry: 1.5, "
        "sensitivity: -88, width: 1.2",
        "period: 4 s",
        "3 min",
    )
    assert simulation.medium == TRUE
    found = propagation.fit(survey.at(100), places)
    assert found is not None
    model = found.model
    assert model.path_loss_exponent == pytest.approx(3.2, abs=0.5)
    assert model.shadowing_db == pytest.approx(4.0, rel=0.25)
    assert model.asymmetry_db == pytest.approx(1.5, rel=0.25)
    assert model.sensitivity_dbm == pytest.approx(-87.5, abs=1.0), "strengths are cut to whole dBm toward 0"
    assert model.reach() == pytest.approx(TRUE.reach(), rel=0.15)


def test_a_virtual_mote_says_the_eui64_that_its_eeprom_ends_with(tmp_path):
    eui64 = "00127400000000ab"
    mote = VirtualMote("M1", 1, tmp_path / "port", 115_200, "virtual", eui64, "B1", 0.0, 0.0)
    app = descriptor.load("link-survey")
    library = host.firmware(app, app.variant({"mac": "csma"})).path
    assert len(eeprom(Plugged(mote, Port(mote.link, mote.baud), image=b"\x01" * 1020))) == 1020
    images = {1: eeprom(Plugged(mote, Port(mote.link, mote.baud), image=b"\x01" * 20)), 2: b""}
    assert images[1][:20] == b"\x01" * 20 and images[1][-8:] == bytes.fromhex(eui64)
    with Live(
        Stage(Silent(), 1, tmp_path / "log"),
        [LiveMote(library, number, image=image) for number, image in images.items()],
    ) as live:
        for number in images:
            live.listen(number, "lines")
        booted = live.advance(2_000_000, stop_on_output=False)
        live.write(1, b"who\n")
        live.write(2, b"whom\n")
        answered = live.advance(3_000_000, stop_on_output=False)
    said = {output.mote: identity(output.text.decode()) for output in booted}
    assert said[1] == Identity("link-survey", "0100000000000000", eui64, "cooja")
    assert said[2] == Identity("link-survey", "0200000000000000", "", "cooja")
    assert [(output.mote, identity(output.text.decode())) for output in answered] == [(1, said[1])]
