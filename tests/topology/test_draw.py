# SPDX-License-Identifier: Apache-2.0
"""The drawing: well-formed, complete, escaped, the same bytes each time, marks inside the picture."""

import re
from xml.etree import ElementTree

import pytest

from orchestrator.scenario.model import TopologySpec
from orchestrator.topology.connectivity import connectivity
from orchestrator.topology.draw import picture, thinned
from orchestrator.topology.model import Layout, Node
from orchestrator.topology.shapes import layout
from tests.counting import at_most_calls

NAMESPACE = "{http://www.w3.org/2000/svg}"
CASES = [
    ("chain", {"publishers": 1}),
    ("chain", {"publishers": 10}),
    ("chain", {"publishers": 10, "spacing": 40.0}),
    ("star", {"publishers": 30}),
    ("tree", {"depth": 3, "fan-out": 3, "inner": "relay"}),
    ("grid", {"rows": 20, "columns": 20}),
    ("mesh", {"rows": 6, "columns": 8, "jitter": 15.0}),
]


def with_control(of: Layout) -> Layout:
    return Layout(
        of.shape, (*of.nodes, Node(len(of.nodes) + 1, "C", "control", of.nodes[0].x, of.nodes[0].y + 1.0))
    )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_drawing_shows_every_node_once_and_inside(case):
    of = with_control(layout(TopologySpec(*case), 50.0))
    with at_most_calls(1_000 * len(of.nodes)):
        text = picture(of, 50.0).svg()
    assert picture(of, 50.0).svg() == text
    root = ElementTree.fromstring(text)
    assert root.get("role") == "img"
    assert root.find(f"{NAMESPACE}title").text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")  # self-contained
    width, height = (float(word) for word in root.get("viewBox").split()[2:])
    groups = [group for group in root.iter(f"{NAMESPACE}g") if group.find(f"{NAMESPACE}title") is not None]
    assert [group.find(f"{NAMESPACE}title").text.split(",")[0] for group in groups] == [
        node.name for node in of.nodes
    ]
    for group in groups:
        mark = group[1]
        numbers = mark.get("points") or f"{mark.get('cx') or mark.get('x')},{mark.get('cy') or mark.get('y')}"
        for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", numbers):
            assert 0 <= float(x) <= width
            assert 0 <= float(y) <= height


def test_every_next_hop_has_an_arrow_and_broken_ones_are_told():
    whole = picture(layout(TopologySpec("chain", {"publishers": 6}), 50.0), 50.0).svg()
    assert whole.count("Z") == 6  # arrow heads
    assert "out of range" not in whole
    broken = picture(layout(TopologySpec("chain", {"publishers": 6, "spacing": 60.0}), 50.0), 50.0).svg()
    assert "red dashes: next hop out of range" in broken
    assert "Not connected at a range of 50 m" in broken


def test_names_are_escaped():
    nodes = (
        Node(1, "S", "subscriber", 0, 0),
        Node(2, "<script>&", "publisher", 5, 0, 1),
        Node(3, "x", "<b>", 9, 0, 2),
    )
    text = picture(Layout("a<b", nodes), 50.0).svg()
    assert "<script>" not in text
    assert "&lt;script&gt;&amp;" in text
    ElementTree.fromstring(text)


def test_nodes_on_one_spot_are_drawn():
    nodes = (
        Node(1, "S", "subscriber", 0, 0),
        Node(2, "P1", "publisher", 0, 0, 1),
        Node(3, "C", "control", 0, 0),
    )
    ElementTree.fromstring(picture(Layout("positions", nodes), 50.0).svg())


def test_very_many_nodes_are_drawn_with_less_and_that_is_said():
    side, shape = 100, "grid"
    many = layout(TopologySpec(shape, {"rows": side, "columns": side, "spacing": 40.0}), 50.0)
    text = picture(many, 50.0).svg()
    assert len(text) < 800_000
    root = ElementTree.fromstring(text)
    assert (
        len(root.findall(f"{NAMESPACE}g/{NAMESPACE}circle"))
        + len(root.findall(f"{NAMESPACE}g/{NAMESPACE}polygon"))
        >= side * side - 1
    )
    assert (
        thinned(many, 50.0)
        == "Not drawn, as there are so many: names, hops and arrow heads and the 19\u202f800 links."
    )
    assert "line: next hop" in text and "arrow: next hop" not in text
    few = layout(TopologySpec(shape, {"rows": 20, "columns": 20}), 50.0)
    assert thinned(few, 50.0) == "" and "arrow: next hop" in picture(few, 50.0).svg()


def test_without_configured_next_hops_hops_are_to_the_nearest_subscriber_and_who_dies_is_crossed():
    nodes = tuple(
        Node(i + 1, f"N{i}", role, 40.0 * i, 0.0, also="publisher" if i == 4 else "", dies=i == 2)
        for i, role in enumerate(("subscriber", "relay", "relay", "publisher", "subscriber"))
    )
    of = Layout("positions", nodes)
    known = connectivity(of, 50.0)
    assert known.connected and not known.routed and list(known.hops.values()) == [0, 1, 2, 1, 0]
    text = picture(of, 50.0).svg()
    assert (
        "hops to the nearest subscriber 1 to 2, mean 1.3" in text
        and "no configured next hops" in text
        and "arrow: next hop" not in text
    )
    assert (
        text.count(", dies, at") == 1
        and "N4, mote 5, subscriber and publisher, at" in text
        and "2 subscribers (1 also publishing)" in text
    )
    assert "the range of N0" in text
