# SPDX-License-Identifier: Apache-2.0
"""An alarm with a deadline while long tasks run: at the publisher's watcher, and at the subscriber's
siren."""

from __future__ import annotations

import pytest
from board_runs import board_run, notifications, threads

from orchestrator.runs.model import Outcome
from tests import needs

needs.a_compiler()
S, P = 1, 2
SLICE, BOARD = 20_000, 1_000  # us: a slice, and what a run of the blackboard takes (project-conf.h)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return {
        deadline: board_run(
            tmp_path_factory.mktemp("run"), "alarm", f"deadline: {deadline}", shape="chain, publishers: 1"
        )
        for deadline in ("0 s", "30 ms")
    }


def test_an_alarm_goes_from_the_sensor_to_the_siren(runs):
    for run, texts in runs.values():
        assert run.outcome is Outcome.OK and texts == []
        alarms = notifications(run, P)["watcher"]["notified"]
        assert alarms > 30
        assert alarms == run.counters[P]["events_published"] == run.counters[S]["events_delivered"]
        assert run.counters[P]["samples_taken"] == 600
        # Of two alarms that come while it waits, the siren gets the newer one.
        assert 0.9 * alarms <= notifications(run, S)["siren"]["notified"] <= alarms


def test_with_a_deadline_it_waits_for_one_slice_at_most(runs):
    run, _ = runs["30 ms"]
    watcher, siren = notifications(run, P)["watcher"], notifications(run, S)["siren"]
    assert watcher["missed"] == siren["missed"] == 0
    # The sensor's thread gives up the CPU after publishing; a frame comes in the middle of a task's slice.
    assert watcher["max_us"] <= BOARD
    assert BOARD < siren["max_us"] <= SLICE + BOARD


def test_without_one_it_waits_for_its_turn(runs):
    run, _ = runs["0 s"]
    watcher, siren = notifications(run, P)["watcher"], notifications(run, S)["siren"]
    assert watcher["max_us"] > 2 * SLICE and siren["max_us"] > 2 * SLICE
    means = [
        {who["total_us"] / who["notified"] for who in (notifications(one, mote)[name],)}.pop()
        for mote, name in ((P, "watcher"), (S, "siren"))
        for one in (run, runs["30 ms"][0])
    ]
    assert means[0] > 20 * means[1] and means[2] > 3 * means[3]


def test_the_tasks_lose_nothing_by_it(runs):
    shares = [[threads(run, P)[f"task{n}"][2] for n in (1, 2, 3)] for run, _ in runs.values()]
    assert all(
        16_000_000 < us < 22_000_000 for one in shares for us in one
    )  # of 60 s, less than a third each
    assert abs(sum(shares[0]) - sum(shares[1])) < 0.01 * sum(shares[0])


def test_a_deadline_shorter_than_a_slice_is_missed_and_counted(tmp_path):
    run, _ = board_run(tmp_path, "alarm", "deadline: 5 ms", shape="chain, publishers: 1")
    siren = notifications(run, S)["siren"]
    assert 0 < siren["missed"] < siren["notified"] and siren["max_us"] > 5_000
    assert siren["max_us"] <= SLICE + BOARD


def test_with_nothing_else_to_do_it_is_at_once(tmp_path):
    run, _ = board_run(tmp_path, "alarm", "deadline: 0 s, tasks: 0", shape="chain, publishers: 2")
    for mote, name in ((2, "watcher"), (3, "watcher"), (S, "siren")):
        # Two alarms at once: the siren may still be at the one before.
        assert 0 < notifications(run, mote)[name]["max_us"] <= (BOARD if name == "watcher" else BOARD + 3_000)
