# SPDX-License-Identifier: Apache-2.0
"""Beyond the thesis: conditions and quality attributes at gateways. Who gets what, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from orchestrate_testbed.gateway import protocol
from orchestrate_testbed.gateway.event_service import channels, condition, terms, wire
from orchestrate_testbed.gateway.event_service.messages import (
    ADVERTISE,
    DISCONNECT_CONSUMER,
    SUBSCRIBE,
    Delivery,
    Mismatch,
    Push,
    Registration,
    Request,
    ToBaseStation,
    ToLog,
    ToNeighbour,
)
from orchestrate_testbed.gateway.event_service.router import Router
from orchestrate_testbed.gateway.event_service.terms import Terms, written
from orchestrate_testbed.gateway.event_service.topology import parse

from tests.features.testbed.event_service.gateways import Gateways
from tests.features.testbed.event_service.test_gateway_tables import trees


def above(number: int) -> bytes:
    """The terms of who wants events whose first byte is above a number."""
    return written(Terms(condition=bytes([0x42, 0, number])))


def offer(supplier: int, **said) -> bytes:
    return written(Terms(supplier=supplier, **said))


@settings(max_examples=50, deadline=None)
@given(trees(), st.data())
def test_in_any_tree_each_gets_what_its_condition_wants_and_nothing_else(tree, data):
    gateways, calls = Gateways(tree), {}
    for _ in range(data.draw(st.integers(1, 25))):
        node, mote = data.draw(st.sampled_from(tree.nodes)), data.draw(st.integers(1, 3))
        kind = data.draw(st.sampled_from(["subscribe", "subscribe", "unsubscribe", "message", "crash"]))
        if kind == "subscribe":
            asked = data.draw(st.sampled_from([b"", *map(above, range(10))]))
            gateways.do(node, gateways.routers[node].registered(Registration(SUBSCRIBE, mote, "temp", asked)))
            calls[node, mote] = asked
        elif kind == "unsubscribe":
            gateways.unsubscribe(node, mote, "temp")
            calls.pop((node, mote), None)
        elif kind == "crash":
            gateways.crash(node)
            for other in tree.neighbours(node):
                gateways.connect(node, other)
        elif gateways.busy:
            gateways.step(data.draw(st.sampled_from(gateways.busy)))
    gateways.settle()
    gateways.delivered.clear()
    for node in tree.nodes:
        push = Push("temp", node, 1, bytes([data.draw(st.integers(0, 10))]))
        gateways.do(node, gateways.routers[node].pushed(push))
        gateways.settle()
        expected = [
            (there, "temp", node, 1, mote)
            for (there, mote), asked in calls.items()
            if condition.holds(terms.read(asked).condition, push.data)
        ]
        assert sorted(gateways.delivered) == sorted(expected)
        gateways.delivered.clear()


def test_what_nobody_beyond_wants_does_not_cross():
    gateways = Gateways(parse("3\n1 2\n2 3\n"))
    gateways.do(3, gateways.routers[3].registered(Registration(SUBSCRIBE, 5, "temp", above(50))))
    gateways.settle()
    assert gateways.routers[1].event_request.terms(2, "temp") == (above(50),)
    assert gateways.routers[1].pushed(Push("temp", 1, 1, b"\x32")) == []
    assert len(gateways.routers[1].pushed(Push("temp", 1, 2, b"\x33"))) == 1
    # Somebody who wants less joins, and leaves: the others are told.
    gateways.do(3, gateways.routers[3].registered(Registration(SUBSCRIBE, 6, "temp", above(10))))
    gateways.settle()
    assert len(gateways.routers[1].pushed(Push("temp", 1, 3, b"\x20"))) == 1
    gateways.unsubscribe(3, 6, "temp")
    gateways.settle()
    assert gateways.routers[1].pushed(Push("temp", 1, 4, b"\x20")) == []


def test_too_many_different_terms_become_a_request_without_any():
    router = Router()
    router.connected(2)
    for mote in range(1, wire.MOST_ASKED + 1):
        (said,) = router.registered(Registration(SUBSCRIBE, mote, "temp", above(mote)))
    assert len(said.message.asked) == wire.MOST_ASKED
    (said,) = router.registered(Registration(SUBSCRIBE, 99, "temp", above(99)))
    assert said.message.asked == (b"",)


OFFERED = Terms(period=200, deadline=500, omission=2, ttl=1, type=7)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (Terms(), ()),
        (Terms(period=200, deadline=500, omission=2, ttl=1, type=7), ()),
        (Terms(period=199), ("period",)),
        (Terms(deadline=499), ("deadline",)),
        (Terms(omission=1), ("omission",)),
        (Terms(ttl=2), ("ttl",)),
        (Terms(ttl=0, omission=3, deadline=501, period=201), ()),
        (Terms(type=8, period=1), ("type", "period")),
    ],
)
def test_what_is_asked_must_be_offered(asked, expected):
    assert terms.refused(OFFERED, asked) == expected
    assert bool(terms.words(OFFERED, asked)) is bool(expected)


def test_what_is_not_offered_at_all_is_refused_and_the_words_say_so():
    asked = Terms(period=100, ttl=1, type=3)
    assert terms.words(Terms(), asked) == (
        "its events have no type; period of at most 100 ms is asked, none offered; "
        "ttl of at least 1 gateways is asked, none offered"
    )
    assert terms.words(Terms(type=4), Terms(type=3)) == "its events are of another type"


def told(outputs, kind) -> list:
    return [one for one in outputs if isinstance(one, kind)]


@pytest.mark.parametrize("first", ["advertise", "subscribe"])
def test_a_refusal_reaches_who_asked_whoever_came_first_and_once(first):
    gateways = Gateways(parse("3\n1 2\n2 3\n"))
    calls = [
        (1, Registration(ADVERTISE, 4, "temp", offer(9, period=200))),
        (3, Registration(SUBSCRIBE, 5, "temp", written(Terms(period=100)))),
    ]
    for node, call in calls if first == "advertise" else reversed(calls):
        gateways.do(node, gateways.routers[node].registered(call))
        gateways.settle()
    assert gateways.said == [
        "3 the subscription of mote 5 to temp refuses what mote 4 publishes: period of at most 100 ms is "
        "asked, 200 ms offered"
    ]
    assert gateways.delivered == [(3, channels.REFUSED, 255, 1, 5)]
    for node, call in calls:  # as a lost acknowledgement has it
        gateways.do(node, gateways.routers[node].registered(call))
    gateways.settle()
    assert len(gateways.said) == 1
    gateways.routers[1].pushed(Push("temp", 9, 1))
    assert gateways.routers[1].pushed(Push("temp", 9, 2)) == []
    # It asks for less: it gets the events.
    gateways.do(
        3, gateways.routers[3].registered(Registration(SUBSCRIBE, 5, "temp", written(Terms(period=200))))
    )
    gateways.settle()
    gateways.push(1, 9, 3, "temp")
    gateways.settle()
    assert gateways.delivered[1:] == [(3, "temp", 9, 3, 5)]
    assert gateways.routers[3].channels.counters["gateway_refusals"] == 1


def test_a_refusal_holds_for_one_supplier_and_not_for_another():
    router = Router()
    router.registered(Registration(ADVERTISE, 4, "temp", offer(1, omission=3)))
    router.registered(Registration(ADVERTISE, 5, "temp", offer(2, omission=0)))
    outputs = router.registered(Registration(SUBSCRIBE, 6, "temp", written(Terms(omission=0))))
    (said,) = told(outputs, ToLog)
    assert "mote 4 publishes" in said.text
    (delivery,) = told(outputs, ToBaseStation)
    assert delivery.delivery.push.data == b"\0\0\0\0pmet" + b"\4\0" + b"\x08"
    assert told(router.pushed(Push("temp", 1, 1)), ToBaseStation) == []
    assert len(told(router.pushed(Push("temp", 2, 1)), ToBaseStation)) == 1


def test_a_subscription_that_comes_anew_is_refused_anew():
    router = Router()
    router.registered(Registration(ADVERTISE, 4, "temp", offer(1)))
    call = Registration(SUBSCRIBE, 6, "temp", written(Terms(omission=0)))
    assert len(told(router.registered(call), ToLog)) == 1
    router.registered(Registration(DISCONNECT_CONSUMER, 6, "temp"))
    assert len(told(router.registered(call), ToLog)) == 1


def test_an_event_passes_as_many_gateways_as_it_may():
    gateways = Gateways(parse("4\n1 2\n2 3\n3 4\n"))
    for node in gateways.tree.nodes:
        gateways.subscribe(node, 5, "temp")
    gateways.settle()
    for ttl, reached in ((0, [1]), (1, [1, 2]), (2, [1, 2, 3]), (9, [1, 2, 3, 4])):
        gateways.do(1, gateways.routers[1].registered(Registration(ADVERTISE, 4, "temp", offer(1, ttl=ttl))))
        gateways.push(1, 1, ttl, "temp")
        gateways.settle()
        assert [node for node, *_ in gateways.delivered] == reached
        gateways.delivered.clear()
    assert gateways.routers[1].channels.counters["gateway_expired"] == 1


def test_omissions_are_counted_and_said():
    router = Router()
    router.registered(Registration(ADVERTISE, 4, "temp", offer(1, omission=1)))
    router.registered(Registration(SUBSCRIBE, 6, "temp", written(Terms(omission=1))))
    for number in (1, 2, 4, 3, 4):
        assert told(router.pushed(Push("temp", 1, number)), ToLog) == []
    (said,) = told(router.pushed(Push("temp", 1, 7)), ToLog)
    assert said.text.startswith("2 events temp of supplier 1 in a row did not come; mote 6 asked")
    assert router.channels.counters["gateway_omissions"] == 1


def test_with_a_condition_omissions_are_not_guessed():
    router = Router()
    router.registered(Registration(ADVERTISE, 4, "temp", offer(1, omission=0)))
    asked = written(Terms(omission=0, condition=bytes([0x42, 0, 5])))
    router.registered(Registration(SUBSCRIBE, 6, "temp", asked))
    for number in (1, 9):
        assert told(router.pushed(Push("temp", 1, number, b"\x09")), ToLog) == []


def test_what_is_kept_has_its_terms():
    router = Router()
    router.registered(Registration(ADVERTISE, 4, "temp", offer(1, ttl=1)))
    router.registered(Registration(SUBSCRIBE, 6, "pres", above(3)))
    assert Router(registrations=router.kept()).kept() == router.kept()
    assert router.kept()[1].terms == above(3)


MESSAGES = (
    Request("temp", True, (above(1), above(2))),
    Push("temp", 1, 2, b"\x03", offer(1, ttl=3), 2),
    Mismatch("temp", 4, offer(1), written(Terms(period=5))),
)


@pytest.mark.parametrize("message", MESSAGES)
def test_over_tcp_there_and_back(message):
    assert wire.between_gateways(wire.said(protocol.line(wire.between(message)))) == message


@pytest.mark.parametrize(
    "said",
    [
        {"say": "request", "event": "temp", "wanted": True, "asked": []},
        {"say": "request", "event": "temp", "wanted": True, "asked": [""] * 9},
        {"say": "request", "event": "temp", "wanted": True, "asked": ["zz"]},
        {"say": "request", "event": "temp", "wanted": True, "asked": ["07024040"]},
        {"say": "refusal", "event": "temp", "mote": 0, "offered": "", "asked": ""},
        {"say": "push", "event": "temp", "supplier": 1, "number": 1, "data": "", "offered": "0101"},
    ],
)
def test_damaged_terms_are_refused(said):
    with pytest.raises(wire.Malformed):
        wire.between_gateways(said)


def test_a_stranger_s_refusal_is_passed_over():
    router = Router()
    asked = written(Terms(period=5))
    router.registered(Registration(SUBSCRIBE, 6, "temp", asked))
    assert router.refused(7, Mismatch("temp", 4, b"", asked)) == []


def test_the_message_to_the_mote():
    router = Router()
    router.connected(2)
    asked = written(Terms(period=5))
    router.registered(Registration(SUBSCRIBE, 6, "temp", asked))
    found = router.refused(2, Mismatch("temp", 4, b"", asked))
    data = b"\0\0\0\0pmet\x04\x00\x02"
    assert found[1] == ToBaseStation(Delivery(Push("!refused", 255, 1, data), (6,)))
    assert not told(found, ToNeighbour)


def test_a_bridge_gets_events_of_other_boards_and_not_its_own_again():
    gateways = Gateways(parse("2\n1 2\n"))
    bridge = written(Terms(bridge=1))
    for node in (1, 2):
        call = Registration(SUBSCRIBE, 10 * node, "temp", bridge)
        gateways.do(node, gateways.routers[node].registered(call))
    gateways.subscribe(1, 5, "temp")  # a mote of the event service
    gateways.settle()
    push = Push("temp", 3, 1, b"", bridged=True)
    outputs = gateways.routers[1].pushed(push)
    assert told(outputs, ToBaseStation) == [ToBaseStation(Delivery(push, (5,)))]
    (further,) = told(outputs, ToNeighbour)
    assert not further.message.bridged
    (delivery,) = gateways.routers[2].forwarded(1, further.message)
    assert delivery.delivery.bridged and delivery.delivery.consumers == (20,)
    # What a mote of the event service pushes goes to the bridge of its own board, too.
    outputs = told(gateways.routers[1].pushed(Push("temp", 3, 2)), ToBaseStation)
    assert [(one.delivery.consumers, one.delivery.bridged) for one in outputs] == [
        ((10,), True),
        ((5,), False),
    ]


def test_a_term_that_is_there_twice_is_refused():
    with pytest.raises(ValueError, match="two terms type"):
        terms.read(bytes.fromhex("0202cdab" * 2))


def test_a_refusal_goes_on_and_not_back():
    router, asked = Router(), written(Terms(period=5))
    for neighbour in (2, 3):
        router.connected(neighbour)
        router.requested(neighbour, Request("temp", True, (asked,)))
    found = router.refused(2, Mismatch("temp", 4, b"", asked))
    assert [one.neighbour for one in found] == [3]
