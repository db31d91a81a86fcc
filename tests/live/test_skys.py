# SPDX-License-Identifier: Apache-2.0
"""A Python program drives emulated Tmote Skys: with the log of real Cooja, and exact at any time."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator import live
from orchestrator.csc.model import Udgm
from orchestrator.csc.read import read
from orchestrator.csc.serial_socket import SerialSocket
from orchestrator.engines.embedded import input_record
from orchestrator.engines.model import Job, Outside
from orchestrator.engines.protocol import engine, run_one
from orchestrator.errors import NoSuchThing, Unsupported, WrongUsage
from orchestrator.live import Live, LiveMote, Stage
from tests import needs
from tests.programs_for_sky import changed_probe

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "engines"))
from engine_firmware import compile_firmware
from serial_sessions import TALK, Session

needs.a_compiler()

FOLDER = Path(__file__).parents[1] / "golden" / "sky"
QUIET = FOLDER / "constant-loss" / "simulation.csc"  # its script only logs
OPERATED = FOLDER / "operated" / "simulation.csc"
HEADER, END = 1, 2  # lines of a log that no mote has printed


def golden(case: Path, rules: str) -> list[str]:
    own = case.with_name(f"COOJA-{rules}.testlog")
    return (own if own.exists() else case.with_name("COOJA.testlog")).read_text().splitlines()


@pytest.mark.parametrize("rules", ["5.0", "2026.07"])
def test_the_log_is_that_of_cooja_with_the_script(rules):
    """The program acts at lines, in the middle of a microsecond in which others have to run yet."""
    sent, ids = 0, {}
    with live.open(OPERATED, rules=rules) as simulation:
        simulation.log_lines(False)
        while (output := simulation.next_line("20 s")) is not None:
            mote = output.mote
            name = ids.get(mote, mote)
            simulation.log_text(f"{output.time_us}\tID:{name}\t".encode() + output.text + b"\n")
            if not output.text.startswith(b"sends"):
                continue
            sent += 1
            if sent % 7 == 1:
                simulation.write(mote, f"round {sent}\n")
            if sent % 9 in (2, 5, 8):
                {2: simulation.click, 5: simulation.press, 8: simulation.release}[sent % 9](mote)
            if sent == 20:
                simulation.move(mote, 45, 20, 0)
            if sent == 60:
                simulation.take_out(2)
            if sent == 70:
                simulation.set_id(3, 13)
                ids[3] = 13
        simulation.end()
        assert simulation.read_log().splitlines() == golden(OPERATED, rules)


@pytest.mark.parametrize("step", ["1 ms", "777 us", "3 s"])
def test_the_steps_in_which_a_time_is_reached_change_nothing(step):
    expected = golden(QUIET, "5.0")[:-END]
    with live.open(QUIET, rules="5.0") as simulation:
        while simulation.now_us < 3_000_000:
            simulation.step(by=step)
            simulation.read_variable(1, "ticks", "H")
        found = simulation.read_log().splitlines()
    assert len(found) > 50
    assert found == expected[: len(found)]


def test_a_branch_does_what_the_original_does():
    with live.open(QUIET) as simulation:
        simulation.step("2.345678 s")
        for mote in (1, 2):
            simulation.write(mote, "under way\n")  # a byte each 69 us
        simulation.step(by="500 us")
        with simulation.fork() as same, simulation.fork(seed=7) as other:
            for one in (simulation, same, other):
                one.press(3)
                one.step("3 s")
                one.switch_off(4)
                one.step("4 s")
                one.switch_on(4)
                one.step("6 s")
            log = simulation.read_log()
            assert same.read_log() == log
            assert other.read_log() != log
        assert [one for one in log.splitlines() if 'line "under way"' in one]


def test_what_is_there_can_be_asked_for_and_changed():
    with live.open(QUIET) as simulation:
        simulation.listen_to_frames()
        simulation.step("2 s")
        assert simulation.variables(1)["ticks"] == 2
        before = simulation.read_variable(1, "frames", "H")
        simulation.write_variable(1, "frames", before + 100, "H")
        assert simulation.read_variable(1, "frames", "H") == before + 100
        with pytest.raises(NoSuchThing):
            simulation.read_variable(1, "simButtonIsDown")
        with pytest.raises(WrongUsage):
            simulation.read_variable(1, "ticks", "I")
        assert {one.radio for one in simulation.snapshot()} <= {
            "off",
            "listening",
            "receiving",
            "transmitting",
        }
        assert {one.channel for one in simulation.snapshot()} == {26}
        with pytest.raises(Unsupported, match="vibrate"):
            simulation.vibrate(1)
        simulation.take_out(2)
        with pytest.raises(Unsupported, match="switch_on"):
            simulation.put_back(2)
        frames = simulation.take_frames()
        log = simulation.read_log()
    assert len(frames) > 10
    for frame in frames:  # the probe says so when it has begun, or before
        assert len(frame.content) > 2 and f"ID:{frame.mote}\tsends" in log
    assert sorted(frames, key=lambda one: one.time_us + 32 * len(one.content)) == frames


def test_motes_are_added():
    with live.open(QUIET) as simulation:
        simulation.step("1 s")
        with pytest.raises(Unsupported, match="EEPROM"):
            simulation.add(LiveMote(FOLDER / "probe.sky", 41, image=b"x"))
        simulation.add(LiveMote(FOLDER / "probe.sky", 42, 10, 10))
        simulation.add(LiveMote(FOLDER / "probe.sky", 43, 10, 12, deviation=0.5))
        simulation.listen(42), simulation.listen(43)
        printed = simulation.step("4 s")
    first = {mote: next(one.time_us for one in printed if one.mote == mote) for mote in (42, 43)}
    assert 1_000_000 <= first[42] < first[43] < 1_100_000
    assert any(one.mote == 42 and one.text.startswith(b"has") for one in printed)


def test_what_comes_through_a_socket_is_what_a_program_writes_at_the_same_times(tmp_path):
    """And so is a replay; the socket gets all that the mote prints."""
    simulated = replace(read(QUIET), serial_sockets=(SerialSocket(7, 1, 0),), speed_limit=4.0)
    embedded = engine("embedded")
    logs = {}
    for name in ("session", "replay"):
        (tmp_path / name).mkdir()
        given = {"speed": 4.0} if name == "session" else {"replay": tmp_path / "session" / input_record.NAME}
        job = Job(
            *(simulated, simulated.seed, {"mtype1": FOLDER / "probe.sky"}, tmp_path / name / "COOJA.testlog"),
            outside=Outside(file=QUIET, **given),
        )
        if name == "session":
            session, received = Session(embedded, job), b""
            with session.connect() as client:
                to_say = [(b"sends", b"hello\n"), (b'line "hello"', b"again\n")]
                while part := client.recv(4096):
                    received += part
                    if to_say and to_say[0][0] in received:
                        client.sendall(to_say.pop(0)[1])
            session.end()
        else:
            run_one(embedded, job)
        logs[name] = job.log.read_text().splitlines()
    assert logs["session"] == logs["replay"]
    assert [one for one in logs["replay"] if 'ID:2\tline "again"' in one]
    mine = [one.split("\t")[2] for one in logs["replay"][HEADER:-END] if one.split("\t")[1] == "ID:2"]
    text = received.decode("latin-1").replace("\r", "")
    assert all(line in text for line in mine if line.isascii() and not line.startswith(("DEBUG", "probe")))
    record = (tmp_path / "session" / input_record.NAME).read_text().splitlines()
    with live.open(QUIET) as program:
        for line in map(json.loads, record):
            if "hex" in line:
                program.step(line["us"])
                program.write(2, bytes.fromhex(line["hex"]))
        program.step(int(logs["replay"][-1].split()[-1]))
        assert program.read_log().splitlines() == logs["replay"][:-END]


@pytest.mark.parametrize("step", ["2 s", "777 us"])
def test_skys_come_to_cooja_motes_in_the_middle_of_their_frames(step, tmp_path):
    library = compile_firmware(tmp_path, "talk", TALK)
    motes = [LiveMote(library, number, 10 * number) for number in (1, 2, 3)]
    logs = []
    for length in ("2 s", step):
        with Live(Stage(Udgm(50, 100, 1, 1), 1, None, 1000), motes) as simulation:
            simulation.listen_to_frames()
            while not simulation.take_frames():
                simulation.step(by="100 us")
            simulation.add(LiveMote(FOLDER / "probe.sky", 9, 15, 5))
            while simulation.now_us < 4_000_000:
                simulation.step(by=length)
            simulation.step("6 s")
            logs.append([one.split("\t")[1:] for one in simulation.read_log().splitlines()[1:]])
    assert logs[0] == logs[1]
    assert [text for mote, text in logs[0] if mote == "ID:9" and text.startswith("has ")]
    begins = {f"from {0x41}", f"from {0x61}"}  # the first byte of the probe's frames
    assert begins & {text for _, text in logs[0]}


def test_what_a_new_sky_hears_of_frames_that_overlap(tmp_path):
    """It comes in the middle of the first, which ends before the others."""
    library = compile_firmware(tmp_path, "talk", TALK)
    motes = [LiveMote(library, number, 10 * number, bit_rate=50.0) for number in (1, 2, 3)]  # 3.5 ms a frame
    heard = {}
    with Live(Stage(Udgm(50, 100, 1, 1), 1, None), motes) as simulation:
        simulation.step("1.5 ms")
        simulation.add(LiveMote(FOLDER / "probe.sky", 9, 15, 5))
        simulation.step("3 ms")  # it hears nothing before the medium's next event, when the second begins
        while simulation.now_us < 10_000:
            simulation.step(by="500 us")
            states = {one.mote: one for one in simulation.snapshot()}
            sending = any(states[mote].radio == "transmitting" for mote in (1, 2, 3))
            heard.setdefault(sending, set()).add(states[9].signal_dbm > -95)
    assert heard == {True: {True}, False: {False}}


@pytest.fixture
def obedient(tmp_path) -> Path:
    """A .csc whose motes use their red LED alone after the line "red", and crash at "!"."""
    marked = "line[line_length] = 0;"
    obeys = """if(line[0] == 'r') { P5DIR &= ~0x60; }
               if(line[0] == '!') { *(volatile int *)0x0c00; }"""
    changed_probe(marked, f"{marked} {obeys}", tmp_path)
    file = tmp_path / "a.csc"
    file.write_text(QUIET.read_text().replace("[CONFIG_DIR]/../probe.sky", "[CONFIG_DIR]/a.sky"))
    return file


def test_leds_are_those_that_the_firmware_lit(obedient):
    with live.open(obedient) as simulation:
        simulation.step("2 s")
        simulation.write(2, "red\n")
        simulation.step("3 s")
        seen = {1: set(), 2: set()}
        for _ in range(200):
            simulation.step(by="10 ms")
            for mote, states in seen.items():
                states.add(simulation.leds(mote))
    assert seen[2] == {frozenset(), frozenset({"red"})}
    assert {"red", "green", "blue"} == frozenset().union(*seen[1])


def test_a_mote_that_crashes_falls_alone(obedient):
    """Also while others have to run in the same microsecond."""
    with live.open(obedient, contain=True) as simulation:
        simulation.step("2 s")
        simulation.write(3, "!\n")
        simulation.write(4, "well\n")
        simulation.step("3 s")
        assert "no memory" in " ".join(simulation.fallen[3])
        assert simulation.motes == {1, 2, 4, 5}
        assert 'line "well"' in simulation.read_log()
        simulation.switch_on(3)
        simulation.listen(3)
        assert simulation.step("4 s")
