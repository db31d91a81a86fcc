# SPDX-License-Identifier: Apache-2.0
"""The run time of data distribution on gateways: its channel, its clock, and two nodes of processes."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from orchestrate_testbed.gateway.distribution import clock as clocks
from orchestrate_testbed.gateway.distribution import task as tasks
from orchestrate_testbed.gateway.distribution.channel import Channel, Value
from orchestrate_testbed.gateway.distribution.clock import Clock
from orchestrate_testbed.gateway.distribution.node import NotTogether
from orchestrate_testbed.gateway.distribution.table import Link, NodeTable, NodeTask, plain, read

from orchestrator.distribution import real_time
from orchestrator.distribution.load import loads
from orchestrator.distribution.readings import Reading
from orchestrator.distribution.run_time import node_tables
from orchestrator.errors import RunFailed

# Task 1 of node 0 goes to 2 on its own node and to 3, the more urgent, and 4 on node 1.
LINKS = (Link(1, 2, 0), Link(1, 4, 1, "lan", 1), Link(1, 3, 1, "lan", 2))
TABLES = [NodeTable("a", (), LINKS), NodeTable("b", (), ()), NodeTable("c", (), ())]
VALUE = Value(stamp=5, error=1, sent=7, network=2, code=3, host=4)


@pytest.fixture
def channels():
    """The channels of three nodes whose consumers have subscribed."""
    made = [Channel(table, node, 3) for node, table in enumerate(TABLES)]
    for node, consumers in ((0, [2]), (1, [3, 4])):
        for other, request in made[node].subscribe(consumers):
            made[other].requested(node, request.event)
    return made


def test_a_value_goes_to_each_consumer_the_most_urgent_first(channels):
    found = channels[0].push(1, 9, VALUE)
    assert [(proxy.to, proxy.node) for proxy in found] == [(3, 1), (4, 1), (2, None)]
    assert {proxy.push.number for proxy in found} == {9}
    assert Value.unpacked(found[0].push.data) == VALUE
    assert channels[0].push(2, 9, VALUE) == []


def test_requests_go_to_all_other_nodes_and_nobody_relays(channels):
    other = Channel(TABLES[1], 1, 3)
    assert [(node, request.event) for node, request in other.subscribe([3])] == [(0, "3"), (2, "3")]
    assert channels[2].push(1, 9, VALUE) == []


def test_the_channel_is_complete_when_all_consumers_have_subscribed():
    one = Channel(TABLES[0], 0, 3)
    assert not one.complete()
    one.subscribe([2])
    one.requested(1, "3")
    assert not one.complete()
    one.requested(1, "4")
    assert one.complete()


def test_a_value_of_another_length_is_none():
    with pytest.raises(ValueError, match="32 bytes, not 31"):
        Value.unpacked(VALUE.packed()[:-1])


def test_a_table_is_read_as_it_was_written():
    task = NodeTask("T", "target", 3, 1, 100, 10, 20, 5, validity=9)
    table = NodeTable("a", (task,), LINKS)
    assert read(plain(table)) == table
    assert task.timed and not NodeTask("C", "last", 4, 1, 100, 10, 20, 5).timed
    assert NodeTask("S", "step", 4, 1, 100, 10, 20, 5, source=1).timed


def test_the_answer_that_took_the_shortest_counts():
    clock = Clock(reference=False)
    assert clock.error is None
    clock.answered(asked=100, answered=5000, now=140)
    assert (clock.offset, clock.error) == (4880, 20)
    clock.answered(asked=200, answered=5300, now=400)  # it took longer
    assert (clock.offset, clock.error) == (4880, 20)
    clock.answered(asked=500, answered=5401, now=511)
    assert (clock.offset, clock.error, clock.exchanges) == (4895, 6, 3)


def test_a_step_of_the_host_s_clock_is_counted(monkeypatch):
    now = {"real": 1_000_000, "monotonic": 500}
    monkeypatch.setattr(clocks, "real_us", lambda: now["real"])
    monkeypatch.setattr(clocks, "monotonic_us", lambda: now["monotonic"])
    clock = Clock(reference=True)
    for passed in (10, 20):
        now = {name: value + passed for name, value in now.items()}
        assert not clock.look()
    now["real"] += 2_000_000
    assert clock.look() and not clock.look() and clock.steps == 1
    now["real"] -= 2_000_000
    assert clock.look() and clock.steps == 2


def work(deadline=1000, execution=100):
    """A step whose process is this one, and never runs."""
    task = NodeTask("C", "last", 4, 1, 10_000, 0, deadline, execution)
    inbox = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one = tasks.Run(task, None, Clock(True), inbox, {}, (), 0, 0, 1.0, "1", False, print)
    return tasks._Work(one)


@pytest.mark.parametrize(
    ("response", "own", "spent", "value", "cause"),
    [
        (1000, 1000, 100, VALUE, ""),
        (1001, 900, 100, VALUE, "host"),  # it could have run, and didn't
        (1001, 110, 110, Value(0, 0, network=500), "network"),
        (1001, 900, 900, VALUE, "code"),  # it took more of the processor than it should
        (1001, 110, 110, Value(0, 0, host=500, network=400), "host"),  # already at a step before
        (1001, 110, 110, None, "code"),
    ],
)
def test_a_missed_deadline_has_a_cause(response, own, spent, value, cause):
    one = work()
    assert one._cause(response, own, spent, value) == cause
    one._run.inbox.close()
    one._out.close()


@pytest.fixture
def reader():
    """A target's work, and a socket that sends to it."""
    task = NodeTask("T", "target", 4, 1, 10_000, 0, 1000, 100, validity=9)
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as inbox,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out,
    ):
        inbox.bind(("127.0.0.1", 0))
        tasks.prepared(inbox)
        clock = Clock(False)
        clock.answered(asked=0, answered=0, now=20)
        one = tasks._Work(tasks.Run(task, None, clock, inbox, {}, (), 0, 0, 1.0, "1", False, print))
        yield one, lambda value: out.sendto(b"\1\0\0\0" + value.packed(), inbox.getsockname())
        one._out.close()


def test_a_target_reads_the_value_that_was_updated_last(reader):
    one, send = reader
    assert one._newest_value() is None
    for stamp in (7, 9, 8):
        send(Value(stamp, 0))
    assert one._newest_value().stamp == 9
    send(Value(6, 0))
    assert one._newest_value().stamp == 9


def test_the_errors_of_both_clocks_are_added_to_an_age(reader):
    one, _ = reader
    before = one._run.clock.now()
    one._used(3, Value(before - 1000, 7))
    (said,) = one.log
    name, number, age, error, validity = said["age"]
    assert (name, number, error, validity) == ("T", 3, 7 + 10, 9)
    assert 1000 + error <= age <= one._run.clock.now() - before + 1000 + error
    one._used(4, None)
    assert one.log[1]["none"] == "T"


SYSTEM = """distribution: small
nodes: [a, b]
networks: {lan: {delay: 1 ms}}
objects: {o: {validity: 300 ms}}
sources: {S: {object: o, node: a, period: 100 ms, deadline: 20 ms, execution: 1 ms}}
targets: {T: {object: o, node: b, period: 100 ms, release: 80 ms, deadline: 100 ms, execution: 1 ms}}
steps: {X: {node: a, execution: 1 ms}, C: {node: b, execution: 1 ms}}
distributions: {d: {object: o, path: [X, C], network: lan}}
"""


@pytest.fixture(scope="module")
def ran():
    """Two nodes of processes, without real-time priorities: a busy machine makes them late, no more."""
    tables = node_tables(loads(SYSTEM, Path("small.yaml")), Reading())
    return real_time.run(tables, 500_000, 0.5, 1, realtime=False)


def test_all_jobs_of_all_tasks_run(ran):
    done = {}
    for one in ran.jobs:
        done.setdefault(one["task"], []).append(one["number"])
    assert {name: done[name] for name in "SXT"} == {name: [0, 1, 2, 3, 4] for name in "SXT"}
    consumed = done.get("C", [])  # where the source was late, there was nothing to pass on
    assert consumed == sorted(set(consumed)) and set(consumed) <= set(range(5))
    assert ran.refused == "they were not asked for"
    assert [release for release, _ in real_time.completed(ran, ["C"])] == [
        20_000 + 100_000 * period for period in consumed
    ]


def test_values_reach_the_other_node_with_their_stamps(ran):
    assert ran.without_data + len(ran.ages) == 5
    assert all(one["age"] > one["error"] >= 0 and one["validity"] == 300_000 for one in ran.ages)
    assert ran.clock_error >= 0


def test_the_log_has_records_that_are_parsed(ran):
    log = ran.log()
    assert log.count("!job,") == len(ran.jobs) >= 15 and log.count("!age,") == len(ran.ages)
    times = [int(line.split("\t")[0]) for line in log.splitlines()]
    assert times == sorted(times)
    assert "\tID:2\t!cnt,clock_exchanges," in log and "\tID:1\t!cnt,misses_host," in log


def test_causes_are_counted():
    jobs = [{"cause": cause} for cause in ("", "host", "host", "network", "")]
    found = real_time.RealTime([], "", False, [])
    assert found.causes(jobs) == {"host": 2, "network": 1, "code": 0}


def test_nodes_that_do_not_come_are_said(monkeypatch, capsys):

    from orchestrate_testbed.gateway.distribution import node

    monkeypatch.setattr(node, "GIVE_UP_S", 0.1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        control.bind(("127.0.0.1", 0))
        peers = [control.getsockname()] * 2
        settings = {"node": 1, "peers": peers, "table": plain(TABLES[1])}
        with pytest.raises(NotTogether):
            node.Node(settings, control).gather()


def test_a_node_that_fails_ends_the_run(monkeypatch):
    monkeypatch.setattr(real_time, "_NODE", "orchestrate_testbed.gateway.distribution.nothing")
    with pytest.raises(RunFailed, match="did not start"):
        real_time.run([TABLES[1]], 1000, 1.0, 1)
