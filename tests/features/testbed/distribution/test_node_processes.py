# SPDX-License-Identifier: Apache-2.0
"""The nodes of a system as processes of this machine, and what is made of what they say."""

from __future__ import annotations

import io
import json
import os
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest
from orchestrate_testbed.gateway.distribution import task as tasks
from orchestrate_testbed.gateway.distribution.channel import Value
from orchestrate_testbed.gateway.distribution.clock import Clock
from orchestrate_testbed.gateway.distribution.node import NotTogether
from orchestrate_testbed.gateway.distribution.table import NodeTable, NodeTask, plain
from orchestrate_testbed.gateway.distribution.work import Course

from orchestrator.errors import RunFailed
from orchestrator.features.distribution import real_time, started
from orchestrator.features.distribution.load import loads
from orchestrator.features.distribution.readings import Reading
from orchestrator.features.distribution.run_time import node_tables


@pytest.fixture
def reader():
    """A target's process, which is this one, and a socket that sends to it."""
    task = NodeTask("T", "target", 4, 1, 10_000, 0, 1000, 100, validity=9)
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as inbox,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out,
    ):
        inbox.bind(("127.0.0.1", 0))
        tasks.prepared(inbox)
        course = Course(0, 0, 1.0, "1")
        one = tasks.Process(tasks.Run(task, None, Clock(True), inbox, {}, (), course, False, print))
        yield one, lambda data: out.sendto(data, inbox.getsockname())
        one.close()


def test_what_is_no_value_is_counted(reader):
    one, send = reader
    for data in (b"", b"\1\0\0", b"\1\0\0\0" + Value(5, 1).packed()[:-1]):
        send(data)
    send(b"\1\0\0\0" + Value(5, 1).packed())
    assert [got.value.stamp for got in one.arrived()] == [5] and one.malformed == 3


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
    assert [one["release"] for one in ran.jobs if one["task"] == "C"] == [
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


def test_a_machine_without_enough_processors_is_said(ran):
    here = len(ran.tables) > len(os.sched_getaffinity(0))
    assert ran.shared == here and ran.drift_ppm == 0 and ran.malformed == 0


def test_causes_are_counted():
    jobs = [{"cause": cause} for cause in ("", "host", "host", "network", "")]
    found = real_time.RealTime([], "", False, [])
    assert found.causes(jobs) == {"host": 2, "network": 1, "code": 0}


def test_nodes_that_do_not_come_are_said(monkeypatch):
    from orchestrate_testbed.gateway.distribution import node

    monkeypatch.setattr(node, "GIVE_UP_S", 0.1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        control.bind(("127.0.0.1", 0))
        table = NodeTable("b", (), ())
        settings = {"node": 1, "peers": [("127.0.0.1", 9)] * 2, "table": plain(table), "drift_ppm": 0}
        with pytest.raises(NotTogether):
            node.Node(settings, control).gather()


def test_a_node_that_fails_ends_the_run(monkeypatch):
    monkeypatch.setattr(started, "_NODE", "orchestrate_testbed.gateway.distribution.nothing")
    with pytest.raises(RunFailed, match="b: the node did not start: .*No module named"):
        real_time.run([NodeTable("b", (), ())], 1000, 1.0, 1)


def test_a_node_ends_when_nobody_wants_it_any_more():
    """The standard input of the first node is closed in mid-run; the second one never answers to it."""
    tables = node_tables(loads(SYSTEM, Path("small.yaml")), Reading())
    nodes = [started.here(table.name) for table in tables]

    class Leaving(started.Started):
        def __init__(self, one):
            self.__dict__ = one.__dict__

        def tell(self, message):
            super().tell(message)
            self._streams.stdin.close()

    with pytest.raises(RunFailed, match="a: whoever started this node is gone"):
        real_time.run_nodes([Leaving(nodes[0]), nodes[1]], tables, 3_600_000_000, 0.5, 1, realtime=False)


LISTENS = {"control": ["127.0.0.1", 7], "boot": "x", "processors": 1, "refused": ""}
TABLE = NodeTable("a", (NodeTask("T", "target", 1, 1, 100, 0, 100, 1, validity=9),), ())
JOB = {"at": 5, "job": ["T", "target", 0, 0, 5, 100], "cause": ""}
END = {"steps": 0, "error": 0, "exchanges": 0, "malformed": 0}


def saying(*lines: object, error: bytes = b"") -> started.Started:
    """A node that says these lines, whatever it is told."""
    text = b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in lines)
    streams = SimpleNamespace(stdin=io.BytesIO(), stdout=io.BytesIO(text), stderr=io.BytesIO(error))
    return started.Started("a", streams, lambda: None)


def heard(*lines: object, error: bytes = b"") -> real_time.RealTime:
    return real_time.run_nodes([saying(*lines, error=error)], [TABLE], 1000, 1.0, 1)


def test_what_a_node_says_becomes_jobs_and_ages():
    age = {"at": 6, "age": ["T", 0, 5, 1, 9]}
    found = heard(LISTENS, JOB, age, {"at": 7, "none": "T"}, {"malformed": 2}, END)
    assert found.said == [[JOB, age, {"at": 7, "none": "T"}, END]]
    assert [one["task"] for one in found.jobs] == ["T"] and found.without_data == 1
    assert "6\tID:1\t!age,T,0,5,1,9\n" in found.log()


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], "the node did not start"),
        ([{**LISTENS, "control": "127.0.0.1"}], "no node of this version"),
        ([{**LISTENS, "processors": True}], "no node of this version"),
        ([{"fault": "x\x1b[2J"}], r"x\\x1b\[2J"),
        ([LISTENS], "ended before the system did"),
        ([LISTENS, JOB], "ended before the system did"),
        ([LISTENS, b"{\n"], "a line that is not a message"),
        ([LISTENS, b"[]\n"], "a line that is not a message"),
        ([LISTENS, b"[" * 4000 + b"\n"], "a line that is not a message"),
        ([LISTENS, {**JOB, "job": ["U", "target", 0, 0, 5, 100]}], "that its table has not"),
        ([LISTENS, {**JOB, "job": ["T", "target\n", 0, 0, 5, 100]}], "that its table has not"),
        ([LISTENS, {**JOB, "job": ["T", "target", 0, 0, "5", 100]}], "that its table has not"),
        ([LISTENS, {**JOB, "job": [["T"], "target", 0, 0, 5, 100]}], "that its table has not"),
        ([LISTENS, {**JOB, "cause": "rain"}], "that its table has not"),
        ([LISTENS, {**JOB, "at": 1e99}], "that its table has not"),
        ([LISTENS, {"at": 5, "age": ["T", 0, 5, 1]}], "that its table has not"),
        ([LISTENS, {"at": 5, "none": "U"}], "that its table has not"),
        ([LISTENS, {"at": 1 << 62, "none": "T"}], "that its table has not"),
        ([LISTENS, {**END, "error": None}], "that its table has not"),
    ],
)
def test_a_node_is_not_believed(lines, why):
    with pytest.raises(RunFailed, match=f"^a: .*{why}"):
        heard(*lines)


def test_the_last_that_a_node_wrote_is_in_the_error():
    with pytest.raises(RunFailed, match="did not start: .*MemoryError"):
        heard(error=b"Traceback\nMemoryError\n")
