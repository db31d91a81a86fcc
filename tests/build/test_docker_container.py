# SPDX-License-Identifier: Apache-2.0
"""A real container engine: what a container must not do, that its limits hold, and that nothing is left of
it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from orchestrator.build import docker_container, docker_engine
from orchestrator.build.docker_container import Command, Limits
from orchestrator.errors import MissingTool
from tests import needs

pytestmark = pytest.mark.docker
needs.an_engine_and_image()


@pytest.fixture(scope="module")
def engine():
    return docker_engine.connect()


@pytest.fixture(scope="module")
def image(engine):
    return engine.image(needs.TEST_IMAGE)


@pytest.fixture
def run(engine, image, tmp_path):
    """run(shell text, **more) in a container that sees two folders, /sealed and /open."""
    (tmp_path / "sealed").mkdir()
    (tmp_path / "open").mkdir()
    mounts = {tmp_path / "sealed": ("/sealed", True), tmp_path / "open": ("/open", False)}

    def run(text: str, **more):
        command = Command(["sh", "-c", text], "/open", mounts, {"SAID": "so"})
        return docker_container.run(engine, image, command, what="test", **more)

    return run


def ours(engine) -> list:
    return engine.client.containers.list(
        all=True, filters={"label": f"{docker_engine.LABEL}={' '.join(engine.label().values())}"}
    )


def test_it_is_the_caller_without_privileges_or_network(run, engine, tmp_path):
    done = run(
        "id -u; id -g; grep -E 'Cap|NoNewPrivs|Seccomp:' /proc/self/status; cat /proc/net/dev; echo $SAID; "
        "echo text > made"
    )
    assert done.code == 0, done.output
    lines = done.output.split("\n")
    assert lines[:2] == (["0", "0"] if engine.rootless else [str(os.getuid()), str(os.getgid())])
    status = dict(line.split(":\t") for line in lines if ":\t" in line)
    assert {status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2"
    interfaces = [
        line.split(":")[0].strip() for line in lines if line.strip().startswith(("lo:", "eth", "wl"))
    ]
    assert interfaces == ["lo"]
    assert lines[-1] == "so"
    assert (tmp_path / "open" / "made").read_text() == "text\n" and (
        tmp_path / "open" / "made"
    ).stat().st_uid == os.getuid()


@pytest.mark.parametrize("place", ["/made", "/etc/made", "/sealed/made", "/home/made"])
def test_only_its_folder_and_tmp_can_be_written(run, place):
    done = run(
        f"touch {place} 2>&1; touch /tmp/made && touch /open/made && echo fine"
    )  # two streams have no order
    assert "Read-only file system" in done.output and done.output.endswith("fine")


def test_each_line_is_shown_as_it_is_printed(run):
    seen = []
    done = run("echo one; sleep 0.6; printf two", show=lambda line: seen.append((line, time.monotonic())))
    assert [line for line, _ in seen] == ["one", "two"] and done.output == "one\ntwo"
    assert seen[1][1] > seen[0][1]


def test_too_much_memory(run):
    done = run("python3 -c 'x = bytearray(300 << 20)'; exit $?", limits=Limits(memory=64 << 20))
    assert done.code != 0 and done.out_of_memory and not done.out_of_time


def test_too_many_processes(run):
    done = run("for i in $(seq 40); do sleep 3 & done; wait", limits=Limits(processes=16))
    assert "fork" in done.output.lower()


@pytest.mark.parametrize("text", ["sleep 3600", "trap '' TERM; while true; do sleep 1; done"])
def test_too_long(run, text):
    done = run(text, limits=Limits(seconds=1))
    assert done.out_of_time and not done.out_of_memory


def test_a_full_tmp(run):
    done = run("dd if=/dev/zero of=/tmp/big bs=1M count=20", limits=Limits(tmp=4 << 20))
    assert done.code != 0 and "No space left on device" in done.output


def test_interrupted_it_is_gone(run, engine):
    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run("echo on; sleep 60", show=interrupt)
    assert ours(engine) == []


def test_killed_the_next_one_removes_it(engine, tmp_path):
    code = (
        "from orchestrator.build import docker_container, docker_engine\n"
        "engine = docker_engine.connect()\n"
        "command = docker_container.Command(['sh', '-c', 'echo on; sleep 60'], '/tmp')\n"
        f"docker_container.run(engine, engine.image({needs.TEST_IMAGE!r}), command, what='test', "
        "show=lambda line: print(line, flush=True))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "on\n"
    label = {
        "label": f"{docker_engine.LABEL}={engine.label()[docker_engine.LABEL].split(' ')[0]} {process.pid}"
    }
    assert len(engine.client.containers.list(filters=label)) == 1
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    engine.sweep()
    assert engine.client.containers.list(all=True, filters=label) == []


def test_containers_of_living_processes_stay(engine, image):
    given = docker_container.settings(engine, image, Command(["sleep", "60"], "/tmp"), Limits())
    container = docker_container.Container(engine, "test", given, Limits())
    engine.sweep()
    assert len(ours(engine)) == 1
    threading.Thread(daemon=True, target=container.kill).start()
    assert list(docker_container.lines(container.chunks)) == []
    assert container.wait()[0] == 137 and ours(engine) == []


def test_a_command_that_the_image_lacks(engine, image):
    with pytest.raises(MissingTool, match="does not see this machine's folders"):
        docker_container.run(
            engine, image, Command(["true"], "/tmp", {Path("/no/such/folder"): ("/x", True)}), what="test"
        )
    done = docker_container.run(engine, image, Command(["no-such-program"], "/tmp"), what="test")
    assert done.code == 127
