# SPDX-License-Identifier: Apache-2.0
"""A node on a mote whose base station's line is written to: the reference's answers, values, and what is
neither.
"""

from __future__ import annotations

import struct

import pytest

from orchestrator.applications import place
from orchestrator.engines.embedded.live import Live, LiveMote, Stage
from tests import needs
from tests.features.distribution.apps.test_distribution import PAPER, cell, library

needs.a_compiler()
NODE = 2  # the mote of node-2, whose reference is node-1 on a gateway
VALUE, QUESTION, ANSWER = 1, 2, 3


def line(kind: int, task: int, job: int, stamp: int, other: int) -> str:
    """A frame of the reference's node, as frames.yaml has it."""
    return "#" + struct.pack("<BHHHBBHII", 0x19, 1, 2, 1, kind, task, job, stamp, other).hex()


class Node:
    """It says what its mote printed, from the boot on."""

    def __init__(self, folder, system="scenario-1.yaml", duration="2 s", where=PAPER):
        deployment = place.place(
            cell(f"system: {system}, gateways: node-1, clock-interval: 500 ms", duration, where)
        ).deployment(1)
        [mote] = [one for one in deployment.motes if one.id == NODE]
        self.live = Live(
            Stage(deployment.medium, 1, folder / "COOJA.testlog"),
            [LiveMote(library(), NODE, mote.x, mote.y, image=mote.image)],
        )
        self.live.listen(NODE)
        self.said: list[str] = []

    def until(self, time_us: int) -> None:
        while self.live.now_us < time_us:
            self.said += [one.text.decode() for one in self.live.advance(time_us)]

    def asked(self) -> int:
        """When it asked for the reference time, by its own clock: once it has."""
        before = len(self.said)
        while True:
            for one in self.said[before:]:
                if one.startswith("#"):
                    assert int(one[15:17], 16) == QUESTION
                    return struct.unpack("<I", bytes.fromhex(one[23:31]))[0]
            self.said += [one.text.decode() for one in self.live.advance(self.live.now_us + 1_000_000)]

    def answered(self, after_us: int, ahead_us: int = 0) -> int:
        """The next question gets its answer after that time: the node's own clock, and that much. Returns by
        how much that is ahead of the simulation's time.
        """
        asked = self.asked()
        begun = self.live.now_us
        self.until(begun + after_us)
        self.told(line(ANSWER, 0, 1, asked, asked + after_us // 2 + ahead_us))
        return asked - begun + ahead_us

    def told(self, text: str) -> None:
        self.live.write(NODE, text.encode())

    def ended(self) -> dict[str, int]:
        """Its counters."""
        self.until(8_000_000)
        return {one.split(",")[1]: int(one.split(",")[2]) for one in self.said if one.startswith("!cnt,")}


@pytest.fixture
def node(tmp_path):
    made = Node(tmp_path)
    with made.live:
        yield made


@pytest.mark.parametrize(("after_us", "error_us"), [(1000, 350), (301, 1), (302, 1), (300, 0), (200, 0)])
def test_an_answer_is_as_wrong_as_half_of_what_it_took_beyond_the_shortest(node, after_us, error_us):
    """The network's delay is 150 us."""
    node.answered(after_us)
    counted = node.ended()
    assert (counted["clock_exchanges"], counted["clock_steps"]) == (1, 0)
    assert counted["clock_error_us"] == error_us


def test_a_value_goes_by_its_step_to_its_target(node):
    """A value of job 5 that was updated at 2.4 s, within 200 us, comes at 2.5 s; then one that is older."""
    node.answered(1000)
    node.until(2_500_000)
    node.told(line(VALUE, 7, 5, 2_400_000, 200))
    node.until(2_600_000)
    node.told(line(VALUE, 7, 4, 2_300_000, 0))
    counted = node.ended()
    assert (counted["values_received"], counted["values_malformed"]) == (2, 0)
    assert [one.split(",")[1:4] for one in node.said if one.startswith("!job,Consumer")] == [
        ["Consumer1/Target1.1", "last", number] for number in ("5", "4")
    ]
    used = [one.split(",")[2:] for one in node.said if one.startswith("!age")]
    # Job n's release, what it computes, and the errors of the value and of the clock.
    age = {n: 2_080_000 + 100_000 * n + 1500 - 2_400_000 + 200 + 350 for n in (5, 6, 7)}
    assert used[:3] == [[str(n), str(age[n]), "550", "150000"] for n in (5, 6, 7)]


QUICK = """distribution: quick
nodes: [node-1, node-2]
networks: {lan: {delay: 10 us}}
objects: {data: {validity: 3 ms}}
sources: {Sensor: {object: data, node: node-1, period: 1 ms, deadline: 100 us, execution: 10 us}}
targets: {Display: {object: data, node: node-2, period: 1 s, release: 0 s, deadline: 9 ms, execution: 10 us}}
steps: {Supplier: {node: node-1, execution: 10 us}, Consumer: {node: node-2, execution: 10 us}}
distributions: {all: {object: data, path: [Supplier, Consumer], network: lan}}
"""


def quick(tmp_path, told: dict[int, int]) -> list[list[str]]:
    """The jobs of the consumer, if values of these jobs come at these times after the system began, us."""
    (tmp_path / "quick.yaml").write_text(QUICK)
    node = Node(tmp_path, "quick.yaml", "71 s", tmp_path)
    with node.live:
        node.answered(1000)
        for job, at in told.items():
            node.until(2_000_000 + at)
            node.told(line(VALUE, 3, job % 2**16, 2_000_000 + at, 0))
        node.until(80_000_000)
    return [one.split(",")[3:6] for one in node.said if one.startswith("!job,Consumer")]


GOOD = line(VALUE, 7, 5, 2_400_000, 200)


@pytest.mark.parametrize(
    "wrong",
    [
        "#",
        GOOD[:-2],
        GOOD[:-1],
        GOOD + "00",
        GOOD + "x",
        GOOD.replace("#19", "#18"),  # another type
        GOOD.replace("#19", "#29"),  # another version
        line(0, 7, 5, 0, 0),
        line(4, 7, 5, 0, 0),
        line(VALUE, 1, 5, 0, 0),  # a task of the other node
        line(VALUE, 99, 5, 0, 0),
    ],
)
def test_what_is_no_value_of_a_task_is_counted(node, wrong):
    node.answered(1000)
    node.until(2_500_000)
    node.told(wrong)
    node.told("another line")
    counted = node.ended()
    assert counted["values_malformed"] == 1
    assert not [one for one in node.said if one.startswith(("!age", "!job,Consumer"))]


def test_values_wait_for_a_step_in_their_order_and_those_beyond_four_are_lost(node):
    """One is computed with for 1.5 ms while the others come."""
    node.answered(1000)
    node.until(2_500_000)
    for job in range(5, 13):
        node.told(line(VALUE, 7, job, 2_400_000, 0))
        node.until(node.live.now_us + 100)
    node.until(2_600_000)
    node.told(line(VALUE, 7, 13, 2_500_000, 0))
    counted = node.ended()
    assert [one.split(",")[3] for one in node.said if one.startswith("!job,Consumer")] == [
        "5", "6", "7", "8", "9", "13",
    ]  # fmt: skip
    assert (counted["values_received"], counted["channel_full"], counted["values_malformed"]) == (9, 3, 0)


@pytest.mark.parametrize(("place", "mote"), [(0, 1), (1, 2)])
def test_a_question_is_answered_with_the_reference_time_as_the_node_knows_it(node, place, mote):
    """To the node that the question names by its place in the system."""
    ahead_us = node.answered(1000, ahead_us=40_000)
    node.until(2_500_000)
    before = len(node.said)
    node.told(line(QUESTION, 0, place, 123_456, 0))
    node.until(2_510_000)
    [frame] = [one for one in node.said[before:] if one.startswith("#")]
    header, body = struct.unpack("<BHHH", bytes.fromhex(frame[1:15])), bytes.fromhex(frame[15:])
    kind, _, job, asked, now = struct.unpack("<BBHII", body)
    assert header[:3] == (0x19, NODE, mote)
    assert (kind, job, asked) == (ANSWER, place, 123_456)
    assert now == 2_500_000 + ahead_us


@pytest.mark.parametrize("place", [2, 255])
def test_a_question_of_a_node_that_the_system_has_not_is_left_alone(node, place):
    node.answered(1000)
    node.until(2_500_000)
    before = len(node.said)
    node.told(line(QUESTION, 0, place, 123_456, 0))
    node.until(2_510_000)
    assert not [one for one in node.said[before:] if one.startswith("#")]
    assert node.ended()["values_malformed"] == 0
