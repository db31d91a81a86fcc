# SPDX-License-Identifier: Apache-2.0
"""Processes, events, timers, data structures: firmware that checks itself, and the times it logs."""


def texts(lines):
    return [line.text for line in lines]


def test_data_structures(firmware, run):
    assert texts(run(firmware("data"), "--until", "100")) == ["94 checks, 0 failed"]


def test_processes_events_and_protothreads(firmware, run):
    lines = run(firmware("processes"), "--until", "3000")
    assert texts(lines) == ["short", "short", "20 checks, 0 failed", "paused until 1000"]
    assert lines[-1].time == 1_010_000  # booted at 10 ms


def test_timers_expire_at_their_times(firmware, run):
    """The times are those of Contiki-NG 5.0 for the same source."""
    lines = [(line.time, line.text) for line in run(firmware("timers"), "--until", "8000")]
    assert lines == [
        (11_000, "start"),
        (61_000, "other's own: 1"),
        (111_000, "etimer 100"),
        (211_000, "reset 0"),
        (311_000, "reset 1"),
        (411_000, "reset 2"),
        (411_000, "next 60"),
        (471_000, "first: twice 1"),
        (491_000, "second: adjusted 1"),
        (511_000, "third: tick 1"),
        (536_000, "ctimer call 1, process 1"),
        (561_000, "ctimer call 2, process 1"),
        (586_000, "ctimer call 3, process 1"),
        (611_000, "calls 3, expired 1 1"),
        (611_000, "rtimer 0"),
        (611_000, "busy 1"),
        (612_234, "rtimer at its time: 1, one"),
        (612_234, "polled"),
        (612_934, "rtimer at its time: 1, two"),
        (612_934, "passive 0 20"),
        (632_934, "passive 1"),
        (632_934, "passive 0"),
        (2_132_000, "seconds 1 2"),
        (3_132_000, "seconds 1"),
        (3_132_000, "at once"),
    ]
