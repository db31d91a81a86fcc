# SPDX-License-Identifier: Apache-2.0
"""Duty cycling by the MAC's queue length, and the values that MAC and routing publish on the way."""

from __future__ import annotations

from itertools import pairwise

import pytest
from board_runs import board_run, notifications, states

from orchestrator.runs.model import Outcome
from tests import needs

needs.a_compiler()
QUEUE, RSSI, RETRIES, PARENT = range(4)
LEAVES = (2, 3, 4, 5)
SHAPE = f"star, publishers: {len(LEAVES)}"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return {
        radio: board_run(
            tmp_path_factory.mktemp("run"),
            "duty-cycle",
            f"burst: 6, radio: {radio}",
            shape=SHAPE,
            duration="120 s",
            trace=True,
        )[0]
        for radio in ("always", "queue", "timer, window: 50 ms", "timer, window: 200 ms")
    }


def _listening(run) -> int:
    return sum(times["listen"] for mote, times in states(run).items() if mote in LEAVES)


def test_everything_arrives_and_the_radio_sleeps(runs):
    always, queue = runs["always"], runs["queue"]
    assert always.outcome is queue.outcome is Outcome.OK
    assert queue.total("events_published") == always.total("events_published") > 500
    assert queue.total("events_published") == sum(record.values[1] for record in queue.of("from"))
    assert _listening(queue) < 0.06 * _listening(always)
    # It was on whenever there was something to hear: no repetition more than with a radio that is always on.
    assert queue.total("link_transmissions") <= always.total("link_transmissions") + 2


def test_a_fixed_time_is_too_short_or_too_long(runs):
    queue = runs["queue"]
    assert runs["timer, window: 50 ms"].total("link_transmissions") > 1.5 * queue.total("link_transmissions")
    assert _listening(runs["timer, window: 200 ms"]) > 1.5 * _listening(queue)


def test_the_radio_is_switched_as_soon_as_the_queue_changes(runs):
    for mote in LEAVES:
        found = notifications(runs["queue"], mote)["duty"]
        assert found["notified"] > 50 and found["missed"] == 0 and found["max_us"] <= 1_000
    assert not runs["always"].of("nts")


def _values(run, mote: int, event: int) -> list[int]:
    return [record.values[1] for record in run.of("bpb") if record.mote == mote and record.values[0] == event]


def test_the_queue_s_length_is_what_was_handed_over_and_not_done(runs):
    for mote in LEAVES:
        lengths = [0, *_values(runs["queue"], mote, QUEUE)]
        assert lengths[-1] == 0 and max(lengths) == 6 and min(lengths) == 0
        # A burst is one change, each frame that is done another one.
        assert all(b != a and b - a >= -1 for a, b in pairwise(lengths))
        assert (
            sum(max(0, b - a) for a, b in pairwise(lengths))
            <= runs["queue"].counters[mote]["events_transmitted"]
        )
        assert "blackboard_queue_full" not in runs["queue"].counters[mote]


def test_retries_are_the_repetitions(runs):
    for name, run in runs.items():
        repeated = sum(sum(_values(run, mote, RETRIES)) for mote in LEAVES)
        sent = sum(run.counters[mote]["events_transmitted"] for mote in LEAVES)
        assert repeated == run.total("link_transmissions") - sent, name


def test_the_parent_is_told_once_and_the_signal_of_each_frame(runs):
    run = runs["always"]
    for mote in LEAVES:
        assert _values(run, mote, PARENT) == [1]
    assert _values(run, 1, PARENT) == [] == _values(run, 1, QUEUE)
    heard = _values(run, 1, RSSI)
    received = run.counters[1]["event_packets_received"] + run.counters[1]["packets_off_topology"]
    assert received <= len(heard) <= received + 10  # a repeated frame is heard again, and not received
    assert all(-95 <= value <= -10 for value in heard)


def test_a_mote_that_hears_others_stays_awake(tmp_path):
    run, _ = board_run(
        tmp_path, "duty-cycle", "radio: queue", shape="chain, publishers: 2, spacing: 30 m", duration="60 s"
    )
    listening = {mote: times["listen"] for mote, times in states(run).items()}
    assert listening[3] < 0.1 * listening[2] and listening[2] > 0.9 * listening[1]
    assert run.total("events_published") == sum(record.values[1] for record in run.of("from"))


def test_a_mac_without_a_queue_works_as_well(tmp_path):
    run, _ = board_run(
        tmp_path,
        "duty-cycle",
        "radio: queue, mac: nullmac",
        shape="star, publishers: 1",
        duration="60 s",
        trace=True,
    )
    assert run.outcome is Outcome.OK
    assert run.total("events_published") == sum(record.values[1] for record in run.of("from")) > 0
    assert _values(run, 2, QUEUE) == [] and set(_values(run, 2, RETRIES)) == {0}
