# SPDX-License-Identifier: Apache-2.0
"""The thesis's example (chapter 4): four gateways, SN1 over SN2 and SN3, SN2 over SN4."""

import pytest
from orchestrate_testbed.gateway.event_service.messages import Push
from orchestrate_testbed.gateway.event_service.readings import Readings
from orchestrate_testbed.gateway.event_service.topology import parse

from tests.features.testbed.event_service.gateways import Gateways

FIGURE_4_1 = parse("4\n1 2\n1 3\n2 4\n")


def example(**readings) -> Gateways:
    gateways = Gateways(FIGURE_4_1, Readings(**readings))
    gateways.advertise(4, 1, "temp")
    gateways.subscribe(3, 1, "temp")
    gateways.settle()
    return gateways


def tables(gateways: Gateways) -> dict:
    return {
        node: tuple(list(table) for table in (router.advertise, router.subscribe, router.event_request))
        for node, router in gateways.routers.items()
    }


@pytest.mark.parametrize("propagation", ["per-neighbour", "flag", "subscribe-table"])
def test_its_tables(propagation):
    assert tables(example(propagation=propagation)) == {
        1: ([], [], [(3, "temp")]),
        2: ([], [], [(1, "temp")]),
        3: ([], [(1, "temp")], []),
        4: ([(1, "temp")], [], [(2, "temp")]),
    }


def test_a_push_of_mote_1_of_sn4_reaches_mote_1_of_sn3_once():
    gateways = example()
    gateways.push(4, 1, 7, "temp")
    gateways.settle()
    assert gateways.delivered == [(3, "temp", 1, 7, 1)]


def test_what_nobody_subscribed_to_stays_at_its_gateway():
    gateways = example()
    gateways.push(4, 1, 7, "pres")
    assert gateways.busy == []
    assert gateways.delivered == []


def test_a_local_consumer_gets_it_before_the_other_gateways():
    gateways = example()
    gateways.subscribe(4, 3, "temp")
    gateways.settle()
    first, second = gateways.routers[4].pushed(Push("temp", 1, 1))
    assert first.delivery.consumers == (3,)
    assert second.neighbour == 2


def test_deliver_only_never_relays():
    gateways = example(relay="deliver-only")
    gateways.push(4, 1, 7, "temp")
    gateways.settle()
    assert gateways.delivered == []


def test_the_entry_made_before_the_search_propagates_nothing():
    gateways = example(propagation="subscribe-table-after")
    assert tables(gateways)[3] == ([], [(1, "temp")], [])
    assert all(not requests for requests in gateways.requests().values())


def test_the_flag_leaves_out_the_neighbour_of_the_first_request():
    gateways = Gateways(FIGURE_4_1, Readings(propagation="flag"))
    gateways.subscribe(4, 1, "temp")
    gateways.settle()
    gateways.subscribe(2, 1, "temp")
    gateways.settle()
    assert set(gateways.routers[4].event_request) == set(), (
        "SN2 relayed SN4's request and asks it for nothing"
    )
    right = Gateways(FIGURE_4_1)
    right.subscribe(4, 1, "temp")
    right.subscribe(2, 1, "temp")
    right.settle()
    assert set(right.routers[4].event_request) == {(2, "temp")}


def test_the_sender_included_sends_an_event_back_and_forth_for_ever():
    gateways = example(sender="included")
    gateways.subscribe(4, 2, "temp")
    gateways.settle()
    gateways.push(4, 1, 7, "temp")
    for turn in range(50):
        gateways.step(gateways.busy[turn % len(gateways.busy)])
    assert gateways.busy
    assert gateways.delivered.count((4, "temp", 1, 7, 2)) > 1


def test_one_delivery_for_all_or_one_for_each():
    for reading, consumers in (("once", [(1, 2)]), ("each", [(1,), (2,)])):
        gateways = example(delivery=reading)
        gateways.subscribe(3, 2, "temp")
        outputs = gateways.routers[3].forwarded(1, Push("temp", 1, 1))
        assert [output.delivery.consumers for output in outputs] == consumers


def test_an_unknown_reading_is_refused():
    with pytest.raises(ValueError, match="relay is 'never': one of relay, deliver-only"):
        Readings(relay="never")
