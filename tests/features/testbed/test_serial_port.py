# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import termios

import pytest
from orchestrate_testbed.gateway import serial_port
from orchestrate_testbed.gateway.protocol import Refusal


@pytest.mark.parametrize("name", ["ioctl", "flock", "tcgetattr", "tcsetattr"])
def test_a_port_that_is_unplugged_while_it_is_opened_is_refused_and_closed(name, plugged, monkeypatch):
    module, error = (serial_port.fcntl, OSError) if name in ("ioctl", "flock") else (termios, termios.error)
    opened = []

    def fail(descriptor, *_):
        opened.append(descriptor)
        raise error(5, "Input/output error")

    mote = plugged("M1")
    monkeypatch.setattr(module, name, fail)
    with pytest.raises(Refusal) as caught:
        serial_port.open_port(str(mote.link), 115200)
    assert caught.value.kind == "no-device"
    with pytest.raises(OSError):
        os.fstat(opened[0])


def test_a_port_is_raw_at_its_rate_and_ours_alone(plugged):
    mote = plugged("M1")
    descriptor = serial_port.open_port(str(mote.link), 57600)
    settings = termios.tcgetattr(descriptor)
    assert settings[4] == settings[5] == termios.B57600
    assert settings[0] & (termios.ICRNL | termios.IXON | termios.ISTRIP) == 0
    assert (
        settings[1] & termios.OPOST == 0 and settings[3] & (termios.ECHO | termios.ICANON | termios.ISIG) == 0
    )
    assert settings[2] & termios.HUPCL == 0 and settings[2] & termios.CLOCAL
    assert not os.get_inheritable(descriptor)
    with pytest.raises(Refusal) as caught:
        serial_port.open_port(str(mote.link), 57600)  # flock, or TIOCEXCL for all but root
    assert caught.value.kind == "port-held"
    serial_port.release(descriptor)
    serial_port.release(serial_port.open_port(str(mote.link), 57600))
