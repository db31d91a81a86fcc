# SPDX-License-Identifier: Apache-2.0
"""Measured links: their file and its faults, who hears whom over them, next hops, the control node, the
drawing.
"""

from xml.etree import ElementTree

import pytest

from orchestrator.errors import FaultyInput
from orchestrator.scenario.model import Link
from orchestrator.topology import draw, links
from orchestrator.topology.connectivity import connectivity, routed
from orchestrator.topology.model import Layout, Node

FILE = """# measured in May
from,to,ratio,rssi,lqi,delay,channel
S,A,0.9,-60.5,100,0,26
A,S,80 %,,,2 ms,

B,A,1
A,B,1,-70
B,S,0.1
S,B,0.2
"""


def read(tmp_path, text: str):
    (tmp_path / "links.csv").write_text(text)
    return links.read(tmp_path / "links.csv", "links.csv")


def nodes(*names: str, **parents: int) -> Layout:
    roles = {"S": "subscriber", "C": "control"}
    return Layout(
        "positions",
        tuple(
            Node(number, name, roles.get(name, "publisher"), 10.0 * number, 0.0, parents.get(name, 0))
            for number, name in enumerate(names, 1)
        ),
    )


def test_what_is_left_out_is_cooja_s_default(tmp_path):
    assert read(tmp_path, FILE) == (
        Link("S", "A", 0.9, -60.5, 100, 0, 26),
        Link("A", "S", 0.8, -10.0, 105, 2000, -1),
        Link("B", "A", 1.0),
        Link("A", "B", 1.0, -70.0),
        Link("B", "S", 0.1),
        Link("S", "B", 0.2),
    )


def test_every_fault_has_its_line(tmp_path):
    with pytest.raises(FaultyInput) as raised:
        read(
            tmp_path,
            "from,to,ratio,rssi,lqi,delay,channel\nS,A,1.5\nS,,1\nS,B,1,loud\nA,A,1\nS,C,1,-60,300\nS,D,1,,,5 "  # noqa: E501
            "m\n"
            "S,E,1\nS,E,1\nS,F,1,,,,-1\nS,G,1,,,,,9\nS,H,\n",
        )
    assert [(fault.line, fault.what.split(":")[0]) for fault in raised.value.faults] == [
        (2, "ratio"),
        (3, "no to"),
        (4, "rssi"),
        (5, "a link from A to itself"),
        (6, "lqi"),
        (7, "delay"),
        (9, "the link from S to E appears twice (first in line 8)"),
        (10, "channel"),
        (11, "8 fields under 7 columns"),
        (12, "no ratio"),
    ]
    assert all(fault.remedy for fault in raised.value.faults)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "the file holds no links"),
        ("from,to\nS,A\n", "no column ratio"),
        ("from,to,ratio,rsi\n", "column 'rsi' is unknown"),
        ("from,to,ratio,to\n", "a column appears twice"),
        ('from,to,ratio\n"S,A,1\n', "not CSV"),
        ("from,to,ratio\n", "no links"),
    ],
)
def test_a_file_of_another_kind(tmp_path, text, what):
    with pytest.raises(FaultyInput, match=what):
        read(tmp_path, text)


def test_next_hops_follow_the_fewest_hops_then_the_best_ratio():
    both = [("S", "A", 0.5), ("S", "B", 0.9), ("A", "D", 0.8), ("B", "D", 0.9), ("D", "E", 0.1)]
    table = tuple(
        link for one, other, ratio in both for link in (Link(one, other, ratio), Link(other, one, ratio))
    )
    table += (Link("E", "S", 1.0), Link("B", "A", 1.0), Link("S", "D", 0.0), Link("D", "S", 1.0))
    made = routed(nodes("S", "A", "B", "D", "E"), table)
    assert {node.name: node.parent for node in made.nodes} == {
        "S": 0,
        "A": 1,
        "B": 1,
        "D": 3,
        "E": 4,
    }  # 0.9 there and back
    known = connectivity(made, table)
    assert known.connected
    assert known.range_m is None
    assert known.hops == {1: 0, 2: 1, 3: 1, 4: 2, 5: 3}
    assert known.degree == {1: 2, 2: 2, 3: 2, 4: 3, 5: 1}


def test_a_next_hop_without_a_link_back_is_broken():
    table = (Link("A", "S", 1.0), Link("B", "A", 1.0), Link("A", "B", 1.0))
    known = connectivity(nodes("S", "A", "B", A=1, B=2), table)
    assert known.broken == (2,)
    assert not known.connected


def test_a_control_node_without_links_hears_what_the_subscriber_hears():
    layout = nodes("S", "A", "C")
    table = (Link("S", "A", 0.5, -70.0), Link("A", "S", 0.6), Link("A", "Z", 1.0))
    assert links.with_control(table, layout) == (
        *table[:2],
        Link("C", "A", 0.5, -70.0),
        Link("A", "C", 0.6),
        Link("S", "C", 1.0),
        Link("C", "S", 1.0),
    )
    own = (*table[:2], Link("A", "C", 0.1))
    assert links.with_control(own, layout) == own
    assert links.unknown(table, layout) == ["Z"]


def test_the_drawing_tells_ratios_and_one_way_links():
    table = (
        Link("S", "A", 0.9),
        Link("A", "S", 0.8),
        Link("B", "A", 1.0),
        Link("A", "B", 1.0),
        Link("B", "S", 0.25),
    )
    text = draw.picture(nodes("S", "A", "B", A=1, B=2), table).svg()
    ElementTree.fromstring(text)
    assert ">90 / 80 %<" in text
    assert ">100 %<" in text
    assert ">0 / 25 %<" in text
    assert text.count('stroke-dasharray="1.5 4"') == 1
    assert "measured links" in text
    assert text == draw.picture(nodes("S", "A", "B", A=1, B=2), table).svg()
