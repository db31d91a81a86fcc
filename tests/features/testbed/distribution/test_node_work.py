# SPDX-License-Identifier: Apache-2.0
"""Jobs of tasks without I/O, and their records."""

from __future__ import annotations

from collections import deque

import pytest
from orchestrate_testbed.gateway.distribution import records
from orchestrate_testbed.gateway.distribution.channel import Channel, Value
from orchestrate_testbed.gateway.distribution.table import Link, NodeTable, NodeTask
from orchestrate_testbed.gateway.distribution.work import (
    Compute,
    Course,
    Receive,
    Received,
    Sleep,
    Surroundings,
    Work,
)

from tests.features.testbed.distribution.times import Times


class Around(Surroundings):
    """A task's surroundings that a test sets: computing takes `slower` times as long."""

    def __init__(self, times: Times):
        self.times, self.came, self.sent, self.log, self.used = times, [], [], [], 0

    def arrived(self):
        found, self.came = self.came, []
        return found

    def send(self, to, node, job, value):
        self.sent.append((to, node, job, value))

    def spent(self):
        return self.used

    def said(self, record):
        self.log.append(record)

    def run(self, work: Work, answers=(), waits: int = 0, over: int = 0) -> list:
        """Run it: each computing is delayed by `waits` us and takes `over` us more than wanted."""
        wanted, answer, answers, steps = [], None, deque(answers), work.run()
        try:
            while True:
                wanted.append(steps.send(answer))
                answer = None
                if isinstance(wanted[-1], Sleep):
                    self.times.own = max(self.times.own, wanted[-1].until)
                elif isinstance(wanted[-1], Compute):
                    self.used += wanted[-1].us + over
                    self.times.own += wanted[-1].us + over + waits
                else:
                    answer = answers.popleft() if answers else None
        except StopIteration:
            return wanted


def work(task: NodeTask, around: Around, dependents=(), shortest: float = 1.0, links=()) -> Work:
    channel = Channel(NodeTable("a", (task,), links), 0, 2, motes={1})
    channel.subscribe([link.to for link in links if link.node == 0])
    clock = around.times.clock(reference=True)
    return Work(task, dependents, channel, clock, Course(1000, 250, shortest, "1"), around)


def test_a_source_updates_its_value_in_each_period():
    around = Around(Times())
    task = NodeTask("S", "source", 1, 1, 100, 10, 20, 5)
    wanted = around.run(work(task, around, dependents=(7,), links=(Link(1, 3, 1, "lan", 1),)))
    assert wanted == [Sleep(1010), Compute(5), Sleep(1110), Compute(5), Sleep(1210), Compute(5)]
    assert [one["job"] for one in around.log] == [["S", "source", n, 10 + 100 * n, 5, 20] for n in range(3)]
    assert {one["cause"] for one in around.log} == {""} and [one["at"] for one in around.log] == [
        15,
        115,
        215,
    ]
    assert around.sent[:2] == [(7, None, 0, Value(1015, 0)), (3, 1, 0, Value(1015, 0, 1015))]


def test_a_target_uses_the_value_that_was_updated_last():
    around = Around(Times())
    task = NodeTask("T", "target", 1, 1, 100, 10, 20, 5, validity=40)
    around.came = [Received(0, Value(stamp, error=3), 0) for stamp in (900, 980, 950)]
    around.run(work(task, around))
    assert [one.get("age") for one in around.log[::2]] == [
        ["T", number, 1015 - 980 + 100 * number + 3, 3, 40] for number in range(3)
    ]


def test_a_target_without_data_says_so():
    around = Around(Times())
    around.run(work(NodeTask("T", "target", 1, 1, 100, 10, 20, 5), around))
    assert [one.get("none") for one in around.log[::2]] == ["T"] * 3


def test_a_step_takes_each_value_until_the_last_job():
    around = Around(Times())
    task = NodeTask("C", "last", 1, 1, 100, 0, 50, 5)
    came = [Received(job, Value(7, 0), 1000 + 100 * job + 20) for job in (0, 2)]
    wanted = around.run(work(task, around, links=(Link(1, 3, 0),)), [*came, came[0]])
    assert [type(one) for one in wanted] == [
        Receive,
        Compute,
        Receive,
        Compute,
    ]  # the third is job 2, the last
    assert [one["job"][2:4] for one in around.log] == [[0, 0], [2, 200]]
    assert [(to, node, job) for to, node, job, _ in around.sent] == [(3, None, 0), (3, None, 2)]
    assert around.run(work(task, around)) == [Receive(1250 + 30_000_000)]  # nothing came


def test_executions_are_drawn_between_the_share_and_all():
    drawn = set()
    for _ in range(2):
        around = Around(Times())
        task = NodeTask("L", "load", 1, 1, 1, 0, 1, 1000)
        computed = [
            one.us for one in around.run(work(task, around, shortest=0.5)) if isinstance(one, Compute)
        ]
        drawn.add(tuple(computed))
        assert 500 <= min(computed) < 600 and 900 < max(computed) <= 1000
    assert len(drawn) == 1


@pytest.mark.parametrize(
    ("deadline", "waits", "over", "before", "cause"),
    [
        (45, 20, 0, Value(7, 0), ""),
        (44, 20, 0, Value(7, 0), "host"),  # it could have run, and didn't
        (44, 20, 0, Value(7, 0, network=21), "network"),
        (44, 0, 20, Value(7, 0), "code"),  # it took more of the processor than it should
        (44, 5, 15, Value(7, 0, host=9), "code"),
        (44, 5, 15, Value(7, 0, host=11), "host"),  # with the steps before
        (44, 15, 5, Value(7, 0, code=11), "code"),
    ],
)
def test_a_missed_deadline_has_a_cause(deadline, waits, over, before, cause):
    around = Around(Times())
    around.times.own = 1020
    step = work(NodeTask("C", "last", 1, 1, 300, 0, deadline, 5), around, links=(Link(1, 3, 0),))
    around.run(step, [Received(0, before, 1020)], waits, over)
    assert [(one["job"][4], one["cause"]) for one in around.log] == [(25 + waits + over, cause)]
    ((_, _, _, sent),) = around.sent
    assert (sent.host, sent.code) == (before.host + waits, before.code + over)
    assert sent.network == before.network


def test_records_are_those_of_motes():
    said = [{"at": 1, "job": ["S", "source", 0, 0, 5, 9], "cause": "host"}, {"at": 1, "none": "T"}]
    assert records.text(said[0]) == "!job,S,source,0,0,5,9" and records.text(said[1]) is None
    assert records.text({"at": 1, "age": ["T", 0, 5, 1, 9]}) == "!age,T,0,5,1,9"
    assert records.counters(said, {"steps": 1, "error": 2, "exchanges": 3, "malformed": 4}) == [
        "!cnt,misses_host,1", "!cnt,misses_network,0", "!cnt,misses_code,0", "!cnt,reads_without_data,1",
        "!cnt,clock_steps,1", "!cnt,clock_error_us,2", "!cnt,clock_exchanges,3", "!cnt,values_malformed,4",
    ]  # fmt: skip
