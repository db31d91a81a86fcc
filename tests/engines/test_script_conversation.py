# SPDX-License-Identifier: Apache-2.0
"""The kernel's end of the socket to a script: each kind of message, in pieces and at its bounds."""

from __future__ import annotations

import select
import signal
import socket
import struct
import time

import pytest
from script_conversation import ABANDONED, KERNEL, LONGEST, MESSAGE, TIME, conversations, logged
from script_messages import Kind

from tests.waiting import HANG_S


@pytest.fixture(scope="module")
def conversation(firmware, tmp_path_factory):
    return conversations(firmware, tmp_path_factory.mktemp("conversation") / "COOJA.testlog")


def test_every_line_comes_with_its_mote_then_the_time_out(conversation):
    with conversation(0.35) as script:
        found = [script.wait() for _ in range(13)]
        script.say(Kind.VERDICT, number=1)
        assert script.ends()[0] == 0
    assert [(kind, mote, x) for kind, mote, _, (x, _, _), _ in found[:3]] == [
        (Kind.LINE, mote, mote + 1.0) for mote in range(3)
    ]
    assert [text for *_, text in found[:3]] == [b"up 1", b"up 2", b"up 3"]
    for tick in range(3):
        for mote in range(3):
            kind, of, number, (x, y, z), text = found[3 + 3 * tick + mote]
            assert (kind, of, x, y, z) == (Kind.LINE, mote, mote + 1.0, 0.0, 0.0)
            assert (number, text) == (found[mote][2] + 100_000 * (tick + 1), f"tick {tick + 1}".encode())
    assert found[12] == (Kind.TIMEOUT, 0, 350_000, (0.0, 0.0, 0.0), b"")
    assert logged(conversation) == ["TEST OK", "Test ended at simulation time: 350000"]


@pytest.mark.parametrize(
    ("number", "code", "said"), [(1, 0, "OK"), (0, 1, "FAILED"), (2, 1, "FAILED"), (-1, 1, "FAILED")]
)
def test_a_verdict_at_a_line(conversation, number, code, said):
    with conversation() as script:
        *_, (at, _, _) = script.until(b"tick 2")
        script.say(Kind.VERDICT, number=number, x=7.0)
        assert script.ends()[0] == code
    assert logged(conversation) == [f"TEST {said}", f"Test ended at simulation time: {at}"]


def test_a_verdict_before_the_first_line(conversation):
    with conversation() as script:
        script.say(Kind.LOG, text=b"first\n")
        script.say(Kind.VERDICT, number=1)
        assert script.ends()[0] == 0
    assert (
        conversation.log.read_text() == "first\nRandom seed: 3\nTEST OK\nTest ended at simulation time: 0\n"
    )


@pytest.mark.parametrize("piece", [1, 7, 55, 56, 57, 4096, 65535, 65536, 65537, 1 << 20])
def test_messages_come_whole_from_any_pieces(conversation, piece):
    """Also several at once, with more than the kernel's buffer has room for."""
    texts = [
        b"a\n",
        b"",
        b"b" * (300 if piece < 100 else 70_000) + b"\n",
        bytes(range(1, 10)) + b"\n",
        b"end\n",
    ]
    data = b"".join(MESSAGE.pack(Kind.LOG, 0, 0, 0, 0, 0, len(text), 0) + text for text in texts)
    data += MESSAGE.pack(Kind.VERDICT, 0, 1, 0, 0, 0, 0, 0)
    with conversation() as script:
        script.wait()
        for at in range(0, len(data), piece):
            script.send(data[at : at + piece])
        assert script.ends()[0] == 0
    assert conversation.log.read_bytes().startswith(b"Random seed: 3\n" + b"".join(texts) + b"TEST OK\n")


def test_questions_and_what_takes_effect_at_once(conversation):
    with conversation() as script:
        script.until(b"up 3")
        pairs = struct.pack("=6i", 0, 1, 1, 2, 2, 3)
        assert script.ask(Kind.MOTES) == (0, 0, (0.0, 0.0, 0.0), pairs)
        assert script.ask(Kind.MOTE, 1) == (0, 2, (10.0, 2.5, 0.0), b"")
        assert script.ask(Kind.MOTE, 2) == (0, 3, (-20.0, 0.0, 0.0), b"")
        script.say(Kind.MOVE, 1, x=1.25, y=-3.5, z=0.75)
        assert script.ask(Kind.MOTE, 1) == (0, 2, (1.25, -3.5, 0.75), b"")
        script.say(Kind.SET_ID, 0, 77)
        assert script.ask(Kind.MOTE, 0)[1] == 77
        assert script.ask(Kind.MOTES)[3] == struct.pack("=6i", 0, 77, 1, 2, 2, 3)
        assert script.ask(Kind.IS_PRESSED, 1)[1] == 0
        assert script.wait()[3][0] == 77.0, "the line is of the mote with its new id"


def test_what_takes_effect_after_the_present_event(conversation):
    with conversation(20.0) as script:
        script.until(b"tick 1")
        at = script.wait()[2]
        assert script.ask(Kind.IS_PRESSED, 2)[1] == 0
        script.say(Kind.PRESS, 2)
        assert script.ask(Kind.IS_PRESSED, 2)[1] == 0
        assert script.until(b"button")[-1] == (at, 2, b"button 1") and script.ask(Kind.IS_PRESSED, 2)[1] == 1
        script.say(Kind.RELEASE, 2)
        assert script.until(b"button")[-1] == (at, 2, b"button 0") and script.ask(Kind.IS_PRESSED, 2)[1] == 0
        script.say(Kind.CLICK, 1)
        (down, _, first), (up, _, second) = (script.until(b"button")[-1] for _ in range(2))
        assert (first, second) == (b"button 1", b"button 0") and down == at < up
        script.say(Kind.SIGNAL_PIR, 0)
        assert script.until(b"pir", b"vib")[-1][1:] == (0, b"pir")
        script.say(Kind.VIBRATE, 2)
        assert script.until(b"pir", b"vib")[-1][1:] == (2, b"vib")
        script.say(Kind.WRITE, 1, text=b"hello")
        assert script.until(b"got")[-1][1:] == (1, b"got 5 hello")
        script.say(Kind.GENERATE, 2, 1_500, text=b"made 1")
        script.say(Kind.GENERATE, 0, 500, text=b"made 2")
        script.say(Kind.GENERATE, 1, 500, text=b"")
        made = [one for one in script.until(b"made 1") if b"tick" not in one[2]]
        assert [(mote, text) for _, mote, text in made] == [(0, b"made 2"), (1, b""), (2, b"made 1")]
        assert made[2][0] - made[0][0] == 1_000 and made[0][0] == made[1][0]
        script.say(Kind.REMOVE, 1)
        script.wait()
        assert script.ask(Kind.MOTES)[3] == struct.pack("=4i", 0, 1, 2, 3)
        assert {mote for _, mote, _ in script.until(b"tick 9")} <= {0, 2}


def test_a_mote_is_generated_and_added(conversation):
    with conversation(20.0, adds=True) as script:
        script.until(b"tick 1")
        assert script.ask(Kind.GENERATE_MOTE, 0, 0) == (3, 0, (0.0, 0.0, 0.0), b"")
        assert len(script.ask(Kind.MOTES)[3]) == 24
        script.say(Kind.SET_ID, 3, 9)
        script.say(Kind.MOVE, 3, x=5.0)
        script.say(Kind.ADD, 3)
        assert script.until(b"up 9")[-1][1] == 3
        assert script.ask(Kind.MOTES)[3] == struct.pack("=8i", 0, 1, 1, 2, 2, 3, 3, 9)
        assert script.ask(Kind.MOTE, 3) == (0, 9, (5.0, 0.0, 0.0), b"")


def test_the_log_is_written_while_the_script_computes(conversation):
    """A signal asks for it; afterwards the kernel listens as before."""
    with conversation() as script:
        script.wait()
        script.say(Kind.LOG, text=b"kept\n")
        deadline = time.monotonic() + HANG_S
        while b"kept" not in conversation.log.read_bytes():
            assert time.monotonic() < deadline
            script.process.send_signal(signal.SIGALRM)
            time.sleep(0.01)
        script.until(b"tick 2")
        script.say(Kind.VERDICT, number=1)
        assert script.ends()[0] == 0


def test_a_script_that_never_answers_is_ended_by_the_run_s_limit(conversation):
    with conversation(1.0, "--limit", "0.5") as script:
        code, report = script.ends()
    assert (code, report["report"]) == (TIME, "time")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (dict(kind=Kind.LOG, length=LONGEST + 1), f"a message of the script has {LONGEST + 1} bytes"),
        (dict(kind=Kind.LOG, length=0xFFFFFFFF), "a message of the script has 4294967295 bytes"),
        (dict(kind=Kind.MOTE, mote=3), "a message of the script names mote 3 of 3"),
        (dict(kind=Kind.MOVE, mote=4294967295), "a message of the script names mote 4294967295 of 3"),
        (dict(kind=Kind.PRESS, mote=3), "a message of the script names mote 3 of 3"),
        (dict(kind=Kind.IS_PRESSED, mote=3), "a message of the script names mote 3 of 3"),
        (dict(kind=Kind.SET_ID, mote=3), "a message of the script names mote 3 of 3"),
        *(
            (dict(kind=kind), f"the script sent an unknown message, {kind}")
            for kind in (0, Kind.LINE, 9, 12, 19, 25, 29, 39, 44, 4294967295)
        ),
        *(
            (dict(kind=kind, text=name), "the script names a file that is not one beside the log")
            for kind in (Kind.APPEND, Kind.WRITE_FILE)
            for name in (b"", b"/text", b"name", b"../a/text", b".a/text", b"a\0b/text", b"\0/text")
        ),
    ],
)
def test_what_no_script_of_ours_says_ends_the_kernel(conversation, message, said):
    with conversation() as script:
        script.wait()
        script.say(**message)
        code, report = script.ends()
    assert (report["kind"], report["message"], code) == ("kernel", said, KERNEL)


@pytest.mark.parametrize(
    "message",
    [
        b"",
        MESSAGE.pack(Kind.LOG, 0, 0, 0, 0, 0, LONGEST, 0) + b"some",
        MESSAGE.pack(Kind.WAIT, 0, 0, 0, 0, 0, 0, 0)[:-1],
    ],
)
def test_a_script_that_goes_away_ends_the_kernel(conversation, message):
    with conversation() as script:
        script.say(Kind.LOG, text=b"kept\n")
        *_, (at, _, _) = script.until(b"tick 1")
        script.send(message)
        script.socket.shutdown(socket.SHUT_WR)
        code, report = script.ends()
    assert (report["kind"], report["message"]) == (ABANDONED, str(at)) and code not in (0, KERNEL)
    assert conversation.log.read_bytes() == b"kept\nRandom seed: 3\n"


def test_a_script_that_goes_away_before_it_has_read_its_lines_ends_the_kernel(conversation):
    """The socket says then that it was reset, not that it ended."""
    with conversation() as script:
        script.say(Kind.WAIT)
        select.select([script.socket], [], [])
        script.stream.close()
        script.socket.close()
        assert script.ends()[1]["kind"] == ABANDONED


def test_a_script_that_no_longer_listens_ends_the_kernel(conversation):
    with conversation() as script:
        script.until(b"tick 1")
        script.socket.shutdown(socket.SHUT_RD)
        script.say(Kind.WAIT)
        assert script.ends()[1]["kind"] == ABANDONED


@pytest.mark.parametrize(("length", "cut"), [(985, False), (986, True)])
def test_a_log_may_be_as_long_as_its_limit(conversation, length, cut):
    with conversation(1.0, "--log-limit", "1000") as script:
        script.wait()
        script.say(Kind.LOG, text=b"x" * length)
        script.say(Kind.VERDICT, number=1)
        assert (script.ends()[1]["report"] == "end") is not cut
