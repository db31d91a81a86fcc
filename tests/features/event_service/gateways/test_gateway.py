# SPDX-License-Identifier: Apache-2.0
"""A gateway's queues in virtual time: what waits, what finds them full, and what its base station gets."""

from __future__ import annotations

import pytest
from orchestrate_testbed.gateway.event_service import frames
from orchestrate_testbed.gateway.event_service.messages import SUBSCRIBE, Delivery, Push, Registration
from orchestrate_testbed.gateway.event_service.readings import Readings

from orchestrator.features.event_service.gateway import Gateway
from orchestrator.features.event_service.lines import Connection, SerialLine
from orchestrator.features.event_service.model import Delays
from orchestrator.partners.agenda import Agenda

DELAYS = Delays(115_200, 0, 10, 100, 2, 500, False, 0)


@pytest.fixture
def gateway():
    """One whose mote 5 wants temperatures, what lets time pass, and what its base station got when."""
    now, wrote = [0], []
    agenda = Agenda(lambda: now[0])
    made = Gateway(
        1,
        Readings(),
        DELAYS,
        0,
        agenda.at,
        agenda.now,
        lambda line: wrote.append((now[0], line)),
        lambda text: None,
    )

    def until(time: int) -> None:
        while now[0] < time:
            now[0] = agenda.next(time)
            agenda.do_due()

    made.connected(2, Connection(DELAYS, agenda.at, lambda message: None))
    made.printed(frames.line(Registration(SUBSCRIBE, 5, "temp"), 1, 5))
    until(100_000)
    return made, until, wrote


def event(number: int) -> Push:
    return Push("temp", 9, number, b"\x01")


def test_an_event_from_another_gateway_takes_routing_forwarder_and_serial_line(gateway):
    made, until, wrote = gateway
    made.received(2, event(1))
    until(200_000)
    ((time, line),) = wrote
    assert time == 100_000 + DELAYS.processing_us + DELAYS.forwarder_us + SerialLine(115_200).ends(0, line)
    assert frames.read(line) == Delivery(event(1), (5,))


def test_what_finds_the_routing_full_is_lost_and_counted(gateway):
    made, until, wrote = gateway
    for number in range(1, 6):
        made.received(2, event(number))
    until(200_000)
    assert [frames.read(line).push.number for _, line in wrote] == [1, 2]
    assert made.counters["gateway_queue_full"] == 3 and made.counters["gateway_tcp_received"] == 5


def test_what_finds_the_serial_line_full_is_lost_and_counted(gateway):
    """The routing is done with each before the next one comes; a frame takes the line for milliseconds."""
    made, until, wrote = gateway
    for number in range(1, 6):
        made.received(2, event(number))
        until(100_000 + number * 2 * DELAYS.processing_us)
    assert wrote == []
    until(200_000)
    assert [frames.read(line).push.number for _, line in wrote] == [1, 2]
    assert made.counters["gateway_queue_full"] == 3 and made.counters["gateway_uart_sent"] == 2
    made.received(2, event(6))
    until(300_000)
    assert frames.read(wrote[-1][1]).push.number == 6, "there is room again"


def test_lines_that_are_no_frames_are_text_or_counted(gateway):
    made, until, _ = gateway
    made.printed(b"hello")
    made.printed(b"#zz")
    until(200_000)
    assert made.counters["gateway_uart_malformed"] == 1 and made.counters["gateway_uart_received"] == 1
