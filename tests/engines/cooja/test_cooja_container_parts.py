# SPDX-License-Identifier: Apache-2.0
"""Cooja in a container, with stand-ins for the container and its engine: what it sees, its output and end."""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from engine_firmware import simulation
from test_cooja_places import jar, runtime

from orchestrator.csc.model import LogDistance, Udgm
from orchestrator.engines.cooja import classes, container, java
from orchestrator.engines.cooja import engine as engines
from orchestrator.engines.cooja.command import HEAP
from orchestrator.engines.cooja.container import ContainerProcess, Inside, inside
from orchestrator.engines.cooja.engine import CoojaEngine
from orchestrator.engines.cooja.find import Place
from orchestrator.engines.model import Job
from orchestrator.errors import StorageFailed, Unsupported
from orchestrator.features.distribution.partners import Networks
from orchestrator.runs.model import Outcome
from orchestrator.scenario.model import EngineOptions
from tests import checkout
from tests.waiting import HANG_S, wait_until

HEAP_OF_TEST = 64 << 20


class Stand:
    """A container that prints `chunks`, waits for its end if it has to, and ends with a code."""

    made: list = []

    def __init__(self, where, what, given, limits):
        self.where, self.what, self.given, self.limits = where, what, given, limits
        self.killed = threading.Event()
        self.waited = 0
        Stand.made.append(self)
        self.chunks = self.output()

    def output(self):
        for chunk in Stand.says:
            if chunk is None:
                self.killed.wait(HANG_S)
            elif isinstance(chunk, Exception):
                raise chunk
            else:
                yield chunk

    def wait(self):
        self.waited += 1
        return (137 if self.killed.is_set() else Stand.code), False, False

    def kill(self):
        self.killed.set()

    def process(self):
        return os.getpid()


@pytest.fixture
def stand(monkeypatch):
    """What the container says, and how it ends; the containers that were made."""
    Stand.made, Stand.says, Stand.code = [], [b"one\n", b"two\n"], 3
    monkeypatch.setattr(container, "Container", Stand)
    monkeypatch.setattr(
        container.docker_container,
        "settings",
        lambda where, image, command, limits: {"image": image, "command": command, "limits": limits},
    )
    return Stand


@pytest.fixture
def places(tmp_path):
    """A Cooja, a work folder and the folder of a run that the former links to."""
    built = tmp_path / "cooja" / "build" / "libs" / "cooja-full.jar"
    built.parent.mkdir(parents=True)
    built.write_text("jar")
    for folder in ("work", "run", "work/other"):
        (tmp_path / folder).mkdir()
    (tmp_path / "work" / "0").symlink_to(tmp_path / "run")
    return Place(built, tmp_path / "cooja")


def started(places, tmp_path):
    where = Inside("engine", "image")
    return ContainerProcess(where, places, ["java", "-jar"], tmp_path / "work", HEAP_OF_TEST)


def console(running) -> bytes:
    said = b""
    while chunk := os.read(running.output, 4096):
        said += chunk
    return said


def test_it_sees_cooja_sealed_and_the_work_and_the_runs_open(stand, places, tmp_path):
    started(places, tmp_path)
    (made,) = stand.made
    command = made.given["command"]
    assert (made.where, made.what, made.given["image"]) == ("engine", "Cooja", "image")
    assert (command.words, command.folder) == (["java", "-jar"], str(tmp_path / "work"))
    assert command.mounts == {
        tmp_path / "cooja": (str(tmp_path / "cooja"), True),
        tmp_path / "cooja" / "build" / "libs": (str(tmp_path / "cooja" / "build" / "libs"), True),
        tmp_path / "work": (str(tmp_path / "work"), False),
        tmp_path / "run": (str(tmp_path / "run"), False),
    }
    assert made.limits == made.given["limits"]
    assert (made.limits.memory, made.limits.processes) == (HEAP_OF_TEST + (1 << 30), 2048)
    assert made.limits.seconds == 24 * 3600


def test_its_output_and_its_exit_status(stand, places, tmp_path):
    running = started(places, tmp_path)
    assert console(running) == b"one\ntwo\n"
    assert [running.wait(HANG_S), running.wait(None), running.wait(0.0)] == [3, 3, 3]
    assert stand.made[0].waited == 1
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(running.output)


def test_one_that_has_not_ended_has_no_status(stand, places, tmp_path):
    stand.says = [b"one\n", None]
    running = started(places, tmp_path)
    assert os.read(running.output, 100) == b"one\n"
    assert running.wait(0.01) is None
    running.kill()
    running.kill()
    assert running.wait(HANG_S) == 137


def test_output_that_nobody_reads_does_not_hold_up_its_end(stand, places, tmp_path):
    stand.says = [b"x" * (1 << 20), None, b"after its end"]
    running = started(places, tmp_path)
    assert running.wait(0.01) is None
    running.kill()
    assert running.wait(HANG_S) == 137


def test_more_output_than_a_pipe_holds_comes_whole(stand, places, tmp_path):
    stand.says = [bytes([number]) * 70_000 for number in range(1, 6)] + [b"", b"end"]
    assert console(started(places, tmp_path)) == b"".join(stand.says)


def test_a_connection_that_is_gone_ends_the_output(stand, places, tmp_path):
    stand.says = [b"one\n", ConnectionResetError("gone"), b"two\n"]
    running = started(places, tmp_path)
    assert console(running) == b"one\n" and running.wait(HANG_S) == 3


def test_its_memory_is_that_of_the_children_of_its_first_process(stand, places, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(container, "memory_of", lambda process: asked.append(process) or 7)
    assert started(places, tmp_path).peak_memory() == 7 and asked == [os.getpid()]


@pytest.fixture
def docker(monkeypatch):
    """An engine whose images are known by their digest."""
    said = []

    def image(name, say):
        say(f"pulling {name}")
        return SimpleNamespace(name=name, digest="sha256:" + "a" * 64)

    monkeypatch.setattr(container.docker_engine, "connect", lambda: SimpleNamespace(image=image))
    return said


def test_engine_and_image_are_found_before_any_run(docker, places):
    said = []
    found = inside("theirs:1", places, said.append)
    assert found.image.name == "theirs:1" and said == ["pulling theirs:1"]
    assert inside("theirs:1", places) is not found
    with pytest.raises(Unsupported) as raised:
        inside("theirs:1", Place(None, None, Path("/p")))
    assert str(raised.value) == (
        "/p is a program of this machine, which an image does not run\n    name Cooja's folder or its jar"
    )


@pytest.mark.parametrize("heap", [None, 1 << 30])
def test_an_engine_with_an_image_runs_in_it_with_the_images_java(docker, stand, tmp_path, monkeypatch, heap):
    """No Java of this machine is looked for, nor readelf."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(java, "find", None)
    path = jar(tmp_path / "cooja" / "build" / "libs" / "cooja.jar", minor=0xFFFF)
    engine, said = CoojaEngine(EngineOptions(path=str(path), image="theirs:1", heap=heap)), []
    assert engine.described() == {}
    engine.prepare(said.append)
    engine.prepare(said.append)
    assert said == ["pulling theirs:1"] and engine.described() == {"engine_image": "sha256:" + "a" * 64}
    (tmp_path / "firmware").write_bytes(b"bytes")
    (tmp_path / "run").mkdir()
    stand.says, results = [b"nothing that is known\n"], []
    job = Job(simulation([(0, 0)], 3), 1, {"t": tmp_path / "firmware"}, tmp_path / "run" / "log")
    engine.run([job], lambda job, result: results.append(result))
    assert [result.outcome for result in results] == [Outcome.LOST]
    words = stand.made[0].given["command"].words
    assert words[:2] == ["java", f"-Xmx{(heap or HEAP) // 1024}k"] and "--enable-preview" in words
    assert stand.made[0].limits.memory == (heap or HEAP) + (1 << 30)
    assert not list((tmp_path / "run").glob(".tmp-*"))
    wait_until(lambda: stand.made[0].killed.is_set())


# --- what else the engine says and refuses


def test_engines_by_their_options():
    assert engines.engine(None) is engines.engine(EngineOptions()) and engines.engine(None).name == "cooja"
    other = engines.engine(EngineOptions(heap=1))
    assert other is engines.engine(EngineOptions(heap=1)) and other is not engines.engine(None)


def test_the_version_is_that_of_the_classes_and_of_the_sources(tmp_path, monkeypatch):
    monkeypatch.setattr(java, "_PLACES", (str(tmp_path / "jvm" / "*"),))
    runtime(tmp_path / "jvm" / "21", "21")
    built = jar(tmp_path / "cooja" / "build" / "libs" / "cooja.jar")
    engine = CoojaEngine(EngineOptions(path=str(built)))
    digest = classes.read(built).digest
    assert engine.version() == digest
    checkout.begin(tmp_path / "cooja")
    assert engine.version() == digest, "without a commit"
    commit = checkout.commit(tmp_path / "cooja", "one")
    assert engine.version() == f"{digest} ({commit[:12]})"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert engine.version() == digest, "without git"
    program = tmp_path / "program"
    program.write_bytes(b"#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.undo()
    started = CoojaEngine(EngineOptions(path=str(program)))
    assert started.version() == hashlib.sha256(b"#!/bin/sh\n").hexdigest()[:16]
    assert started.rules(None) == "unknown" and started.rules("5.0") == "5.0"


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"radio": Path("r")}, "keeps no record of radios; the embedded engine does"),
        (
            {"gateways": "networks"},
            "simulates motes alone; this application has a modelled network\n    use `engine: embedded`, or "
            "the motes' own (`network: radio`)",
        ),
        (
            {"gateways": "others"},
            "simulates motes alone; this application has gateways beside them\n    use `engine: embedded`",
        ),
        (
            {"medium": "log-distance"},
            "has no medium log-distance: it is none of Cooja's\n    use `engine: embedded`, or a medium of "
            "Cooja's",
        ),
    ],
)
def test_what_only_the_embedded_engine_does(changes, what):
    gateways = {"networks": Networks.__new__(Networks), "others": object()}
    media = {"log-distance": LogDistance.__new__(LogDistance)}
    usual = SimpleNamespace(radio=None, deployment=SimpleNamespace(gateways=None, medium=Udgm()))
    deployment = SimpleNamespace(
        gateways=gateways.get(changes.get("gateways")), medium=media.get(changes.get("medium"), Udgm())
    )
    other = SimpleNamespace(radio=changes.get("radio"), deployment=deployment)
    engines._refuse([usual, SimpleNamespace(radio=None, deployment=object())])
    with pytest.raises(Unsupported) as raised:
        engines._refuse([usual, other])
    assert str(raised.value) == f"the engine cooja {what}"


def test_the_report_of_a_crashed_jvm_is_read_once_whatever_its_name(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    call = engines._Call([], None, None)
    assert call.crash_report() == []
    for name in ("hs_err_pid9.log", "hs_err_pid7.log", "jvm-crash.txt"):
        (call._work / name).write_bytes(name.encode() + b"\nx\xff\n")
    (call._work / "other.log").write_text("")
    said = [call.crash_report() for _ in range(4)]
    assert said == [
        ["jvm-crash.txt", "x\ufffd"],
        ["hs_err_pid7.log", "x\ufffd"],
        ["hs_err_pid9.log", "x\ufffd"],
        [],
    ]
    (call._work / "jvm-crash.txt").write_text("y" * (1 << 19))
    assert len(call.crash_report()[0]) == 1 << 18
    call.clean()
    assert not call._work.exists()


def test_a_work_folder_of_another_users_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "elsewhere").mkdir()
    home = tmp_path / f"orchestrate-cooja-{os.getuid()}"
    made = engines._work_folder()
    assert made.parent == home and home.stat().st_mode & 0o777 == 0o700
    made.rmdir()
    home.rmdir()
    home.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageFailed) as raised:
        engines._work_folder()
    assert str(raised.value) == (
        f"{home} is another user's\n    name another folder for temporary files with $TMPDIR"
    )
