# SPDX-License-Identifier: Apache-2.0
"""Virtual gateways with networks of their own, and links between two of them that are cut."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from orchestrate_testbed.errors import LabError
from orchestrate_testbed.virtual import failures, namespaces, testbed
from orchestrate_testbed.virtual.server import Server
from orchestrate_testbed.virtual.testbed import VirtualTestbed

from orchestrator.cli import app

LISTEN = """
import socket, threading
def answer(connection):
    while content := connection.recv(100):
        connection.sendall(content)
door = socket.create_server(("", 7000))
print("open", flush=True)
while True:
    threading.Thread(target=answer, args=door.accept()[:1]).start()
"""
CALL = """
import socket, sys
with socket.create_connection((sys.argv[1], 7000)) as connection:
    for line in sys.stdin:
        connection.sendall(line.encode())
        print(connection.recv(100).decode(), end="", flush=True)
"""
# A gateway's link that sends what it is told, and says why it ended and how much was on the way then.
LINK = """
import sys
from types import SimpleNamespace
from orchestrate_testbed.gateway.link import Link
from orchestrate_testbed.gateway.loop import Loop

loop = Loop()
def linked(link):
    link.notice(1_000_000)
    print("linked", flush=True)
def unlinked(link, why):
    print(why, link.unacknowledged, flush=True)
    sys.exit()
def received(link, content):
    print(content.decode(), end="", flush=True)
link = Link(loop, SimpleNamespace(linked=linked, unlinked=unlinked, received=received), "", "")
link.call(sys.argv[1], 7000)
loop.watch(sys.stdin, read=lambda: link.send(sys.stdin.readline().encode()))
while True:
    loop.turn(1_000_000)
"""
MAY_SEND = (
    "import socket, sys; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', (sys.argv[1], 9))"
)


@pytest.fixture
def made(tmp_path):
    """Three gateways of which nothing runs; the fixture skips where nobody may make namespaces."""
    folder = tmp_path / "lab.virtual"
    folder.mkdir()
    names, addresses = namespaces.names(folder, 3), namespaces.addresses(folder, 3)
    found = VirtualTestbed(
        folder,
        tuple(
            Server(f"G{number}", address, 2200, folder / "servers" / f"G{number}", folder, name)
            for number, (name, address) in enumerate(zip(names, addresses, strict=True), 1)
        ),
    )
    testbed._write(found)
    try:
        namespaces.make(folder, 3)
    except namespaces.NoNamespaces as why:
        namespaces.remove(folder)
        pytest.skip(str(why).split("\n")[0])
    yield found
    if folder.exists():
        testbed.down(folder)


@contextmanager
def within(made: VirtualTestbed, name: str, script: str, *operands: str):
    command = [*namespaces.inside(made.server(name).namespace), sys.executable, "-c", script, *operands]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def may_send(made: VirtualTestbed, name: str, to: str) -> bool:
    """Whether a packet finds a way out; no answer is awaited."""
    with within(made, name, MAY_SEND, made.server(to).address) as process:
        process.communicate()
    return process.returncode == 0


def test_a_link_between_two_gateways_is_cut_and_joined_and_no_other_one(made):
    with within(made, "G2", LISTEN) as listening:
        assert listening.stdout.readline() == "open\n"
        with within(made, "G1", CALL, made.server("G2").address) as calling:

            def echo(text: str) -> str:
                calling.stdin.write(text)
                calling.stdin.flush()
                return calling.stdout.readline()

            assert echo("one\n") == "one\n"
            failures.cut_between(made, "G1", "G2")
            failures.cut_between(made, "G1", "G2")
            pairs = [("G1", "G2"), ("G2", "G1"), ("G1", "G3"), ("G3", "G2")]
            assert [may_send(made, *pair) for pair in pairs] == [False, False, True, True]
            calling.stdin.write("two\n")
            calling.stdin.flush()
            failures.join_between(made, "G1", "G2")
            failures.join_between(made, "G1", "G2")
            assert all(may_send(made, *pair) for pair in pairs)
            # TCP repeats what was cut off: the connection has only hung.
            assert calling.stdout.readline() == "two\n"


def test_a_link_that_hangs_ends_and_says_what_was_on_the_way(made):
    with within(made, "G2", LISTEN) as listening:
        assert listening.stdout.readline() == "open\n"
        with (
            within(made, "G1", LINK, made.server("G2").address) as idle,
            within(made, "G3", LINK, made.server("G2").address) as busy,
        ):
            for each in (idle, busy):
                assert each.stdout.readline() == "linked\n"
            failures.cut_between(made, "G1", "G2")
            assert idle.stdout.readline() == "Connection timed out 0\n"
            busy.stdin.write("one\n")
            busy.stdin.flush()
            assert busy.stdout.readline() == "one\n", "this link was never cut"
            failures.cut_between(made, "G3", "G2")
            busy.stdin.write("three\n")
            busy.stdin.flush()
            assert busy.stdout.readline() == "Connection timed out 6\n"


def test_this_machine_reaches_them_all_and_nothing_is_left(made):
    with within(made, "G3", LISTEN) as listening:
        assert listening.stdout.readline() == "open\n"
        ran = subprocess.run(
            ["python3", "-c", CALL, made.server("G3").address], input="x\n", capture_output=True, text=True
        )
        assert ran.stdout == "x\n"
    testbed.down(made.folder)
    assert not made.folder.exists()
    assert not list(Path("/sys/class/net").glob(f"{namespaces._prefix(made.folder)}*"))
    assert not list(Path("/run/netns").glob(f"{namespaces._prefix(made.folder)}-*"))


def test_a_link_needs_two_gateways_with_networks_of_their_own(tmp_path):
    alone = tuple(Server(name, "127.0.0.1", 2200, tmp_path / name, tmp_path) for name in ("G1", "G2"))
    with pytest.raises(LabError, match=r"share the network.*\n    start it with .*--namespaces"):
        failures.cut_between(VirtualTestbed(tmp_path, alone), "G1", "G2")
    with pytest.raises(LabError, match="no link to itself"):
        failures.cut_between(VirtualTestbed(tmp_path, alone), "G1", "G1")


def test_who_may_make_none_is_told_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(namespaces.NoNamespaces, match=r"can't be used here.*\n    leave out --namespaces"):
        namespaces.make(tmp_path, 1)
    with pytest.raises(namespaces.NoNamespaces, match="254 servers don't fit"):
        namespaces.make(tmp_path, 254)


def test_options_that_go_with_nothing_else(capsys):
    assert app.main(["testbed", "break", "lab.yaml", "disk", "G1", "--to", "G2"]) == 2
    assert "--to is for break link" in capsys.readouterr().err
    assert app.main(["testbed", "break", "lab.yaml", "link", "G1", "--to", "G2", "--drop"]) == 2
    assert "leave out --drop or --to" in capsys.readouterr().err
