# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os

import pytest
from orchestrate_testbed.gateway.loop import Loop


@pytest.fixture
def loop():
    found = Loop()
    yield found
    found.close()


def test_what_fails_costs_its_own_file_only(loop, capfd):
    (bad, write_bad), (good, write_good) = os.pipe(), os.pipe()
    calls = []

    def fail():
        calls.append("bad")
        raise OSError("as asked")

    loop.watch(bad, read=fail)
    loop.watch(good, read=lambda: calls.append(os.read(good, 1)))
    loop.after(0, fail)
    for content in (b"1", b"2", b"3"):
        os.write(write_bad, content)
        os.write(write_good, content)
        loop.turn(1000)
    assert sorted(each for each in calls if each != "bad") == [b"1", b"2", b"3"]
    assert calls.count("bad") == 2  # once for the file, once for the time
    assert loop.failures == ["OSError: as asked"] * 2
    assert "Traceback" in capfd.readouterr().err


def test_a_file_that_another_call_closed_in_the_same_pass_is_left_alone(loop):
    pipes = [os.pipe() for _ in range(2)]
    calls = []

    def closer(mine, other):
        def call():
            calls.append(mine)
            os.read(mine, 1)
            loop.watch(other)
            os.close(other)

        return call

    (first, write_first), (second, write_second) = pipes
    loop.watch(first, read=closer(first, second))
    loop.watch(second, read=closer(second, first))
    os.write(write_first, b"x")
    os.write(write_second, b"x")
    loop.turn(1000)
    loop.turn(1000)
    assert len(calls) == 1


def test_times_come_in_order_and_can_be_taken_back(loop, monkeypatch):
    calls, now = [], [5]
    monkeypatch.setattr("orchestrate_testbed.gateway.loop.now_us", lambda: now[0])
    loop.after(20, lambda: calls.append(2))
    loop.after(10, lambda: calls.append(1))
    loop.cancel(loop.after(15, lambda: calls.append("never")))
    loop.turn(1000)
    assert calls == []
    now[0] = 16
    loop.turn(1000)
    assert calls == [1]
    now[0] = 25
    loop.turn(1000)
    assert calls == [1, 2]


def test_writing_ends_when_nothing_waits(loop):
    reader, writer = os.pipe()
    calls = []

    def write():
        calls.append(1)
        loop.watch(writer)

    loop.watch(writer, write=write)
    loop.turn(1000)
    loop.turn(1000)
    assert calls == [1]
    os.close(reader)
    os.close(writer)
