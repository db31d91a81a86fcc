# SPDX-License-Identifier: Apache-2.0
"""What is typed at the instructor's serial port, and what the motes of a board make of it."""

from __future__ import annotations

import pytest

from orchestrator.applications import place
from orchestrator.engines.embedded.live import Live, LiveMote, Stage
from tests import needs
from tests.features.event_service.gateways.test_cosimulation import cell, library

needs.a_compiler()
S, P1, INSTRUCTOR = 1, 4, 8


class Board:
    """One board without a gateway, whose base station's and instructor's lines are heard."""

    def __init__(self, folder):
        deployment = place.place(cell("consumers: P3, start: at-once, retry: 100 ms", boards=1)).deployment(1)
        motes = [LiveMote(library(), mote.id, mote.x, mote.y, image=mote.image) for mote in deployment.motes]
        self.live = Live(Stage(deployment.medium, 1, folder / "COOJA.testlog"), motes)
        for mote in (S, P1, INSTRUCTOR):
            self.live.listen(mote)
        self.live.advance(3_000_000, stop_on_output=False)

    def typed(self, line: bytes, seconds: float = 1.0) -> list[tuple[int, str]]:
        self.live.write(INSTRUCTOR, line)
        until = self.live.now_us + int(seconds * 1e6)
        return [(one.mote, one.text.decode()) for one in self.live.advance(until, stop_on_output=False)]


@pytest.fixture
def board(tmp_path):
    made = Board(tmp_path)
    with made.live:
        yield made


def frames(lines: list[tuple[int, str]], kind: str) -> list[str]:
    """Bodies of the base station's frames of a kind (a hexadecimal digit)."""
    return [text[15:] for mote, text in lines if mote == S and text.startswith(f"#1{kind}")]


def test_advertise_and_subscribe_reach_the_gateway_s_line_once_each(board):
    assert frames(board.typed(b"-4-10-temp-"), "8") == ["01" + "0400" + "00000000706d6574"]
    assert frames(board.typed(b"-4-11-pres-"), "8") == ["02" + "0400" + "0000000073657270"]


def test_pushes_come_at_the_interval_that_was_set(board):
    board.typed(b"-4-10-temp-")
    board.typed(b"-4-13-0300-")
    pushed = frames(board.typed(b"-4-12-temp-", 4.0), "b")
    assert 12 <= len(pushed) <= 14


def test_a_mote_that_did_not_advertise_does_not_push(board):
    said = board.typed(b"-4-12-temp-")
    assert (P1, "event-service: push was refused") in said
    assert frames(said, "b") == []


def test_a_mote_has_four_events_and_is_refused_a_fifth(board):
    names = ["aa", "bb", "cc", "dd"]
    for name in names:
        assert len(frames(board.typed(f"-4-10-{name}-".encode()), "8")) == 1
    said = board.typed(b"-4-10-ee-")
    assert (P1, "event-service: advertise was refused") in said
    assert frames(said, "8") == []
    for name in names:
        assert frames(board.typed(f"-4-12-{name}-".encode()), "b"), f"{name} is supplied as before"
    assert frames(board.typed(b"-4-11-dd-"), "8"), "one that it has isn't another"


NO_COMMANDS = (
    "| 4-10-temp- | -0-10-temp- | -70000-10-temp- | -4-9-temp- | -4-14-temp- | -4-10-temp | -4-10-- | "
    "-4-10-muchtoolong- | -4-13-0- | -4-13-70000- | -4-13-temp- | -4-10-temp-x | -a-10-temp-"
)


@pytest.mark.parametrize("line", [one.strip().encode() for one in NO_COMMANDS.split("|")])
def test_what_is_no_command_is_said_to_be_none(board, line):
    said = board.typed(line)
    told = (INSTRUCTOR, "instructor: no command: -MOTE-CODE-EVENT- or -MOTE-13-MILLISECONDS-")
    assert said == [told] or (line == b"" and said == [])
