# SPDX-License-Identifier: Apache-2.0
"""The daemon and its client, over a process's pipes and pseudo-terminals."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from orchestrate_testbed.client import Daemon, Lost, Refused, Unreliable
from orchestrate_testbed.gateway import protocol

from tests.features.testbed.daemons import Gateway, fetched
from tests.waiting import wait_until

HOSTILE = ["[[1, 1e999]]", "[" * 1900, "[[1, " + "9" * 1800 + "]]", '"ab"', "[[1]]"]


def state(daemon, run="r", mote="M1"):
    return daemon.status(run)["motes"][mote]["port"]


def test_hello_says_who_answers(gateway, pyz):
    found = gateway.bridge().hello()
    assert found["protocol"] == protocol.VERSION
    assert found["daemon"] == hashlib.sha256(pyz.read_bytes()).hexdigest()
    assert found["pid"] == gateway.pid


def test_a_mote_is_logged_as_it_spoke(gateway, plugged):
    daemon, mote = gateway.ask(), plugged("M1")
    daemon.open("r", "M1", str(mote.link), 115200)
    mote.say(b"one\ntwo\xff\x00\n")
    wait_until(lambda: state(daemon)["lines"] == 2)
    log = fetched(daemon, "r", "M1")
    assert log.startswith(b"!") and b'"event":"open"' in log.split(b"\n")[0]
    record = log.split(b"\n", 1)[1]
    header, rest = record.split(b"\n", 1)
    mono, wall, length = header[1:].split()
    assert rest.startswith(b"one\ntwo\xff\x00\n"[: int(length)])
    assert daemon.segments("r") == [("M1", 1, len(log))]
    assert daemon.digest("r", "M1", 1, len(log)) == hashlib.sha256(log).hexdigest()
    assert abs(int(wall) - daemon.clock().wall_us) < 1800e6 and int(mono) > 0


def test_a_mote_gets_what_is_written_and_the_log_has_it(gateway, plugged):
    daemon, mote = gateway.ask(), plugged("M1")
    daemon.open("r", "M1", str(mote.link), 115200)
    daemon.write("r", "M1", b"-3-10-temp-\n")
    assert os.read(mote.master, 100) == b"-3-10-temp-\n"
    assert base64.b64encode(b"-3-10-temp-\n") in fetched(daemon, "r", "M1")


def test_opening_again_changes_nothing_and_another_reader_is_refused(gateway, plugged):
    daemon, mote = gateway.ask(), plugged("M1")
    daemon.open("r", "M1", str(mote.link), 115200)
    daemon.open("r", "M1", str(mote.link), 115200)
    with pytest.raises(Refused, match="logged already, as M1 of run r") as caught:
        daemon.open("other", "M7", str(mote.link), 115200)
    assert caught.value.kind == "port-held"
    with pytest.raises(Refused, match="is logged already"):
        daemon.open("r", "M1", str(mote.link), 57600)
    assert daemon.segments("r")[0][1] == 1 and len(daemon.segments("r")) == 1


def test_who_holds_a_port_is_named(gateway, plugged):
    daemon, mote = gateway.ask(), plugged("M1")
    script = (
        f"import time; f = open({str(mote.link)!r}, 'rb', buffering=0); print('open', flush=True); f.read()"
    )
    other = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    try:
        other.stdout.readline()
        with pytest.raises(Refused, match=rf"in use by process {other.pid} \(") as caught:
            daemon.open("r", "M1", str(mote.link), 115200)
    finally:
        other.kill()
        other.wait()
        other.stdout.close()
    assert caught.value.kind == "port-held"
    assert daemon.segments("r") == []
    daemon.open("r", "M1", str(mote.link), 115200)


def test_two_daemons_never_share_a_port(gateway, plugged, tmp_path, pyz):
    mote = plugged("M1")
    gateway.ask().open("r", "M1", str(mote.link), 115200)
    second = Gateway(tmp_path / "second", pyz)
    second.start()
    try:
        with pytest.raises(Refused, match=f"process {gateway.pid}"):
            second.ask().open("r", "M1", str(mote.link), 115200)
    finally:
        second.end()


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ({"run": "../up"}, "malformed"),
        ({"mote": ".hidden"}, "malformed"),
        ({"mote": "a" * 65}, "malformed"),
        ({"device": "/dev/tty\x1b[2J"}, "malformed"),
        ({"device": "/nowhere"}, "no-device"),
        ({"device": "/dev/null"}, "no-device"),
        ({"baud": 12345}, "baud"),
        ({"baud": True}, "malformed"),
    ],
)
def test_what_cannot_be_opened_is_refused_and_leaves_no_log(gateway, plugged, asked, kind):
    daemon = gateway.ask()
    with pytest.raises(Refused) as caught:
        daemon.ask(
            "open", **{"run": "r", "mote": "M1", "device": str(plugged("M1").link), "baud": 9600, **asked}
        )
    assert caught.value.kind == kind
    assert not list(gateway.root.glob("runs/*")), "nor a run"


def test_requests_that_are_none_get_an_answer_and_the_daemon_lives(gateway):
    daemon = gateway.ask()
    for request in ("nothing", "fetch", "digest", "write", "flash", "forward", "status"):
        with pytest.raises(Refused):
            daemon.ask(request, run=3)
    with pytest.raises(Refused, match="not a JSON object"):
        daemon._writer.write(b"{]\n")
        daemon._numbers = iter([None])
        daemon._writer.flush()
        daemon._answer(None, daemon._reader.readline())
    assert gateway.ask().hello()["pid"] == gateway.pid


def test_starting_again_finds_the_daemon_that_runs(gateway):
    pid = gateway.pid
    assert '"started": false' in gateway.start().stdout
    assert gateway.pid == pid


def test_stop_leaves_the_logs_and_remove_leaves_nothing(own, plugged):
    daemon, mote = own.ask(), plugged("M1")
    daemon.open("r", "M1", str(mote.link), 115200)
    pid = own.pid
    own.stop()
    assert not os.path.exists(f"/proc/{pid}/exe")
    assert (own.root / "runs" / "r" / "M1.1.log").exists()
    own.stop("--remove")
    assert not own.root.exists()
    own.stop("--remove")


def test_it_may_be_started_by_a_path_from_where_one_stands(tmp_path, pyz):
    def call(*words):
        return subprocess.run(
            [sys.executable, pyz.name, *words], cwd=pyz.parent, capture_output=True, check=True
        )

    root = tmp_path / "root"
    call("start", str(root))
    found = Gateway(root, pyz)
    assert found.ask().hello()["daemon"] == hashlib.sha256(pyz.read_bytes()).hexdigest()
    found.hang_up()
    call("stop", "--remove", str(root))


def test_a_folder_that_others_may_enter_is_refused(tmp_path, pyz):
    (tmp_path / "open").mkdir(mode=0o755)
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("open", "link"):
        done = subprocess.run(
            [sys.executable, str(pyz), "start", str(tmp_path / name)], capture_output=True, text=True
        )
        assert done.returncode == 1 and "chmod 700" in done.stderr and "Traceback" not in done.stderr


def test_one_run_is_removed_and_the_other_stays(gateway, plugged):
    daemon = gateway.ask()
    daemon.open("old", "M1", str(plugged("M1").link), 115200)
    daemon.open("new", "M2", str(plugged("M2").link), 115200)
    daemon.remove("old")
    assert daemon.status()["runs"] == ["new"]
    assert not (gateway.root / "runs" / "old").exists()


def answering(*answers: dict) -> Daemon:
    lines = b"".join(protocol.line({"id": number + 1, **each}) for number, each in enumerate(answers))
    return Daemon(io.BytesIO(lines), io.BytesIO(), "G9")


def test_a_gateway_that_lies_about_checksums_is_named():
    data = {"data": protocol.packed(b"abc"), "sha256": hashlib.sha256(b"abd").hexdigest()}
    with pytest.raises(Unreliable, match="G9: the checksum of M1's log") as caught:
        answering({"answer": data}).fetch("r", "M1", 1, 0)
    assert caught.value.kind == "checksum"


@pytest.mark.parametrize(
    "answer",
    [
        {"answer": {"data": "?", "sha256": hashlib.sha256(b"").hexdigest()}},
        {"answer": {"data": 3, "sha256": ""}},
        {"answer": {"data": protocol.packed(b"abc"), "sha256": hashlib.sha256(b"abc").hexdigest()}},
        {"answer": 3},
        {},
    ],
)
def test_answers_that_cannot_be_are_refused(answer):
    with pytest.raises(Unreliable):
        answering(answer).fetch("r", "M1", 1, 0, length=2)


@pytest.mark.parametrize("segments", HOSTILE)
def test_no_record_of_a_gateway_is_more_than_an_error_at_that_gateway(segments):
    line = '{"id": 1, "answer": {"motes": {"M1": {"segments": ' + segments + "}}}}\n"
    try:
        found = Daemon(io.BytesIO(line.encode()), io.BytesIO(), "G9").segments("r")
    except Unreliable as error:
        assert error.gateway == "G9"
    else:
        assert found == []


@pytest.mark.parametrize("said", [b"", b'{"id": 1, '])
def test_an_answer_that_does_not_end_in_its_time_ends_the_connection(said):
    ours, theirs = socket.socketpair()
    ended = threading.Event()

    def trickle() -> None:
        while said and not ended.wait(0.02):
            with suppress(OSError):
                theirs.send(b" ")

    thread = threading.Thread(target=trickle)
    with ours, theirs, ours.makefile("rb") as reader, ours.makefile("wb") as writer:
        theirs.sendall(said)
        thread.start()
        try:
            daemon = Daemon(reader, writer, "G9", lambda: ours.shutdown(socket.SHUT_RDWR))
            with pytest.raises(Lost, match="G9: .*no whole answer") as caught:
                daemon.ask("hello", 0.2)
            assert caught.value.kind == "late"
        finally:
            ended.set()
            thread.join()


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "", ".x", "a\x1b"])
def test_names_of_a_gateway_never_become_paths(name):
    with pytest.raises(Unreliable):
        answering({"answer": {"motes": {name: {"segments": [[1, 5]]}}}}).segments("r")


def test_text_of_a_gateway_is_shown_without_its_escapes():
    error = {"error": {"kind": "a b\x1b", "text": "\x1b]0;owned\x07\u202e" + "x" * 9000}}
    with pytest.raises(Refused) as caught:
        answering(error).hello()
    assert str(caught.value).isprintable() and len(str(caught.value)) < 3000
    assert caught.value.kind == "unknown"


def test_a_clock_that_cannot_be_is_refused():
    answer = {"received_us": 10, "sent_us": 10**15, "wall_us": 1, "boot": ""}
    with pytest.raises(Unreliable, match="clock"):
        answering({"answer": answer}).clock()


def test_a_connection_that_ends_is_lost():
    with pytest.raises(Lost):
        answering().hello()
    with pytest.raises(Unreliable, match="longer"):
        Daemon(io.BytesIO(b"x" * (protocol.LONGEST_LINE + 5)), io.BytesIO()).hello()
    with pytest.raises(Refused, match="version 99"):
        answering({"answer": {"protocol": 99}}).hello()


def test_a_late_answer_to_a_request_that_was_given_up_is_passed_over():
    late, wanted = {"answer": {"protocol": 99}}, {"answer": {"protocol": protocol.VERSION}}
    lines = protocol.line({"id": 7, **late}) + protocol.line({"id": 1, **wanted})
    assert Daemon(io.BytesIO(lines), io.BytesIO()).hello() == {"protocol": protocol.VERSION}


def test_the_zipapp_may_be_named_by_a_relative_path(tmp_path, pyz):
    found = Gateway(tmp_path / "root", Path(pyz.name))
    try:
        found.start(cwd=pyz.parent)
        assert found.ask().hello()["pid"] == found.pid
    finally:
        found.command[1] = str(pyz)
        found.end()


def test_the_stand_in_loads_nothing_of_the_daemon(pyz):
    watched = f"import runpy, sys; sys.argv[1:] = ['stand-in', '--help']; runpy.run_path({str(pyz)!r})"
    told = "import atexit, sys; atexit.register(lambda: print([n for n in sys.modules if 'gateway.' in n]));"
    said = subprocess.run([sys.executable, "-I", "-S", "-c", told + watched], capture_output=True, text=True)
    loaded = [f"orchestrate_testbed.gateway.{each}" for each in ("mote_host", "protocol", "main")]
    assert sorted(eval(said.stdout.splitlines()[-1])) == sorted(loaded)
