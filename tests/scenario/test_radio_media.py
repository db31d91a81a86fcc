# SPDX-License-Identifier: Apache-2.0
"""Radio media of a scenario: which settings they have, the links file, and the medium of the simulation."""

import json

import pytest

from orchestrator.applications import place
from orchestrator.cli.app import main
from orchestrator.csc.model import DirectedGraph, Edge, UdgmConstantLoss
from orchestrator.csc.read import read_bytes
from orchestrator.csc.write import write
from orchestrator.errors import FaultyInput
from orchestrator.media.log_distance import LogDistance, LogDistanceRadioSpec
from orchestrator.runs.identity import canonical
from orchestrator.scenario.load import load
from orchestrator.scenario.model import LinkedRadioSpec
from tests.placed import simulation as simulation_of

BASE = """experiment: media
topology: {shape: chain, publishers: 2, spacing: 5 m}
radio: RADIO
application: {name: probe-app}
duration: 1 min
seeds: 1
"""
LINKS = "from,to,ratio,rssi\nS,P1,0.9,-60\nP1,S,0.8,-61\nP1,P2,1,-70\nP2,P1,1,-71\n"


@pytest.fixture
def scenario(tmp_path):
    """Writes a scenario with that radio section and a links file; returns its path."""

    def put(radio: str, links: str = LINKS, more: str = ""):
        (tmp_path / "links.csv").write_text(links)
        (tmp_path / "a.yaml").write_text(BASE.replace("RADIO", radio) + more)
        return tmp_path / "a.yaml"

    return put


def test_constant_loss(scenario):
    (cell,) = load(
        scenario("{medium: udgm-constant-loss, range: 40 m, interference: 60 m, tx: 99 %, rx: 90 %}")
    ).cells
    simulation = simulation_of(cell, 1)
    assert simulation.medium == UdgmConstantLoss(40.0, 60.0, 0.99, 0.9)
    assert read_bytes(write(simulation)).medium == simulation.medium


def test_directed_graph(scenario):
    (cell,) = load(scenario("{medium: directed-graph, links: links.csv}")).cells
    assert isinstance(cell.radio, LinkedRadioSpec)
    simulation = simulation_of(cell, 1)
    s, p1, p2, c = 1, 2, 3, 4
    assert simulation.medium == DirectedGraph(
        (
            Edge(s, p1, 0.9, -60.0),
            Edge(p1, s, 0.8, -61.0),
            Edge(p1, p2, 1.0, -70.0),
            Edge(p2, p1, 1.0, -71.0),
            Edge(s, c),
            Edge(p1, c, 0.8, -61.0),
            Edge(c, s),
            Edge(c, p1, 0.9, -60.0),
        )
    )
    assert read_bytes(write(simulation)).medium == simulation.medium
    assert json.loads(canonical(cell))["radio"]["links"][0]["ratio"] == 0.9  # the links determine the run


def test_media_as_an_axis(scenario):
    more = "matrix:\n  radio.medium: [udgm, udgm-constant-loss, directed-graph]\n"
    made = load(scenario("{links: links.csv, range: 30 m}", more=more)).cells
    assert [cell.radio.medium for cell in made] == ["udgm", "udgm-constant-loss", "directed-graph"]
    assert [type(place.place(cell).medium).__name__ for cell in made] == [
        "Udgm",
        "UdgmConstantLoss",
        "DirectedGraph",
    ]


@pytest.mark.parametrize(
    ("radio", "links", "line", "what", "remedy"),
    [
        ("{medium: directed-graph}", LINKS, 3, "has no links", "links: FILE.csv"),
        (
            "{medium: directed-graph, links: none.csv}",
            LINKS,
            3,
            "there is no file 'none.csv'",
            "seen from the scenario's folder",
        ),
        (
            "{medium: directed-graph, links: ../links.csv}",
            LINKS,
            3,
            "is not in the scenario's folder",
            "beside",
        ),
        (
            "{medium: directed-graph, links: links.csv, range: 5 m}",
            LINKS,
            3,
            "radio.range means nothing",
            "remove it",
        ),
        (
            "{medium: udgm, links: links.csv}",
            LINKS,
            3,
            "radio.links means nothing to the medium udgm",
            "remove it",
        ),
        ("{medium: dgrm, links: links.csv}", LINKS, 3, "not one of its choices", "directed-graph"),
        (
            "{medium: directed-graph, links: links.csv}",
            LINKS + "S,P9,1\n",
            3,
            "links.csv names P9",
            "S, P1, P2",
        ),
        (
            "{medium: directed-graph, links: links.csv}",
            LINKS.replace("P1,S,0.8", "P1,S,0"),
            3,
            "P1 and its next hop S have no link both ways",
            "add P1,S and S,P1",
        ),
        (
            "{medium: directed-graph, links: links.csv}",
            LINKS.replace("0.9", "1.9"),
            2,
            "ratio: '1.9' is out of range",
            "0 % to 100 %",
        ),
    ],
)
def test_faults(scenario, radio, links, line, what, remedy):
    with pytest.raises(FaultyInput) as raised:
        load(scenario(radio, links))
    (fault,) = raised.value.faults
    assert what in fault.what
    assert remedy in fault.remedy
    assert fault.line == line


def test_a_shape_that_needs_a_range(scenario):
    path = scenario("{medium: directed-graph, links: links.csv}")
    path.write_text(path.read_text().replace("chain, publishers: 2, spacing: 5 m", "random-geometric"))
    with pytest.raises(FaultyInput, match="measured links do not have"):
        load(path)


def test_commands(scenario, tmp_path, capsys):
    path = scenario("{medium: directed-graph, links: links.csv}")
    assert main(["validate", str(path)]) == 0
    said = capsys.readouterr().out
    assert "radio.links" in said
    assert "radio.range" not in said
    assert (
        main(["topology", "chain", "--publishers", "2", "--links", str(tmp_path / "links.csv"), "--json"])
        == 0
    )
    shown = json.loads(capsys.readouterr().out)
    assert shown["connected"]
    assert shown["range_m"] is None
    arguments = [
        "topology",
        "chain",
        "--publishers",
        "2",
        "--links",
        str(tmp_path / "links.csv"),
        "--application",
        "probe-app",
        "--out",
        str(tmp_path / "a.svg"),
        "--csc",
        str(tmp_path / "a.csc"),
    ]
    assert main(arguments) == 0
    assert b"DirectedGraphMedium" in (tmp_path / "a.csc").read_bytes()
    assert "90 / 80 %" in (tmp_path / "a.svg").read_text()


def test_log_distance_as_settings_is_the_same_medium():
    medium = LogDistance(-45.5, 3.2, 4.0, 1.5, -88.0, 0.5, 6.0)
    spec = LogDistanceRadioSpec.of(medium)
    assert LogDistance(*spec.numbers()) == medium
    assert (spec.range_m, spec.interference_m) == (medium.reach(), medium.horizon)
