# SPDX-License-Identifier: Apache-2.0
"""Random trees, orders, cut connections and crashes: the tables converge and nobody gets an event twice."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from orchestrate_testbed.gateway.event_service.messages import (
    ADVERTISE,
    DISCONNECT_SUPPLIER,
    SUBSCRIBE,
    Push,
    Registration,
    Request,
)
from orchestrate_testbed.gateway.event_service.router import Router
from orchestrate_testbed.gateway.event_service.topology import Tree

from tests.features.testbed.event_service.gateways import Gateways
from tests.tier import examples

EVENTS = ("temp", "pres")


@st.composite
def trees(draw) -> Tree:
    size = draw(st.integers(1, 9))
    return Tree(size, {node: draw(st.integers(1, node - 1)) for node in range(2, size + 1)})


def a_random_step(draw, gateways: Gateways, numbers: dict) -> None:
    nodes = st.sampled_from(gateways.tree.nodes)
    node, mote, event = draw(nodes), draw(st.integers(1, 3)), draw(st.sampled_from(EVENTS))
    edges = [(p, c) for c in gateways.tree.nodes if (p := gateways.tree.parent(c)) is not None]
    kind = draw(
        st.sampled_from(["message"] * 6 + ["subscribe", "unsubscribe", "push", "cut", "crash", "connect"])
    )
    if kind == "message" and gateways.busy:
        gateways.step(draw(st.sampled_from(gateways.busy)))
    elif kind == "subscribe":
        gateways.subscribe(node, mote, event)
    elif kind == "unsubscribe":
        gateways.unsubscribe(node, mote, event)
    elif kind == "push":
        numbers[node] = numbers.get(node, 0) + 1
        gateways.push(node, 100 * node, numbers[node], event)
    elif kind == "crash":
        gateways.crash(node)
    elif kind in ("cut", "connect") and edges:
        edge = draw(st.sampled_from(edges))
        gateways.cut(*edge)
        if kind == "connect":
            gateways.connect(*edge)


@settings(max_examples=examples(120), deadline=None)
@given(trees(), st.data())
def test_the_tables_converge_and_no_event_comes_twice_or_to_a_non_subscriber(tree, data):
    gateways, numbers = Gateways(tree), {}
    ever = set()
    for _ in range(data.draw(st.integers(0, 60))):
        a_random_step(data.draw, gateways, numbers)
        ever |= {
            (node, mote, event) for node, one in gateways.routers.items() for mote, event in one.subscribe
        }
    for node in tree.nodes:
        for child in tree.children(node):
            if (node, child) not in gateways.under_way:
                gateways.connect(node, child)
    while gateways.busy:
        gateways.step(data.draw(st.sampled_from(gateways.busy)))
    assert gateways.requests() == gateways.needed()
    assert len(gateways.delivered) == len(set(gateways.delivered)), "an event came twice"
    assert {(node, consumer, event) for node, event, _, _, consumer in gateways.delivered} <= ever
    # Everything stands: each subscriber gets each event of anybody's once.
    gateways.delivered.clear()
    for node in tree.nodes:
        for event in EVENTS:
            gateways.push(node, 1000 * node, 1, event)
    gateways.settle()
    assert sorted(gateways.delivered) == sorted(
        (here, event, 1000 * node, 1, mote)
        for here, router in gateways.routers.items()
        for mote, event in router.subscribe
        for node in tree.nodes
    )


def test_a_repeated_call_changes_nothing():
    router = Router()
    router.connected(2)
    assert router.registered(Registration(SUBSCRIBE, 5, "temp"))
    assert router.registered(Registration(SUBSCRIBE, 5, "temp")) == []
    assert list(router.subscribe) == [(5, "temp")]


def test_advertise_and_its_disconnect():
    router = Router()
    router.registered(Registration(ADVERTISE, 3, "temp"))
    assert list(router.advertise) == [(3, "temp")]
    router.registered(Registration(DISCONNECT_SUPPLIER, 3, "temp"))
    assert list(router.advertise) == []
    assert router.registered(Registration(DISCONNECT_SUPPLIER, 3, "temp")) == []


def test_a_registration_of_no_known_kind_is_refused():
    with pytest.raises(ValueError, match="1 to 4, not 9"):
        Router().registered(Registration(9, 1, "temp"))


def test_one_that_is_no_neighbour_is_passed_over():
    router = Router()
    assert router.requested(7, Request("temp")) == []
    assert list(router.event_request) == []
    router.registered(Registration(SUBSCRIBE, 5, "temp"))
    assert router.forwarded(7, Push("temp", 1, 1)) == []


def test_what_is_kept_restores_the_motes_calls():
    router = Router()
    for what, event in ((ADVERTISE, "temp"), (SUBSCRIBE, "pres")):
        router.registered(Registration(what, 3, event))
    again = Router(registrations=router.kept())
    assert again.kept() == router.kept()
    assert [output.message for output in again.connected(2)] == [Request("pres")]
