# SPDX-License-Identifier: Apache-2.0
"""Motes' serial lines at sockets: bytes go both ways, and what came in is replayed to the same log."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from engine_firmware import simulation
from serial_sessions import ECHO, ENDS_AFTER_A_BEAT, PATIENCE_S, PRINTS, TALK, Session, exactly, served

from orchestrator.csc import javascript
from orchestrator.csc.serial_socket import SerialSocket
from orchestrator.engines.embedded import input_record
from orchestrator.engines.model import Job, Outside
from orchestrator.engines.protocol import run_one
from orchestrator.errors import FaultyInput, MissingTool, NoSuchThing, WrongUsage
from orchestrator.runs.model import Outcome

FILE = Path("net.csc")


@pytest.fixture
def job(firmware, tmp_path):
    def job(simulated, body: str = ECHO, folder: str = "live", **outside) -> Job:
        (tmp_path / folder).mkdir(exist_ok=True)
        options = Outside(**({"speed": 1.0, "file": FILE} | outside))
        return Job(simulated, 1, {"t": firmware(body)}, tmp_path / folder / "COOJA.testlog", outside=options)

    return job


def replayed(engine, job, simulated, body: str = ECHO) -> bytes:
    """The log of a run that is given the record of the live one."""
    again = job(simulated, body, "again", speed=None, replay=Path("record"))
    record = again.log.parent.parent / "live" / input_record.NAME
    run_one(engine, replace(again, outside=replace(again.outside, replay=record)))
    return again.log.read_bytes()


def test_bytes_go_both_ways_over_one_connection_after_the_other(embedded, job):
    every = bytes(range(256))
    session = Session(embedded, job(served()))
    for _ in range(3):
        with session.connect() as client:
            client.sendall(every)
            assert exactly(client, 256) == every
        session.hear("closed")
    with session.connect() as client:
        session.hear("connected")
        with socket.create_connection(("127.0.0.1", session.port), PATIENCE_S) as second:
            assert second.recv(1) == b"", "a second client is turned away while there is one, as in Cooja"
        client.sendall(b"quit")
        assert session.end().outcome is Outcome.OK
    log = session.job.log.read_bytes()
    assert b"1 got 772 " in log
    assert replayed(embedded, job, served()) == log


def test_a_flood_reaches_the_mote_whole_and_overwrites_nothing(embedded, job):
    """Its buffer has 2,048 bytes; Cooja writes over what lies behind."""
    data = bytes(number * 7 % 251 for number in range(200_000))
    session = Session(embedded, job(served()))
    with session.connect() as client:
        threading.Thread(target=client.sendall, args=(data,), daemon=True).start()
        assert exactly(client, len(data)) == data
        client.sendall(b"quit")
        assert session.end().outcome is Outcome.OK
    log = session.job.log.read_bytes()
    assert f"got {len(data) + 4} ".encode() in log
    assert replayed(embedded, job, served()) == log


def test_a_client_that_breaks_off_in_the_middle_harms_nothing(embedded, job):
    session = Session(embedded, job(served()))
    with session.connect() as client:
        client.sendall(b"half a fra")
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset, no close
    session.hear("closed")
    with session.connect() as client:
        client.sendall(b"quit")
        assert session.end().outcome is Outcome.OK
    assert b"bye" in session.job.log.read_bytes()


def test_a_client_that_never_reads_is_cut_off_and_the_log_is_whole(embedded, job):
    session = Session(embedded, job(served(1), PRINTS, patience_s=0.05))
    with session.connect() as client:
        client.sendall(b"go")
        assert "does not read" in session.hear("closed")
        assert session.end().outcome is Outcome.OK
    lines = session.job.log.read_text().splitlines()
    assert sum(line.endswith("x" * 14_000) for line in lines) == 2000


@pytest.mark.parametrize("speed", [50.0, 0.5])
def test_a_paced_run_has_the_log_of_one_at_full_speed(embedded, job, speed):
    simulated = replace(simulation([(0, 0), (10, 0), (20, 0)], 0.1 * speed), speed_limit=1.0)
    usual = job(simulated, TALK, "usual", speed=None)
    paced = job(simulated, TALK, speed=speed)
    assert run_one(embedded, usual).pace is None
    result = run_one(embedded, paced)
    assert result.wall_s >= 0.1
    assert result.pace.speed == speed and result.pace.late_p50_us <= result.pace.latest_us
    assert paced.log.read_bytes() == usual.log.read_bytes()
    assert paced.log.read_text().count("from") > 3


def test_the_file_s_own_limit_counts_where_it_opens_sockets_or_is_asked_for(embedded, job):
    def pace(simulated, **options):
        return run_one(embedded, job(replace(simulated, speed_limit=20.0), TALK, **options)).pace

    short = simulation([(0, 0)], 1)
    assert pace(short, speed=None) is None
    assert pace(short, speed="file").speed == 20
    assert pace(replace(short, serial_sockets=(SerialSocket(7, 0, 0),)), speed=None).speed == 20
    assert pace(replace(short, serial_sockets=(SerialSocket(7, 0, 0),)), speed=None, sockets=False) is None


def test_a_script_s_limit_counts_where_the_file_s_does(embedded, job):
    code = (
        "TIMEOUT(9000); sim.setSpeedLimit(25.0); log.log(time + '\\n'); WAIT_UNTIL(time > 2000000);\n"
        "sim.setSpeedLimit(null); log.log(time + ' ' + msg + '\\n'); log.testOK();"
    )
    script, missing = javascript.read([javascript.Part(code, "s.js", 1)])
    assert not missing
    simulated = replace(simulation([(0, 0), (10, 0)], 1), script=script)
    logs = set()
    for speed, pace in (("file", 25), (50.0, 50), (None, None)):
        made = job(simulated, TALK, f"at-{speed}", speed=speed)
        result = run_one(embedded, made)
        assert result.outcome is Outcome.OK
        assert (result.pace and result.pace.speed) == pace
        logs.add(made.log.read_bytes())
    assert len(logs) == 1


def test_a_client_plugin_connects_and_without_a_server_the_run_goes_on(embedded, job):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE_S)
        port = server.getsockname()[1]
        session = Session(embedded, job(served(2, SerialSocket(7, 1, port, "127.0.0.1"))))
        with server.accept()[0] as mote:
            mote.sendall(b"hello")
            assert exactly(mote, 5) == b"hello"
            mote.sendall(b"quit")
            assert session.end().outcome is Outcome.OK
    assert b"ID:2\t2 got 9 " in session.job.log.read_bytes()
    nobody = replace(simulation([(0, 0)], 0.1), serial_sockets=(SerialSocket(9, 0, port, "127.0.0.1"),))
    alone = Session(embedded, job(nobody, TALK))
    assert alone.end().outcome is Outcome.OK
    assert any(f"net.csc:9: nobody answers at 127.0.0.1:{port}" in line for line in alone.told)


def test_a_port_in_use_is_named_with_the_plugin_s_line(embedded, job):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        made = job(served(2, SerialSocket(31, 0, port)))
        with pytest.raises(MissingTool, match=f"net.csc:31: port {port} is in use"):
            run_one(embedded, made)
        assert not made.log.exists()


def test_commands_end_the_run_as_in_cooja(embedded, job, tmp_path):
    """They run one after the other beside the .csc; their end is no verdict of the script's."""

    def run(*commands: str, folder: str, **options):
        plugin = SerialSocket(7, 0, 0, "", commands)
        made = job(
            served(2, plugin, success=None, at_once=False), TALK, folder, file=tmp_path / "net.csc", **options
        )
        return run_one(embedded, made), made.log

    good, log = run(  # the first leaves a program running, for the second
        "mkfifo pipe; (read line < pipe; echo $line > two) &", "echo two > pipe; sleep 0.2", folder="good"
    )
    assert good.outcome is Outcome.OK and 0 < good.sim_us < 600e6
    assert (tmp_path / "two").read_text() == "two\n"
    last = log.read_text().splitlines()[-2:]
    assert "from" in last[0] and last[1] == f"Test ended at simulation time: {good.sim_us}"

    bad, log = run("echo why; exit 3", "touch never", folder="bad")
    assert bad.outcome is Outcome.FAILED
    assert "exit code 3: echo why" in bad.evidence[0] and "why" in bad.evidence[1]
    assert (log.parent / "commands.log").read_text() == "why\n"
    assert not (tmp_path / "never").exists()

    with pytest.raises(NoSuchThing, match=r"net.csc:7.*--contiki"):
        run("[CONTIKI_DIR]/x", folder="unknown")


def test_what_commands_leave_running_ends_with_the_simulation(embedded, job, tmp_path):
    plugin = SerialSocket(7, 0, 0, "", ("sleep 1000 & echo $! > child; sleep 1000",))
    short = replace(simulation([(0, 0)], 0.5), serial_sockets=(plugin,))
    result = run_one(embedded, job(short, TALK, file=tmp_path / "net.csc"))
    assert result.outcome is Outcome.OK, "the script's time was over first"
    number = int((tmp_path / "child").read_text())
    for _ in range(600):
        status = Path(f"/proc/{number}/stat")
        if not status.exists() or status.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.1)
    raise AssertionError("it still runs")


def test_without_its_commands_a_file_only_opens_its_sockets(embedded, job, tmp_path):
    plugin = SerialSocket(7, 0, 0, "", ("touch never",))
    simulated = replace(served(), serial_sockets=(plugin,))
    session = Session(embedded, job(simulated, file=tmp_path / "net.csc", commands=False))
    with session.connect() as client:
        client.sendall(b"quit")
        assert session.end().outcome is Outcome.OK
    assert not (tmp_path / "never").exists()


def test_a_replayed_end_from_outside_has_the_same_log_and_verdict(embedded, job, tmp_path):
    plugin = SerialSocket(7, 0, 0, "", ("sleep 0.3; exit 1",))
    simulated = served(2, plugin, success=None, at_once=False)
    live = job(simulated, TALK, file=tmp_path / "net.csc")
    first = run_one(embedded, live)
    again = job(simulated, TALK, "again", speed=None, replay=live.log.with_name(input_record.NAME))
    second = run_one(embedded, again)
    assert again.log.read_bytes() == live.log.read_bytes()
    assert (second.outcome, second.sim_us) == (first.outcome, first.sim_us)
    assert first.outcome is Outcome.FAILED


@pytest.fixture
def record(embedded, job) -> Path:
    """Of a short session with some input."""
    session = Session(embedded, job(served()))
    with session.connect() as client:
        client.sendall(b"one")
        exactly(client, 3)
        client.sendall(b"quit")
        session.end()
    return session.job.log.with_name(input_record.NAME)


def test_a_record_of_another_simulation_seed_or_rules_is_refused(embedded, job, record):
    moved = replace(served(), motes=tuple(replace(mote, x=mote.x + 1) for mote in served().motes))
    with pytest.raises(FaultyInput, match="another simulation"):
        run_one(embedded, job(moved, replay=record))
    with pytest.raises(WrongUsage, match="--seed 2"):
        run_one(embedded, replace(job(served(), replay=record), seed=2))
    with pytest.raises(WrongUsage, match=r"--rules 5\.0"):
        run_one(embedded, replace(job(served(), replay=record), ruleset="2026.07"))
    with pytest.raises(NoSuchThing):
        run_one(embedded, job(served(), replay=record.with_name("none")))
    record.write_text(record.read_text().replace('"mote":0', '"mote":2'))
    with pytest.raises(FaultyInput, match="place 2"):
        run_one(embedded, job(served(), replay=record))


def test_every_fault_of_a_record_is_named_with_its_line(record):
    first, *rest = record.read_text().splitlines()
    bad = [
        '{"us":5,"mote":-1,"hex":"00"}',
        '{"us":6,"mote":0,"hex":"0"}',
        "[]",
        '{"us":4,"mote":0,"hex":"00"}',
    ]
    record.write_text("\n".join([first, *bad, *rest, rest[-1], ""]))
    with pytest.raises(FaultyInput) as raised:
        input_record.read(record)
    assert [fault.line for fault in raised.value.faults] == [2, 3, 4, 5, 5 + len(rest) + 1]
    record.write_text("TEST OK\n")
    with pytest.raises(FaultyInput, match="not a line of a record"):
        input_record.read(record)


def test_the_record_of_a_session_that_was_killed_is_used_as_far_as_it_goes(embedded, job, record):
    whole = record.read_bytes()
    lines = whole.splitlines(keepends=True)
    inputs = [line for line in lines[1:] if b"hex" in line]
    assert bytes.fromhex("".join(json.loads(line)["hex"] for line in inputs)) == b"onequit"
    record.write_bytes(b"".join([lines[0], *inputs]) + b'{"us":99')
    session = Session(embedded, job(served(), ECHO, "again", speed=None, replay=record))
    assert session.end().outcome is Outcome.OK
    assert any("cut off" in line for line in session.told)


def test_input_that_comes_with_the_last_event_leaves_a_record_that_can_be_replayed(embedded, job):
    """It would take effect a microsecond after the end."""
    simulated = served(1)
    session = Session(embedded, job(simulated, ENDS_AFTER_A_BEAT))
    with session.connect() as client, contextlib.suppress(OSError):
        client.sendall(bytes(1 << 20))  # some for each beat
    end_us = session.end().sim_us
    live = session.job.log
    assert input_record.read(live.with_name(input_record.NAME)).inputs[-1][0] == end_us + 1
    assert replayed(embedded, job, simulated, ENDS_AFTER_A_BEAT) == live.read_bytes()


def test_input_that_comes_when_commands_have_ended_leaves_a_record_that_can_be_replayed(
    embedded, job, tmp_path
):
    """There are 100 ms of real time from one beat to the next, in which both happen."""
    plugin = SerialSocket(7, 0, 0, "", ("sleep 0.25",))
    simulated = served(1, plugin, success=None, at_once=False)
    session = Session(embedded, job(simulated, TALK, file=tmp_path / "net.csc", speed=1e-5))
    with session.connect() as client, contextlib.suppress(OSError):
        while not session.ended:
            client.sendall(b"x")
            time.sleep(0.001)
    assert session.end().outcome is Outcome.OK
    live = session.job.log
    assert input_record.read(live.with_name(input_record.NAME)).stop is not None
    assert replayed(embedded, job, simulated, TALK) == live.read_bytes()


def test_runs_with_one_port_wait_for_each_other_and_a_stop_ends_them_all(embedded, job):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    plugin = SerialSocket(7, 0, port)
    first = Session(embedded, job(served(2, plugin), folder="first"))
    first.hear("is the serial line")
    second = Session(embedded, job(served(2, plugin), folder="second"))
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as client:
        client.sendall(b"quit")
        assert first.end().outcome is Outcome.OK
    second.hear("is the serial line")
    third = Session(embedded, job(served(2, plugin), folder="third"))
    time.sleep(0.2)  # it is most likely to wait by then
    embedded.stop()
    assert third.end().outcome is second.end().outcome is Outcome.LOST
    assert not third.job.log.exists()
