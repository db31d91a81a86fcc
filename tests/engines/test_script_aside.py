# SPDX-License-Identifier: Apache-2.0
"""A script that stands aside: which lines come together, and a verdict at one that came before."""

from __future__ import annotations

import itertools
import signal
import time
from pathlib import Path

import pytest
from script_conversation import MESSAGE, conversations, logged
from script_messages import Kind


@pytest.fixture(scope="module")
def conversation(firmware, tmp_path_factory):
    return conversations(firmware, tmp_path_factory.mktemp("conversation") / "COOJA.testlog")


def batches(script) -> list[tuple[list[tuple[int, int, bytes]], int]]:
    """What came together, as lines of id, time and text, and how many bytes they had; to the time-out."""
    found = []
    while True:
        kind, mote, number, places, text = script.wait()
        if kind == Kind.TIMEOUT:
            assert (mote, places, text) == (0, (0.0, 0.0, 0.0), b"")
            return found
        assert (kind, mote, number, places) == (Kind.LINES, 0, 0, (0.0, 0.0, 0.0)) and text.endswith(b"\n")
        lines = [line.split(b" ", 2) for line in text[:-1].split(b"\n")]
        found.append(([(int(mote), int(time), said) for mote, time, said in lines], len(text)))


AT_ONCE, LONGEST_WAIT_US = 64 * 1024, 10_000_000
LONG = f'"{" and more" * 40}"'
EXACT = f'"{"x" * 222}"'  # the first lines together have AT_ONCE bytes


@pytest.mark.parametrize(("more", "seconds"), [('""', 33.0), (LONG, 25.0), (EXACT, 33.0)])
def test_lines_wait_for_64_kb_or_10_s(conversation, more, seconds):
    with conversation(seconds, "--script-aside", "1", more=more) as script:
        found = batches(script)
        script.say(Kind.VERDICT, number=1, x=-1.0)
        assert script.ends()[0] == 0
    assert logged(conversation) == ["TEST OK", f"Test ended at simulation time: {int(seconds * 1e6)}"]
    lines = [line for batch, _ in found for line in batch]
    starts = {mote: at for mote, at, text in lines if text.startswith(b"up")}
    ticks = range(1, int(seconds * 10) + 1)
    wanted = [
        (starts[mote] + 100_000 * tick, mote, f"tick {tick}{more[1:-1]}".encode())
        for tick in ticks
        for mote in (1, 2, 3)
    ]
    assert lines[:3] == [(mote, starts[mote], f"up {mote}".encode()) for mote in (1, 2, 3)]
    assert [(at, mote, text) for mote, at, text in lines[3:]] == [
        one for one in wanted if one[0] <= lines[-1][1]
    ] and len(lines) > len(wanted) - 4
    assert len(found) > 3
    for (batch, size), (after, _) in itertools.pairwise(found):
        waited = batch[0][1] + LONGEST_WAIT_US
        last = len(b"%d %d %s\n" % batch[-1])
        if size >= AT_ONCE:
            assert size - last < AT_ONCE and batch[-1][1] < waited
        else:
            assert batch[-1][1] <= waited <= after[0][1]
    assert any(size >= AT_ONCE for _, size in found) == (more != '""')
    assert any(size == AT_ONCE for _, size in found) == (more == EXACT)


def test_long_texts_come_whole_where_a_signal_cuts_the_call(conversation):
    """A socket with little room, which nobody reads: a signal ends the kernel's call when a part is sent."""
    texts = []
    for signals in (0, 5):
        with conversation(8.0, "--script-aside", "1", more=LONG, room=4096) as script:
            script.say(Kind.WAIT)
            text = b""
            for _ in range(signals):
                sleeps(script.process.pid)
                script.process.send_signal(signal.SIGALRM)
                text += script.socket.recv(3_000)
            while (
                len(text) < MESSAGE.size or len(text) < MESSAGE.size + MESSAGE.unpack(text[: MESSAGE.size])[6]
            ):
                text += script.socket.recv(3_000)
            script.say(Kind.VERDICT, number=1)
            assert script.ends()[0] == 0
            texts.append(text)
    assert texts[0] == texts[1] and len(texts[0]) > AT_ONCE


def sleeps(process: int) -> None:
    """Returns when the process waits for something."""
    while Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "SZ":
        time.sleep(0.001)


@pytest.mark.parametrize(("x", "ended"), [(0.0, 0), (1234.0, 1234), (-1.0, None)])
def test_a_verdict_of_an_earlier_line(conversation, x, ended):
    with conversation(30.0, "--script-aside", "1") as script:
        kind, *_, text = script.wait()
        assert kind == Kind.LINES
        script.say(Kind.LOG, text=b"then\n")
        script.say(Kind.VERDICT, number=1, x=x)
        assert script.ends()[0] == 0
        assert script.told() is None
    log = logged(conversation)
    first = int(text.split()[1])
    assert log[:2] == ["then", "TEST OK"]
    at = int(log[2].rsplit(" ", 1)[1])
    assert (
        at == ended
        if ended is not None
        else first + LONGEST_WAIT_US <= at < first + LONGEST_WAIT_US + 100_000
    )


def test_a_verdict_at_the_last_lines_is_asked_no_more(conversation):
    with conversation(5.0, "--script-aside", "1") as script:
        kind, *_, text = script.wait()
        assert kind == Kind.LINES and text.count(b"\n") > 100
        script.say(Kind.VERDICT, number=0, x=-1.0)
        assert script.ends()[0] == 1 and script.told() is None


def test_a_simulation_without_lines_has_only_its_time_out(conversation):
    with conversation(1.0, "--script-aside", "1", places=[]) as script:
        assert script.wait() == (Kind.TIMEOUT, 0, 1_000_000, (0.0, 0.0, 0.0), b"")
        script.say(Kind.VERDICT, number=1, x=-1.0)
        assert script.ends()[0] == 0
