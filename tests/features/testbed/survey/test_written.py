# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from orchestrate_testbed.model import Lab, LabLayout, Mote, Spot

from orchestrator.csc.model import DirectedGraph
from orchestrator.errors import FaultyInput
from orchestrator.features.testbed.survey import written
from orchestrator.features.testbed.survey.measure import measure
from orchestrator.features.testbed.survey.mesh import steps
from orchestrator.scenario.load import load, loads
from tests.features.testbed.survey.logs import NAMES, log
from tests.placed import simulation as simulation_of

PLACES = {1: (0.0, 0.0), 2: (0.2286, 0.0), 3: (5.0, 0.0)}
LAYOUT = LabLayout("l", tuple(Spot(NAMES[number], *PLACES[number]) for number in NAMES))


def survey(heard_by_two=frozenset({1, 2, 3, 4, 5, 6}), heard_by_one=frozenset({7, 8})):
    return measure(log(set(heard_by_two), set(heard_by_one)), NAMES)


def test_a_survey_is_a_medium_of_the_simulator(tmp_path):
    (tmp_path / "links.csv").write_text(written.links_csv(survey().links, NAMES))
    (tmp_path / "positions.csv").write_text(written.positions_csv(LAYOUT))
    path = tmp_path / "simulate.yaml"
    radio = "{medium: directed-graph, links: links.csv}"
    application = "{name: link-survey, period: 1 s, frames: 2, powers: 1}"
    path.write_text(written.scenario(Lab("l", (), ()), "1", "embedded", radio, application, "1 min"))
    (cell,) = load(path).cells
    medium = simulation_of(cell, 1).medium
    assert isinstance(medium, DirectedGraph)
    assert [
        (edge.source, edge.destination, edge.ratio, edge.signal_dbm, edge.lqi) for edge in medium.edges
    ] == [(1, 2, 0.75, -73.5, 104), (2, 1, 0.25, -70.0, 100)]


def test_everything_measured_is_written():
    found = survey()
    head, first, *rest = written.measured_csv(found.links, NAMES, PLACES).splitlines()
    assert head == "from,to,power,length,sent,heard,ratio,rssi,rssi_deviation,lqi,swing"
    assert first == "M1,M2,0,0.2286,8,6,0.750000,-73.50,1.87,103.50,0.5000"
    assert "M1,M3,0,5.0000,8,0,0.000000,,,,0.0000" in rest
    assert written.over_time_csv(found.links, NAMES).splitlines()[:3] == [
        "from,to,power,round,sent,heard,rssi,lqi",
        "M1,M2,0,1,4,4,-72.50,102.50",
        "M1,M2,0,2,4,2,-75.50,105.50",
    ]
    assert written.noise_csv(found.noise, NAMES).splitlines()[1] == "M1,26,-99,-95.5,-60,2"
    assert written.powers_csv(steps(found, PLACES, None)).splitlines()[1] == "0,1,0,0.0000,0.0000,3,,"


def test_a_mote_that_says_another_eui64_is_named():
    motes = tuple(Mote(name, "G", "sky", f"/dev/{name}", f"00127400000000{7:02x}") for name in NAMES.values())
    assert written.differing(survey(), Lab("l", (), motes), NAMES) == [
        "M2 says that its EUI-64 is 0012740000000002, but the inventory has 0012740000000007.",
        "M3 says that its EUI-64 is 0012740000000003, but the inventory has 0012740000000007.",
    ]


def test_motes_that_hear_nobody_are_surveyed_too():
    """link-survey needs no routes, so that nobody has to reach a next hop."""
    text = "experiment: s\ntopology: {{shape: chain, publishers: 1, spacing: 60 m}}\n" + (
        "radio: {{range: 50 m}}\napplication: {{name: {}}}\nduration: 1 min\nseeds: 1\n"
    )
    (cell,) = loads(text.format("link-survey"), "s.yaml").cells
    assert len(simulation_of(cell, 1).motes) == 2
    with pytest.raises(FaultyInput, match="the range is 50 m"):
        loads(text.format("pubsub-hello"), "s.yaml")
