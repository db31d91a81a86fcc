# SPDX-License-Identifier: Apache-2.0
"""Deadlines of events that are given a validity, and whether the network can hold them."""

from __future__ import annotations

import pytest

from orchestrator.applications import descriptor, place
from orchestrator.applications.subjects import (
    AIR_US,
    BACKOFFS_US,
    HELD,
    IF_FREE,
    NOT_HELD,
    Due,
    due,
)
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
    assert one.subject.interval == 50_500 and one.subject.limit == 10_000
    assert one.verdict == verdict
    assert found(f"{asked}, deadline: 21 ms", alone).verdict == NOT_HELD


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
