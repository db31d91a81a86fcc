# SPDX-License-Identifier: Apache-2.0
"""Networks between motes that distribute data: which frame arrives where, when and in which order."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from orchestrator.features.distribution.network_simulation import NetworkSimulation
from orchestrator.features.distribution.partners import Networks
from orchestrator.frames.codec import encode

VALUE, QUESTION = 1, 2
SPEC = Networks({"bus": 1000, "air": 300}, {7: ("bus", 1), 8: ("bus", 2)}, (1, 2, 3), "over", 50_000)


class Motes:
    """A simulation whose motes print what is planned: time -> (mote, text)."""

    def __init__(self, plan: list[tuple[int, int, bytes]]):
        self.now_us, self.listened = 0, set()
        self.got: list[tuple[int, int, bytes]] = []
        self.notes: list[tuple[int, str]] = []
        self._plan = plan

    def listen(self, mote, wanted=True):
        self.listened.add(mote)

    def advance(self, until_us, stop_on_output=True):
        if self._plan and self._plan[0][0] < until_us:
            self.now_us, mote, text = self._plan.pop(0)
            return [SimpleNamespace(mote=mote, text=text)]
        self.now_us = until_us
        return []

    def write(self, mote, data):
        self.got.append((self.now_us, mote, data))

    def note(self, source, text):
        self.notes.append((source, text))


def frame(task: int, kind: int = VALUE, to: int = 2) -> bytes:
    said = {
        "sender": 1,
        "next_hop": to,
        "number": 1,
        "kind": kind,
        "task": task,
        "job": 0,
        "stamp": 5,
        "other": 6,
    }
    return b"#" + encode({"frame": "distributed", **said}).hex().encode()


def ran(*plan: tuple[int, int, bytes]) -> tuple[Motes, bool]:
    motes = Motes(list(plan))
    return motes, NetworkSimulation(motes, SPEC, 1).run()


def test_a_value_takes_its_network_s_delay_and_the_most_urgent_is_next():
    low, high, other = frame(7), frame(8, to=3), frame(7, to=3)
    motes, _ = ran((100, 1, low), (150, 1, other), (200, 1, high))
    assert motes.got == [(1100, 2, low + b"\n"), (2100, 3, high + b"\n"), (3100, 3, other + b"\n")]
    assert motes.listened == {1, 2, 3} and motes.notes == []


def test_a_question_takes_the_shortest_delay_beside_all_that():
    value, question = frame(7), frame(0, QUESTION, to=1)
    motes, _ = ran((100, 1, value), (200, 2, question))
    assert motes.got == [(500, 1, question + b"\n"), (1100, 2, value + b"\n")]


@pytest.mark.parametrize(
    ("line", "note"),
    [
        (b"#zz", "a line that is no frame of a node was lost"),
        (b"#00", "a line that is no frame of a node was lost"),
        (frame(7, to=9), "a line that is no frame of a node was lost"),
        (frame(9), "no network leads to task 9"),
    ],
)
def test_what_leads_nowhere_is_noted(line, note):
    motes, _ = ran((100, 2, line))
    assert (motes.got, motes.notes) == ([], [(1, note)])


@pytest.mark.parametrize(
    ("mote", "text", "ended"), [(1, b"it is over", True), (2, b"over", False), (1, b"ov", False)]
)
def test_the_first_node_s_word_is_the_end(mote, text, ended):
    motes, at_end = ran((100, mote, text))
    assert at_end is ended
    assert motes.now_us == (100 if ended else SPEC.timeout_us)
