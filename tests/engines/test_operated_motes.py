# SPDX-License-Identifier: Apache-2.0
"""Motes that a script operates: no input is lost with ticks that are skipped, and what can't be done is
said.
"""

from __future__ import annotations

import random

import pytest
from engine_firmware import JavaRandom, compile_firmware
from engine_harness import SANITIZED, build_kernel
from random_deeds import INPUTS, LOGGING, TELLING, deeds, play, scripted

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
    delay_us = draw.choice([0, 1, 300_000])
    text = scripted(library, places, 3, deeds(number, 6), seed=number, motedelay_us=delay_us)
    found = []
    for options in ((), PLAIN):
        played = play(builds.executable(), text, tmp_path / "log", *options)
        assert played.status == 0, played.report
        found.append(played)
    skipping, every = found
    assert skipping.log == every.log
    assert skipping.report["skipped"] > 50 and every.report["skipped"] == 0
    assert all(any(word in line for line in every.log) for word in ("up", "on at", "in "))


def test_deeds_are_done_cleanly(sanitized, library, tmp_path):
    """In the kernel with sanitizers, which writes the same."""
    text = scripted(library, [(0, 0), (10, 0), (20, 5), (30, 0)], 3, deeds(7, 4), motedelay_us=1000)
    usual = play(builds.executable(), text, tmp_path / "log")
    clean = play(sanitized, text, tmp_path / "clean")
    # The address sanitizer says at once that it doesn't know the script's stack.
    errors = [line for line in clean.errors.splitlines() if "makecontext/swapcontext" not in line]
    assert (errors, clean.status, clean.log) == ([], 0, usual.log)
    said = "\n".join(usual.log)
    assert all(word in said for word in ("named", "button", "pir", "vib", "got", "some text"))


def at_once(*deeds: str) -> str:
    """A script that does this at the first line of all, and logs what it is answered."""
    return "".join(f'log.log("answer " + {deed} + "\\n");\n' for deed in deeds)


def tell(kind: str, mote: int | str = 0, number: int = 0, place=(0, 0, 0)) -> str:
    return f'tell_(kind_.{kind}, {mote}, {number}, {", ".join(map(str, place))}, "")'


def ask(kind: str, mote: int = 0, number: int = 0) -> str:
    return f"ask_(kind_.{kind}, {mote}, {number})"


def answers(played) -> list[str]:
    return [line.removeprefix("answer ") for line in played.log if line.startswith("answer ")]


REFUSED = {
    "a type below the first": (ask("GENERATE_MOTE", number=-1), KERNEL, "the script wants a mote of type -1"),
    "a type behind the last": (ask("GENERATE_MOTE", number=2), KERNEL, "the script wants a mote of type 2"),
    "a mote that is there": (
        tell("ADD", 0),
        DESCRIPTION,
        "the script adds a mote that is there already; remove it first, leave addMote() out, or run the "
        "file with --engine cooja",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_no_script_may_ask(what, library, tmp_path):
    deed, status, said = REFUSED[what]
    text = scripted(library, [(0, 0), (10, 0)], 1, at_once(deed), types=("t", "u"))
    played = play(builds.executable(), text, tmp_path / "log")
    assert (played.status, played.report["message"]) == (status, said)


@pytest.mark.parametrize("mote", ["-1", "2", "NaN", "Infinity"])
def test_a_mote_that_is_not_there_is_an_error_of_the_script(mote, library, tmp_path):
    text = scripted(library, [(0, 0), (10, 0)], 1, at_once(tell("REMOVE", mote)), spare=False)
    played = play(builds.executable(), text, tmp_path / "log")
    assert played.status == 1 and played.report["script"].startswith("RangeError")


def test_a_script_makes_as_many_motes_of_a_type_as_there_is_room_for(library, tmp_path):
    """And knows nothing of one that was only made: it has no id and no place yet."""

    def played(*deeds: str):
        text = scripted(library, [(0, 0), (10, 0)], 1, at_once(*deeds), types=("t", "u"))
        assert b"\nspare 1000\n" in text
        room = text.replace(b"\nspare 1000\n", b"\nspare 2\n")
        return play(builds.executable(), room, tmp_path / "log")

    fill = [ask("GENERATE_MOTE", number=number) for number in (1, 0, 1, 0)]
    full = played(*fill, ask("MOTE", 3), ask("MOTES"), ask("IS_PRESSED", 3))
    assert full.status == 0
    assert answers(full) == ["2", "3", "4", "5", "-1 0 0 0 0", "0 1 1 2", "0"]
    for more, there in ((0, 4), (1, 2)):
        refused = played(*fill, ask("GENERATE_MOTE", number=more))
        assert (refused.status, refused.report["message"]) == (
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


def logging(deeds: str) -> str:
    return f"{LOGGING}{deeds}while(true) {{ YIELD(); {LOGGING} }}"


@pytest.mark.parametrize(("rules", "after_us"), [("5.0", 1000), ("2026.07", 250_000)])
def test_a_click_is_released_later(rules, after_us, firmware, tmp_path):
    library = firmware(INPUTS.replace("ACTIVE", "1") + LEAVING.replace("START", ""))
    seed = 1 if rules == "2026.07" else 2
    text = scripted(library, [(0, 0)], 1, logging(at_once(tell("CLICK"))), spare=False, seed=seed)
    assert f"rules {rules}\n".encode() in text
    played = play(builds.executable(), text, tmp_path / "log")
    times = [int(line.split("\t")[0]) for line in played.log if "\tb 1 " in line]
    assert times == [0, after_us]


@pytest.mark.parametrize("kind", ["PRESS", "RELEASE"])
def test_a_button_pressed_or_released_twice_at_once_ends_the_run(kind, library, tmp_path):
    text = scripted(library, [(0, 0)], 1, at_once(tell(kind), tell(kind)), spare=False)
    played = play(builds.executable(), text, tmp_path / "log")
    assert played.status == CRASH and played.report["reason"] == (
        "the script operates its button again before the last press or release has come, at which Cooja ends"
    )


def test_a_mote_that_was_removed_is_not_pressed_any_more(library, tmp_path):
    """The release of its click doesn't come; and Cooja believes for ever that it will."""
    deeds = [tell("CLICK", 1), tell("REMOVE", 1), tell("ADD", 1)]
    later = f"while(true) {{ YIELD(); if(time > 0) {{ {at_once(ask('IS_PRESSED', 1))} }} }}"
    text = scripted(library, [(0, 0), (300, 0)], 1, at_once(*deeds) + later, spare=False)
    played = play(builds.executable(), text, tmp_path / "log")
    pressed = answers(played)[len(deeds) :]
    assert played.status == 0 and len(pressed) > 5 and set(pressed) == {"0"}
    again = scripted(library, [(0, 0), (300, 0)], 1, at_once(*deeds, tell("RELEASE", 1)), spare=False)
    assert play(builds.executable(), again, tmp_path / "log").status == CRASH


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
    script = logging(
        at_once(
            ask("GENERATE_MOTE"),
            tell("SET_ID", 2, 9),
            tell("MOVE", 2, place=(900.0, 0.0, 0.0)),
            tell("ADD", 2),
        )
    )
    text = scripted(
        firmware(COUNTING),
        [(0, 0), (40, 0)],
        1,
        script,
        motedelay_us=delay_us,
        medium=lossy,
        interfaces=interfaces,
    )
    played = play(builds.executable(), text, tmp_path / "log")
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
