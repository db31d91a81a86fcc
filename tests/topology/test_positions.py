# SPDX-License-Identifier: Apache-2.0
"""Positions from CSV and YAML files: the same layout from both, every fault with its line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.errors import FaultyInput
from orchestrator.scenario.model import TopologySpec
from orchestrator.topology import positions
from orchestrator.topology.shapes import layout
from tests.tier import examples

CSV = """\
# a comment
name,role,x,y,parent
gate,control,0,2
R,relay,30,0,Sink
Far,publisher,60 m,0.0,R
Near,publisher,0,3000 cm,
Sink,subscriber,0,0
"""
YAML = """\
- {name: gate, role: control, x: 0 m, y: 2 m}
- {name: R, role: relay, x: 30, y: 0, parent: Sink}
- {name: Far, role: publisher, x: 60 m, y: 0 m, parent: R}
- {name: Near, role: publisher, x: 0 m, y: 30 m}
- {name: Sink, role: subscriber, x: 0 m, y: 0 m}
"""


def read(tmp_path, text, name="p.csv"):
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return positions.read(tmp_path / name, name)


@pytest.mark.parametrize(("name", "text"), [("p.csv", CSV), ("p.yaml", YAML)])
def test_both_forms_give_the_same_layout(tmp_path, name, text):
    made = layout(TopologySpec("positions", {"file": name, "nodes": read(tmp_path, text, name)}), 50.0)
    assert [(n.mote, n.name, n.role, n.x, n.y, n.parent) for n in made.nodes] == [
        (1, "Sink", "subscriber", 0.0, 0.0, 0),
        (2, "Far", "publisher", 60.0, 0.0, 4),
        (3, "Near", "publisher", 0.0, 30.0, 1),  # searched: in range of the subscriber
        (4, "R", "relay", 30.0, 0.0, 1),
        (5, "gate", "control", 0.0, 2.0, 0),
    ]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("", 1, "no positions"),
        ("name,role,x\n", 1, "no column y"),
        ("name,role,x,y,z\n", 1, "column 'z' is unknown"),
        ("name,role,x,y,y\n", 1, "a column appears twice"),
        ("name,role,x,y\nS,subscriber,0\nP,publisher,1,1\n", 2, "no y"),
        ("name,role,x,y\nS,subscriber,0,0,0\nP,publisher,1,1\n", 2, "5 fields under 4 columns"),
        ('name,role,x,y\n"S,subscriber,0,0\n', 2, "not CSV"),
        ("name,role,x,y\nS,subscriber,0,0\nP,publisher,1 s,1\n", 3, "1 s is a time"),
        ("name,role,x,y\nS,subscriber,0,0\nP,publisher,nan,1\n", 3, "'nan' is not a length"),
        ("name,role,x,y\nS,subscriber,0,0\nP,publisher,1e9,1\n", 3, "'e9' is not a unit"),
        ("name,role,x,y\nS,subscriber,0,0\nP,publisher,200000,1\n", 3, "out of range"),
        ("name,role,x,y\nS,subscriber,0,0\n<b>,publisher,1,1\n", 3, "is not a valid name"),
        ("name,role,x,y\nS,subscriber,0,0\nP,Boss!,1,1\n", 3, "is not a role"),
        ("name,role,x,y\nS,subscriber,0,0\nP,publisher,1,1\nP,publisher,1,2\n", 4, "P appears twice"),
        ("name,role,x,y\nP,publisher,1,1\n", 2, "no node is the subscriber"),
        ("name,role,x,y\nS,subscriber,0,0\n", 2, "no node is a publisher"),
        ("name,role,x,y\nS,subscriber,0,0\nT,subscriber,0,1\nP,publisher,1,1\n", 3, "a second subscriber"),
        ("name,role,x,y,parent\nS,subscriber,0,0,P\nP,publisher,1,1,S\n", 2, "the subscriber has a parent"),
        (
            "name,role,x,y,parent\nS,subscriber,0,0,\nP,publisher,1,1,T\n",
            3,
            "'T' is not the name of a node in this file",
        ),
        ("name,role,x,y,parent\nS,subscriber,0,0,\nP,publisher,1,1,P\n", 3, "form a circle"),
    ],
)
def test_a_faulty_file(tmp_path, text, line, what):
    with pytest.raises(FaultyInput) as caught:
        read(tmp_path, text)
    assert [(fault.line, what in fault.what) for fault in caught.value.faults] == [(line, True)]


@settings(max_examples=examples(80), deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["any.csv", "any.yaml"]))
def test_any_bytes_are_positions_or_faulty(tmp_path_factory, data, name):
    folder = tmp_path_factory.getbasetemp()
    for whole in (data, CSV.encode() + data, YAML.encode() + data):
        try:
            read(folder, whole, name)
        except FaultyInput as faulty:
            assert all(fault.what and fault.remedy for fault in faulty.faults)


def test_a_name_there_twice_is_said_beside_other_faults(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("name,role,x,y\nS,subscriber,0,0\nP,publisher,1,1\nP,publisher,nowhere,1\n")
    with pytest.raises(FaultyInput) as raised:
        positions.read(path, "p.csv")
    assert [fault.line for fault in raised.value.faults] == [4, 4]
    assert "P appears twice (first in line 3)" in str(raised.value)
