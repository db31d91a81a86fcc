# SPDX-License-Identifier: Apache-2.0
"""The blackboard thread on a mote: who is notified when, that deadlines order it, and that no publisher
waits.
"""

import pytest

MOTES = 7
BOOT = 10_000  # us; mote N boots at N times that
PUBLISHED = 5_000  # us; what all stories but the last begin with


@pytest.fixture(scope="module")
def stories(firmware, run):
    """Mote -> [(us since its boot, text)]."""
    found = {mote: [] for mote in range(1, MOTES + 1)}
    for line in run(firmware("blackboard-stories"), "--motes", str(MOTES), "--until", "200"):
        if line.mote:
            found[line.mote].append((line.time - line.mote * BOOT, line.text))
    return found


def said(log, *names):
    """What these threads said, and when."""
    return [(time, text) for time, text in log if text.startswith(tuple(f"{name}: " for name in names))]


def notified(log):
    """[(us, event, subscriber, thread, delay)]"""
    found = [(time, text.split(",")) for time, text in log if text.startswith("!ntf")]
    return [(time, int(fields[1]), int(fields[2]), fields[3], int(fields[4])) for time, fields in found]


def runs(log, thread):
    return [time for time, text in log if text.startswith(f"!sch,{thread},") and time >= PUBLISHED]


def counters(log):
    return {
        text.split(",")[1]: int(text.split(",")[2]) for _, text in log if text.startswith("!cnt,blackboard")
    }


def test_the_blackboard_is_next_when_the_slice_ends_and_then_the_sooner_deadline(stories):
    """`near` has the lower priority and the sooner deadline, and the publisher goes on after both."""
    log = stories[1]
    assert runs(log, "blackboard") == [20_000]
    assert notified(log) == [(20_000, 0, 1, "near", 15_000), (22_000, 0, 0, "far", 17_000)]
    assert said(log, "publisher") == [(PUBLISHED, "publisher: request 0"), (39_000, "publisher: ends 39000")]
    assert counters(log)["blackboard_deadline_past"] == 1
    assert [text for _, text in log if text.startswith("!nts")] == [
        "!nts,0,0,far,50000,1,0,17000,17000",
        "!nts,0,1,near,5000,1,1,15000,15000",
    ]


def test_or_when_the_publisher_gives_up_the_cpu(stories):
    log = stories[2]
    assert notified(log)[0] == (PUBLISHED, 0, 0, "far", 0)  # 10 is not above 10: not `near`
    assert said(log, "near") == [(10_000, "near: value 12")]
    assert runs(log, "blackboard") == [PUBLISHED, 10_000], "and never otherwise"


def test_a_request_for_a_blocked_event_waits_and_its_publisher_does_not(stories):
    log = stories[3]
    assert [text for _, text in said(log, "publisher")] == [
        "publisher: block 0",
        "publisher: direct -4",
        "publisher: request 0",
        "publisher: ends 11000",
    ]
    assert [(time, text) for time, text in log if text.startswith("!bpb")] == [(11_000, "!bpb,0,21")]
    assert notified(log) == [(11_000, 0, 1, "near", 6_000), (13_000, 0, 0, "far", 8_000)]
    assert counters(log)["blackboard_busy"] == 1


def test_a_callback_runs_in_the_blackboard_thread_and_makes_requests(stories):
    assert said(stories[4], "blackboard") == [
        (PUBLISHED, f"blackboard: called {value}") for value in (1, 2, 3)
    ]


def test_a_full_queue_refuses_and_does_not_block(stories):
    log = stories[5]
    assert [text for _, text in said(log, "publisher")] == [
        *["publisher: request 0"] * 4,
        "publisher: request -8",
        f"publisher: ends {PUBLISHED}",
    ]
    assert said(log, "near", "far") == [
        (1_000, "far: number 0"),
        (PUBLISHED, "near: value 33"),
        (7_000, "far: read 33"),
    ]
    assert counters(log)["blackboard_queue_full"] == 1


def test_a_thread_that_has_stopped_is_not_notified(stories):
    assert [thread for *_, thread, _ in notified(stories[6])] == ["far"]
    assert counters(stories[6])["blackboard_stopped_handler"] == 1


def test_a_process_publishes(stories):
    assert notified(stories[7]) == [(11_000, 0, 1, "near", 0), (13_000, 0, 0, "far", 2_000)]


def test_a_request_leaves_its_number(stories):
    assert all((101_000, "process: number of near 1") in log for log in stories.values())
