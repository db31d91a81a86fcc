# SPDX-License-Identifier: Apache-2.0
"""What nodes and their tasks are without I/O: the channel, clocks, talk before the begin, and jobs."""

from __future__ import annotations

from collections import deque

import pytest
from orchestrate_testbed.gateway.distribution import clock as clocks
from orchestrate_testbed.gateway.distribution import frames, records
from orchestrate_testbed.gateway.distribution.channel import Channel, Value
from orchestrate_testbed.gateway.distribution.clock import Clock
from orchestrate_testbed.gateway.distribution.member import LEAD_US, LEAST_ANSWERS, Member
from orchestrate_testbed.gateway.distribution.table import Link, NodeTable, NodeTask, plain, read
from orchestrate_testbed.gateway.distribution.work import (
    Compute,
    Course,
    Receive,
    Received,
    Sleep,
    Surroundings,
    Work,
)
from orchestrate_testbed.gateway.event_service.frames import NotAFrame

from orchestrator.frames import codec

# Task 1 of node 0 goes to 2 on its own node and to 3, the more urgent, and 4 on node 1.
LINKS = (Link(1, 2, 0), Link(1, 4, 1, "lan", 1), Link(1, 3, 1, "lan", 2))
TABLES = [NodeTable("a", (), LINKS), NodeTable("b", (), ()), NodeTable("c", (), ())]
VALUE = Value(stamp=5, error=1, sent=7, network=2, code=3, host=4)


# --- the channel


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


def test_a_mote_s_consumers_need_not_subscribe():
    one = Channel(TABLES[0], 0, 3, motes={1})
    one.subscribe([2])
    assert one.complete()
    assert [(proxy.to, proxy.node) for proxy in one.push(1, 9, VALUE)] == [(3, 1), (4, 1), (2, None)]


def test_a_value_of_another_length_is_none():
    with pytest.raises(ValueError, match="32 bytes, not 31"):
        Value.unpacked(VALUE.packed()[:-1])


def test_a_table_is_read_as_it_was_written():
    task = NodeTask("T", "target", 3, 1, 100, 10, 20, 5, validity=9)
    table = NodeTable("a", (task,), LINKS)
    assert read(plain(table)) == table
    assert task.timed and not NodeTask("C", "last", 4, 1, 100, 10, 20, 5).timed
    assert NodeTask("S", "step", 4, 1, 100, 10, 20, 5, source=1).timed


# --- the clock


class Times:
    """Clocks that a test sets."""

    def __init__(self):
        self.own, self.real = 0, 1_000_000

    def clock(self, reference: bool = False, **more) -> Clock:
        return Clock(reference, lambda: self.own, lambda: self.real, **more)


def test_the_answer_that_took_the_shortest_counts():
    clock = Times().clock()
    assert clock.error is None and clock.now() == 0
    clock.answered(asked=100, answered=5000, now=140)
    assert (clock.offset, clock.error) == (4880, 20)
    clock.answered(asked=200, answered=5300, now=400)  # it took longer
    assert (clock.offset, clock.error) == (4880, 20)
    clock.answered(asked=500, answered=5401, now=511)
    assert (clock.offset, clock.error, clock.exchanges, clock.steps) == (4895, 6, 3, 0)


def test_the_shortest_way_is_no_part_of_the_error():
    clock = Times().clock(least=20)
    clock.answered(asked=100, answered=5000, now=140)
    assert (clock.offset, clock.error) == (4880, 0)
    clock = Times().clock(least=15)
    clock.answered(asked=100, answered=5000, now=141)
    assert clock.error == 6


def test_an_answer_that_contradicts_what_is_known_means_that_a_clock_stepped():
    clock = Times().clock()
    clock.answered(asked=100, answered=5000, now=140)
    clock.answered(asked=200, answered=5100 + 20 + 20 + 1000, now=240)  # both errors, and a drift
    assert (clock.steps, clock.error, clock.offset) == (0, 20, 5920)  # the later one of two as good ones
    clock.answered(asked=300, answered=9000, now=400)  # worse than before, and taken
    assert (clock.steps, clock.offset, clock.error) == (1, 8650, 50)


def test_what_other_processes_read_is_not_written_over():
    clock = Times().clock()
    clock.answered(asked=100, answered=5000, now=140)
    size = clocks._KNOWN.size
    before = bytes(clock._shared[: 1 + 2 * size])
    clock.answered(asked=500, answered=5401, now=511)
    after = bytes(clock._shared[: 1 + 2 * size])
    (changed,) = {(at - 1) // size for at in range(1, len(after)) if before[at] != after[at]}
    assert changed == after[0] != before[0]


def test_an_answer_becomes_worse_with_time():
    times = Times()
    clock, other = times.clock(drift_ppm=100), times.clock(reference=True, drift_ppm=100)
    clock.answered(asked=0, answered=5000, now=40)
    times.own = 40 + 1_000_000
    assert clock.error == 120 and other.error == 0
    clock.answered(asked=times.own - 200, answered=times.own + 4980 - 100, now=times.own)
    assert clock.error == 100  # better by now than the first one


def test_a_step_of_the_host_s_clock_is_counted():
    times = Times()
    clock = times.clock(reference=True)
    for passed in (10, 20):
        times.own, times.real = times.own + passed, times.real + passed
        assert not clock.look()
    times.real += 2_000_000
    assert clock.look() and not clock.look() and clock.steps == 1
    times.real -= 2_000_000
    assert clock.look() and clock.steps == 2


# --- among the others

WITH_CONSUMER = NodeTable("b", (NodeTask("C", "last", 3, 1, 100, 0, 100, 5),), ())
WITH_PRODUCER = NodeTable(
    "a", (NodeTask("S", "step", 1, 1, 100, 0, 100, 5, source=9),), (Link(1, 3, 1, "lan", 1),)
)


def members(begins: int | None = None) -> tuple[list[Member], Times]:
    times = Times()
    return [
        Member(table, node, 2, times.clock(node == 0), {3: ["10.0.0.1", 4]}, begins)
        for node, table in enumerate((WITH_PRODUCER, WITH_CONSUMER))
    ], times


def talk(made: list[Member], times: Times, rounds: int, lost=lambda message: False) -> None:
    """What both say reaches the other one after 10 us."""
    for _ in range(rounds):
        under_way = deque(said for one in made for said in one.says())
        while under_way:
            to, message = under_way.popleft()
            times.own += 10
            if not lost(message):
                under_way.extend(made[to].heard(message, times.own))


def test_the_first_node_says_when_the_system_begins():
    made, times = members()
    talk(made, times, LEAST_ANSWERS)
    assert not any(one.together for one in made) and made[0].start is None
    talk(made, times, 2)
    assert all(one.together for one in made)
    assert made[0].start == made[1].start and LEAD_US > made[0].start - times.own > LEAD_US - 200
    assert made[0].addresses == {(1, 3): ("10.0.0.1", 4)}


@pytest.mark.parametrize("kind", ["request", "clock", "time", "ready", "start", "began"])
def test_nobody_begins_before_all_can(kind):
    made, times = members()
    talk(made, times, LEAST_ANSWERS + 5, lost=lambda message: message["say"] == kind)
    assert not made[0].together
    talk(made, times, LEAST_ANSWERS + 5)
    assert all(one.together for one in made) and made[0].start == made[1].start


def test_a_mote_is_asked_for_the_time_and_nothing_else():
    one = Member(WITH_CONSUMER, 1, 2, Times().clock(), {3: 3}, 5_000, motes={0})
    assert [message["say"] for _, message in one.says()] == ["clock"]


def test_where_the_begin_is_settled_a_node_needs_the_time_and_its_consumers():
    made, times = members(begins=5_000)
    assert made[0].start == 5_000 and not made[0].together and not made[1].together
    talk(made, times, 1)
    assert all(one.together for one in made)
    assert made[0].question() == [] and made[1].question()[0][1]["say"] == "clock"


@pytest.mark.parametrize(
    "said",
    [
        None,
        [],
        {},
        {"say": "hello"},
        {"say": ["request"]},
        {"say": "request", "node": 1, "event": "x", "inbox": []},
        {"say": "request", "node": 0, "event": "3", "inbox": []},
        {"say": "clock", "asked": 1, "node": 2},
        {"say": "clock", "asked": 1, "node": "1"},
        {"say": "time", "asked": 1, "now": float("inf")},
        {"say": "ready"},
        {"say": "start", "at": 1},  # the first node is the one that says it
    ],
)
def test_what_no_node_says_is_counted(said):
    made, _ = members()
    assert made[0].heard(said, 1) == []
    assert made[0].malformed == 1 and made[0].start is None


# --- tasks


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


def test_the_errors_of_both_clocks_are_added_to_an_age():
    around = Around(Times())
    target = work(NodeTask("T", "target", 1, 1, 300, 10, 20, 5, validity=40), around)
    target._clock = around.times.clock()
    target._clock.answered(asked=0, answered=0, now=14)
    around.came = [Received(0, Value(980, error=3), 0)]
    around.run(target)
    now = around.times.own + target._clock.offset
    assert around.log[0]["age"] == ["T", 0, now - 980 + 3 + 7, 3 + 7, 40]


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


# --- records and frames


def test_records_are_those_of_motes():
    said = [{"at": 1, "job": ["S", "source", 0, 0, 5, 9], "cause": "host"}, {"at": 1, "none": "T"}]
    assert records.text(said[0]) == "!job,S,source,0,0,5,9" and records.text(said[1]) is None
    assert records.text({"at": 1, "age": ["T", 0, 5, 1, 9]}) == "!age,T,0,5,1,9"
    assert records.counters(said, {"steps": 1, "error": 2, "exchanges": 3, "malformed": 4}) == [
        "!cnt,misses_host,1", "!cnt,misses_network,0", "!cnt,misses_code,0", "!cnt,reads_without_data,1",
        "!cnt,clock_steps,1", "!cnt,clock_error_us,2", "!cnt,clock_exchanges,3", "!cnt,values_malformed,4",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", [frames.VALUE, frames.QUESTION, frames.ANSWER])
def test_frames_are_those_of_the_description(kind):
    frame = frames.Frame(kind, 7, 3, 1_000_000, 200)
    line = frames.line(frame, 1, 2, 5)
    fields = codec.decode(bytes.fromhex(line[1:].decode()))
    assert fields == {
        "frame": "distributed", "sender": 1, "next_hop": 2, "number": 5,
        "kind": kind, "task": 7, "job": 3, "stamp": 1_000_000, "other": 200,
    }  # fmt: skip
    assert frames.read(line + b"\r\n") == frame


@pytest.mark.parametrize(
    "text", [b"", b"#", b"#zz", b"#19", b"#1801000200050001070300" + b"40420f00c8000000"]
)
def test_other_lines_are_no_frames(text):
    with pytest.raises(NotAFrame):
        frames.read(text)
    line = frames.line(frames.Frame(1, 7, 3, 4, 5), 1, 2, 5)
    for wrong in (line[:-2], line + b"00", line.replace(b"#19", b"#18"), line.replace(b"050001", b"050004")):
        with pytest.raises(NotAFrame):
            frames.read(wrong)


def test_times_of_32_bits_are_those_nearest_to_now():
    for about in (0, 5, 2**31, 2**32 - 1, 2**32 + 7, 10**15):
        for apart in (-(2**31), -1, 0, 1, 2**31 - 1):
            assert frames.near((about + apart) % 2**32, about) == about + apart


def test_a_mote_s_question_and_answer_are_messages_of_nodes():
    times = Times()
    times.own = 2**32 + 50
    clock = times.clock()
    asked = {"say": "clock", "asked": times.own, "node": 3}
    assert frames.of_message(asked) == frames.Frame(frames.QUESTION, 0, 3, times.own, 0)
    assert frames.message(frames.Frame(frames.QUESTION, 0, 3, 9, 0), clock) == {**asked, "asked": 9}
    answer = frames.Frame(frames.ANSWER, 0, 0, 40, 7)
    assert frames.message(answer, clock) == {"say": "time", "asked": 2**32 + 40, "now": 7}  # as it came
    clock.answered(times.own, 2**33, times.own)
    assert frames.message(answer, clock)["now"] == 2**33 + 7
    assert frames.of_message({"say": "time", "asked": 5, "now": 2**33 + 7}) == frames.Frame(3, 0, 0, 5, 7)
    assert frames.value(frames.Frame(1, 7, 3, 5, 200), clock, 4) == Value(2**33 + 5, 200, 4)
    assert frames.of_value(7, 3, Value(2**33 + 5, 2**40)) == frames.Frame(1, 7, 3, 2**33 + 5, 2**40)
    assert frames.read(frames.line(frames.Frame(1, 7, 3, 2**33 + 5, 2**40), 1, 2, 3))[3:] == (5, 2**32 - 1)
