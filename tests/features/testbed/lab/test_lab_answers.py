# SPDX-License-Identifier: Apache-2.0
"""What a gateway answers, read: it may say anything."""

from __future__ import annotations

import pytest
from orchestrate_testbed.model import Endpoint, Gateway, Lab, Mote

from orchestrator.features.testbed.check import GatewayFound, MoteFound, _read

GATEWAY = Gateway("G1", Endpoint("G1", "192.0.2.1"))
MOTE = Mote("M1", "G1", "sky", "/dev/serial/by-id/a", "0012740000000001")
LAB = Lab("tiny", (GATEWAY,), (MOTE,), failures=2)


def read(said: bytes) -> GatewayFound:
    return _read(LAB, GATEWAY, said, 1000.0)


def test_a_device_of_another_platform_is_named():
    found = read(b"present M1 /dev/ttyUSB0\nusb M1 1366:1015 J-Link\n")
    assert found.motes[0].present
    assert found.motes[0].other_platform == "1366:1015 J-Link (as on nrf, nrf52840, nrf52dk)"
    assert read(b"present M1 /dev/ttyUSB0\nusb M1 0403:6001 FT232R\n").motes[0].other_platform is None
    assert MoteFound(MOTE, "present", usb="ffff:0001 unheard of").other_platform is None


def test_what_it_lacks():
    rich = b"python 3.9.2\nfree 900000\n"
    assert read(rich).lacks() == []
    lacking = b"free 900000\ntool sha256sum\ntool stty\n"
    assert read(lacking).lacks() == ["no Python (3.7 or later), and without it no cat"]
    assert read(lacking).without_python and read(lacking + b"tool cat\n").lacks() == []
    assert not read(rich).without_python
    assert read(b"python 3.6.9\nfree 900000\n").lacks() == ["Python 3.6.9, but the daemon needs 3.7"]
    assert read(b"python 3.9.2\nfree 4000\n").lacks() == ["only 4 MB free"]
    bare = GatewayFound(Gateway("G1", GATEWAY.ssh, python=None), free_kb=900_000, tools={"cat", "stty"})
    assert bare.lacks() == ["no sha256sum"]


def test_an_answer_of_nonsense_says_nothing_and_nothing_is_there():
    line = b"\xff\x00\x1b[2J\nusb\npresent\npython x\nfree -1\nclock 99e9\ndevice /dev/\x1b[31mx\nabsent M1\n"
    said = line * 3
    found = read(said)
    assert (found.python, found.free_kb, found.clock_s) == ("", 0, None)
    assert "\x1b" not in "".join(found.others)
    assert not found.motes[0].present


def test_the_clock_is_compared_with_ours():
    assert read(b"clock 1060\n").clock_s == 60


def test_what_was_flashed_and_why_a_mote_is_out_of_the_pool():
    said = b'present M1 /dev/ttyUSB0\nflashed M1 {"firmware": "ab12"}\n'
    said += b'failed M1 {"count": %d, "why": "no\\u001b answer"}\n'
    (mote,) = read(said % 2).motes
    assert (mote.flashed, mote.present) == ("ab12", True)
    assert mote.out.startswith("it failed 2 times in a row, the last time: no") and "\x1b" not in mote.out
    assert read(said % 1).motes[0].out == ""
    assert read(b"flashed M1 [1]\nfailed M1 {\n").motes[0].flashed == ""


@pytest.mark.parametrize("record", ["[" * 1900, '{"count": %s}' % ("9" * 1800), '{"count": 1e999}'])
def test_a_hostile_record_of_a_gateway_is_none(record):
    (mote,) = read(f"present M1 /dev/ttyUSB0\nflashed M1 {record}\nfailed M1 {record}\n".encode()).motes
    assert (mote.flashed, mote.out) == ("", "")
