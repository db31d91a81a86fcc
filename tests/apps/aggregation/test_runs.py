# SPDX-License-Identifier: Apache-2.0
"""The experiment application on the embedded engine: what its counters, its trace and its control node
say."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from app_runs import run, shorter_range

from orchestrator.runs.model import Outcome

CHAIN10 = "chain, publishers: 10, spacing: 4 m"
SPACED = "chain, publishers: 5, spacing: 45 m"
CASES = {
    "plain": ("rate: high, aggregate: false", {}),
    "merging": ("rate: high, aggregate: true", {}),
    "lossy": ("rate: high, aggregate: true", {"shape": SPACED, "rx": 90}),
    "lossy-plain": ("rate: high, aggregate: false", {"shape": SPACED, "rx": 90}),
    "crowded": ("rate: high, aggregate: false", {"shape": CHAIN10}),
    "delayed": (
        "rate: low, low-interval: 20 s, aggregate: true, delay: 600 ms",
        {"shape": CHAIN10, "duration": "100 s"},
    ),
    "network": ("rate: high, aggregate: true, full: network", {}),
    "without-csma": ("rate: high, aggregate: true, mac: nullmac", {}),
    "without-csma-plain": ("rate: high, aggregate: false, mac: nullmac", {}),
    "tree": ("rate: high, aggregate: true", {"shape": "tree, depth: 3, fan-out: 2"}),
    "relays": ("rate: high, aggregate: true", {"shape": "tree, depth: 3, fan-out: 2, inner: relay"}),
    "grid": (
        "rate: low, low-interval: 15 s",
        {"shape": "grid, rows: 4, columns: 4, spacing: 30 m", "duration": "60 s"},
    ),
    "star": ("rate: high, aggregate: true", {"shape": "star, publishers: 8"}),
}


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    done = {}

    def get(name: str):
        if name not in done:
            parameters, more = CASES[name]
            done[name] = run(tmp_path_factory.mktemp(name), parameters, **more)
        return done[name]

    return get


@pytest.mark.parametrize("name", CASES)
def test_run_goes_to_its_end(runs, name):
    got = runs(name)
    assert got.outcome is Outcome.OK
    phases = [record.values[0] for record in got.of("run")]
    assert phases == ["init", "verified", "start", "stop", "end"]
    publishers = {record.values[1] for record in got.of("node") if record.values[0] == "publisher"}
    assert publishers == set(range(1, len(publishers) + 1))
    assert {record.values[1] for record in got.of("run")} == {len(publishers)}
    # All motes knew the start to a tick, and printed before the control node announced the end.
    assert all(
        counters["start_exact"] for mote, counters in got.counters.items() if "start_exact" in counters
    )
    assert got.records[-1].values[0] == "end"


@pytest.mark.parametrize("name", CASES)
def test_counters_say_what_the_trace_says(runs, name):
    """Compares each counter of each mote with its records of the trace."""
    got = runs(name)
    seen: dict[int, Counter] = defaultdict(Counter)
    messages, delivered, times = Counter(), defaultdict(list), {}
    for record in got.records:
        mine, values = seen[record.mote], record.values
        match record.kind:
            case "pub":
                mine["events_published"] += 1
                times[values[1], values[2]] = record.time_us
            case "snd":
                mine["events_transmitted"] += 1
            case "rcv":
                mine["event_packets_received"] += 1
            case "mrg":
                mine["merged"] += 1
            case "fwd":
                mine[f"forward_{values[1]}"] += 1
            case "dlv":
                mine["events_delivered"] += 1
                messages[len(values[2])] += 1
                for event in values[2]:
                    delivered[event].append(record.time_us)
            case "drp":
                mine[
                    {
                        "off-topology": "packets_off_topology",
                        "malformed": "packets_malformed",
                        "no-route": "no_route",
                        "queue": "queue_dropped",
                        "channel-access": "mac_channel_access_failure",
                        "collision": "mac_collision",
                    }[values[0]]
                ] += 1
    names = {name for counted in seen.values() for name in counted} | {
        "merged",
        "queue_dropped",
        "forward_full",
    }
    for mote, counters in got.counters.items():
        for counter in names:
            assert counters[counter] == seen[mote][counter], (mote, counter)
        assert counters["packets_sent"] == counters["events_transmitted"] + counters["control_packets_sent"]
        assert (
            counters["packets_received"]
            == counters["event_packets_received"] + counters["control_packets_received"]
        )
        lost = counters["queue_dropped"] + counters["mac_channel_access_failure"] + counters["mac_collision"]
        assert counters["mac_sent"] + lost == counters["events_transmitted"]
        assert counters["pool_exhausted"] == counters["no_route"] == counters["packets_malformed"] == 0
    # At the subscriber: messages by size, individual events, repeats, delays.
    assert {r.values[0]: r.values[1] for r in got.of("agg")} == messages
    per_publisher = Counter(publisher for publisher, _ in delivered)
    again = Counter()
    for (publisher, _), times_of in delivered.items():
        again[publisher] += len(times_of) - 1
    assert {r.values[0]: tuple(r.values[1:]) for r in got.of("from")} == {
        p: (n, again[p]) for p, n in per_publisher.items()
    }
    delays = [min(at) - times[event] for event, at in delivered.items()]
    assert sum(r.values[1] for r in got.of("dly")) == len(delays)
    # Both clocks tick in ms: each delay is within 2 ms of the true one.
    assert abs(got.counters[1]["delay_total_ms"] - sum(delays) / 1000) <= 2 * len(delays)
    assert got.counters[1]["events_unaccounted"] == 0


@pytest.mark.parametrize("name", CASES)
def test_every_individual_event_is_accounted_for(runs, name):
    """Published = delivered + lost on the air + refused by a MAC + still stored: event by event."""
    got = runs(name)
    published = {(r.values[1], r.values[2]) for r in got.of("pub")}
    delivered = {event for r in got.of("dlv") for event in r.values[2]}
    sent = {(r.mote, r.values[2]): r.values[3] for r in got.of("snd")}
    received = {(r.values[1], r.values[2]) for r in got.of("rcv")}
    lost = {event for frame, events in sent.items() if frame not in received for event in events}
    assert delivered <= published and lost <= published
    assert not delivered & lost  # one route, no repeats: an event is lost once
    pending = published - delivered - lost
    assert got.total("events_pending") == len(pending)
    assert got.total("events_published") == len(published)
    in_accounts = sum(r.values[1] for r in got.of("from"))
    assert in_accounts == len(delivered)


@pytest.mark.parametrize("name", CASES)
def test_a_publisher_is_never_twice_in_an_aggregate(runs, name):
    for record in runs(name).of("snd"):
        publishers = [publisher for publisher, _ in record.values[3]]
        assert len(set(publishers)) == len(publishers)


@pytest.mark.parametrize(
    "name", ["merging", "lossy", "delayed", "network", "tree", "relays", "grid", "without-csma"]
)
def test_the_three_conditions_hold_in_every_record(runs, name):
    """Replays each mote's merge function from its trace, with the sizes and times that the paper gives."""
    got = runs(name)
    through = {record.mote: record.values[3] for record in got.of("node")}
    publishers = sum(record.values[0] == "publisher" for record in got.of("node"))
    stored: dict[int, tuple[int, list]] = {}
    arriving: dict[int, list] = {}
    for record in got.records:
        mote, values = record.mote, record.values
        if record.kind in ("pub", "rcv"):
            arriving[mote] = [(values[1], values[2])] if record.kind == "pub" else values[3]
            if mote not in stored and mote != 1:
                stored[mote] = (record.time_us, list(arriving[mote]))
        elif record.kind == "mrg":
            since, held = stored[mote]
            assert values[1] == held and values[2] == arriving[mote]
            assert not {p for p, _ in values[1]} & {p for p, _ in values[2]}
            stored[mote] = (since, values[1] + values[2])
        elif record.kind == "fwd":
            since, held = stored.pop(mote)
            assert values[2] == held
            limit = publishers if name == "network" else through[mote]
            held_for_ms = (record.time_us - since) // 1000
            match values[1]:
                case "full":
                    assert len(held) == limit
                case "contained":
                    assert {p for p, _ in held} & {p for p, _ in arriving[mote]}
                    stored[mote] = (record.time_us, list(arriving[mote]))
                case "timeout":
                    assert abs(held_for_ms - 5000) <= 2 and len(held) < limit
                case other:
                    raise AssertionError(other)
            assert held_for_ms <= 5002


def test_full_is_what_passes_the_node(runs):
    """In a chain the last publisher never waits, and aggregates grow by one a hop."""
    sizes = defaultdict(Counter)
    for record in runs("merging").of("snd"):
        sizes[record.mote][len(record.values[3])] += 1
    for mote in range(2, 7):
        size, count = sizes[mote].most_common(1)[0]
        assert size == 7 - mote and count > 70


def test_the_network_wide_number_makes_nodes_wait(runs):
    """With the second reading of "full", only P1 can ever collect all."""
    reasons = Counter((r.mote, r.values[1]) for r in runs("network").of("fwd"))
    assert not any(mote > 2 and reason == "full" for mote, reason in reasons)
    assert reasons[6, "contained"] > 70


def test_schedule_is_the_same_in_every_configuration(runs):
    """Plain or merging, any MAC, any geometry, lossy or not: P1..P5 publish at the same times after the
    start.
    """

    def times(name):
        got = runs(name)
        start = next(r.time_us for r in got.of("run") if r.values[0] == "start")
        return {
            (r.values[1], r.values[2]): (r.time_us - start, r.values[3])
            for r in got.of("pub")
            if r.values[1] <= 5
        }  # fmt: skip

    expected = times("plain")
    assert len(expected) > 5 * 70
    for name in ("merging", "lossy", "lossy-plain", "network", "without-csma-plain", "crowded"):
        other = times(name)
        assert other.keys() == expected.keys()
        for event, (at, value) in expected.items():
            assert other[event][1] == value
            # A mote whose radio is sending publishes when that is over.
            assert abs(other[event][0] - at) <= 12_000, (name, event)


def test_records_come_after_the_run_unless_traced(tmp_path):
    got = run(tmp_path, "rate: high", trace=False)
    assert got.outcome is Outcome.OK
    phase = {r.values[0]: r.time_us for r in got.of("run")}
    between = [r for r in got.records if phase["start"] < r.time_us < phase["stop"]]
    assert between == []
    assert {r.kind for r in got.records} == {"run", "node", "cnt", "nrg", "from", "agg", "dly"}


def test_a_trace_ends_with_the_measured_time(tmp_path):
    """The last events wait for longer than the drain, and are forwarded while the motes print their
    counters: those say that the events are still stored, and the trace says nothing else.
    """
    got = run(tmp_path, "rate: high, aggregate: true, full: network, timeout: 11 s", duration="5 s")
    phase = {r.values[0]: r.time_us for r in got.of("run")}
    measured_until = phase["stop"] + 10_000_000
    last_published = max(r.time_us for r in got.of("pub"))
    assert measured_until < last_published + 11_000_000 < phase["end"]
    assert got.total("events_pending") > 0
    assert not [
        r for r in got.of("pub", "snd", "rcv", "mrg", "fwd", "dlv") if r.time_us > measured_until + 2000
    ]


def test_a_trace_does_not_change_the_run(runs, tmp_path):
    traced, quiet = runs("merging"), run(tmp_path, "rate: high, aggregate: true", trace=False)
    assert quiet.counters == traced.counters
    for kind in ("from", "agg", "dly", "nrg"):
        assert [r.values for r in quiet.of(kind)] == [r.values for r in traced.of(kind)]


def test_same_seed_same_bytes_other_seed_other_bytes(tmp_path):
    first = run(tmp_path, "rate: high", trace=True, rx=90)
    assert run(tmp_path, "rate: high", trace=True, rx=90).log == first.log
    assert run(tmp_path, "rate: high", trace=True, rx=90, seed=2).log != first.log


def test_times_in_states_fill_the_measured_time(runs):
    for mote in runs("merging").counters:
        state = {r.values[0]: r.values[1] for r in runs("merging").of("nrg") if r.mote == mote}
        assert set(state) == {"cpu", "lpm", "transmit", "listen", "off"}
        assert state["transmit"] + state["listen"] + state["off"] == pytest.approx(40_000_000, abs=3000)
        assert state["cpu"] + state["lpm"] == pytest.approx(40_000_000, abs=3000)


@pytest.mark.parametrize("metres", [44, 0.5])
def test_a_broken_route_ends_the_run_unverified(tmp_path, metres):
    """At 44 m no publisher reaches its next hop, only the control node its subscriber; at 0.5 m not even
    that.
    """
    got = run(tmp_path, "rate: high", shape=SPACED, change=lambda made: shorter_range(made, metres))
    assert got.outcome is Outcome.FAILED
    assert [r.values for r in got.of("run")] == [["init", 5], ["unverified", 5]]
    assert not got.of("node", "pub")


@pytest.mark.parametrize("mac", ["csma", "nullmac"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_long_lossy_chain_is_verified_and_started_exactly(tmp_path, mac, seed):
    """Fifteen hops, each of which loses 8 % and more: no mote misses the start, all know it to a tick."""
    shape = "chain, publishers: 15, spacing: 45 m"
    got = run(tmp_path, f"rate: high, mac: {mac}", shape=shape, duration="1 s", rx=90, seed=seed)
    assert got.outcome is Outcome.OK
    assert sorted(got.counters) == list(range(1, 18))
    assert [counters.get("start_exact") for _, counters in sorted(got.counters.items())] == [1] * 16 + [None]
    starts = defaultdict(list)
    for record in got.of("pub"):
        starts[record.values[2]].append(record.time_us)
    # Round 1 is at the start: everybody publishes it within the jitter, give or take a tick a hop and a frame
    # on its way.
    assert len(starts[1]) == 15 and max(starts[1]) - min(starts[1]) <= 20_000 + 2 * 15_000


@pytest.mark.parametrize("shape", ["chain, publishers: 64, spacing: 40 m", "star, publishers: 64"])
def test_the_most_publishers_are_verified_in_time(tmp_path, shape):
    """With 5 % of loss at the range, which takes a chain 16 minutes."""
    got = run(tmp_path, "rate: low", shape=shape, duration="1 s", rx=95)
    assert got.outcome is Outcome.OK
    assert [r.values for r in got.of("run")] == [
        [word, 64] for word in ("init", "verified", "start", "stop", "end")
    ]


def test_the_measured_time_begins_when_it_was_set_and_the_run_ends_after_the_dump(tmp_path):
    """By the number of publishers, from the control node's boot; without loss the end is the time-out, known
    beforehand.
    """
    for parameters, begins in (("rate: high", 40), ("rate: high, begin: 9500 ms", 9.5)):
        got = run(tmp_path, parameters, duration="1 s")
        at = {r.values[0]: r.time_us / 1e6 for r in got.of("run")}
        assert begins <= at["start"] <= begins + 1.01  # the start delay
        assert at["verified"] < at["start"] - 2
        assert got.outcome is Outcome.OK
        last = got.log.splitlines()[-1]
        assert last == b"Test ended at simulation time: %d" % (1e6 * (1 + begins + 1 + 10 + 2))
        assert {
            counters.get("start_exact")
            for mote, counters in got.counters.items()
            if mote != max(got.counters)
        } == {1}


def test_what_is_not_verified_when_it_should_begin_has_failed(tmp_path):
    got = run(tmp_path, "rate: high, begin: 6 s", duration="1 s")
    assert got.outcome is Outcome.FAILED
    (_, (phase, missing)) = [r.values for r in got.of("run")]
    assert phase == "unverified" and 0 < missing <= 5
    assert got.of("run")[-1].time_us < 7_100_000 and not got.of("node", "pub")


def test_where_the_radio_loses_frames_a_run_begins_and_ends_when_it_is_ready(tmp_path):
    got = run(tmp_path, "rate: high", duration="1 s", rx=95)
    at = {r.values[0]: r.time_us for r in got.of("run")}
    assert got.outcome is Outcome.OK and at["start"] - at["verified"] < 5_000_000
    assert got.log.splitlines()[-1] == b"Test ended at simulation time: %d" % at["end"]
