# SPDX-License-Identifier: Apache-2.0
"""Motes that a script operates: no input is lost with ticks that are skipped, and what can't be done is
said.
"""

from __future__ import annotations

import random

import pytest
from engine_firmware import JavaRandom, compile_firmware
from engine_harness import SANITIZED, build_kernel
from random_deeds import INPUTS, TELLING, Deeds, scripted
from script_messages import Kind
from script_player import Message, play

from orchestrator.build import kernel as builds
from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import Udgm
from tests.tier import examples

PLAIN = ("--every-tick", "1", "--code-per-mote", "1", "--guards", "1")
CRASH, DESCRIPTION, KERNEL = 4, 2, 8


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compile_firmware(tmp_path_factory.mktemp("operated"), "telling", TELLING)


@pytest.fixture(scope="module")
def sanitized():
    return build_kernel(SANITIZED)


@pytest.mark.parametrize("number", range(examples(8)))
def test_no_deed_is_lost_with_a_tick_that_is_skipped(number, library, tmp_path):
    draw = random.Random(number)
    places = [(draw.uniform(0, 60), draw.uniform(0, 60)) for _ in range(6)]
    text = scripted(library, places, 3, seed=number, motedelay_us=draw.choice([0, 1, 300_000]))
    found = []
    for options in ((), PLAIN):
        played = play(builds.executable(), text, tmp_path / "log", Deeds(number, 6), *options)
        assert played.status == 0, played.report
        found.append(played)
    skipping, every = found
    assert skipping.log == every.log
    assert skipping.report["skipped"] > 50 and every.report["skipped"] == 0
    assert all(any(word in line for line in every.log) for word in ("up", "on at", "in "))


def test_deeds_are_done_cleanly(sanitized, library, tmp_path):
    """In the kernel with sanitizers, which writes the same."""
    text = scripted(library, [(0, 0), (10, 0), (20, 5), (30, 0)], 3, motedelay_us=1000)
    usual = play(builds.executable(), text, tmp_path / "log", Deeds(7, 4))
    clean = play(sanitized, text, tmp_path / "clean", Deeds(7, 4))
    assert (clean.errors, clean.status, clean.log) == ("", 0, usual.log)
    said = "\n".join(usual.log)
    assert all(word in said for word in ("named", "button", "pir", "vib", "got", "some text"))


def at_once(*deeds: Message):
    """A script that does this at the first line of all."""
    answers = []

    def script(heard: Message):
        if heard.kind == Kind.LINE and not script.done:
            script.done = True
            for deed in deeds:
                answers.append((yield deed))

    script.done = False
    return script, answers


REFUSED = {
    "a type below the first": (
        [Message(Kind.GENERATE_MOTE, number=-1)],
        KERNEL,
        "the script wants a mote of type -1",
    ),
    "a type behind the last": (
        [Message(Kind.GENERATE_MOTE, number=2)],
        KERNEL,
        "the script wants a mote of type 2",
    ),
    "a mote that is there": (
        [Message(Kind.ADD, 0)],
        DESCRIPTION,
        "the script adds a mote that is there already; remove it first, leave addMote() out, or run the "
        "file with --engine cooja",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_no_script_may_ask(what, library, tmp_path):
    deeds, status, said = REFUSED[what]
    text = scripted(library, [(0, 0), (10, 0)], 1, types=("t", "u"))
    played = play(builds.executable(), text, tmp_path / "log", at_once(*deeds)[0])
    assert (played.status, played.report["message"]) == (status, said)


def test_a_script_makes_as_many_motes_of_a_type_as_there_is_room_for(library, tmp_path):
    """And knows nothing of one that was only made: it has no id and no place yet."""
    text = scripted(library, [(0, 0), (10, 0)], 1, types=("t", "u")).replace(
        b"\nspare 1000\n", b"\nspare 2\n"
    )
    assert b"\nspare 2\n" in text
    fill = [Message(Kind.GENERATE_MOTE, number=number) for number in (1, 0, 1, 0)]
    script, answers = at_once(*fill, Message(Kind.MOTE, 3), Message(Kind.MOTES), Message(Kind.IS_PRESSED, 3))
    played = play(builds.executable(), text, tmp_path / "log", script)
    assert (played.status, [one.mote for one in answers[:4]]) == (0, [2, 3, 4, 5])
    assert (answers[4].number, answers[4].place, answers[4].mote) == (-1, (0.0, 0.0, 0.0), 0)
    assert (
        answers[5].text == b"".join(n.to_bytes(4, "little") for n in (0, 1, 1, 2)) and answers[6].number == 0
    )
    for more, there in ((0, 4), (1, 2)):
        script, _ = at_once(*fill, Message(Kind.GENERATE_MOTE, number=more))
        played = play(builds.executable(), text, tmp_path / "log", script)
        assert (played.status, played.report["message"]) == (
            DESCRIPTION,
            f"the script generates more motes than it may: {there} of one type are there by now; have "
            "fewer calls of generateMote(), or run the file with --engine cooja",
        )


# Says what is in its variables of input at each tick, and leaves them there.
LEAVING = r"""
void cooja_tick(void) {
  if(first()) { START; SAY("up\n"); return; }
  SAY("b %d %d p %d v %d s %d %d\n", simButtonChanged, simButtonIsDown, simPirChanged, simVibChanged,
      simSerialReceivingFlag, simSerialReceivingLength);
}
"""


def said(played) -> list[str]:
    return [line.split("\t", 2)[2] for line in played.log if "\tID:" in line]


def logging(script):
    def also(heard: Message):
        if heard.kind == Kind.LINE:
            text = f"{heard.number}\tID:{int(heard.place[0])}\t{heard.text.decode()}\n"
            yield Message(Kind.LOG, text=text.encode())
        answer, told = None, script(heard)
        while True:
            try:
                answer = yield told.send(answer)
            except StopIteration:
                return

    return also


@pytest.mark.parametrize(("rules", "after_us"), [("5.0", 1000), ("2026.07", 250_000)])
def test_a_click_is_released_later(rules, after_us, firmware, tmp_path):
    library = firmware(INPUTS.replace("ACTIVE", "1") + LEAVING.replace("START", ""))
    text = scripted(library, [(0, 0)], 1, spare=False, seed=1 if rules == "2026.07" else 2)
    assert f"rules {rules}\n".encode() in text
    played = play(builds.executable(), text, tmp_path / "log", logging(at_once(Message(Kind.CLICK))[0]))
    times = [int(line.split("\t")[0]) for line in played.log if "\tb 1 " in line]
    assert times == [0, after_us]


@pytest.mark.parametrize("kind", [Kind.PRESS, Kind.RELEASE])
def test_a_button_pressed_or_released_twice_at_once_ends_the_run(kind, library, tmp_path):
    played = play(
        builds.executable(),
        scripted(library, [(0, 0)], 1, spare=False),
        tmp_path / "log",
        at_once(Message(kind), Message(kind))[0],
    )
    assert played.status == CRASH and played.report["reason"] == (
        "the script operates its button again before the last press or release has come, at which Cooja ends"
    )


def test_a_mote_that_was_removed_is_not_pressed_any_more(library, tmp_path):
    """The release of its click doesn't come; and Cooja believes for ever that it will."""
    text = scripted(library, [(0, 0), (300, 0)], 1, spare=False)
    script, _ = at_once(Message(Kind.CLICK, 1), Message(Kind.REMOVE, 1), Message(Kind.ADD, 1))
    pressed = []

    def asking(heard: Message):
        yield from script(heard)
        if heard.number > 0:
            pressed.append((yield Message(Kind.IS_PRESSED, 1)).number)

    played = play(builds.executable(), text, tmp_path / "log", asking)
    assert played.status == 0 and len(pressed) > 5 and set(pressed) == {0}
    script, _ = at_once(
        Message(Kind.CLICK, 1), Message(Kind.REMOVE, 1), Message(Kind.ADD, 1), Message(Kind.RELEASE, 1)
    )
    assert play(builds.executable(), text, tmp_path / "log", script).status == CRASH


COUNTING = """
void cooja_tick(void) {
  if(first()) { if(simMoteID == 1) SAY("up\\n"); etimer(10); return; }
  if(simInSize > 0 && !simReceiving) { SAY("heard\\n"); simInSize = 0; }
  if(!due()) return;
  etimer(10);
  if(simMoteID == 1) simOutSize = 20;
  if(simMoteID > 2) SAY("time %lld\\n", (long long)simCurrentTime);
}
"""
CLOCK_FIRST = tuple(
    sorted(STANDARD_INTERFACES, key=lambda one: (one == "ContikiRadio", STANDARD_INTERFACES.index(one)))
)


@pytest.mark.parametrize("interfaces", [STANDARD_INTERFACES, CLOCK_FIRST], ids=["radio first", "clock first"])
@pytest.mark.parametrize("delay_us", [0, 1, 5000])
def test_a_new_mote_s_clock_begins_when_it_is_added(delay_us, interfaces, firmware, tmp_path):
    """Within the start delay, for which one number is drawn for each mote; without a delay, none."""
    interfaces = tuple(one for one in interfaces if one not in ("ContikiButton", "ContikiPIR", "ContikiVib"))
    lossy = Udgm(50.0, 50.0, 1.0, 0.5)
    text = scripted(
        firmware(COUNTING), [(0, 0), (40, 0)], 1, motedelay_us=delay_us, medium=lossy, interfaces=interfaces
    )
    script, _ = at_once(
        Message(Kind.GENERATE_MOTE),
        Message(Kind.SET_ID, 2, 9),
        Message(Kind.MOVE, 2, place=(900.0, 0.0, 0.0)),
        Message(Kind.ADD, 2),
    )
    played = play(builds.executable(), text, tmp_path / "log", logging(script))
    assert played.status == 0, played.report
    numbers = JavaRandom(3)
    starts = [numbers.next_int(delay_us) if delay_us else 0 for _ in range(2)]
    up = int(next(line for line in played.log if line.endswith("up")).split("\t")[0])
    assert up == starts[0] // 1000 * 1000
    begin = (up + (numbers.next_int(delay_us) if delay_us else 0)) // 1000 * 1000
    times = [line.split("\t") for line in played.log if "\ttime " in line]
    assert [(int(time) - begin) // 1000 for time, _, _ in times] == [10 * n for n in range(1, len(times) + 1)]
    assert [one[2] for one in times] == [f"time {10 * n}" for n in range(1, len(times) + 1)] and len(
        times
    ) > 90
    sent = range(up + 10_000, 1_000_000 - 640, 10_000)
    chance = 1 - (40 / 50) ** 2 * 0.5
    heard = [at + 640 for at in sent if numbers.next_double() <= chance]
    assert [int(line.split("\t")[0]) for line in played.log if "\theard" in line] == heard
