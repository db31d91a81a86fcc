# SPDX-License-Identifier: Apache-2.0
"""What serial lines, the USB chip's timer and TCP connections take."""

from __future__ import annotations

import heapq
from dataclasses import replace

import pytest

from orchestrator.features.event_service.lines import Connection, LatencyTimer, SerialLine, bytes_on_line
from orchestrator.features.event_service.model import Delays

DELAYS = Delays(57600, 16_000, 1000, 1000, 64, 500, True, 40_000)
FRAME = b"#" + b"00" * 18  # 18 bytes and 5 of framing


class Clock:
    def __init__(self):
        self.now, self._events, self._count = 0, [], 0

    def at(self, time, act):
        self._count += 1
        heapq.heappush(self._events, (time, self._count, act))

    def run(self, until=10**9):
        while self._events and self._events[0][0] <= until:
            self.now, _, act = heapq.heappop(self._events)
            act()


def test_a_frame_on_a_serial_line_takes_ten_bits_a_byte():
    assert bytes_on_line(FRAME) == 23
    assert SerialLine(57600).takes(FRAME) == 3994  # 230 bits, rounded up
    assert SerialLine(115200).takes(FRAME) == 1997


def test_frames_go_out_one_after_the_other():
    line = SerialLine(57600)
    assert [line.ends(0, FRAME), line.ends(1000, FRAME), line.ends(20_000, FRAME)] == [3994, 7988, 23_994]


@pytest.mark.parametrize(
    ("time", "phase", "after"), [(0, 0, 0), (1, 0, 16_000), (16_000, 0, 16_000), (5, 7, 7), (8, 7, 16_007)]
)
def test_the_latency_timer_has_a_fixed_beat(time, phase, after):
    assert LatencyTimer(16_000, phase).after(time) == after


def test_without_a_latency_timer_nothing_waits():
    assert LatencyTimer(0).after(1234) == 1234


def sent(delays: Delays, times: list[int]) -> list[tuple[int, int]]:
    """(message, when it arrived) for messages that are sent at these times."""
    clock, arrived = Clock(), []
    connection = Connection(delays, clock.at, lambda message: arrived.append((message, clock.now)))
    for number, time in enumerate(times):
        clock.at(time, lambda number=number, time=time: connection.send(time, number))
    clock.run()
    return arrived


def test_nagle_holds_small_messages_until_the_first_is_acknowledged():
    # The first arrives at 500, is acknowledged at 40,500, and its acknowledgement is here at 41,000.
    assert sent(DELAYS, [0, 10, 20]) == [(0, 500), (1, 41_500), (2, 41_500)]


def test_nagle_holds_nothing_on_a_connection_that_is_quiet():
    assert sent(DELAYS, [0, 41_001]) == [(0, 500), (1, 41_501)]


def test_without_nagle_each_message_goes_at_once():
    assert sent(replace(DELAYS, nagle=False), [0, 10, 20]) == [(0, 500), (1, 510), (2, 520)]
