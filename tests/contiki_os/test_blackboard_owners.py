# SPDX-License-Identifier: Apache-2.0
"""The blackboard when somebody keeps what others want: a blocked event, a second notification, numbers of
threads; in each storage. Built without optimising, which is faster and must not matter.
"""

import pytest
from test_blackboard_thread import counters, notified, said

CONCEPTS = {"static": 1, "dynamic": 2, "combined": 3}
BOOT = 10_000  # us; mote N boots at N times that
ASKED = 20_000  # us; when the middle thread asks for both events, its slice having come


def logs(run, library, motes, until):
    """Mote -> [(us since its boot, text)]."""
    found = {mote: [] for mote in range(1, motes + 1)}
    for line in run(library, "--motes", str(motes), "--until", str(until)):
        if line.mote:
            found[line.mote].append((line.time - line.mote * BOOT, line.text))
    return found


@pytest.fixture(scope="module", params=CONCEPTS)
def concept(request):
    return request.param


@pytest.fixture(scope="module")
def owners(concept, firmware, run):
    return logs(
        run,
        firmware("blackboard-owners", flags=f"-O0 -DBLACKBOARD_CONF_CONCEPT={CONCEPTS[concept]}"),
        5,
        5000,
    )


@pytest.fixture(scope="module")
def many(concept, firmware, run):
    return logs(
        run,
        firmware("blackboard-many", flags=f"-O0 -DBLACKBOARD_CONF_CONCEPT={CONCEPTS[concept]}"),
        3,
        4_801_000,
    )


def delays(log, *extra):
    """Thread -> us from publication to its notification, in order."""
    return {
        name: [delay for *_, thread, delay in notified(log) if thread == name]
        for name in ("reader", "other", *extra)
    }


def blackboard_runs(log):
    return [time for time, text in log if text.startswith("!thr,blackboard")], [
        int(text.split(",")[4]) for _, text in log if text.startswith("!thr,blackboard")
    ]


def test_who_blocks_an_event_runs_before_what_computes_and_other_events_go_on(owners, concept):
    """Low blocks event 0 for 25 ms of computing; the middle thread computes for 2 s once it has asked."""
    log = owners[1]
    all_wait = concept == "dynamic"  # what blocks one event, blocks all
    assert delays(log) == {"reader": [6_000 if all_wait else 0], "other": [6_000]}
    assert counters(log)["blackboard_busy"] == (2 if all_wait else 1), (
        "the second one of an event is behind the first, not tried"
    )
    assert (26_000, "blocker: left 26000") in log and (2_026_000, "middle: done 2026000") in log
    assert [int(text.split(",")[2]) for _, text in log if text.startswith("!bpb,0")] == [1, 3], (
        "in their order"
    )
    assert said(log, "middle")[:2] == [(ASKED, "middle: not mine 0"), (ASKED, "middle: not mine 1")], (
        "no one else unblocks it"
    )


def test_a_blocker_that_stopped_blocks_no_more(owners):
    assert delays(owners[2]) == {"reader": [0], "other": [0]}


def test_a_long_block_holds_up_its_own_event_only_and_nobody_polls(owners, concept):
    log = owners[3]
    held = 3_001_000 - ASKED
    assert delays(log) == {"reader": [held if concept == "dynamic" else 0], "other": [held]}
    assert blackboard_runs(log)[1][0] <= 4, "not once a ms"


def test_a_deadline_that_it_has_from_who_waits_wakes_the_owner_in_the_blackboard_state(owners):
    assert (11_000, "blocker: lent 0") in owners[4] and delays(owners[4])["other"] == [0]


def test_a_process_blocks_until_it_goes_on(owners, concept):
    assert delays(owners[5]) == {"reader": [1_000_000 if concept == "dynamic" else 0], "other": [1_000_000]}
    assert blackboard_runs(owners[5])[1][0] <= 5


def test_a_second_notification_has_its_own_deadline(many):
    """105, 115 and 110 ms: the earliest first meets all; with the first one's for both of the server's, the
    rival ends at 115.
    """
    assert said(many[1], "server", "rival") == [
        (35_000, "server: done 35000"),
        (85_000, "rival: done 85000"),
        (115_000, "server: done 115000"),
    ]


def test_numbers_of_threads_that_stopped_are_given_again(many):
    """Ten threads subscribe, each after the one before has ended; two of them keep their subscription."""
    log = many[2]
    numbers = [
        int(text.rsplit(" ", 1)[1])
        for _, text in said(log, *(f"t{n}" for n in range(10)))
        if "number" in text
    ]
    assert numbers == [0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3]  # the last: t0 begins again
    assert said(log, "t9")[-1][1] == "t9: notified 0"
    assert counters(log)["blackboard_stopped_handler"] == 1, (
        "t2's; t0 runs again and its number was never another's"
    )


def test_a_notification_that_is_late_by_more_than_the_clock_tells_is_the_most_urgent(many):
    """Twice 40 minutes: farther than a deadline can be, and together more than 32 bits of us."""
    log, late = many[3], 2_400_000_000
    assert [text.split(":")[0] for _, text in said(log, "server", "urgent")] == ["server", "urgent"] * 2
    assert delays(log, "server")["server"] == [late, late] and counters(log)["blackboard_deadline_past"] == 2
    assert f"!nts,0,0,server,100000,2,2,{2 * late},{late}" in [text for _, text in log]
