# SPDX-License-Identifier: Apache-2.0
"""Topologies of a user's own: found, laid out, checked, part of what a run is; every fault with its file and
line.
"""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.applications import place
from orchestrator.cli.app import main
from orchestrator.errors import FaultyInput
from orchestrator.runs.identity import trend_id
from orchestrator.scenario.load import load
from orchestrator.topology import own
from orchestrator.topology.model import Layout, Node
from orchestrator.topology.shape import Shape
from orchestrator.topology.shapes import known_shapes, layout
from tests.tier import examples

HEAD = """from orchestrator.vocabulary.parameters import Parameter
from orchestrator.topology.model import Layout, Node
from orchestrator.topology.shape import Shape, publisher, spacing, subscriber

"""
LINE = (
    HEAD
    + """
def layout(parameters, range_m):
    if parameters["publishers"] == 13:
        raise ValueError("13 publishers are too many")
    gap = parameters["spacing"]
    return Layout("line", (subscriber(), *(publisher(n, n * gap, 0.0) for n in range(1, parameters["publishers"] + 1))))


SHAPE = Shape("line", "one behind the other", (Parameter("publishers", "int", 3, 1, 100, help="how many"), spacing(20.0, "each")), layout)
"""  # noqa: E501
)
SCENARIO = """experiment: e
topology: {shape: ./line.py}
radio: {range: 30 m}
application: {name: aggregation}
duration: 1 min
seeds: 1
"""


def write(folder: Path, text: str = LINE, scenario: str = SCENARIO) -> Path:
    (folder / "line.py").write_text(text)
    (folder / "s.yaml").write_text(scenario)
    return folder / "s.yaml"


def faults(path: Path) -> list[tuple[str, int, str]]:
    with pytest.raises(FaultyInput) as failed:
        load(path)
    assert all(fault.remedy for fault in failed.value.faults)
    return [(Path(fault.file).name, fault.line, fault.what) for fault in failed.value.faults]


def test_a_file_beside_the_scenario_is_a_shape(tmp_path):
    """Its next hops are searched, as it names none; they and the places are what the built-in chain has."""
    path = write(
        tmp_path,
        scenario=SCENARIO + "matrix: {topology.publishers: [2, 5], topology.spacing: [20 m, 25 m]}\n",
    )
    cells = load(path).cells
    assert [cell.settings for cell in cells] == [
        {"topology.publishers": n, "topology.spacing": f"{gap} m"} for n in (2, 5) for gap in (20, 25)
    ]
    for cell in cells:
        chain = known_shapes()["chain"].layout(cell.topology.parameters, 30.0)
        assert layout(cell.topology, 30.0).nodes == chain.nodes
        assert place.place(cell).acting.nodes[-1].role == "control"


def test_what_a_run_is_has_the_digest_of_the_source(tmp_path):
    path = write(tmp_path)
    before = load(path).cells[0]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert trend_id(load(write(elsewhere)).cells[0], 1) == trend_id(before, 1), "the same, wherever it lies"
    after = load(write(tmp_path, LINE + "# another\n")).cells[0]
    assert after.topology.nodes == before.topology.nodes and trend_id(after, 1) != trend_id(before, 1)


CODE = {
    "syntax": ("def layout(:\n", 1, "not Python: invalid syntax"),
    "raises while loading": (
        "x = 1\n1 / 0\nSHAPE = 1\n",
        2,
        "loading it raises ZeroDivisionError: division by zero",
    ),
    "raises": (
        LINE.replace("gap = ", "gap = nosuch = parameters['nosuch']  # "),
        9,
        "its layout raises KeyError: 'nosuch'",
    ),
    "no layout": (
        LINE.replace("return Layout", "return ('x', Layout)  #"),
        6,
        "its layout gives a tuple, no Layout",
    ),
    "random": (
        LINE.replace("gap = ", "import random; gap = random.random() * "),
        6,
        "its layout is not the same twice for the same parameters",
    ),
    "not finite": (
        LINE.replace('gap = parameters["spacing"]', "gap = float('nan')").replace(
            "publisher(n, n * gap, 0.0)", 'Node(n + 1, f"P{n}", "publisher", n * gap, 0.0)'
        ),
        6,
        "node P1 stands at x = nan",
    ),
    "infinite, by what we offer": (
        LINE.replace("n * gap, 0.0", "n * gap, -math.inf").replace("gap = ", "import math; gap = "),
        6,
        "node P1 stands at y = -inf",
    ),
}


@pytest.mark.parametrize("name", CODE)
def test_faults_of_its_code_have_its_line(tmp_path, name):
    text, line, told = CODE[name]
    assert (("line.py", line, told)) in faults(write(tmp_path, text))


def test_faults_of_the_scenario_have_the_scenarios_line(tmp_path):
    def of(text: str) -> list:
        return faults(write(tmp_path, scenario=SCENARIO.replace("{shape: ./line.py}", text)))

    gone = str(tmp_path / "gone.py")
    assert of("{shape: ./gone.py}") == [
        ("s.yaml", 2, f"topology.shape: {gone}: cannot be read: No such file or directory")
    ]
    assert of("{shape: gonne}")[0][2] == "topology.shape: 'gonne' is not one of its choices"
    assert of("{shape: ./line.py, publisherz: 4}") == [
        ("s.yaml", 2, "the shape ./line.py has no parameter 'publisherz'")
    ]
    assert of("{shape: ./line.py, publishers: 101}") == [
        ("s.yaml", 2, "topology.publishers: '101' is out of range")
    ]
    assert of("{shape: ./line.py, publishers: 13}") == [("s.yaml", 2, "13 publishers are too many")]
    assert "has no way" in str(of("{shape: ./line.py, spacing: 31 m}")) or "have no way" in str(
        of("{shape: ./line.py, spacing: 31 m}")
    )


def test_a_shape_that_is_none(tmp_path):
    for text, told in (
        ("SHAPE = 5\n", "SHAPE is of type int"),
        ("x = 5\n", "defines no SHAPE"),
        (
            LINE.replace('"publishers", "int"', '"Publishers", "int"'),
            "'Publishers' is not a valid name of a parameter",
        ),
        (
            LINE.replace('"publishers", "int"', '"publishers", "file"'),
            "parameter publishers is of type 'file'",
        ),
        (LINE.replace(", layout)\n", ", 5)\n"), "layout is not a function"),
        (
            LINE.replace("(Parameter(", "[Parameter(").replace(
                'spacing(20.0, "each")), layout', 'spacing(20.0, "each")], layout'
            ),
            "not a tuple of Parameter",
        ),
    ):
        found = faults(write(tmp_path, text))
        assert any(told in what for _, _, what in found), (told, found)


def shape_of(nodes) -> own.OwnShape:
    return own.OwnShape(
        Shape("x", "", (), lambda parameters, range_m: Layout("x", tuple(nodes))), "x.py", "0"
    )


S, P1, P2 = (
    Node(1, "S", "subscriber", 0, 0),
    Node(2, "P1", "publisher", 1, 0),
    Node(3, "P2", "publisher", 2, 0),
)


@pytest.mark.parametrize(
    ("nodes", "told"),
    [
        ((S,), "has 1 node"),
        ((S, P1, 5), "a Layout of other things than nodes"),
        ((S, P1, P1), "its mote ids are not 1 to 3, each once: 2"),
        ((S, P1, Node(4, "P2", "publisher", 1, 1)), "its mote ids are not 1 to 3, each once: 4"),
        (
            (S, replace(P1, mote=3), Node(4, "P2", "publisher", 1, 1)),
            "its mote ids are not 1 to 3, each once: 4",
        ),
        ((S, P1, Node(3, "P1", "publisher", 1, 1)), "several nodes are called P1"),
        ((P1, Node(1, "P0", "publisher", 1, 1)), "0 nodes have the role subscriber"),
        ((S, Node(2, "R", "relay", 1, 1)), "no publisher"),
        ((S, P1, Node(3, "P2", "publisher", 1, 1, parent=9)), "the next hop of P2 is not a node"),
        ((S, P1, Node(3, "P2", "publisher", 1, 1, second=9)), "the next hop of P2 is not a node"),
        ((S, Node(2, "P1", "publisher", 1, 1, 3), Node(3, "P2", "publisher", 1, 1, 2)), "form a circle"),
        ((Node(1, "S", "subscriber", 0, 0, 2), P1), "the subscriber has a next hop"),
        ((S, Node(2, "P 1", "publisher", 1, 0)), "'P 1' is not a valid name of a node"),
        ((S, Node(2, "P1", "publisher", float("inf"), 0)), "stands at x = inf"),
        ((S, Node(2, "P1", "publisher", 1, 1e9)), "stands at y = 1000000000.0"),
        ((S, Node(2, "P1", "publisher", 1, True)), "stands at y = True"),
        ((S, Node(0, "P1", "publisher", 1, 1)), "has the mote id 0"),
        ((S, Node("2", "P1", "publisher", 1, 1)), "has the mote id '2'"),
    ],
)
def test_what_no_simulation_can_have_is_refused(nodes, told):
    with pytest.raises(FaultyInput) as failed:
        own.nodes(shape_of(nodes), {}, 50.0)
    assert any(told in fault.what and fault.remedy for fault in failed.value.faults), failed.value


anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 5),
    st.floats(),
    st.text(max_size=3),
    st.sampled_from(["S", "P1", "subscriber", "publisher"]),
)
any_node = st.builds(Node, anything, anything, anything, anything, anything, anything, anything, anything)
near_node = st.builds(
    Node,
    st.integers(1, 4),
    st.sampled_from(["S", "P1", "P2"]),
    st.sampled_from(["subscriber", "publisher"]),
    st.floats(-60, 60),
    st.floats(-60, 60),
    st.integers(0, 4),
)


@settings(max_examples=examples(200), deadline=None, derandomize=True)
@given(st.lists(st.one_of(any_node, near_node), max_size=5))
def test_any_nodes_are_a_layout_or_faults(nodes):
    try:
        made = own.nodes(shape_of(nodes), {}, 50.0)
    except FaultyInput as failed:
        assert failed.faults
        return
    assert [node.mote for node in made] == list(range(1, len(nodes) + 1))
    assert all(node.x == round(node.x, 3) for node in made)


def test_the_command_lays_it_out_with_its_parameters(tmp_path, monkeypatch, capsys):
    write(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert (
        main(
            ["topology", "./line.py", "--set", "publishers=4", "--range", "30 m", "--json", "--out", "x.svg"]
        )
        == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert [node["name"] for node in told["nodes"]] == ["S", "P1", "P2", "P3", "P4"] and told["connected"]
    assert Path("x.svg").read_text().startswith("<svg")
    assert main(["topology", "./line.py", "--set", "sides=4", "--set", "5"]) == 2
    told = capsys.readouterr().err
    assert "sides is not a parameter of ./line.py" in told and "--set 5 names no value" in told
    assert main(["topology", "./gone.py"]) == 9 and "gone.py" in capsys.readouterr().err


def test_an_entry_point_of_an_installed_package(tmp_path, monkeypatch):
    (tmp_path / "their_shapes.py").write_text(LINE)
    info = tmp_path / "their_shapes-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their_shapes\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[orchestrate.topologies]\nline = their_shapes:SHAPE\n")
    monkeypatch.syspath_prepend(tmp_path)
    path = write(tmp_path, scenario=SCENARIO.replace("./line.py", "line"))
    assert [node.name for node in load(path).cells[0].topology.nodes] == ["S", "P1", "P2", "P3"]


SECOND = (
    HEAD
    + """
def layout(parameters, range_m):
    relays = Node(2, "R1", "relay", 20, 0, 1), Node(3, "R2", "relay", parameters["aside"], 20, 1)
    return Layout("x", (subscriber(), *relays, Node(4, "P1", "publisher", 20, 20, 2, topic=2, second=3)))


SHAPE = Shape("x", "two ways", (Parameter("aside", "length", 0.0, -100.0, 100.0),), layout)
"""
)


def test_the_second_topics_next_hop_must_be_reached_as_well(tmp_path):
    assert load(write(tmp_path, SECOND, SCENARIO)).cells
    assert "P1 is 40.000 m from its next hop R2, the range is 30 m" in str(
        faults(
            write(
                tmp_path, SECOND, SCENARIO.replace("{shape: ./line.py}", "{shape: ./line.py, aside: -20 m}")
            )
        )
    )
    linked = SCENARIO.replace("radio: {range: 30 m}", "radio: {medium: directed-graph, links: l.csv}")
    rows = ["S,R1", "R1,S", "S,R2", "R2,S", "R1,P1", "P1,R1", "P1,R2", "R2,P1"]
    (tmp_path / "l.csv").write_text("from,to,ratio\n" + "".join(f"{row},1\n" for row in rows))
    assert load(write(tmp_path, SECOND, linked)).cells
    (tmp_path / "l.csv").write_text("from,to,ratio\n" + "".join(f"{row},1\n" for row in rows[:-1]))
    assert "P1 and its next hop R2 have no link both ways in l.csv" in str(
        faults(write(tmp_path, SECOND, linked))
    )


def test_the_schema_takes_what_loads():
    from jsonschema import Draft202012Validator

    from orchestrator.scenario.schema import schema

    validator = Draft202012Validator(schema())
    base = {"experiment": "e", "seeds": 1, "application": {"name": "aggregation"}, "duration": "1 min"}
    for topology, matrix in (
        ({"shape": "./line.py", "publishers": 4}, {"topology.sides": [3, 5]}),
        ({"shape": "line.py"}, {}),
        ({}, {"topology.shape": ["chain", "./line.py"]}),
    ):
        assert validator.is_valid({**base, "topology": topology, "matrix": matrix}), (topology, matrix)
    for topology in ({"shape": "lime"}, {"shape": "chain", "publisherz": 4}):
        assert not validator.is_valid({**base, "topology": topology}), topology


@pytest.mark.parametrize(
    ("body", "line", "what"),
    [
        (
            "def layout(parameters, reach):\n    while True:\n        pass\n",
            (5, 6),
            "its layout does not end",
        ),
        (
            "def layout(parameters, reach):\n    while True:\n        try:\n            while True: pass\n  "
            "      except Exception:\n            pass\n",
            (5, 6, 7),
            "its layout does not end",
        ),
        ("while True:\n    pass\n", (4, 5), "loading it does not end"),
    ],
)
def test_what_does_not_end_is_ended_and_named_with_its_line(tmp_path, monkeypatch, body, line, what):
    monkeypatch.setattr(own.own_code, "LIMIT_S", 0.2)
    (tmp_path / "endless.py").write_text(
        "from orchestrator.topology.shape import Shape\n\n\n"
        + body
        + "SHAPE = Shape('endless', 'never', (), layout)\n"
    )
    with pytest.raises(FaultyInput) as caught:
        own.nodes(own.load("./endless.py", tmp_path), {}, 50.0)
    (fault,) = caught.value.faults
    assert (
        what in fault.what
        and "0.2 s of processor time" in fault.what
        and fault.line in line
        and fault.file.endswith("endless.py")
    )
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
