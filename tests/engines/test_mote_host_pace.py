# SPDX-License-Identifier: Apache-2.0
"""The mote host in this process, with stand-ins for the simulation, the motes and the clock."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import tty
from types import SimpleNamespace

import pytest

from orchestrator.csc.model import Udgm
from orchestrator.engines.embedded.live import SimulationEnded
from orchestrator.engines.embedded.mote_host import __main__ as host
from orchestrator.engines.embedded.mote_host import motes
from orchestrator.engines.embedded.mote_host import plan as plans
from orchestrator.engines.embedded.mote_host.plan import Plan
from orchestrator.runs.model import Outcome, RunResult


class Live:
    """A simulation that is as far as it was told to go, and prints what it is given to print."""

    def __init__(self, stage=None):
        self.stage, self.now_us, self.steps, self.outputs, self.ended = stage, 0, [], [], 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ended += 1

    def advance(self, until, stop_on_output):
        assert not stop_on_output
        self.now_us = until
        self.steps.append(until)
        return [f"said by {until}"]

    def cpu_s(self):
        return 1.25

    def end(self):
        self.ended += 10


class Port:
    """A port at the end of a terminal; `attended`: what the host said of it."""

    def __init__(self, plugged=True):
        self.plugged, self.attended, self.comes = plugged, [], b""
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)

    def attend(self, now, opened, readable):
        self.attended.append((now, opened, readable))
        return self.comes

    def unplug(self):
        self.plugged = False


class Motes(motes.Motes):
    """The motes, and what the host told them in its order."""

    def __init__(self, plan, live):
        self.told, self.all, self.late = [], {}, False

    def said(self, outputs):
        self.told.append(("said", outputs))

    def fell(self):
        self.told.append("fell")

    def heard(self, mote, content):
        self.told.append(("heard", mote.name, content))

    def sent_to(self):
        return self.late

    def status(self):
        return {"M1": "runs"}


class Clock:
    def __init__(self):
        self.now_us = 7_000_000

    def monotonic_ns(self):
        return self.now_us * 1000


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(host, "time", made)
    monkeypatch.setattr(host, "Motes", Motes)
    monkeypatch.setattr(host.signal, "signal", lambda number, end: made.__dict__.update({number.name: end}))
    return made


@pytest.fixture
def one(clock, tmp_path):
    """A host of a simulation in steps of 5 ms."""
    made = host.Host(Plan(tmp_path, Udgm(), ()), Live())
    yield made
    made.close()
    made._listening.close()
    made._selector.close()


def elapsed(clock, one, *moments_us):
    """A step at each of these moments since the beginning."""
    for at in moments_us:
        clock.now_us = 7_000_000 + at
        one._step()
    return one.status()


def test_it_goes_on_to_the_present_and_says_how_late_it_is(clock, one):
    assert one.status()["behind_us"] == one.status()["most_behind_us"] == one.status()["late_steps"] == 0
    status = elapsed(clock, one, 5_000, 10_000, 14_000)
    assert one._live.steps == [5_000, 10_000, 14_000]
    assert (status["now_us"], status["steps"], status["behind_us"]) == (14_000, 3, 0)
    status = elapsed(clock, one, 119_000)  # a step of 5 ms and 100 ms: just not late
    assert (status["behind_us"], status["late_steps"]) == (100_000, 0)
    status = elapsed(clock, one, 119_000 + 105_001)
    assert (status["behind_us"], status["most_behind_us"], status["late_steps"]) == (100_001, 100_001, 1)
    status = elapsed(clock, one, 230_000)
    assert (status["behind_us"], status["most_behind_us"], status["late_steps"]) == (999, 100_001, 1)
    assert status["steps"] == 6
    assert status["pid"] == os.getpid() and status["kernel_cpu_s"] == 1.25 and status["cpu_s"] > 0
    assert status["motes"] == {"M1": "runs"}


def test_a_late_simulation_goes_on_in_steps_while_motes_are_sent_bytes(clock, one):
    one._motes.late = True
    elapsed(clock, one, 17_000)
    assert one._live.steps == [5_000, 10_000, 15_000, 17_000]
    said = [("said", [f"said by {at}"]) for at in one._live.steps]
    assert one._motes.told == [each for at in said for each in (at, "fell")]


def test_bytes_are_passed_from_and_to_ports_that_are_plugged_in(clock, one):
    ports = {name: Port(name != "unplugged") for name in ("closed", "silent", "writes", "waits", "unplugged")}
    one._motes.all = {
        name: SimpleNamespace(name=name, port=port, incoming=b"") for name, port in ports.items()
    }

    os.close(ports["closed"].slave)
    os.write(ports["writes"].slave, b"hello")
    ports["writes"].comes, one._motes.all["waits"].incoming = b"he", b"more"
    elapsed(clock, one, 5_000)
    assert {name: port.attended for name, port in ports.items()} == {
        "closed": [(5_000, False, False)],
        "silent": [(5_000, True, False)],
        "writes": [(5_000, True, True)],
        "waits": [(5_000, True, False)],
        "unplugged": [],
    }
    assert one._motes.told[2:] == [("heard", "writes", b"he"), ("heard", "waits", b"")]
    for name, port in ports.items():
        os.close(port.master)
        if name != "closed":
            os.close(port.slave)


def connected(one):
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(10)
    connection.connect(os.fspath(one._plan.socket))
    one._serve(0.0)
    return connection


def test_requests_are_answered_after_the_step_in_which_they_took_effect(clock, one):
    with connected(one) as first, connected(one) as second:
        first.sendall(b'{"status": tr')
        one._serve(0.0)
        one._answer()
        first.sendall(b'ue}\n{"what": 1}\n')
        second.sendall(b'{"status": true}\n')
        one._serve(0.0)
        first.setblocking(False)
        with pytest.raises(BlockingIOError):
            first.recv(1)
        first.settimeout(10)
        elapsed(clock, one, 5_000)
        answers = [json.loads(line) for line in first.recv(5000).splitlines()]
        assert answers[0]["ok"] and answers[0]["now_us"] == 0, "as it was when it was asked"
        assert answers[1] == {"error": "an unknown request"}
        assert json.loads(second.recv(5000))["ok"]
        assert not one._ends


def test_an_end_is_answered_when_it_ends(clock, one):
    with connected(one) as asks:
        asks.sendall(b'{"end": true}\n')
        one._serve(0.0)
        assert one._ends
        one.close()
        assert json.loads(asks.recv(100)) == {"ok": True}
    assert not one._plan.socket.exists()


def test_who_says_too_much_or_hangs_up_is_forgotten(clock, one):
    long, gone, goes_on = connected(one), connected(one), connected(one)
    long.setblocking(False)
    try:
        while True:
            long.send(b"x" * 10_000)
            one._serve(0.0)
            if len(one._asked) == 2:
                break
    except OSError:
        pass
    assert len(one._asked) == 2, "more than a request has"
    gone.sendall(b'{"status": true}\n')
    one._serve(0.0)
    gone.close()
    one._serve(0.0)
    one._answer()
    assert len(one._asked) == 1
    goes_on.sendall(b'{"status": true}\n')
    one._serve(0.0)
    one._answer()
    assert json.loads(goes_on.recv(5000))["ok"]
    long.close()
    goes_on.close()


def test_it_waits_for_the_next_step_and_no_longer(clock, one, monkeypatch):
    """Steps are whole multiples of their length since the beginning."""
    waits = []

    def serve(wait_s):
        waits.append(round(wait_s, 6))
        clock.now_us += {1: 5_000, 2: 7_000, 3: 20_000}.get(len(waits), 1_000)
        if len(waits) == 5:
            one.end()

    monkeypatch.setattr(one, "_serve", serve)
    one.run()
    assert one._live.steps == [0, 5_000, 12_000, 32_000, 33_000]
    assert waits == [0.005, 0.005, 0.003, 0.003, 0.002]


def test_signals_end_it_after_the_step(clock, one):
    for name in ("SIGTERM", "SIGINT"):
        one._ends = False
        clock.__dict__[name](signal.SIGTERM, None)
        assert one._ends


def test_from_the_plan_to_the_end(clock, tmp_path, monkeypatch, capsys):
    path, made = tmp_path / "plan.json", []
    plans.write(Plan(tmp_path, Udgm(), (), seed=9), path)
    monkeypatch.setattr(host, "Live", lambda stage: made.append(Live(stage)) or made[-1])
    port = Port()

    class One(host.Host):
        def run(self):
            self._motes.all = {1: SimpleNamespace(port=port)}
            assert self._plan.socket.exists()
            if fails:
                raise SimulationEnded(RunResult(Outcome.CRASH, 5, 0.0, 0, 0, ("it fell",)))

    monkeypatch.setattr(host, "Host", One)
    for fails in (False, True):
        port.plugged = True
        assert host.main(path) == int(fails)
        stage = made[-1].stage
        assert (stage.seed, stage.log, stage.contain) == (9, tmp_path / "motes.log", True)
        assert stage.step_limit_s == host.STEP_LIMIT_S and not port.plugged
        assert made[-1].ended == (1 if fails else 11) and not (tmp_path / "socket").exists()
        assert ("the simulation of the motes ended: " in capsys.readouterr().err) == fails
    os.close(port.master)
    os.close(port.slave)
