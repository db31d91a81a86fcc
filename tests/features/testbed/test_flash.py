# SPDX-License-Identifier: Apache-2.0
"""Flashing through the daemon: tools that replay what was recorded, and what goes wrong around them."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import socket
import sys
import threading
from pathlib import Path

import pytest
from orchestrate_testbed.client import Refused
from orchestrate_testbed.gateway.flashing import TOOLS, versions
from orchestrate_testbed.gateway.flashing.tool import Job

from tests.features.testbed.daemons import Gateway, fetched
from tests.waiting import wait_until

DIALOGUES = sorted((Path(__file__).parent / "dialogues").glob("*.txt"))
OPTIONS = {
    "cc2538-bsl": {"address": "0x00202000", "baud": "115200"},
    "jlink": {"device": "nRF52840_xxAA", "serial": "683884227"},
    "avrdude": {"part": "m128rfa1", "programmer": "wiring", "baud": "115200"},
}
SUFFIXES = {"cc2538-bsl": ".bin", "tos-bsl": ".ihex", "nrfutil": ".zip"}


@pytest.fixture(scope="module")
def bench(tmp_path_factory, pyz):
    """A gateway with tools on its PATH that say what a dialogue says, and note their arguments."""
    folder = tmp_path_factory.mktemp("bench")
    tools = folder / "bin"
    tools.mkdir()
    for tool in TOOLS.values():
        for program in tool.programs[-1:]:
            quoted = shlex.quote(str(folder))
            text = f'#!/bin/sh\nfor each; do echo "$each"; done > {quoted}/arguments\ncat {quoted}/said\n'
            (tools / program).write_text(text + f"exit $(cat {quoted}/code)\n")
            (tools / program).chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    found = Gateway(
        folder / "root", pyz, environment={"PATH": path, "ORCHESTRATE_MOTE_HOST": str(folder / "host")}
    )
    found.start()
    found.folder = folder
    yield found
    found.end()


def firmware(bench, name: str = "firmware.bin") -> tuple[str, str]:
    path = bench.folder / name
    path.write_bytes(b"code")
    return str(path), hashlib.sha256(b"code").hexdigest()


@pytest.mark.parametrize("path", DIALOGUES, ids=lambda path: path.stem)
def test_a_tool_is_called_and_understood_as_recorded(bench, path):
    name = path.name.split(".")[0]
    _, arguments, code, expected, *said = path.read_text().split("\n")
    (bench.folder / "said").write_text("\n".join(said))
    (bench.folder / "code").write_text(code)
    image = bench.folder / "image"
    image.write_bytes(b"\x01")
    file, digest = firmware(bench, "firmware" + SUFFIXES.get(name, ".hex"))
    writes = TOOLS[name].writes_image(Job("", "", str(image), {}))
    job = Job(file, "/dev/mote", str(image) if writes else "", OPTIONS.get(name, {}))
    found = bench.ask().flash(name, job, digest)
    assert found["failure"] == ("" if expected == "ok" else expected)
    values = {"FIRMWARE": file, "DEVICE": "/dev/mote", "IMAGE": str(image)}
    for key, value in values.items():
        arguments = arguments.replace(key, value)
    assert (bench.folder / "arguments").read_text().split("\n")[:-1] == arguments.split(" ")
    assert found["untested"] is True
    assert said[0] in found["output"] or name == "tos-bsl"


def test_every_tool_has_a_dialogue_that_ends_well_and_one_that_does_not():
    for tool in TOOLS.values():
        if tool.programs:
            ends = [
                path.name.split(".")[1] == "ok" for path in DIALOGUES if path.name.startswith(tool.name + ".")
            ]
            assert True in ends and False in ends, tool.name


def test_jlink_gets_its_commands_in_a_file(bench):
    (bench.folder / "said").write_text("Downloading file\nO.K.\n")
    (bench.folder / "code").write_text("0")
    file, digest = firmware(bench, "firmware.hex")
    bench.ask().flash("jlink", Job(file, "/dev/mote", "", OPTIONS["jlink"]), digest)
    assert Path(file + ".jlink").read_text() == f'r\nh\nloadfile "{file}"\nr\ng\nexit\n'


@pytest.mark.parametrize(
    ("tool", "asked", "kind"),
    [
        ("nothing", {}, "tool"),
        ("tos-bsl", {}, "firmware"),
        ("jlink", {"name": "a.hex"}, "options"),
        ("avrdude", {"name": "a.hex", "options": {"part": 3}}, "options"),
        ("command", {"options": {"command": "rm -rf /"}}, "options"),
        ("command", {"options": {"command": ["/nowhere"]}}, "tool"),
        ("tos-bsl", {"name": "a.ihex", "image": "/image"}, "image"),
        ("command", {"options": {"command": ["flash", "{firmware}"]}, "image": "/image"}, "image"),
        ("command", {"sha256": "0" * 64}, "firmware"),
    ],
)
def test_what_cannot_be_flashed_is_refused(bench, tool, asked, kind):
    file, digest = firmware(bench, asked.pop("name", "firmware.bin"))
    digest = asked.pop("sha256", digest)
    with pytest.raises(Refused) as caught:
        job = Job(file, "/dev/mote", asked.get("image", ""), asked.get("options", {}))
        bench.ask().flash(tool, job, digest)
    assert caught.value.kind == kind


def test_the_port_is_lent_to_the_tool_and_logged_again(bench, plugged):
    daemon, mote = bench.ask(), plugged("M1")
    daemon.open("lent", "M1", str(mote.link), 115200)
    mote.say(b"old\n")
    file, digest = firmware(bench)
    # The tool is a reader of the port itself, which shows that nobody else has it.
    tool = (
        "import fcntl, os, sys; f = os.open(sys.argv[1], os.O_RDWR); fcntl.flock(f, 2 | 4); os.write(f, b'!')"
    )
    command = [sys.executable, "-c", tool, "{device}"]
    found = daemon.flash("command", Job(file, str(mote.link), "", {"command": command}), digest)
    assert found["failure"] == "" and os.read(mote.master, 10) == b"!"
    mote.say(b"new\n")
    wait_until(lambda: daemon.status("lent")["motes"]["M1"]["port"]["lines"] == 2)
    log = fetched(daemon, "lent", "M1")
    events = [
        json.loads(line.split(b" ", 2)[2])["event"] for line in log.splitlines() if line.startswith(b"!")
    ]
    assert events == ["open", "lent", "flashed", "open"]
    assert log.index(b"old\n") < log.index(b'"lent"') < log.index(b"new\n")
    recorded = [json.loads(line) for line in (bench.root / "flashed.jsonl").read_text().splitlines()]
    assert recorded[-1]["sha256"] == digest and recorded[-1]["failure"] == ""
    daemon.close("lent")


def test_a_tool_that_hangs_is_ended_with_all_that_it_started(bench):
    file, digest = firmware(bench)
    command = ["sh", "-c", "sleep 100000 & echo started; wait"]
    for limit_s in (1, 10, 100, 1000):  # on a busy machine it may be ended before it has said anything
        job = Job(file, "/dev/mote", "", {"command": command})
        found = bench.ask().flash("command", job, digest, timeout_s=limit_s)
        assert found["failure"] == "it took too long"
        if found["output"]:
            break
    assert found["output"] == "started\n"


def test_two_tools_never_have_one_mote_and_others_are_served_meanwhile(bench):
    file, digest = firmware(bench)
    pipe = bench.folder / "pipe"
    os.mkfifo(pipe)
    first, others = bench.ask(), bench.ask()
    results = []
    job = Job(file, "/dev/mote", "", {"command": ["cat", str(pipe)]})
    thread = threading.Thread(
        daemon=True,
        target=lambda: results.append(first.flash("command", job, digest)),
    )
    thread.start()
    with pipe.open("w") as hold:
        with pytest.raises(Refused, match="being flashed"):
            others.flash("command", job._replace(options={"command": ["true"]}), digest)
        assert others.hello()["pid"] == bench.pid
        hold.write("done\n")
    thread.join()
    assert results[0]["failure"] == "" and results[0]["output"] == "done\n"


def test_the_stand_in_asks_the_host_of_the_motes(bench):
    file, digest = firmware(bench)
    image = bench.folder / "image"
    image.write_bytes(b"\x01\x02")
    host = socket.socket(socket.AF_UNIX)
    host.bind(str(bench.folder / "host"))
    host.listen()
    asked = []

    def serve():
        for answer in (b'{"ok":true}\n', b'{"error":"no such mote"}\n', b""):
            connection = host.accept()[0]
            with connection, connection.makefile("rb") as lines:
                asked.append(json.loads(lines.readline()))
                connection.sendall(answer)

    thread = threading.Thread(daemon=True, target=serve)
    thread.start()
    daemon = bench.ask()
    failures = [
        daemon.flash("stand-in", Job(file, "/dev/M1", str(image), options), digest)["failure"]
        for options in ({"id": 12}, {}, {})
    ]
    thread.join()
    host.close()
    assert asked[0] == {"flash": "/dev/M1", "library": file, "image": "0102", "id": 12}
    assert "id" not in asked[1]
    assert failures[0] == ""
    assert failures[1] == "exit code 1: stand-in: no such mote"
    assert failures[2] == "exit code 1: stand-in: the host of the motes gave no answer"


def test_a_tools_version_is_asked_once_and_recorded(bench):
    """The tool says the same for all that it is asked, and notes its last arguments."""
    path, sha256 = firmware(bench, "firmware.bin")
    (bench.folder / "code").write_text("0")
    (bench.folder / "said").write_text("cc2538-bsl.py version 2.1\n    Verified (match: 0x1)\n")
    program = bench.folder / "bin" / TOOLS["cc2538-bsl"].programs[-1]
    text = program.read_text()
    try:
        program.write_text(f"{text.splitlines()[0]}\necho $1 >> {bench.folder}/calls\n" + text)
        for _ in range(2):
            found = bench.ask().flash("cc2538-bsl", Job(path, "/dev/no", "", {}), sha256)
            assert (found["failure"], found["version"]) == ("", "2.1")
    finally:
        program.write_text(text)
    asked = (bench.folder / "calls").read_text().split()
    assert asked.count("-p") == 2 and asked.count("--version") <= 1
    assert json.loads((bench.root / "flashed.jsonl").read_text().splitlines()[-1])["version"] == "2.1"


@pytest.mark.parametrize(
    ("said", "asked", "version"),
    [
        ("avrdude: Version 6.3, compiled on Jan 17", False, "6.3"),
        ("SEGGER J-Link Commander V7.94e (Compiled", False, "7.94e"),
        ("MSP430 Bootstrap Loader Version: 1.39-goodfet-8", False, "1.39-goodfet-8"),
        ("nrfutil 7.11.1", True, "7.11.1"),
        ("nrfutil 7.11.1", False, ""),
        ("Primary IEEE Address: 06:15", True, ""),
    ],
)
def test_versions_as_tools_say_them(said, asked, version):
    assert versions.read(said, asked) == version
