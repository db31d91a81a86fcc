# SPDX-License-Identifier: Apache-2.0
"""The serial lines of a virtual testbed's motes: their rate, and the terminals behind which they are."""

from __future__ import annotations

import os
import select
import termios
import tty

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.engines.embedded.mote_host import port as ports
from orchestrator.engines.embedded.mote_host.__main__ import catching_up
from orchestrator.engines.embedded.mote_host.port import Port
from orchestrator.engines.embedded.mote_host.wire import Wire

BAUD = 115_200

# -- the wire


@given(
    st.lists(st.tuples(st.integers(0, 3_000), st.binary(max_size=40)), max_size=20),
    st.lists(st.integers(1, 5_000), min_size=1, max_size=30),
)
def test_a_wire_keeps_its_rate_and_every_byte(sent, steps):
    wire, now, came = Wire(BAUD), 0, b""
    for gap, content in sent:
        now += gap
        wire.put(now, content)
    start = now
    for step in steps:
        now += step
        part = wire.take(now)
        came += part
        assert len(came) <= now * BAUD / 10 / 1e6 + 1
    everything = b"".join(content for _, content in sent)
    assert everything.startswith(came)
    assert came + wire.take(start + 10**7) == everything


# -- the port


@pytest.fixture
def port(tmp_path):
    made = Port(tmp_path / "dev" / "usb-1", BAUD)
    made.plug()
    yield made
    made.unplug()


def attend(port: Port, now_us: int) -> bytes:
    poll = select.poll()
    poll.register(port.master, select.POLLIN)
    events = dict(poll.poll(0)).get(port.master, 0)
    return port.attend(now_us, not events & select.POLLHUP, bool(events & select.POLLIN))


def opened(port: Port) -> int:
    return os.open(port.link, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)


def test_nobody_hears_what_is_said_before_the_port_is_open(port):
    port.say(0, b"early\n")
    assert attend(port, 10_000) == b""
    program = opened(port)
    port.say(10_000, b"hello\r\n\0")
    attend(port, 20_000)
    assert os.read(program, 100) == b"hello\r\n\0"
    assert (port.unheard, port.heard, port.overrun) == (6, 8, 0)
    os.close(program)


def test_the_line_has_its_rate_in_both_directions(port):
    program = opened(port)
    port.say(0, b"x" * 1000)
    attend(port, 50_000)
    assert port.on_the_line == 424
    assert len(os.read(program, 5000)) == 576, "50 ms of 86.8 us each"
    os.write(program, b"y" * 300)
    attend(port, 60_000)
    assert len(attend(port, 61_000)) == 11
    assert len(attend(port, 1_000_000)) == 289
    os.close(program)


def test_a_late_simulation_catches_up_in_steps_while_a_mote_is_sent_bytes(port):
    program = opened(port)
    attend(port, 0)
    os.write(program, bytes(100))
    assert port.for_the_mote == 0
    attend(port, 0)
    pieces = [
        len(attend(port, until)) for until in catching_up(0, 500_000, 5_000, lambda: port.for_the_mote > 0)
    ]
    assert sum(pieces) == 100 and max(pieces) <= 5_000 * BAUD / 1e7 and port.for_the_mote == 0
    assert list(catching_up(0, 50_000, 5_000, lambda: False)) == [50_000]
    assert list(catching_up(0, 12_000, 5_000, lambda: True)) == [5_000, 10_000, 12_000]


def test_a_program_that_writes_too_fast_waits(port):
    program = opened(port)
    content = b"z" * (3 * ports.MOST_WAITING)
    sent, came, now = 0, b"", 0
    while len(came) < len(content):
        try:
            sent += os.write(program, content[sent : sent + 1000]) if sent < len(content) else 0
        except BlockingIOError:
            pass
        now += 5_000
        part = attend(port, now)
        assert len(part) <= 58
        came += part
    assert came == content
    os.close(program)


def test_what_a_reader_does_not_take_is_lost_and_counted(port):
    program = opened(port)
    for _ in range(40):
        port.say(0, b"x" * 1000)
    for time in range(0, 6_000_000, 50_000):
        attend(port, time)
    read = b""
    while part := _read(program):
        read += part
    assert port.heard + port.overrun == 40_000 and port.overrun > 0
    assert len(read) == port.heard
    os.close(program)


def _read(program: int) -> bytes:
    try:
        return os.read(program, 65536)
    except BlockingIOError:
        return b""


def test_a_closed_port_forgets_what_was_not_read_and_exclusive_use(port):
    program = opened(port)
    import fcntl

    fcntl.ioctl(program, termios.TIOCEXCL)
    attend(port, 0)
    port.say(0, b"old\n")
    attend(port, 10_000)
    os.write(program, b"for the mote")
    os.close(program)
    assert attend(port, 20_000) == b""
    program = opened(port)
    port.say(20_000, b"new\n")
    attend(port, 30_000)
    assert os.read(program, 100) == b"new\n"
    os.close(program)


def test_the_terminal_is_raw_and_the_link_vanishes_with_the_plug(port):
    program = opened(port)
    settings = termios.tcgetattr(program)
    assert (
        not settings[tty.LFLAG] & (termios.ECHO | termios.ICANON) and not settings[tty.OFLAG] & termios.OPOST
    )
    os.set_blocking(program, True)
    port.unplug()
    assert os.read(program, 1) == b"", "its end"
    assert not os.path.lexists(port.link)
    port.plug()
    assert os.path.realpath(port.link).startswith("/dev/pts/")
    os.close(program)
