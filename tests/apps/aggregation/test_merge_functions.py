# SPDX-License-Identifier: Apache-2.0
"""Every merge function, its time-outs and where it is deployed, in runs on the engine."""

from __future__ import annotations

from collections import Counter

import pytest
from app_runs import run

FUNCTIONS = ("mean", "sum", "min", "max", "count", "histogram")
SPREAD = "rate: low, low-interval: 20 s, delay: 300 ms"


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("aggregate", ["true", "false"])
def test_delivered_values_are_those_of_the_schedule(tmp_path, name, aggregate):
    """A lossy chain, so that aggregates of all sizes come."""
    got = run(
        tmp_path,
        f"rate: high, merge: {name}, aggregate: {aggregate}",
        shape="chain, publishers: 5, spacing: 45 m",
        rx=85,
    )
    assert sum(r.values[1] for r in got.of("from")) > 100
    assert got.counters[1].get("values_wrong", 0 if name == "mean" else None) == 0
    if aggregate == "true":
        assert len(got.of("agg")) > 3


def test_the_function_does_not_change_what_is_sent_but_the_length(tmp_path):
    """Same lengths, same frames: min and max send what the mean sends, at the same times."""
    logs = [
        [(r.time_us, r.mote, r.values) for r in run(tmp_path, f"rate: high, merge: {name}").of("snd")]
        for name in ("mean", "min", "max")
    ]
    assert logs[0] and logs[0] == logs[1] == logs[2]


def test_a_histogram_leaves_less_room_for_contributors(tmp_path):
    """100 bytes hold 26 contributors beside a mean's two bytes and 24 beside a histogram's eight
    (histogram.h).
    """
    parameters = "rate: low, low-interval: 20 s, timeout: 10 s"
    for name, most in (("mean", 26), ("histogram", 24)):
        got = run(
            tmp_path,
            f"{parameters}, merge: {name}",
            shape="chain, publishers: 30, spacing: 5 m",
            duration="60 s",
        )
        assert max(len(r.values[3]) for r in got.of("snd")) == most
        assert got.total("forward_frame") > 0 and got.total("forward_full") > 0


def test_holding_for_ever_waits_for_the_next_round(tmp_path):
    """Nothing leaves by time-out: an aggregate goes when it is full, or when a publisher it holds has its
    next event.
    """
    got = run(tmp_path, f"{SPREAD}, full: network, hold: endless", duration="100 s")
    reasons = Counter(r.values[1] for r in got.of("fwd"))
    assert (
        set(reasons) <= {"contained", "full"} and reasons["contained"] and got.total("forward_timeout") == 0
    )
    assert got.total("events_pending") >= 5  # each holds its newest at least
    assert got.total("events_published") == got.total("events_pending") + sum(
        r.values[1] for r in got.of("from")
    )


def test_shrinking_time_outs_deliver_sooner(tmp_path):
    """Two relays with two publishers each, full with four: a relay that holds two waits half the time-out
    more, not 4.5 s.
    """
    quick, slow = (
        run(
            tmp_path,
            f"{SPREAD}, full: network, hold: {hold}",
            shape="tree, depth: 2, fan-out: 2, inner: relay",
            duration="60 s",
        )
        for hold in ("shrinking", "timeout")
    )
    assert [r.values for r in quick.of("agg")] == [r.values for r in slow.of("agg")] == [[2, 6]]
    saved_ms = (slow.counters[1]["delay_total_ms"] - quick.counters[1]["delay_total_ms"]) / 12
    assert saved_ms == pytest.approx(5000 - 300 - 2500, abs=60)  # the jitters, the frames


def test_partly_deployed_motes_send_everything_on(tmp_path):
    """Motes without the merge function forward every event, aggregates included; those with it merge."""
    whole = run(tmp_path, "rate: high").total("events_transmitted")
    none = run(tmp_path, "rate: high, aggregate: false").total("events_transmitted")
    for where, merging in (("spread", {4, 6}), ("near", {2, 3}), ("far", {5, 6})):
        got = run(tmp_path, f"rate: high, deployed: 40 %, deployed-where: {where}")
        assert {r.mote for r in got.of("mrg")} == merging - {6}  # the last of a chain has nothing to merge
        assert whole < got.total("events_transmitted") < none
        assert got.counters[1]["events_delivered"] > 0
    nobody = run(tmp_path, "rate: high, deployed: 0 %")
    assert nobody.log == run(tmp_path, "rate: high, aggregate: false").log


def test_the_last_publisher_first_is_the_best_case(tmp_path):
    """Section 5.1.2: the last of the chain first, 15 transmissions become 5; P1 first and full by the
    network, all 15.
    """
    far = run(
        tmp_path, "rate: low, low-interval: 60 s, delay: 300 ms, jitter: 0 s, first: far", duration="60 s"
    )
    assert far.total("events_transmitted") == 5
    near = run(
        tmp_path, "rate: low, low-interval: 60 s, delay: 300 ms, jitter: 0 s, full: network", duration="60 s"
    )
    assert near.total("events_transmitted") == 15
    assert [r.values for r in near.of("agg")] == [[1, 5]]
    # "only one event arrives at the subscriber after five sent packets"
    fifth = near.of("snd")[4].time_us
    sixth = near.of("snd")[5].time_us
    assert sum(r.time_us < sixth for r in near.of("dlv")) == 1 and fifth < sixth
