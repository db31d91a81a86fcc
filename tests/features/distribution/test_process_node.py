# SPDX-License-Identifier: Apache-2.0
"""A gateway's node in virtual time: when it hears, and what it takes from the network."""

from __future__ import annotations

import pytest
from orchestrate_testbed.gateway.distribution import frames
from orchestrate_testbed.gateway.distribution.channel import Value
from orchestrate_testbed.gateway.distribution.table import NodeTable, NodeTask

from orchestrator.features.distribution.partners import Processes
from orchestrator.features.distribution.process_node import ProcessNode
from orchestrator.partners.agenda import Agenda

BOOTS, BEGINS = 100, 400_000
CONSUMER = NodeTask("C", "last", 3, 1, 1000, 0, 50, 5)  # its deadline is short: who is to blame?


class Heard:
    def __init__(self):
        self.messages, self.lines = [], []

    def message(self, node, said):
        self.messages.append((node, said["say"]))

    def log(self, text):
        self.lines.append(text)


@pytest.fixture
def node():
    """The first of two gateways, its carrier, and what lets time pass."""
    return gateway(0)


def gateway(place: int, duration: int = 1000):
    now = [0]
    agenda = Agenda(lambda: now[0])
    spec = Processes(
        {0: NodeTable("a", (CONSUMER,), ()), 1: NodeTable("b", (), ())}, BEGINS, duration, 0, 1.0, 500, 0
    )
    carrier = Heard()
    made = ProcessNode(place, 2, spec, agenda, carrier, BOOTS, 0, 1)

    def until(time: int) -> None:
        while now[0] < time:
            now[0] = agenda.next(time)
            agenda.do_due()

    return made, carrier, until


def test_a_gateway_without_power_hears_nothing(node):
    made, carrier, until = node
    question = {"say": "clock", "asked": 1, "node": 1}
    until(BOOTS - 1)
    made.heard(question)
    assert carrier.messages == []
    until(BOOTS)
    made.heard(question)
    assert (1, "time") in carrier.messages


def test_what_the_network_took_is_to_blame_for_a_late_job(node):
    made, carrier, until = node
    until(BOOTS + BEGINS + 100)
    made.take(3, 0, Value(BEGINS, 0, sent=BEGINS + 10))
    until(BOOTS + BEGINS + 200)
    assert carrier.lines == ["!job,C,last,0,0,105,50"]
    assert "!cnt,misses_network,1" in made.last_words() and "!cnt,misses_host,0" in made.last_words()


def test_a_job_that_a_frame_numbers_by_16_bits_is_the_one_that_is_due():
    """With a period of a millisecond, 65,536 jobs are over after 66 s."""
    made, carrier, until = gateway(0, 100_000_000)
    for job in (3, 65_535, 65_536, 70_000):
        at = BOOTS + BEGINS + job * CONSUMER.period + 10
        until(at)
        made.read(frames.line(frames.of_value(3, job, Value(made.clock.now(), 0)), 2, 1, 0), at)
        until(at + 100)
    assert [line.split(",")[3:6] for line in carrier.lines] == [
        [str(job), str(job * CONSUMER.period), "15"] for job in (3, 65_535, 65_536, 70_000)
    ]


def test_a_value_for_a_task_that_is_not_there_is_counted(node):
    made, _, until = node
    until(BOOTS + BEGINS)
    made.take(9, 0, Value(1, 0))
    made.read(b"#19", 0)
    made.read(frames.line(frames.of_value(9, 0, Value(1, 0)), 2, 1, 0), 0)
    assert "!cnt,values_malformed,3" in made.last_words()


def test_a_clock_that_was_never_set_has_an_error_beyond_all():
    """The first gateway's is the reference; the second asks, and nobody answers."""
    for place, error in ((0, 0), (1, 4294967295)):
        made, _, until = gateway(place)
        until(BOOTS + BEGINS)
        assert f"!cnt,clock_error_us,{error}" in made.last_words()
