# SPDX-License-Identifier: Apache-2.0
"""Layouts and their pictures as they were recorded: a layout is part of a run's identity, and a picture that
changed is to be looked at before its digest is recorded anew.
"""

from __future__ import annotations

import hashlib
import math

import pytest

from orchestrator.scenario.model import Link, TopologySpec
from orchestrator.topology import tree
from orchestrator.topology.draw import picture
from orchestrator.topology.model import Layout, Node
from orchestrator.topology.shapes import known_shapes, layout

LAYOUTS = {
    ("chain", ()): "7394234ad486",
    ("folded-chain", (("publishers", 6),)): "21c7594693d0",
    ("star", ()): "a23adf5730a1",
    ("tree", ()): "94a2a3eb35b5",
    ("tree", (("depth", 3), ("fan-out", 3), ("inner", "relay"))): "f408bda1d697",
    ("tree", (("depth", 4), ("fan-out", 1))): "464896947820",
    ("grid", ()): "ed82d542c89d",
    ("grid", (("rows", 4), ("columns", 5), ("subscriber", "centre"))): "cabbc7ac813a",
    ("mesh", ()): "50087618132c",
    ("random-geometric", ()): "e156a6dfafa9",
    (
        "random-geometric",
        (("subscriber", "centre"), ("publishers", 9), ("width", 60.0), ("height", 90.0)),
    ): "432e47669796",
    (
        "random-geometric",
        (("subscriber", "random"), ("publishers", 9), ("width", 60.0), ("height", 90.0)),
    ): "e8227770f12d",
    ("figure-2", ()): "b21422481390",
    ("figure-3", ()): "b0256053519e",
    ("figure-4", (("chains", 2),)): "b5c914fae2f8",
    ("figure-6", ()): "29431c769c0a",
    ("lorry", ()): "c228148ab0b3",
    (
        "lorry",
        (("packages", 3), ("cab", True), ("attacker", True), ("sensors", 5), ("sprinklers", 1)),
    ): "6cd1d6d407a5",
    ("boards", (("boards", 3),)): "592a4fd41204",
}


def made(case) -> Layout:
    return layout(TopologySpec(case[0], dict(case[1])), 50.0)


def digest(of) -> str:
    return hashlib.sha256(str(of).encode()).hexdigest()[:12]


@pytest.mark.parametrize("case", LAYOUTS, ids=str)
def test_layouts_are_as_they_were(case):
    assert digest(made(case)) == LAYOUTS[case]


def with_control(of: Layout, x: float, y: float) -> Layout:
    return Layout(of.shape, (*of.nodes, Node(len(of.nodes) + 1, "C", "control", x, y)))


def ring(count: int, far: float) -> Layout:
    """All around the subscriber, so that a control node has no clear place near it."""
    turns = [2 * math.pi * n / count for n in range(count)]
    nodes = (
        Node(n + 2, f"P{n}", "publisher", far * math.cos(a), far * math.sin(a), 1)
        for n, a in enumerate(turns)
    )
    return Layout("ring", (Node(1, "S", "subscriber", 0.0, 0.0), *nodes))


LINKS = (
    Link("S", "P1", 0.9),
    Link("P1", "S", 0.8),
    Link("P2", "P1", 1.0),
    Link("P1", "P2", 1.0),
    Link("P2", "S", 0.25),
)
PEOPLE = tuple(
    Node(
        i + 1,
        f"Name{i}" * (1 + i % 3),
        role,
        9.0 * i,
        4.0 * (i % 3),
        also="publisher" if i == 4 else "",
        dies=i in (1, 2),
    )
    for i, role in enumerate(("subscriber", "relay", "odd", "publisher", "subscriber", "control"))
)
PICTURES = {
    "a chain": (made(("chain", ())), 50.0),
    "a long chain": (made(("chain", (("publishers", 40),))), 50.0),
    "a very long chain": (made(("chain", (("publishers", 75),))), 50.0),
    "a deep tree": (made(("tree", (("depth", 5),))), 50.0),
    "a chain beyond the range": (made(("chain", (("spacing", 60.0),))), 50.0),
    "a chain with links": (made(("chain", (("publishers", 2),))), LINKS),
    "a tree with links": (made(("tree", (("depth", 1),))), LINKS),
    "a grid": (made(("grid", ())), 50.0),
    "a grid from far": (made(("grid", (("rows", 12), ("columns", 12)))), 900.0),
    "a mesh with its control node beside S": (with_control(made(("mesh", ())), 0.0, 1.0), 50.0),
    "a star with its control node far away": (with_control(made(("star", ())), 30.0, 30.0), 50.0),
    "a ring around the control node": (with_control(ring(12, 8.0), 1.0, 0.0), 50.0),
    "a narrow ring around the control node": (with_control(ring(40, 3.0), 1.0, 0.5), 2.0),
    "one spot": (Layout("positions", (PEOPLE[0], Node(2, "P1", "publisher", 0, 0, 1))), 50.0),
    "who dies and who has two roles": (Layout("positions", PEOPLE), 12.0),
    "very many": (made(("grid", (("rows", 30), ("columns", 40), ("spacing", 45.0)))), 50.0),
    "three topics": (made(("figure-3", ())), 50.0),
    "a lorry": (made(("lorry", (("cab", True),))), 50.0),
}
DRAWN = {
    "a chain": "01c7cbb2b5c6",
    "a long chain": "528fffa8535b",
    "a very long chain": "5e6c429a5f1a",
    "a deep tree": "474c70b2f4c2",
    "a chain beyond the range": "1566198abe09",
    "a chain with links": "14da2781c7a0",
    "a tree with links": "966c45816676",
    "a grid": "cc35a1974990",
    "a grid from far": "c4a0208fb9d1",
    "a mesh with its control node beside S": "c292ab7fce34",
    "a star with its control node far away": "eb5d01428243",
    "a ring around the control node": "92af1321357b",
    "a narrow ring around the control node": "a9a913c40bee",
    "one spot": "7c04ae6bb3f8",
    "who dies and who has two roles": "a1960294829a",
    "very many": "7eb97a0c4fea",
    "three topics": "b2bbf5f745b1",
    "a lorry": "8db967b5c790",
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_as_they_were(name):
    assert digest(picture(*PICTURES[name]).svg()) == DRAWN[name]


DECLARED = """\
chain.publishers: int 5 1 9999
chain.spacing: length 5.0 0.01 100000.0
folded-chain.publishers: int 5 1 9999
folded-chain.spacing: length 5.0 0.01 100000.0
star.publishers: int 5 1 9999
star.spacing: length 20.0 0.01 100000.0
tree.depth: int 2 1 100
tree.fan-out: int 2 1 1000
tree.spacing: length 30.0 0.01 100000.0
tree.inner: choice publisher None None publisher relay
grid.rows: int 3 1 10000
grid.columns: int 3 1 10000
grid.spacing: length 40.0 0.01 100000.0
grid.subscriber: choice corner None None corner centre
mesh.rows: int 3 1 10000
mesh.columns: int 3 1 10000
mesh.spacing: length 40.0 0.01 100000.0
mesh.subscriber: choice corner None None corner centre
mesh.jitter: length 5.0 0.0 100000.0
mesh.jitter-seed: int 1 0 2147483647
random-geometric.publishers: int 25 1 9999
random-geometric.width: length 150.0 0.01 100000.0
random-geometric.height: length 150.0 0.01 100000.0
random-geometric.subscriber: choice corner None None corner centre random
random-geometric.layout-seed: int 1 0 2147483647
figure-2.flow: choice parallel None None parallel merged
figure-2.spacing: length 30.0 0.01 100000.0
figure-3.routes: choice by-topic None None by-topic common
figure-3.spacing: length 30.0 0.01 100000.0
figure-4.flow: choice disjoint None None disjoint joined
figure-4.chains: int 0 0 100
figure-4.spacing: length 30.0 0.01 100000.0
figure-6.publishers: int 5 1 120
figure-6.spacing: length 30.0 0.01 100000.0
lorry.sensors: int 8 1 118
lorry.sprinklers: int 2 1 2
lorry.packages: int 0 0 40
lorry.cab: bool False None None
lorry.attacker: bool False None None
lorry.length: length 13.6 1.0 1000.0
boards.boards: int 1 1 10000
boards.depth: int 2 1 10
boards.fan-out: int 2 1 30
boards.spacing: length 0.2286 0.01 100000.0
boards.board-spacing: length 1.5 0.01 100000.0
positions.file: file None None None"""


def test_parameters_are_as_they_were():
    """Their defaults and limits are part of every scenario that does not name them."""
    told = [
        f"{shape.name}.{one.name}: {one.type} {one.default} {one.minimum} {one.maximum} "
        + " ".join(one.choices)
        for shape in known_shapes().values()
        for one in shape.parameters
    ]
    assert "\n".join(map(str.rstrip, told)) == DECLARED


def test_the_longest_link_of_a_tree_s_level_has_the_spacing_s_length():
    places = tree._places(4, 3, 10.0)
    for level, longest in ((1, 10.0), (2, 9.998), (3, 9.998), (4, 9.998)):
        found = [
            math.dist(
                (one.x, one.y), (places[one.parent].x, places[one.parent].y) if one.parent >= 0 else (0, 0)
            )
            for one in places
            if one.level == level
        ]
        assert max(found) == pytest.approx(longest)
