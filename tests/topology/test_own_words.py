# SPDX-License-Identifier: Apache-2.0
"""What is said of a user's own shape or layout that is none, word by word; who is connected in a layout."""

from __future__ import annotations

import pytest
from orchestrate_spark.errors import FaultyCode

from orchestrator.errors import FaultyInput
from orchestrator.scenario.model import Link
from orchestrator.topology import own
from orchestrator.topology.connectivity import Connectivity, connectivity, next_hops, ratios, routed
from orchestrator.topology.model import Layout, Node
from orchestrator.topology.shape import MOST_MOTES, Shape, limit_motes, millimetres
from orchestrator.vocabulary.parameters import Parameter
from orchestrator.words import first_of

S, P = Node(1, "S", "subscriber", 0.0, 0.0), Node(2, "P1", "publisher", 5.0, 0.0, 1)


def node(**changes) -> Node:
    return Node(**{**vars(P), **changes})


GOOD = "a name is a letter, then letters, digits, `_`, `.` and `-`, at most 32"
NODES = "return Layout(name, (subscriber(), publisher(1, x, y), ...)), of orchestrator.topology"
HOPS = "next hops are mote ids or 0, topics 1 or 2"


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (7, [("its layout gives a int, no Layout", NODES)]),
        (Layout("x", 7), [("its layout gives a Layout of other things than nodes", NODES)]),
        (Layout("x", (S, 7)), [("its layout gives a Layout of other things than nodes", NODES)]),
        (Layout("x", [S, P]), []),
        (
            Layout("x", (S,)),
            [("its layout has 1 node", "give a subscriber and at least one publisher, at most 10000 nodes")],
        ),
        (
            Layout("x", (S, P) * 5001),
            [
                (
                    "its layout has 10,002 nodes",
                    "give a subscriber and at least one publisher, at most 10000 nodes",
                )
            ],
        ),
        (
            Layout("x", (S, node(mote=0))),
            [("a node has the mote id 0", "ids are whole numbers from 1")],
        ),
        (
            Layout("x", (S, node(mote=True))),
            [("a node has the mote id True", "ids are whole numbers from 1")],
        ),
        (Layout("x", (S, node(name="1"))), [("'1' is not a valid name of a node", GOOD)]),
        (Layout("x", (S, node(name=5))), [("5 is not a valid name of a node", GOOD)]),
        (
            Layout("x", (S, node(role="A"))),
            [("node P1 has the role 'A'", "use subscriber, publisher, relay or a role of the application")],
        ),
        (
            Layout("x", (S, node(role=None))),
            [("node P1 has the role None", "use subscriber, publisher, relay or a role of the application")],
        ),
        *(
            (
                Layout("x", (S, node(y=value))),
                [
                    (
                        f"node P1 stands at y = {value!r}",
                        "coordinates are finite metres, at most 100000 from 0",
                    )
                ],
            )
            for value in (True, "1", float("nan"), float("inf"), 100_000.1, -100_000.1)
        ),
        (Layout("x", (S, node(x=100_000))), []),
        (
            Layout("x", (S, node(parent=1.0))),
            [("node P1 has parent 1.0, second 0, topic 1", HOPS)],
        ),
        (Layout("x", (S, node(topic=3))), [("node P1 has parent 1, second 0, topic 3", HOPS)]),
        (Layout("x", (S, node(second=None))), [("node P1 has parent 1, second None, topic 1", HOPS)]),
        (
            Layout("x", (S, *(node(mote=n, name=f"p{n}", role="?") for n in range(2, 9)))),
            [
                *(
                    (
                        f"node p{n} has the role '?'",
                        "use subscriber, publisher, relay or a role of the application",
                    )
                    for n in range(2, 7)
                ),
                ("and 2 more faults of its nodes", "mend the first ones"),
            ],
        ),
        (
            Layout("x", (S, node(mote=3))),
            [("its mote ids are not 1 to 2, each once: 3", "number them without gaps, the subscriber first")],
        ),
        (
            Layout("x", (S, node(name="S"))),
            [("several nodes are called S", "give each a name of its own")],
        ),
        (
            Layout("x", (P, node(mote=1, name="P2"))),
            [("0 nodes have the role subscriber", "give it to one node")],
        ),
        (
            Layout("x", (S, node(role="subscriber"), node(mote=3, name="P2"))),
            [("2 nodes have the role subscriber", "give it to one node")],
        ),
        (
            Layout("x", (S, node(role="relay"))),
            [
                (
                    "more than one control node, or no publisher",
                    "give at least one publisher; applications add a control node themselves",
                )
            ],
        ),
        (
            Layout(
                "x", (S, P, node(mote=3, name="C", role="control"), node(mote=4, name="D", role="control"))
            ),
            [
                (
                    "more than one control node, or no publisher",
                    "give at least one publisher; applications add a control node themselves",
                )
            ],
        ),
        (Layout("x", (S, P, node(mote=3, name="C", role="control"))), []),
        (
            Layout("x", (S, node(parent=9))),
            [("the next hop of P1 is not a node", "name a node's mote id, or 0 to have it searched")],
        ),
        (
            Layout("x", (S, node(second=9))),
            [("the next hop of P1 is not a node", "name a node's mote id, or 0 to have it searched")],
        ),
        (
            Layout("x", (Node(1, "S", "subscriber", 0, 0, 2), P)),
            [("the subscriber has a next hop", "let them lead to the subscriber, which has none")],
        ),
        (
            Layout("x", (S, node(parent=3), node(mote=3, name="P2", parent=2), node(mote=4, name="P3"))),
            [("the next hops of P1, P2 form a circle", "let them lead to the subscriber, which has none")],
        ),
        (Layout("x", (S, node(parent=3), node(mote=3, name="P2", parent=0))), []),
    ],
)
def test_what_is_no_layout(made, told):
    assert own.wrong(made) == told


def test_of_many_things_five_are_named():
    assert (
        first_of([1, 2, 3, 4, 5], own._SHOWN) == "1, 2, 3, 4, 5"
        and first_of(list("abcdefg"), own._SHOWN) == "a, b, c, d, e and 2 more"
    )


class Given:
    file = "ring.py"

    def __init__(self, value):
        self.value = value


NAMED = "use small letters, digits and `-`, each name once, not shape"
KINDS = (
    "use one of int, number, bool, choice, text, motes, policies, bytecode, length, time, ratio, rate, size"
)


@pytest.mark.parametrize(
    ("shape", "told"),
    [
        (
            5,
            [
                (
                    "SHAPE is of type int",
                    "write SHAPE = Shape(name, summary, parameters, layout), of orchestrator.topology.shape",
                )
            ],
        ),
        (
            Shape("x", "", (), 5),
            [
                (
                    "the shape's layout is no function",
                    "give it a function of (parameters, range_m) that returns a Layout",
                )
            ],
        ),
        (
            Shape("x", "", [], max),
            [
                (
                    "the shape's parameters are no tuple of Parameter",
                    "write (Parameter('sides', 'int', 6, 3, 100, help='how many'),)",
                )
            ],
        ),
        (Shape("x", "", (Parameter("a", "int"), Parameter("b-2", "ratio")), max), []),
        *(
            (
                Shape("x", "", (Parameter(name, "int"),), max),
                [(f"{name!r} is not a valid name of a parameter, or there twice", NAMED)],
            )
            for name in ("A", "", "shape", "a" * 33, 5)
        ),
        (
            Shape("x", "", (Parameter("a", "int"),) * 2, max),
            [("'a' is not a valid name of a parameter, or there twice", NAMED)] * 2,
        ),
        *(
            (Shape("x", "", (Parameter("a", kind),), max), [(f"parameter a is of type {kind!r}", KINDS)])
            for kind in ("file", "angle")
        ),
    ],
)
def test_what_is_no_shape(shape, told):
    if not told:
        assert own._check(Given(shape)) is None
        return
    with pytest.raises(FaultyCode) as raised:
        own._check(Given(shape))
    assert [(one.file, one.line, one.what, one.remedy) for one in raised.value.flaws] == [
        ("ring.py", 0, *each) for each in told
    ]


def test_a_layout_that_differs_between_two_calls_is_refused():
    turns = iter(range(9))
    shape = Shape("x", "", (), lambda *_: Layout("x", (S, node(x=float(next(turns))))))
    with pytest.raises(FaultyInput) as raised:
        own.nodes(own.OwnShape(shape, "ring.py", ""), {}, 50.0)
    (fault,) = raised.value.faults
    assert (fault.what, fault.remedy) == (
        "its layout is not the same twice for the same parameters",
        "draw from random.Random(a parameter of it), nothing from time or the machine",
    )


def test_an_own_shape_s_nodes_are_in_order_exact_and_routed():
    shape = Shape("x", "", (), lambda *_: Layout("x", (node(x=5.00049, parent=0), S)))
    made = own.nodes(own.OwnShape(shape, "ring.py", ""), {}, 50.0)
    assert made == (S, node(x=5.0, parent=1))


def test_who_is_connected_with_whom():
    nodes = (
        S,
        node(x=30.0),
        node(mote=3, name="P2", x=60.0, parent=2),
        node(mote=4, name="C", role="control", x=1.0),
    )
    known = connectivity(Layout("x", nodes), 30.0)
    assert known == Connectivity(
        30.0, True, True, {1: 0, 2: 1, 3: 2}, {1: 0, 2: 1, 3: 2}, {1: 1, 2: 2, 3: 1}, ()
    )
    far = connectivity(Layout("x", nodes), 29.9)
    assert (far.connected, far.broken, far.shortest) == (False, (2, 3), {1: 0, 2: -1, 3: -1})
    assert far.hops == {1: 0, 2: 1, 3: 2} and far.degree == {1: 0, 2: 0, 3: 0}
    lost = connectivity(Layout("x", (S, P, node(mote=3, name="P2", parent=0))), 30.0)
    assert (lost.connected, lost.hops[3], lost.shortest[3]) == (False, -1, 1)
    assert next_hops(node(second=7)) == (1, 7) and next_hops(S) == ()


def test_ratios_of_links_between_these_nodes():
    table = (Link("S", "P1", 0.5), Link("P1", "S", 0.0), Link("S", "X", 1.0), Link("X", "S", 1.0))
    assert ratios((S, P), table) == {(1, 2): 0.5}
    assert routed(Layout("x", (S, node(parent=0))), table).nodes[1].parent == 0


@pytest.mark.parametrize(
    ("metres", "cut"),
    [(0.3, 0.3), (1.0009, 1.0), (-1.0009, -1.0), (0.0009999, 0.0), (float("inf"), float("inf")), (-0.0, 0.0)],
)
def test_coordinates_are_cut(metres, cut):
    assert str(millimetres(metres)) == str(cut)


def test_too_many_motes():
    limit_motes(MOST_MOTES)
    for count, said in ((10_001, "10001"), (10**12 - 1, "999999999999"), (10**12, "10^12")):
        with pytest.raises(ValueError) as raised:
            limit_motes(count)
        assert str(raised.value) == f"this makes {said} motes; at most 10000 are simulated"
