# SPDX-License-Identifier: Apache-2.0
"""What a gateway says of the events that did not get to a neighbour that was lost."""

from __future__ import annotations

from orchestrate_testbed.gateway.event_service.losses import MOST, Losses, Sent
from orchestrate_testbed.gateway.event_service.messages import Push, Request

S = 1_000_000


def push(number: int, event: str = "temp", supplier: int = 4) -> Push:
    return Push(event, supplier, number)


def test_what_ends_in_the_bytes_that_nobody_acknowledged_is_the_last_of_what_was_sent():
    sent = Sent()
    for number in (1, 2, 3):
        sent.note(100, push(number))
    sent.note(50, Request("temp"))
    assert sent.last(0) == sent.last(50) == []
    assert sent.last(51) == sent.last(150) == [("temp", 4, 3)]
    assert [number for _, _, number in sent.last(151)] == [2, 3]
    assert len(sent.last(350)) == 3


def test_of_very_many_the_last_are_remembered():
    sent = Sent()
    for number in range(MOST + 1):
        sent.note(1, push(number))
    assert [number for _, _, number in sent.last(MOST + 1)] == list(range(1, MOST + 1))


def test_a_neighbour_that_is_lost_misses_what_it_had_requested_until_it_is_back():
    losses = Losses()
    said = losses.lost(3, 2 * S, ["temp", "pres"], [("temp", 4, 7), ("temp", 4, 8)])
    assert said == [
        "gateway 3 did not acknowledge: temp of mote 4, 7 to 8",
        "gateway 3 gets none of these until it is back: pres, temp",
    ]
    assert losses.away == (3,)
    for each in (push(9), push(1, "light"), push(11), push(10)):
        losses.passed(each)
    assert losses.left(9 * S) == [
        "gateway 3 is still lost after 7.0 s; not sent to it meanwhile: temp of mote 4, 9 to 11"
    ]
    assert losses.ended(3, 9 * S, "is back") == [
        "gateway 3 is back after 7.0 s; not sent to it meanwhile: temp of mote 4, 9 to 11"
    ]
    losses.passed(push(12))
    assert losses.count == 5 and losses.away == () and losses.left(S) == []
    assert losses.ended(3, 9 * S, "is back") == []


def test_who_misses_nothing_is_back_and_no_more_is_said():
    losses = Losses()
    assert losses.lost(3, 0, [], []) == []
    losses.passed(push(1))
    assert losses.left(S) == [] and losses.count == 0
    assert losses.ended(3, 1_250_000, "is back") == ["gateway 3 is back after 1.2 s"]
