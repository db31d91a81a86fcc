# SPDX-License-Identifier: Apache-2.0
"""A mote's port on TCP: many readers, one writer."""

from __future__ import annotations

import os
import socket

import pytest
from orchestrate_testbed.client import Refused

from tests.waiting import wait_until


def connected(status: dict) -> socket.socket:
    found = socket.create_connection((status["address"], status["port"]))
    found.settimeout(1800)
    return found


def read(connection: socket.socket, count: int) -> bytes:
    content = b""
    while len(content) < count and (part := connection.recv(count - len(content))):
        content += part
    return content


def told(daemon):
    return daemon.status("r")["forwarders"]["M1"]


@pytest.fixture
def mote(gateway, plugged):
    found = plugged("M1")
    gateway.ask().open("r", "M1", str(found.link), 115200)
    return found


def test_all_readers_hear_the_mote_and_one_writes(gateway, mote):
    daemon = gateway.ask()
    status = daemon.forward("r", "M1")
    assert daemon.forward("r", "M1")["port"] == status["port"]
    first, second = connected(status), connected(status)
    wait_until(lambda: told(daemon)["readers"] == 2)
    mote.say(b"\x00hello\n")
    assert read(first, 7) == read(second, 7) == b"\x00hello\n"
    first.sendall(b"to you\n")
    assert os.read(mote.master, 10) == b"to you\n"
    second.sendall(b"me too\n")
    assert second.recv(1) == b""
    assert told(daemon)["refused"] == 1 and told(daemon)["readers"] == 1
    first.close()
    wait_until(lambda: told(daemon)["writer"] == "")
    third = connected(status)
    third.sendall(b"now me\n")
    assert os.read(mote.master, 10) == b"now me\n"
    third.close()
    assert daemon.status("r")["motes"]["M1"]["port"]["lines"] == 1


def test_the_writer_stays_the_only_one_until_it_leaves_itself(gateway, mote):
    daemon = gateway.ask()
    status = daemon.forward("r", "M1")
    writer, listener = connected(status), connected(status)
    writer.sendall(b"mine\n")
    assert os.read(mote.master, 10) == b"mine\n"
    by = told(daemon)["writer"]
    wait_until(lambda: told(daemon)["readers"] == 2)
    listener.close()
    wait_until(lambda: told(daemon)["readers"] == 1)
    assert told(daemon)["writer"] == by != ""
    for _ in range(2):  # neither a listener that left nor one that was refused makes room
        other = connected(status)
        other.sendall(b"me too\n")
        assert other.recv(1) == b""
        other.close()
    assert told(daemon)["writer"] == by
    writer.sendall(b"still mine\n")
    assert os.read(mote.master, 20) == b"still mine\n"
    writer.close()
    wait_until(lambda: told(daemon)["writer"] == "")


def test_in_the_serial_forwarders_manner_lines_are_packets(gateway, mote):
    daemon = gateway.ask()
    reader = connected(daemon.forward("r", "M1", manner="forwarder"))
    assert read(reader, 2) == b"U "
    wait_until(lambda: told(daemon)["readers"] == 1)
    mote.say(b"one\ntw")
    mote.say(b"o\n" + b"x" * 300 + b"\n")
    assert read(reader, 8) == b"\x03one\x03two"
    assert read(reader, 302) == b"\xff" + b"x" * 255 + b"\x2d" + b"x" * 45
    reader.sendall(b"U ")
    reader.sendall(b"\x02a")
    told(daemon)  # when this is answered, the half packet has been read
    reader.sendall(b"b\x01c")
    got = b""
    while len(got) < 5:
        got += os.read(mote.master, 10)
    assert got == b"ab\nc\n"
    stranger = connected(told(daemon))
    stranger.sendall(b"GET / HTTP/1.0\r\n")
    assert read(stranger, 3) == b"U "
    reader.close()


def test_a_reader_that_takes_nothing_is_disconnected_and_the_log_goes_on(gateway, mote):
    daemon = gateway.ask()
    lazy = socket.socket()
    lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    status = daemon.forward("r", "M1")
    lazy.connect((status["address"], status["port"]))
    wait_until(lambda: told(daemon)["readers"] == 1)
    sent = 0
    while not told(daemon)["dropped"]:
        mote.say(b"x" * 4000)
        sent += 4000
    wait_until(lambda: daemon.status("r")["motes"]["M1"]["port"]["bytes"] == sent)
    assert told(daemon)["readers"] == 0
    lazy.close()


def test_what_cannot_be_offered_is_refused(gateway, mote):
    daemon = gateway.ask()
    status = daemon.forward("r", "M1")
    for asked in ({"manner": "forwarder"}, {"port": status["port"] + 1}, {"manner": "odd"}, {"port": 70000}):
        with pytest.raises(Refused):
            daemon.forward("r", "M1", **asked)
    with pytest.raises(Refused, match="not being logged"):
        daemon.forward("r", "M9")
    daemon.close("r", "M1")
    with pytest.raises(ConnectionRefusedError):
        connected(status)


def test_the_door_is_open_again_after_a_kill(own, plugged):
    mote = plugged("M1")
    daemon = own.ask()
    daemon.open("r", "M1", str(mote.link), 115200)
    port = daemon.forward("r", "M1")["port"]
    own.kill()
    own.start()
    assert own.ask().status("r")["forwarders"]["M1"]["port"] == port
