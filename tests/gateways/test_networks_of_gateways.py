# SPDX-License-Identifier: Apache-2.0
"""Networks some of whose nodes are gateways: what they are handed, when, and how the run ends."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from orchestrate_testbed.gateway.distribution import frames
from orchestrate_testbed.gateway.distribution.channel import Value
from orchestrate_testbed.gateway.distribution.frames import Frame
from orchestrate_testbed.gateway.distribution.table import Link, NodeTable, NodeTask

from orchestrator.features.distribution.network_simulation import Network, NetworkSimulation
from orchestrator.features.distribution.partners import Networks, Processes
from orchestrator.features.distribution.process_node import ASK_US, SOONER_US, ProcessNode
from orchestrator.features.distribution.processor import Thread
from orchestrator.gateways.agenda import Agenda
from tests.gateways.test_networks import Motes

BEGINS = 400_000
SPEC = Networks({"bus": 1000, "air": 300}, {7: ("bus", 1), 8: ("air", 2)}, (11, 12, 13), "over", 2_000_000)
PROCESSES = Processes(
    {0: NodeTable("a", (), ()), 1: NodeTable("b", (), ())}, BEGINS, 1000, 5000, 1.0, 500_000, 300
)


class Stub:
    """In place of a gateway's node: what it was handed."""

    def __init__(self, clock):
        self.clock, self.got = clock, []

    def __getattr__(self, name):
        return lambda *given: self.got.append((self.clock(), name, *given))


@pytest.fixture
def world():
    motes = Motes([])
    made = NetworkSimulation(motes, replace(SPEC, gateways=PROCESSES), 1)
    stubs = {mote: Stub(lambda: motes.now_us) for mote in made._gateways}
    made._gateways = stubs
    made._agenda._events.clear()

    def until(time):
        while motes.now_us < time:
            motes.now_us = made._agenda.next(time)
            made._agenda.do_due()

    return made, motes, stubs, until


def test_a_gateway_s_value_takes_its_network_s_delay(world):
    made, motes, stubs, until = world
    value = Value(5, 6)
    made.value(11, 7, 1, 3, value)
    made.value(11, 8, 2, 4, value)
    made.value(12, 9, 0, 4, value)
    until(5000)
    assert stubs[12].got == [(1000, "take", 7, 3, value)] and stubs[11].got == []
    assert motes.got == [(300, 13, frames.line(frames.of_value(8, 4, value), 11, 13, 1) + b"\n")]
    assert motes.notes == [(11, "no network leads to task 9")]


def test_what_gateways_say_takes_the_shortest_delay(world):
    made, motes, stubs, until = world
    question = {"say": "clock", "asked": 5, "node": 1}
    made.message(12, 0, question)
    made.message(12, 2, question)
    made.message(12, 2, {"say": "time", "asked": 5, "now": 9})
    until(5000)
    assert stubs[11].got == [(300, "heard", question)]
    assert [(time, mote) for time, mote, _ in motes.got] == [(300, 13)] * 2
    numbers = [frames._FRAME.unpack(bytes.fromhex(line[1:].decode()))[3] for _, _, line in motes.got]
    assert numbers == [1, 2]


def test_what_a_gateway_logs_is_noted_under_its_number():
    motes = Motes([])
    made = NetworkSimulation(motes, replace(SPEC, gateways=PROCESSES), 1)
    made._gateways[12]._carrier.log("words")
    assert motes.notes == [(12, "words")]


def test_a_mote_s_frame_for_a_gateway_is_read_with_its_time(world):
    made, motes, stubs, until = world
    value = frames.line(Frame(frames.VALUE, 7, 1, 2, 3), 13, 12, 1)
    question = frames.line(Frame(frames.QUESTION, 0, 2, 3, 0), 13, 11, 1)
    until(100)
    made._written(value)
    made._written(question)
    until(5000)
    assert stubs[12].got == [(1100, "read", value, 100)] and stubs[11].got == [(400, "read", question, 100)]


def test_a_run_whose_first_node_is_a_gateway_ends_at_its_time():
    motes = Motes([(100, 12, b"it is over")])
    made = NetworkSimulation(motes, replace(SPEC, gateways=PROCESSES), 1)
    assert made.run() is True and motes.listened == {13}
    draw = random.Random(1)
    boots = [draw.randrange(300) for _ in range(2)]
    assert motes.now_us == boots[0] + BEGINS + 5000
    assert [one._boots for one in made._gateways.values()] == boots
    assert {source for source, _ in motes.notes} == {11, 12}
    assert ("!cnt,values_malformed,0") in [text for source, text in motes.notes if source == 12]


def test_a_run_whose_first_node_is_a_mote_ends_by_its_word():
    tables = {1: PROCESSES.tables[1]}
    motes = Motes([(100, 11, b"it is over")])
    assert (
        NetworkSimulation(motes, replace(SPEC, gateways=replace(PROCESSES, tables=tables)), 1).run() is True
    )
    assert motes.now_us == 100 and motes.listened == {11, 13}
    motes = Motes([])
    assert (
        NetworkSimulation(motes, replace(SPEC, gateways=replace(PROCESSES, tables=tables)), 1).run() is False
    )
    assert motes.now_us == SPEC.timeout_us and SPEC.gateways is None


def test_networks_without_delays_have_none():
    made = NetworkSimulation(Motes([]), Networks({}, {}, (1,), "x", 1), 1)
    assert made._least == 0 and made._gateways == {}


def test_a_network_is_free_when_what_it_carried_arrives():
    now, arrived = [0], []
    agenda = Agenda(lambda: now[0])
    network = Network(10, agenda.at, agenda.now)

    def arrives(name):
        return lambda: arrived.append((name, now[0]))

    network.send(1, arrives("a"))
    network.send(1, arrives("b"))
    network.send(2, arrives("c"))
    for _ in range(10):
        now[0] = agenda.next(100)
        agenda.do_due()
    assert arrived == [("c", 10), ("a", 20), ("b", 30)]


class Heard:
    def __init__(self):
        self.messages, self.lines, self.values = [], [], []

    def value(self, to, node, job, value):
        self.values.append((to, node, job))

    def message(self, node, said):
        self.messages.append((self.now(), node, said["say"]))

    def log(self, text):
        self.lines.append((self.now(), text))


def a_node(place, tables, boots=100, **changes):
    now = [0]
    agenda = Agenda(lambda: now[0])
    carrier = Heard()
    carrier.now = lambda: now[0]
    spec = replace(PROCESSES, tables=tables, **changes)
    made = ProcessNode(place, 2, spec, agenda, carrier, boots, 0, 1)

    def until(time):
        while now[0] < time:
            now[0] = agenda.next(time)
            agenda.do_due()

    return made, carrier, until


TABLES = {0: NodeTable("a", (), ()), 1: NodeTable("b", (), ())}


def test_a_node_asks_again_and_again_until_it_gives_up():
    """Nobody answers the second node; its own clock is zero when it has power."""
    _, carrier, until = a_node(1, TABLES)
    until(2_000_000)
    asked = [time for time, node, said in carrier.messages if (node, said) == (0, "clock")]
    assert asked == list(range(100, 100 + 2 * BEGINS + 1, ASK_US))
    assert carrier.lines == [(100 + 2 * BEGINS + ASK_US, "distribution: the other nodes did not come")]
    assert (ASK_US, SOONER_US) == (100_000, 300_000)


def test_a_node_goes_on_asking_while_the_system_runs():
    made, carrier, until = a_node(1, TABLES, duration=1_000_000)
    until(150_000)
    made.heard({"say": "time", "asked": 0, "now": 150_000})
    until(3_000_000)
    asked = [time for time, node, said in carrier.messages if (node, said) == (0, "clock")]
    assert asked[0] == 100 and [after - before for before, after in zip(asked[2:], asked[3:])] == [
        500_000
    ] * (len(asked) - 3)
    left = BEGINS + 1_000_000
    assert asked[-2] < left <= asked[-1] + 100_000 and carrier.lines == []


SOURCE = NodeTask("S", "source", 1, 2, 300, 0, 300, 10)
HERE = NodeTask("L", "last", 2, 1, 300, 0, 300, 5)
DURATION = 900


def test_a_source_s_value_goes_to_tasks_here_and_elsewhere():
    links = (Link(1, 2, 0), Link(1, 3, 1, "bus", 1))
    elsewhere = NodeTable("b", (NodeTask("M", "last", 3, 1, 300, 0, 300, 5),), ())
    made, carrier, until = a_node(
        0, {0: NodeTable("a", (SOURCE, HERE), links), 1: elsewhere}, duration=DURATION
    )
    made.member.channel.requested(1, "3")
    until(2_000_000)
    assert carrier.values == [(3, 1, job) for job in range(3)]
    assert [text for _, text in carrier.lines if text.startswith("!job,L")] == [
        f"!job,L,last,{job},{300 * job},15,300" for job in range(3)
    ]
    assert [time for time, text in carrier.lines if text.startswith("!job,S")] == [
        100 + BEGINS + 300 * job + 10 for job in range(3)
    ]


def test_frames_that_are_read_are_values_or_questions():
    made, carrier, until = a_node(0, {0: NodeTable("a", (HERE,), ()), 1: TABLES[1]}, duration=DURATION)
    until(100 + BEGINS + 50)
    made.read(frames.line(Frame(frames.QUESTION, 0, 1, 5, 0), 12, 11, 1), 0)
    assert carrier.messages[-1][1:] == (1, "time")
    value = frames.line(Frame(frames.VALUE, 2, 0, BEGINS, 3), 12, 11, 1)
    taken = []
    made.take = lambda *given: taken.append(given)
    made.read(value, 100 + BEGINS + 20)
    assert taken == [(2, 0, Value(BEGINS, 3, BEGINS + 20))]


def test_the_network_s_time_is_added_to_a_value_that_it_carried():
    made, _, until = a_node(0, {0: NodeTable("a", (HERE,), ()), 1: TABLES[1]}, duration=DURATION)
    until(100 + BEGINS + 50)
    got = []
    made._inboxes[2].take = got.append
    for sent, network in ((0, 4), (BEGINS + 20, 34), (BEGINS + 90, 4)):
        made.take(2, 1, Value(BEGINS, 0, sent, 4))
        assert (got[-1].value.network, got[-1].value.sent) == (network, sent)
    assert got[-1].job == 1


def test_threads_say_what_they_need():
    thread = Thread(1, iter(()), lambda: None)
    assert (thread.waits, thread.answer, thread.left, thread.spent, thread.computing) == (
        False,
        None,
        0,
        0,
        False,
    )
