# SPDX-License-Identifier: Apache-2.0
"""Motes that are asked who they are: pseudo-terminals behind a gateway's server."""

from __future__ import annotations

import os
import select
import signal
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from orchestrate_testbed import client
from orchestrate_testbed.model import Mote
from orchestrate_testbed.transfer import blob

from orchestrator.features.testbed import asking, probing, reservation
from orchestrator.features.testbed.asking import ANSWERS, IN_USE, NOT_ASKED, PRINTS, SILENT, Said, ask
from orchestrator.features.testbed.check import check
from orchestrator.features.testbed.deploy import Wanted, deploy
from orchestrator.features.testbed.identity import Identity, identity
from tests import needs
from tests.features.testbed.lab.boards import Boards
from tests.waiting import HANG_S, wait_until

needs.a_program("sh")
WHO = "who link-survey address 0100000000000000 eui64 0000000000000001 platform sky"


def test_an_answer_is_read():
    assert identity(WHO + "\r\n") == Identity("link-survey", "0100000000000000", "0000000000000001", "sky")
    unknown = identity(WHO.replace("0000000000000001", "unknown"))
    assert unknown is not None and unknown.eui64 == ""
    for line in ("", "who", "who x", WHO + " and more", "> " + WHO):
        assert identity(line) is None


def test_differences_to_the_inventory():
    mote = Mote("M1", "G1", "sky", "/dev/x", "0000000000000001")
    assert Said(ANSWERS, identity(WHO)).differences(mote) == []
    other = Said(ANSWERS, Identity("f", "01", "0000000000000002", "zoul"))
    assert other.differences(mote) == [
        "its EUI-64 is 0000000000000002, the inventory has 0000000000000001",
        "it runs firmware for zoul",
    ]
    virtual = Mote("M1", "G1", "virtual", "/dev/x", "0000000000000001")
    assert Said(ANSWERS, Identity("f", "01", "", "cooja")).differences(virtual) == []
    assert Said(ANSWERS, Identity("f", "01", "", "unknown")).differences(mote) == []
    assert Said(SILENT).differences(mote) == []


def test_alive_is_only_who_shows_it():
    assert Said(ANSWERS).alive is Said(PRINTS).alive is True
    assert Said(SILENT).alive is False and Said(IN_USE).alive is Said(NOT_ASKED).alive is None


@contextmanager
def firmware(boards: Boards, answers: dict[str, bytes], probed=lambda mote: True):
    """Each mote answers every line with these bytes, if it has been flashed with what does so."""
    ended = threading.Event()
    got: dict[str, bytes] = dict.fromkeys(answers, b"")

    def play() -> None:
        ends = {boards.ptys[name]: name for name in answers}
        while not ended.is_set():
            for end in select.select(list(ends), [], [], 0.05)[0]:
                try:
                    got[ends[end]] += os.read(end, 100)
                except OSError:
                    ended.wait(0.02)  # nobody has the port open
                    continue
                if got[ends[end]].endswith(b"\n"):
                    os.write(end, answers[ends[end]] if probed(ends[end]) else b"")

    def has(log: Path, answer: bytes) -> bool:
        try:
            return answer in log.read_bytes()
        except FileNotFoundError:
            return True  # another gateway's, which has been asked

    def logged(_seconds: float) -> None:
        logs = [
            log
            for server in boards.servers.values()
            for log in server.home.glob(".orchestrate-testbed/daemon/runs/check-*/*.1.log")
        ]
        for log in logs:
            mote = log.name.split(".")[0]
            # A silent mote, too, has read the question before its port is closed.
            wait_until(lambda log=log, mote=mote: got.get(mote, b"\n").endswith(b"\n") or not log.exists())
            if probed(mote):
                wait_until(lambda log=log, mote=mote: has(log, answers.get(mote, b"")))

    thread = threading.Thread(daemon=True, target=play)
    thread.start()
    try:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(asking, "_pause", logged)  # until all answers are logged, however long that takes
            yield got
    finally:
        ended.set()
        thread.join()


@pytest.fixture
def boards(servers):
    made = Boards(servers, {"G1": ["M1", "M2"], "G2": ["M3"]})
    yield made
    made.end()


def test_every_mote_is_asked_and_nothing_is_left(boards):
    with firmware(boards, {"M1": f"\0noise\n{WHO}\r\n".encode(), "M2": b"\x1b[31mhello\n", "M3": b""}) as got:
        said = ask(boards.network, check(boards.lab, boards.network), listen_s=0)
    assert got["M1"] == got["M3"] == asking.QUESTION
    assert said["M1"] == Said(ANSWERS, identity(WHO))
    assert said["M2"].state == PRINTS and "hello" in said["M2"].text and "\x1b" not in said["M2"].text
    assert said["M3"] == Said(SILENT)
    for server in boards.servers.values():
        runs = [*server.home.glob(".orchestrate-testbed/daemon/runs/*")]
        assert runs == [], "the logs of the question are removed"


def test_a_daemon_that_stands_still_ends_no_command_for_ever(boards, monkeypatch):
    boards.at["G1"].daemon.open("r", "M1", boards.at["G1"].device(boards.lab.motes[0]), 115200)
    pid = int((boards.servers["G1"].home / ".orchestrate-testbed/daemon/daemon.lock").read_text())
    monkeypatch.setattr(client, "ANSWER_S", 1.0)
    os.kill(pid, signal.SIGSTOP)
    try:
        said = ask(boards.network, check(boards.lab, boards.network), listen_s=0)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert said["M1"].state == said["M2"].state == NOT_ASKED and "no whole answer" in said["M1"].text


def test_who_is_in_use_is_not_asked(boards):
    with boards.at["G1"] as place:
        place.deliver([])
        place.daemon.open("run-1", "M1", place.device(boards.lab.mote("M1")), 115200)
        with firmware(boards, {"M2": WHO.encode() + b"\n"}):
            said = ask(boards.network, check(boards.lab, boards.network), listen_s=0)
        assert said["M1"].state == IN_USE and said["M2"].state == ANSWERS
        assert place.daemon.status("run-1")["motes"], "the same daemon goes on with its own run"
        place.end()


def test_a_probe_is_flashed_into_silent_motes_and_their_firmware_is_put_back(boards, tmp_path):
    files = {name: tmp_path / name for name in ("old.hex", "probe.hex")}
    for name, path in files.items():
        path.write_text(name)
    lab, network = boards.lab, boards.network
    deploy(lab, boards.at, [Wanted(lab.mote("M1"), blob(files["old.hex"]))])
    for place in boards.at.values():
        place.disconnect()

    def runs_the_probe(mote: str) -> bool:
        mine = [line for name in ("G1", "G2") for line in boards.flashed(name) if line.startswith(mote)]
        return bool(mine) and "probe" in mine[-1]

    (boards.servers["G2"].home / "broken").write_text("M3\n")
    who = WHO.encode() + b"\n"
    with firmware(boards, dict.fromkeys(("M1", "M2", "M3"), who), runs_the_probe):
        found = check(lab, network)
        said = ask(network, found, listen_s=0)
        assert {name: one.state for name, one in said.items()} == dict.fromkeys(said, SILENT)
        told = probing.probe(lab, network, found, said, blob(files["probe.hex"]), 0)
    assert {name: one.state for name, one in told.items()} == {"M1": ANSWERS, "M2": ANSWERS, "M3": SILENT}
    assert told["M1"].text == "it answered the probe, and has its firmware back"
    assert told["M2"].text == "it answered the probe, which it keeps", "nobody knows what it ran"
    assert "can't be flashed: " in told["M3"].text and "no answer from the bootloader" in told["M3"].text
    assert [line.split()[:2] for line in boards.flashed("G1")] == [
        ["M1", "old.hex"], ["M1", "probe.hex"], ["M2", "probe.hex"], ["M1", "old.hex"],
    ]  # fmt: skip
    kept = deploy(lab, boards.at, [Wanted(lab.mote("M1"), blob(files["old.hex"]))])
    assert kept.motes["M1"].state == "kept", "the record says so, too"


def test_a_gateway_that_somebody_else_has_reserved_is_left_alone(boards, monkeypatch):
    gateway = boards.lab.gateway("G2")
    with monkeypatch.context() as theirs:
        theirs.setattr(reservation, "me", lambda: "ada@elsewhere")
        reservation.take(boards.network.host(gateway.ssh), gateway, 600)
    with firmware(boards, dict.fromkeys(("M1", "M2", "M3"), WHO.encode() + b"\n")) as got:
        said = ask(
            boards.network, check(boards.lab, boards.network), listen_s=HANG_S
        )  # ends as both have answered
    assert said["M1"].state == said["M2"].state == ANSWERS
    assert said["M3"].state == NOT_ASKED and "reserved by ada@elsewhere" in said["M3"].text
    assert got["M3"] == b""


def test_nobody_is_probed_who_answered_or_is_in_use(boards):
    said = {"M1": Said(ANSWERS), "M2": Said(IN_USE), "M3": Said(NOT_ASKED)}
    found = check(boards.lab, boards.network)
    assert probing.probe(boards.lab, boards.network, found, said, None) == {}
