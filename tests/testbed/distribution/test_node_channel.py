# SPDX-License-Identifier: Apache-2.0
"""The channel of a node without I/O, and the table that says who consumes what."""

from __future__ import annotations

import pytest
from orchestrate_testbed.gateway.distribution.channel import Channel, Value
from orchestrate_testbed.gateway.distribution.table import Link, NodeTable, NodeTask, plain, read

# Task 1 of node 0 goes to 2 on its own node and to 3, the more urgent, and 4 on node 1.
LINKS = (Link(1, 2, 0), Link(1, 4, 1, "lan", 1), Link(1, 3, 1, "lan", 2))
TABLES = [NodeTable("a", (), LINKS), NodeTable("b", (), ()), NodeTable("c", (), ())]
VALUE = Value(stamp=5, error=1, sent=7, network=2, code=3, host=4)


@pytest.fixture
def channels():
    """The channels of three nodes whose consumers have subscribed."""
    made = [Channel(table, node, 3) for node, table in enumerate(TABLES)]
    for node, consumers in ((0, [2]), (1, [3, 4])):
        for other, request in made[node].subscribe(consumers):
            made[other].requested(node, request.event)
    return made


def test_a_value_goes_to_each_consumer_the_most_urgent_first(channels):
    found = channels[0].push(1, 9, VALUE)
    assert [(proxy.to, proxy.node) for proxy in found] == [(3, 1), (4, 1), (2, None)]
    assert {proxy.push.number for proxy in found} == {9}
    assert Value.unpacked(found[0].push.data) == VALUE
    assert channels[0].push(2, 9, VALUE) == []


def test_requests_go_to_all_other_nodes_and_nobody_relays(channels):
    other = Channel(TABLES[1], 1, 3)
    assert [(node, request.event) for node, request in other.subscribe([3])] == [(0, "3"), (2, "3")]
    assert channels[2].push(1, 9, VALUE) == []


def test_the_channel_is_complete_when_all_consumers_have_subscribed():
    one = Channel(TABLES[0], 0, 3)
    assert not one.complete()
    one.subscribe([2])
    one.requested(1, "3")
    assert not one.complete()
    one.requested(1, "4")
    assert one.complete()


def test_a_mote_s_consumers_need_not_subscribe():
    one = Channel(TABLES[0], 0, 3, motes={1})
    one.subscribe([2])
    assert one.complete()
    assert [(proxy.to, proxy.node) for proxy in one.push(1, 9, VALUE)] == [(3, 1), (4, 1), (2, None)]


def test_a_value_of_another_length_is_none():
    with pytest.raises(ValueError, match="32 bytes, not 31"):
        Value.unpacked(VALUE.packed()[:-1])


def test_a_table_is_read_as_it_was_written():
    task = NodeTask("T", "target", 3, 1, 100, 10, 20, 5, validity=9)
    table = NodeTable("a", (task,), LINKS)
    assert read(plain(table)) == table
    assert task.timed and not NodeTask("C", "last", 4, 1, 100, 10, 20, 5).timed
    assert NodeTask("S", "step", 4, 1, 100, 10, 20, 5, source=1).timed
