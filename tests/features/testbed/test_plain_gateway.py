# SPDX-License-Identifier: Apache-2.0
"""Logging on a gateway that has no Python, by this machine's own shell."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from orchestrate_testbed.client import GatewayError, Refused, Unreliable
from orchestrate_testbed.gateway.serial_port import readers
from orchestrate_testbed.merge import Source, merged
from orchestrate_testbed.plain import Plain
from orchestrate_testbed.ssh import Ran

from tests.waiting import wait_until

SHELLS = [shell for shell in ("dash", "bash", "busybox") if shutil.which(shell)]


class Local:
    """`ssh.Host` without SSH, whose shell is one of these."""

    name = "G1"

    def __init__(self, shell: str, folder: Path):
        tools = folder / "bin"
        tools.mkdir()
        (tools / "sh").symlink_to(shutil.which(shell))
        # No Python there.
        for name in ("stty", "cat", "tail", "head", "mkdir", "mv", "rm", "wc", "date", "sleep"):
            (tools / name).symlink_to(shutil.which("busybox" if shell == "busybox" else name))
        self.environment = {"PATH": str(tools)}
        self.shell = str(tools / "sh")

    def script(self, text: str, *operands: str, given: bytes = b"") -> Ran:
        done = subprocess.run(
            [self.shell, "-c", text, "sh", *operands],
            env=self.environment,
            capture_output=True,
            timeout=1800,
            input=given,
        )
        return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture(params=SHELLS)
def plain(request, tmp_path):
    found = Plain(Local(request.param, tmp_path), str(tmp_path / "root"))
    yield found
    found.remove("r")


def texts(plain, folder: Path) -> list[str]:
    told = merged([Source("M1", 1, (folder / "M1.1.log",), (plain.clock(),))], 0, folder / "log")
    assert told["M1"].missing() == []
    return [line.split("\t")[2] for line in (folder / "log").read_text().splitlines()]


def test_a_mote_is_logged_pulled_and_merged(plain, plugged, tmp_path):
    mote, folder = plugged("M1"), tmp_path / "came"
    plain.open("r", "M1", str(mote.link), 115200)
    plain.open("r", "M1", str(mote.link), 115200)
    mote.say(b"one\ntwo\nth")
    wait_until(lambda: plain.status("r")["M1"].bytes == 10)
    assert plain.pull("r", folder) == 10
    mote.say(b"ree\n")
    wait_until(lambda: plain.status("r")["M1"].bytes == 14)
    assert plain.pull("r", folder) == 4
    assert plain.pull("r", folder) == 0
    assert texts(plain, folder) == ["one", "two", "three"]
    assert plain.clock().error_us > 0


def test_what_is_said_as_soon_as_the_port_is_said_to_be_open_is_logged(plain, plugged, tmp_path):
    mote, go = plugged("M1"), tmp_path / "go"
    cat = Path(plain.host.environment["PATH"]) / "cat"
    real = tmp_path / "real" / "cat"
    real.parent.mkdir()
    cat.rename(real)
    cat.write_text(f'#!/bin/sh\nwhile [ ! -e {go} ]; do sleep 0.01; done\nexec {real} "$@"\n')
    cat.chmod(0o755)
    plain.open("r", "M1", str(mote.link), 115200)
    assert len(readers(str(mote.link))) >= 1, "though no `cat` runs yet"
    mote.say(b"early\n")
    go.touch()
    wait_until(lambda: plain.status("r")["M1"].bytes == 6)
    plain.pull("r", tmp_path / "came")
    assert texts(plain, tmp_path / "came") == ["early"]


def test_a_controller_that_comes_back_goes_on_where_it_ended(plain, plugged, tmp_path):
    mote, folder = plugged("M1"), tmp_path / "came"
    plain.open("r", "M1", str(mote.link), 115200)
    mote.say(b"one\n")
    wait_until(lambda: plain.status("r")["M1"].bytes == 4)
    plain.pull("r", folder)
    whole = (folder / "M1.1.log").read_bytes()
    (folder / "M1.1.log").write_bytes(whole + b"@12 13 500\n" + b"cut" * 100)
    mote.say(b"two\n")
    again = Plain(plain.host, plain.root)
    wait_until(lambda: again.status("r")["M1"].bytes == 8)
    again.pull("r", folder)
    assert (folder / "M1.1.log").read_bytes().startswith(whole + b"@")
    assert texts(again, folder) == ["one", "two"]


def test_a_port_has_one_reader_here_too(plain, plugged):
    mote = plugged("M1")
    with subprocess.Popen(["cat", str(mote.link)], stdout=subprocess.DEVNULL) as other:
        device = os.path.realpath(mote.link)
        wait_until(
            lambda: (
                os.path.exists(f"/proc/{other.pid}/fd/3") and os.readlink(f"/proc/{other.pid}/fd/3") == device
            )
        )
        with pytest.raises(Refused, match=rf"process {other.pid} \(cat\)"):
            plain.open("r", "M1", str(mote.link), 115200)
        other.kill()
    plain.open("r", "M1", str(mote.link), 115200)


def test_a_device_that_is_none_is_refused(plain, tmp_path):
    with pytest.raises(Refused, match="isn't there"):
        plain.open("r", "M1", "/nowhere", 115200)
    (tmp_path / "file").write_text("")
    with pytest.raises(Refused, match="can't be set to 115200 baud"):
        plain.open("r", "M1", str(tmp_path / "file"), 115200)


def test_closing_ends_every_process_and_removing_leaves_nothing(plain, plugged):
    mote = plugged("M1")
    plain.open("r", "M1", str(mote.link), 115200)
    mote.say(b"x")
    wait_until(lambda: plain.status("r")["M1"].bytes == 1)
    plain.close("r")
    wait_until(lambda: not plain.status("r")["M1"].open)  # and what it said may still be pulled
    wait_until(lambda: not readers(str(mote.link)))
    plain.remove("r")
    assert not Path(plain.root, "r").exists()


def test_an_unplugged_mote_is_waited_for(plain, plugged, tmp_path):
    mote, folder = plugged("M1"), tmp_path / "came"
    plain.open("r", "M1", str(mote.link), 115200)
    mote.say(b"one\n")
    wait_until(lambda: plain.status("r")["M1"].bytes == 4)
    assert plain.missing("r") == []
    mote.unplug()
    wait_until(lambda: plain.status("r")["M1"].said)
    assert "M1's port was closed" in plain.missing("r")[0]
    loop = Path(plain.root, "r", "M1.pid").read_text().strip()
    assert not Path(f"/proc/{loop}/fd/3").exists(), "what holds a device that is gone keeps its name from it"
    mote.plug()
    mote.say(b"two\n")
    wait_until(lambda: plain.status("r")["M1"].bytes == 8)
    plain.pull("r", folder)
    assert texts(plain, folder) == ["one", "two"]


class Says:
    """A gateway that answers anything."""

    name = "G1"

    def __init__(self, out: bytes, code: int = 0):
        self.ran = Ran(code, out, b"")

    def script(self, text: str, *operands: str) -> Ran:
        return self.ran


def test_answers_of_a_gateway_are_not_trusted(tmp_path):
    for said in (b"../up 5 open", b"M1 x open", b"M1 5 open\n\x1b[2J", b"M1 99999999999999999999 open"):
        with pytest.raises(Unreliable):
            Plain(Says(said), "/root").status("r")
    with pytest.raises(GatewayError, match="exit code 9"):
        Plain(Says(b"", 9), "/root").status("r")
    with pytest.raises(ValueError):
        Plain(Says(b""), "/root").open("../r", "M1", "/dev/x", 9600)
    outside = tmp_path / "outside"
    outside.write_bytes(b"")
    (tmp_path / "M1.1.log").symlink_to(outside)
    with pytest.raises(OSError):
        Plain(Says(b"M1 5 open"), "/root").pull("r", tmp_path)
    assert outside.read_bytes() == b""
