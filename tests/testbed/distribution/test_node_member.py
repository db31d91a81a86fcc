# SPDX-License-Identifier: Apache-2.0
"""What nodes say to each other before the system begins."""

from __future__ import annotations

from collections import deque

import pytest
from orchestrate_testbed.gateway.distribution.member import LEAD_US, LEAST_ANSWERS, Member
from orchestrate_testbed.gateway.distribution.table import Link, NodeTable, NodeTask

from tests.testbed.distribution.times import Times

WITH_CONSUMER = NodeTable("b", (NodeTask("C", "last", 3, 1, 100, 0, 100, 5),), ())
WITH_PRODUCER = NodeTable(
    "a", (NodeTask("S", "step", 1, 1, 100, 0, 100, 5, source=9),), (Link(1, 3, 1, "lan", 1),)
)


def members(begins: int | None = None) -> tuple[list[Member], Times]:
    times = Times()
    return [
        Member(table, node, 2, times.clock(node == 0), {3: ["10.0.0.1", 4]}, begins)
        for node, table in enumerate((WITH_PRODUCER, WITH_CONSUMER))
    ], times


def talk(made: list[Member], times: Times, rounds: int, lost=lambda message: False) -> None:
    """What both say reaches the other one after 10 us."""
    for _ in range(rounds):
        under_way = deque(said for one in made for said in one.says())
        while under_way:
            to, message = under_way.popleft()
            times.own += 10
            if not lost(message):
                under_way.extend(made[to].heard(message, times.own))


def test_the_first_node_says_when_the_system_begins():
    made, times = members()
    talk(made, times, LEAST_ANSWERS)
    assert not any(one.together for one in made) and made[0].start is None
    talk(made, times, 2)
    assert all(one.together for one in made)
    assert made[0].start == made[1].start and LEAD_US > made[0].start - times.own > LEAD_US - 200
    assert made[0].addresses == {(1, 3): ("10.0.0.1", 4)}


@pytest.mark.parametrize("kind", ["request", "clock", "time", "ready", "start", "began"])
def test_nobody_begins_before_all_can(kind):
    made, times = members()
    talk(made, times, LEAST_ANSWERS + 5, lost=lambda message: message["say"] == kind)
    assert not made[0].together
    talk(made, times, LEAST_ANSWERS + 5)
    assert all(one.together for one in made) and made[0].start == made[1].start


def test_a_mote_is_asked_for_the_time_and_nothing_else():
    one = Member(WITH_CONSUMER, 1, 2, Times().clock(), {3: 3}, 5_000, motes={0})
    assert [message["say"] for _, message in one.says()] == ["clock"]


def test_where_the_begin_is_settled_a_node_needs_the_time_and_its_consumers():
    made, times = members(begins=5_000)
    assert made[0].start == 5_000 and not made[0].together and not made[1].together
    talk(made, times, 1)
    assert all(one.together for one in made)
    assert made[0].question() == [] and made[1].question()[0][1]["say"] == "clock"


@pytest.mark.parametrize(
    "said",
    [
        None,
        [],
        {},
        {"say": "hello"},
        {"say": ["request"]},
        {"say": "request", "node": 1, "event": "x", "inbox": []},
        {"say": "request", "node": 0, "event": "3", "inbox": []},
        {"say": "clock", "asked": 1, "node": 2},
        {"say": "clock", "asked": 1, "node": "1"},
        {"say": "time", "asked": 1, "now": float("inf")},
        {"say": "ready"},
        {"say": "start", "at": 1},  # the first node is the one that says it
    ],
)
def test_what_no_node_says_is_counted(said):
    made, _ = members()
    assert made[0].heard(said, 1) == []
    assert made[0].malformed == 1 and made[0].start is None
