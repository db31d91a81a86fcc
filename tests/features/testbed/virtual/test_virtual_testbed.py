# SPDX-License-Identifier: Apache-2.0
"""A testbed in a box: what `up` starts, what fails in it, and that `down` leaves nothing."""

from __future__ import annotations

import os
import pwd
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from orchestrate_testbed.errors import LabError
from orchestrate_testbed.gateway.clocks import Off
from orchestrate_testbed.virtual import clock, failures, processes, server, testbed
from orchestrate_testbed.virtual.server import Server
from orchestrate_testbed.virtual.testbed import VirtualTestbed

from orchestrator.cli import app
from orchestrator.features.testbed import inventory, virtual_testbed
from tests.waiting import wait_until

LAB = """
lab: box
defaults:
  gateway: {user: somebody, key: ~/.ssh/none, jump: gate}
  mote: {platform: sky, power-off: uhubctl -a off}
jump-hosts:
  gate: {host: gate.example.org}
gateways:
  G1: {host: 192.0.2.1}
  G2: {host: 192.0.2.2, python: none}
boards:
  B1: {gateway: G1, size: 1 x 2, spacing: 228.6 mm}
motes:
  M1: {board: B1, place: '1, 1', eui64: 00:12:74:00:00:00:00:01, device: /dev/serial/by-id/usb-1}
  M2: {board: B1, place: '1, 2', eui64: 00:12:74:00:00:00:00:02, device: /dev/serial/by-id/usb-2,
       tool: command, flash: 'flash {device}'}
  M3: {gateway: G2, x: 5 m, eui64: 00:12:74:00:00:00:00:03, device: /dev/serial/by-id/usb-1, baud: 57600}
layouts:
  pair: {motes: [M2, M3], at: {}}
"""


@pytest.fixture
def lab(tmp_path) -> Path:
    path = tmp_path / "lab.yaml"
    path.write_text(LAB)
    return path


def servers(folder: Path) -> dict[str, Server]:
    names = ("gate", "G1", "G2")
    return {
        name: Server(name, f"127.9.9.{at}", 2200 + at, folder / "servers" / name, folder)
        for at, name in enumerate(names, 1)
    }


# -- the inventory of the twin, and what its motes are


def test_the_twin_has_the_labs_motes_at_other_addresses(lab, tmp_path):
    from orchestrator.features.testbed import twin

    real, made = inventory.load(lab), servers(tmp_path / "lab.virtual")
    path = tmp_path / "twin.yaml"
    path.write_text(twin.text(lab, real, made, tmp_path / "known_hosts", tmp_path / "key"))
    found = inventory.load(path)
    assert [each.name for each in found.endpoints()] == ["gate", "G1", "G2"]
    for each in found.endpoints():
        assert (each.host, each.port) == (made[each.name].address, made[each.name].port)
        assert each.user is None and each.key == tmp_path / "key"
    assert found.gateway("G1").ssh.jump.name == "gate" and found.gateway("G2").python is None
    assert found.known_hosts == tmp_path / "known_hosts"
    assert [mote.eui64 for mote in found.motes] == [mote.eui64 for mote in real.motes]
    for mote in found.motes:
        assert mote.device == str(made[mote.gateway].devices / Path(real.mote(mote.name).device).name)
        assert (mote.platform, mote.tool, mote.flash) == ("virtual", "stand-in", ())
        assert mote.reset == ("mote-tool", "reset", "{device}")
        assert mote.power_off == ("mote-tool", "off", "{device}")
    assert found.mote("M3").baud == 57_600
    assert found.layouts == real.layouts and found.boards == real.boards


def test_motes_outside_the_layout_are_out_of_reach(lab, tmp_path):
    from orchestrator.csc.model import Udgm

    real = inventory.load(lab)
    made = VirtualTestbed(tmp_path, tuple(servers(tmp_path).values()))
    spots = {spot.mote: spot for spot in real.layout("pair").spots}
    plan = virtual_testbed.plan_of(real, made, spots, Udgm(), 3)
    assert [(mote.name, mote.number, mote.board, mote.baud) for mote in plan.motes] == [
        ("M1", 1, "B1", 115_200),
        ("M2", 2, "B1", 115_200),
        ("M3", 3, "", 57_600),
    ]
    assert [abs(mote.x) > 10_000 for mote in plan.motes] == [True, False, False]
    assert plan.motes[2].link == made.server("G2").devices / "usb-1"


def test_the_folder_is_found_from_either_inventory(tmp_path):
    folder = tmp_path / "lab.virtual"
    assert virtual_testbed.folder_of(tmp_path / "lab.yaml") == folder
    folder.mkdir()
    (folder / testbed.STATE).write_text("{}")
    assert virtual_testbed.folder_of(folder / "lab.yaml") == folder


# -- processes


def test_processes_are_known_by_their_mark_and_so_are_their_children(tmp_path):
    folder, code = tmp_path / "a#b", "import os,time; os.setsid() if os.fork() else 0; time.sleep(600)"
    begun = [
        subprocess.Popen([sys.executable, "-c", code], env=os.environ | processes.mark(folder, part))
        for part in ("G1", "G11")
    ]
    wait_until(lambda: len(processes.of_part(folder)) == 4)
    assert len(processes.of_part(folder, "G1")) == len(processes.of_part(folder, "G11")) == 2
    assert processes.of_part(tmp_path / "a") == []
    assert processes.kill(folder, "G1") == []
    assert len(processes.of_part(folder)) == 2, "of G11"
    assert processes.kill(folder) == [] == processes.of_part(folder)
    for each in begun:
        assert each.wait() == -signal.SIGKILL


def test_a_folder_that_is_not_ours_stays(tmp_path):
    (tmp_path / "precious").write_text("x")
    with pytest.raises(LabError, match="no folder of a virtual testbed"):
        testbed.down(tmp_path)
    assert (tmp_path / "precious").exists()
    with pytest.raises(testbed.NoTestbed, match="orchestrate testbed up"):
        testbed.find(tmp_path)


def test_the_process_of_the_motes_must_answer(tmp_path):
    with pytest.raises(LabError, match="does not answer"):
        VirtualTestbed(tmp_path, ()).ask(status=True)
    with pytest.raises(LabError, match="no gateway 'G9'\n    there are gate, G1, G2"):
        VirtualTestbed(tmp_path, tuple(servers(tmp_path).values())).server("G9")


# -- clocks


def test_a_clock_jumps_and_drifts_and_the_monotonic_one_never_goes_back(tmp_path):
    path = tmp_path / "clock"
    clock.write(path)
    assert clock.read(path).gained(10**15) == 0
    clock.write(path, wall_us=-5_000_000, drift_ppm=100.0)
    first = clock.read(path)
    assert first.wall_us == -5_000_000 and first.monotonic_us == 0
    assert first.gained(first.since_us + 10_000_000) == 1000
    path.write_bytes(first._replace(since_us=first.since_us - 20_000_000).pack())  # 20 s ago
    clock.write(path, wall_us=1_000_000)
    second = clock.read(path)
    assert second.drift_ppm == 100.0 and 2000 <= second.monotonic_us < 10**6
    assert second.wall_us == -4_000_000 + second.monotonic_us


def test_the_gateways_software_reads_it_as_it_changes(tmp_path):
    path = tmp_path / "clock"
    clock.write(path)
    code = """
import sys, time
from orchestrate_testbed.gateway import clocks
for line in sys.stdin:
    for real, shown in ((time.time_ns, clocks.wall_us), (time.monotonic_ns, clocks.monotonic_us)):
        begin, said, end = real() // 1000, shown(), real() // 1000
        print(said - end, said - begin, end=" ")
    print(flush=True)
"""
    variables = os.environ | {"ORCHESTRATE_VIRTUAL_CLOCK": str(path)}
    with subprocess.Popen(
        [sys.executable, "-c", code], env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as asked:

        def is_off(wall_us: int, monotonic_us: int) -> bool:
            """Whether both may be off by so much: any time passes between two looks at the real clocks."""
            asked.stdin.write("\n")
            asked.stdin.flush()
            least, most, least_too, most_too = map(int, asked.stdout.readline().split())
            return least <= wall_us <= most and least_too <= monotonic_us <= most_too

        assert is_off(0, 0)
        clock.write(path, wall_us=3600 * 10**6)
        assert is_off(3600 * 10**6, 0)
        asked.stdin.close()


def test_the_file_has_all_of_it():
    off = Off(-1, 2, 3.5, 4)
    assert Off.unpack(off.pack()) == off and len(off.pack()) == 32


# -- the whole thing


@pytest.fixture(scope="module")
def sshd():
    try:
        return server.sshd()
    except server.NotStarted as error:
        pytest.skip(str(error))


@pytest.fixture
def running(sshd, lab):
    assert app.main(["testbed", "up", "--virtual", str(lab), "--range", "30 cm"]) == 0
    made = testbed.find(virtual_testbed.folder_of(lab))
    yield made
    if made.folder.exists():
        testbed.down(made.folder)


def ssh(made: VirtualTestbed, name: str, command: str, wait: bool = True):
    found = made.server(name)
    process = subprocess.Popen(
        ["ssh", "-F", "none", "-p", str(found.port), "-i", str(made.key), "-o", "BatchMode=yes",
         "-o", f"UserKnownHostsFile={made.known_hosts}", "-o", "StrictHostKeyChecking=yes",
         "-o", "IdentitiesOnly=yes", found.address, command],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    return process.communicate()[0] if wait else process


@pytest.mark.sshd
def test_a_twin_from_up_to_down(running, lab, capsys):
    """One start for all of it, as each takes a second."""
    made = running
    twin = str(made.folder / "lab.yaml")
    assert app.main(["testbed", "check", twin, "--devices"]) == 0, capsys.readouterr()
    home = ssh(made, "G1", "pwd; echo $HOME").split()
    assert home == [str(made.server("G1").home)] * 2
    if pwd.getpwuid(os.getuid()).pw_shell.endswith("bash"):
        (made.server("G1").home / ".bashrc").write_text("export ITS=own\n")
        assert ssh(made, "G1", "echo $ITS") == "own\n", "not this machine's"
    device = f"{made.server('G2').devices}/usb-1"
    assert ssh(made, "G2", f"mote-tool identify {device}").split() == ["virtual", "0012740000000003"]
    assert "no host" not in ssh(made, "G1", "stand-in --help")
    assert app.main(["testbed", "status", str(lab)]) == 0

    # A gateway without power: its sshd, and what its sessions left behind.
    left = ssh(made, "G1", "sleep 600 > /dev/null 2>&1 & setsid sleep 600 > /dev/null 2>&1 & echo up")
    assert left == "up\n" and len(processes.of_part(made.folder, "G1")) >= 3
    assert app.main(["testbed", "break", str(lab), "gateway", "G1"]) == 0
    assert processes.of_part(made.folder, "G1") == [] and not server.answers(made.server("G1"))
    assert app.main(["testbed", "status", str(lab)]) == 7
    assert app.main(["testbed", "break", twin, "gateway", "G1", "--mend"]) == 0
    assert ssh(made, "G1", "echo again") == "again\n"

    # A link that is cut: a session goes on after it.
    session = ssh(
        made, "G2", f"echo begun; while [ ! -e {lab.parent}/go ]; do sleep 0.02; done; echo end", False
    )
    assert session.stdout.readline() == "begun\n"
    assert app.main(["testbed", "break", str(lab), "link", "G2"]) == 0
    assert not server.answers(made.server("G2"), 0.2)
    (lab.parent / "go").touch()
    assert app.main(["testbed", "break", str(lab), "link", "G2", "--mend"]) == 0
    assert session.communicate()[0] == "end\n" and session.returncode == 0
    session = ssh(made, "G2", "echo begun; sleep 600", False)
    assert session.stdout.readline() == "begun\n"
    assert app.main(["testbed", "break", str(lab), "link", "G2", "--drop"]) == 0
    assert session.wait() == 255
    wait_until(lambda: server.answers(made.server("G2")))
    session.communicate()

    # A disk that is full: for what runs, and for what begins later.
    writer = ssh(made, "G1", "trap '' XFSZ; while :; do echo 0123456789 >> grows || exit 9; done", False)
    grows = made.server("G1").home / "grows"
    wait_until(lambda: grows.exists() and grows.stat().st_size > 0)
    failures.fill_disk(made, "G1", 1024)
    assert writer.wait() == 9
    writer.communicate()
    assert int(ssh(made, "G1", "head -c 5000 /dev/zero 2>/dev/null > more; wc -c < more")) == 1024
    failures.free_disk(made, "G1")
    assert int(ssh(made, "G1", "head -c 5000 /dev/zero > more; wc -c < more")) == 5000

    # Clocks and motes.
    assert app.main(["testbed", "break", str(lab), "clock", "G2", "--jump", "-7", "--drift", "20"]) == 0
    assert clock.read(made.server("G2").clock)[0] == -7_000_000
    for kind in (["mote", "M3"], ["mote", "M3", "--mend"], ["mote", "M1", "--crash"], ["power", "B1"]):
        assert app.main(["testbed", "break", str(lab), *kind]) == 0
        assert os.path.lexists(device) == (kind != ["mote", "M3"])
    assert app.main(["testbed", "break", str(lab), "power", "B9"]) == 7
    assert app.main(["testbed", "break", str(lab), "clock", "G1", "--mend"]) == 2
    assert app.main(["testbed", "break", str(lab), "mote", "M1", "--room", "3"]) == 2

    assert app.main(["testbed", "down", twin]) == 0
    assert processes.of_part(made.folder) == [] and not made.folder.exists()
    assert app.main(["testbed", "down", str(lab)]) == 7


@pytest.mark.sshd
def test_a_twin_whose_gateways_have_networks_of_their_own(sshd, lab, capsys):
    code = app.main(["testbed", "up", "--virtual", "--namespaces", str(lab)])
    folder = virtual_testbed.folder_of(lab)
    try:
        if code:
            assert "leave out --namespaces" in capsys.readouterr().err and not folder.exists()
            pytest.skip("nobody may make network namespaces here")
        made, twin = testbed.find(folder), str(folder / "lab.yaml")
        assert app.main(["testbed", "check", twin, "--devices"]) == 0, capsys.readouterr()
        words = ssh(made, "G1", "echo $SSH_CONNECTION").split()
        assert words[2] == made.server("G1").address and not words[2].startswith("127.")
        assert app.main(["testbed", "break", str(lab), "link", "G1", "--to", "G2"]) == 0
        assert "both stay reachable" in capsys.readouterr().out
        assert ssh(made, "G1", "echo up") == ssh(made, "G2", "echo up") == "up\n"
        assert app.main(["testbed", "break", str(lab), "link", "G1", "--to", "G2", "--mend"]) == 0
        assert app.main(["testbed", "break", twin, "gateway", "G1"]) == 0
        assert app.main(["testbed", "break", twin, "gateway", "G1", "--mend"]) == 0
        assert ssh(made, "G1", "echo again") == "again\n"
    finally:
        if folder.exists():
            testbed.down(folder)


def lasting(made: VirtualTestbed) -> list[int]:
    """The processes of a testbed of which nobody asks anything: three sshds, the motes' host, its kernel.

    An sshd has one more for a moment after each connection.
    """
    wait_until(lambda: len(processes.of_part(made.folder)) == 5)
    return processes.of_part(made.folder)


@pytest.mark.sshd
def test_what_a_crash_left_goes_with_the_next_start(running, lab):
    before = lasting(running)
    assert app.main(["testbed", "up", "--virtual", str(lab)]) == 0
    after = lasting(running)
    assert not set(before) & set(processes.of_part(running.folder)) and not set(before) & set(after)


def test_a_start_that_fails_leaves_nothing(sshd, lab, tmp_path):
    real = inventory.load(lab)
    folder = tmp_path / "lab.virtual"
    with pytest.raises(server.NotStarted, match="it said: no motes today"):
        testbed.up(real, folder, lambda made: [sys.executable, "-c", "exit('no motes today')"], lab)
    assert not folder.exists() and processes.of_part(folder) == []


def test_a_path_that_is_too_long_for_a_socket_is_refused(sshd, lab, tmp_path):
    folder = tmp_path / ("x" * 100)
    with pytest.raises(server.NotStarted, match="shorter"):
        testbed.up(inventory.load(lab), folder, lambda made: ["false"], lab)
    assert not folder.exists()


def test_only_virtual_testbeds_are_started(lab, capsys):
    assert app.main(["testbed", "up", str(lab)]) == 2
    assert "add --virtual" in capsys.readouterr().err
    assert app.main(["testbed", "up", "--virtual", str(lab), "--layout", "pear"]) == 2
    assert "did you mean pair" in capsys.readouterr().err
