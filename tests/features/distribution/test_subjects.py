# SPDX-License-Identifier: Apache-2.0
"""Deadlines of events that are given a validity, and whether the network can hold them."""

from __future__ import annotations

import pytest

from orchestrator.applications import descriptor, place
from orchestrator.errors import FaultyInput
from orchestrator.features.distribution.subjects import AIR_US, BACKOFFS_US, HELD, IF_FREE, NOT_HELD, Due, due
from orchestrator.scenario.load import loads

CHAIN = "{shape: chain, publishers: 3, spacing: 30 m}"
BOARDS = "{shape: boards, boards: 3}\nradio: {range: 2.54 m, interference: 5.08 m}"


def found(application: str, topology: str = CHAIN) -> Due | None:
    text = (
        f"experiment: e\ntopology: {topology}\napplication: {{{application}}}\nduration: 10 s\ndrain: 1 s\n"
        "seeds: 1\n"
    )
    placed = place.place(loads(text, "e.yaml").cells[0])
    values = placed.application.complete(placed.cell.application.parameters)
    return due(placed.application.name, values, placed.layout)


def test_all_backoffs_of_csma_are_those_of_its_header():
    assert BACKOFFS_US == 6000 * (7 + 15 + 4 * 31) == 876_000
    assert AIR_US == 4256


def test_an_aggregate_is_kept_at_each_hop():
    one = found("name: aggregation, validity: 3 s, timeout: 500 ms")
    assert (one.subject.hops, one.subject.interval, one.deadline) == (3, 520_000, 2_480_000)
    assert one.least == 3 * (500_000 + AIR_US) and one.most == one.least + 3 * BACKOFFS_US
    assert one.verdict == IF_FREE
    assert one.time_out == ((2_480_000 - 3 * AIR_US) // 3, 0)
    assert found("name: aggregation, validity: 10 s, timeout: 500 ms").verdict == HELD
    assert found("name: aggregation, validity: 3 s, timeout: 5 s").verdict == NOT_HELD
    assert found("name: aggregation, validity: 3 s, timeout: 5 s, aggregate: false").verdict == IF_FREE


def test_the_time_out_that_it_gives_is_held_and_a_longer_one_is_not():
    asked = "name: aggregation, validity: 3 s, mac: nullmac"
    given = found(asked).time_out[0] // 1000
    assert found(f"{asked}, timeout: {given} ms").verdict == HELD
    assert found(f"{asked}, timeout: {given + 1} ms").verdict == NOT_HELD


def test_an_event_that_is_older_than_the_next_can_not_be_in_time():
    one = found("name: aggregation, rate: low, validity: 60 s")
    assert (one.deadline, one.verdict, one.time_out) == (None, NOT_HELD, (0, 0))


def test_gateways_and_their_lines_take_their_time():
    one = found("name: event-service, suppliers: P5, consumers: P9, interval: 200 ms, validity: 2 s", BOARDS)
    line = 1050 * 1_000_000 // 57_600 + 1
    tcp = 4 * (500 + 40_500)  # four connections in the worst tree of three gateways, each with a late ACK
    assert one.subject.once == 2 * line + 16_000 + 2 * 1000 + 5 * 1000 + tcp
    assert one.subject.hops == 4 and one.deadline == 1_800_000
    quick = "name: event-service, suppliers: P5, consumers: P9, interval: 200 ms, validity: 2 s, nagle: false"
    assert one.least - found(quick, BOARDS).least == 4 * 40_500


@pytest.mark.parametrize(("validity", "verdict"), [("60 ms", NOT_HELD), ("70 ms", NOT_HELD), ("71 ms", HELD)])
def test_a_blackboard_s_own_deadline_has_to_be_short_enough(validity, verdict):
    asked, alone = f"name: blackboard-paper, validity: {validity}", "{shape: chain, publishers: 1}"
    one = found(asked, alone)
    assert one.subject.interval == 50_500 and one.subject.limit == 20_000  # the second subscriber's
    assert one.verdict == verdict
    assert found(f"{asked}, deadline: 11 ms", alone).verdict == NOT_HELD
    assert found(f"{asked}, deadline: 21 ms", alone).verdict == NOT_HELD


def test_what_hops_may_keep_for_ever_has_no_bound():
    one = found("name: aggregation, validity: 100 s, hold: endless")
    assert one.most is None and one.verdict == NOT_HELD
    assert found("name: aggregation, validity: 100 s, hold: endless, aggregate: false").verdict == HELD


def placed(application: str, topology: str = CHAIN) -> place.PlacedCell:
    text = (
        f"experiment: e\ntopology: {topology}\napplication: {{{application}}}\nduration: 10 s\ndrain: 1 s\n"
        "seeds: 1\n"
    )
    return place.place(loads(text, "e.yaml").cells[0])


@pytest.mark.parametrize(
    ("asked", "verdict", "time_out"),
    [
        ("validity: 3 s, set-by-validity: if-free", IF_FREE, (2_480_000 - 3 * AIR_US) // 3),
        ("validity: 9 s, set-by-validity: always", HELD, (8_480_000 - 3 * AIR_US) // 3 - BACKOFFS_US),
        ("validity: 9 s, set-by-validity: always, mac: nullmac", HELD, (8_480_000 - 3 * AIR_US) // 3),
        ("validity: 24 h, set-by-validity: always", HELD, 600_000_000),  # the longest that can be set
    ],
)
def test_a_validity_sets_the_time_out_of_the_runs(asked, verdict, time_out):
    """In the images of the motes, and in what is recorded of the cell."""
    one = placed(f"name: aggregation, {asked}")
    given = one.cell.application.parameters["timeout"]
    assert given == time_out // 1000 * 1000
    values = one.application.complete(one.cell.application.parameters)
    assert due(one.application.name, values, one.layout).verdict == verdict
    plain = asked.replace(", set-by-validity: always", "").replace(", set-by-validity: if-free", "")
    assert one.images(1) == placed(f"name: aggregation, {plain}, timeout: {given // 1000} ms").images(1)
    assert place.place(one.cell).cell == one.cell  # a run that is made again gets the same


def test_a_validity_sets_the_deadline_of_a_blackboard():
    alone = "{shape: chain, publishers: 1}"
    asked = "name: blackboard-paper, set-by-validity: if-free, validity:"
    one = placed(f"{asked} 90 ms", alone)
    assert one.cell.application.parameters["deadline"] == 29_000  # 39.5 ms, and the second one is 10 ms later
    values = one.application.complete(one.cell.application.parameters)
    assert due(one.application.name, values, one.layout).verdict == HELD
    with pytest.raises(FaultyInput, match="no deadline keeps events valid for 60 ms"):
        placed(f"{asked} 60 ms", alone)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("set-by-validity: if-free", "the validity is missing"),
        ("validity: 500 ms, set-by-validity: if-free", "no timeout keeps events valid for 500 ms"),
        ("validity: 3 s, set-by-validity: always", "no timeout keeps events valid for 3 s"),
        ("validity: 30 s, set-by-validity: always, hold: endless", "no timeout keeps events valid for 30 s"),
    ],
)
def test_where_no_time_out_will_do_nothing_runs(asked, why):
    """The fault has the scenario's line."""
    with pytest.raises(FaultyInput, match=f"e.yaml:3: set-by-validity: {why}"):
        placed(f"name: aggregation, {asked}")


def test_nothing_is_set_where_no_hop_keeps_an_event_or_nobody_asks():
    for asked in ("validity: 3 s", "validity: 3 s, aggregate: false, set-by-validity: always"):
        assert placed(f"name: aggregation, {asked}").cell.application.parameters["timeout"] == 5_000_000
    assert "set-by-validity" not in placed("name: aggregation").cell.application.parameters
    assert "set-by-validity" not in descriptor.load("event-service").parameters


def test_without_a_validity_nothing_is_due():
    assert found("name: aggregation") is None
    assert "validity" not in descriptor.load("hello-nullnet").parameters


def test_a_validity_that_is_not_given_changes_no_run():
    """It is no part of a run's identity then."""
    text = f"experiment: e\ntopology: {CHAIN}\nduration: 10 s\nseeds: 1\n"
    text += "application: {name: aggregation%s}\n"
    bare, none, given = (
        loads(text % said, "e.yaml").cells[0].application.parameters
        for said in ("", ", validity: 0 s", ", validity: 1 s")
    )
    assert bare == none and "validity" not in bare and given["validity"] == 1_000_000
