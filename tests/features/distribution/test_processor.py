# SPDX-License-Identifier: Apache-2.0
"""The modelled processor of a gateway: preemption, waiting, and what happens at the same time."""

from __future__ import annotations

from collections import deque

import pytest
from orchestrate_testbed.gateway.distribution.work import Compute, Receive, Sleep

from orchestrator.features.distribution.processor import Processor
from orchestrator.partners.agenda import Agenda


class World:
    """Time passes from one act to the next."""

    def __init__(self):
        self.now = 0
        self.agenda = Agenda(lambda: self.now)
        self.processor = Processor(self.agenda, lambda time: time - self.now)
        self.ends: list[tuple[str, int]] = []

    def task(self, name: str, priority: int, *waits, values: deque | None = None):
        def steps():
            for one in waits:
                got = yield one
                self.ends.append((name if got is None else f"{name} {got}", self.now))

        kept = values if values is not None else deque()
        return self.processor.start(priority, steps(), lambda: kept.popleft() if kept else None)

    def run(self, until: int) -> list[tuple[str, int]]:
        while self.now < until:
            self.now = self.agenda.next(until)
            self.agenda.do_due()
        return self.ends


@pytest.fixture
def world():
    return World()


def test_a_more_urgent_task_interrupts_and_the_rest_is_computed_later(world):
    low = world.task("low", 1, Compute(100))
    high = world.task("high", 2, Sleep(30), Compute(20), Sleep(60), Compute(5))
    assert world.run(1000) == [("high", 30), ("high", 50), ("high", 60), ("high", 65), ("low", 125)]
    assert (low.spent, high.spent) == (100, 25)


def test_a_less_urgent_task_waits(world):
    world.task("high", 2, Compute(50))
    world.task("low", 1, Sleep(10), Compute(5))
    assert world.run(1000) == [("high", 50), ("low", 50), ("low", 55)]


def test_a_less_urgent_task_that_wakes_up_waits(world):
    world.task("high", 2, Sleep(5), Compute(50))
    world.task("low", 1, Sleep(10), Compute(5))
    assert world.run(1000) == [("high", 5), ("high", 55), ("low", 55), ("low", 60)]


def test_an_end_and_a_release_at_the_same_time(world):
    world.task("low", 1, Compute(10))
    world.task("high", 2, Sleep(10), Compute(5))
    assert world.run(1000) == [("low", 10), ("high", 10), ("high", 15)]


def test_what_takes_no_time_ends_at_once(world):
    world.task("one", 1, Compute(0), Compute(0))
    assert world.run(1000) == [("one", 0), ("one", 0)]


def test_a_time_that_has_been_is_not_waited_for(world):
    world.task("one", 1, Compute(50), Sleep(20), Compute(5))
    assert world.run(1000) == [("one", 50), ("one", 50), ("one", 55)]


def test_values_are_taken_in_their_order_and_waited_for(world):
    values = deque("ab")
    one = world.task("one", 2, Receive(900), Compute(10), Receive(900), Receive(900), values=values)
    other = world.task("other", 1, Compute(100))
    assert not one.waits

    def comes() -> None:
        values.append("c")
        world.processor.came(one)

    world.agenda.at(50, comes)
    assert world.run(1000) == [("one a", 0), ("one", 10), ("one b", 10), ("one c", 50), ("other", 110)]
    assert other.spent == 100
    values.append("d")
    world.processor.came(one)  # it has ended
    assert list(values) == ["d"]
