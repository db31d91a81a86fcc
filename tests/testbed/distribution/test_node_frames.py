# SPDX-License-Identifier: Apache-2.0
"""Frames between nodes and motes."""

from __future__ import annotations

import pytest
from orchestrate_testbed.gateway.distribution import frames
from orchestrate_testbed.gateway.distribution.channel import Value
from orchestrate_testbed.gateway.event_service.frames import NotAFrame

from orchestrator.frames import codec
from tests.testbed.distribution.times import Times


@pytest.mark.parametrize("kind", [frames.VALUE, frames.QUESTION, frames.ANSWER])
def test_frames_are_those_of_the_description(kind):
    frame = frames.Frame(kind, 7, 3, 1_000_000, 200)
    line = frames.line(frame, 1, 2, 5)
    fields = codec.decode(bytes.fromhex(line[1:].decode()))
    assert fields == {
        "frame": "distributed", "sender": 1, "next_hop": 2, "number": 5,
        "kind": kind, "task": 7, "job": 3, "stamp": 1_000_000, "other": 200,
    }  # fmt: skip
    assert frames.read(line + b"\r\n") == frame


@pytest.mark.parametrize(
    "text", [b"", b"#", b"#zz", b"#19", b"#1801000200050001070300" + b"40420f00c8000000"]
)
def test_other_lines_are_no_frames(text):
    with pytest.raises(NotAFrame):
        frames.read(text)
    line = frames.line(frames.Frame(1, 7, 3, 4, 5), 1, 2, 5)
    for wrong in (line[:-2], line + b"00", line.replace(b"#19", b"#18"), line.replace(b"050001", b"050004")):
        with pytest.raises(NotAFrame):
            frames.read(wrong)


def test_times_of_32_bits_are_those_nearest_to_now():
    for about in (0, 5, 2**31, 2**32 - 1, 2**32 + 7, 10**15):
        for apart in (-(2**31), -1, 0, 1, 2**31 - 1):
            assert frames.near((about + apart) % 2**32, about) == about + apart


def test_jobs_of_16_bits_are_those_nearest_to_the_one_that_is_due():
    for due in (40_000, 65_535, 65_536, 70_000, 10**9):
        for job in (due - 32_768, due - 1, due, due + 32_767):
            assert frames.job(frames.Frame(frames.VALUE, 7, job % 2**16, 0, 0), due) == job


def test_a_mote_s_question_and_answer_are_messages_of_nodes():
    times = Times()
    times.own = 2**32 + 50
    clock = times.clock()
    asked = {"say": "clock", "asked": times.own, "node": 3}
    assert frames.of_message(asked) == frames.Frame(frames.QUESTION, 0, 3, times.own, 0)
    assert frames.message(frames.Frame(frames.QUESTION, 0, 3, 9, 0), clock) == {**asked, "asked": 9}
    answer = frames.Frame(frames.ANSWER, 0, 0, 40, 7)
    assert frames.message(answer, clock) == {"say": "time", "asked": 2**32 + 40, "now": 7}  # as it came
    clock.answered(times.own, 2**33, times.own)
    assert frames.message(answer, clock)["now"] == 2**33 + 7
    assert frames.of_message({"say": "time", "asked": 5, "now": 2**33 + 7}) == frames.Frame(3, 0, 0, 5, 7)
    assert frames.value(frames.Frame(1, 7, 3, 5, 200), clock, 4) == Value(2**33 + 5, 200, 4)
    assert frames.of_value(7, 3, Value(2**33 + 5, 2**40)) == frames.Frame(1, 7, 3, 2**33 + 5, 2**40)
    assert frames.read(frames.line(frames.Frame(1, 7, 3, 2**33 + 5, 2**40), 1, 2, 3))[3:] == (5, 2**32 - 1)
