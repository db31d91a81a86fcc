# SPDX-License-Identifier: Apache-2.0
"""Programs, border routers and motes that misbehave: each has its error, and the log is whole."""

from __future__ import annotations

import asyncio
import time

import pytest

from orchestrator import live
from orchestrator.errors import Unsupported
from orchestrator.features import virtual_time
from orchestrator.features.virtual_time import faults
from tests import needs

needs.a_compiler()
NOT_LONG_S = 0.3  # of real time; what is stuck stays so, however busy the machine is


def fails(network, main, error, **settings) -> str:
    """The error's text; the simulation can go on after it, and its log is whole."""
    simulation = network()
    with pytest.raises(error) as raised:
        with virtual_time.Session(simulation, **{"border_router": 1} | settings) as session:
            session.run(main())
    until = simulation.now_us + 3_000_000
    simulation.advance(until, stop_on_output=False)
    simulation.end()
    log = simulation.log.read_text(errors="replace")
    assert f"ID:3\tit is {until // 500_000 * 500 - 500} ms\n" in log and log.endswith(f"time: {until}\n")
    return str(raised.value)


def test_a_callback_that_raises(network):
    async def main():
        asyncio.get_running_loop().call_later(7, lambda: 1 / 0)
        await asyncio.sleep(60)

    text = fails(network, main, faults.ProgramFailed)
    assert "ZeroDivisionError" in text and "test_bad_programs.py:" in text and " 7." in text


def test_a_program_ends_when_its_callback_raises(network):
    async def main():
        asyncio.get_running_loop().call_later(7, lambda: 1 / 0)
        await asyncio.sleep(60)

    simulation = network()
    with pytest.raises(faults.ProgramFailed):
        with virtual_time.Session(simulation) as session:
            session.run(main())
    assert simulation.now_us == 7_000_000


def test_a_protocol_that_raises_at_a_datagram(network):
    class Raises(asyncio.DatagramProtocol):
        def datagram_received(self, data, addr):
            raise RuntimeError("unexpected")

    async def main():
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(Raises)
        transport.sendto(b"x", ("fd00::2", 7))
        await asyncio.sleep(60)

    assert "RuntimeError: unexpected" in fails(network, main, faults.ProgramFailed)


def test_a_program_with_its_own_handler_goes_on(run):
    async def main():
        loop, seen = asyncio.get_running_loop(), []
        loop.set_exception_handler(lambda _loop, context: seen.append(context["exception"]))
        loop.call_soon(lambda: 1 / 0)
        await asyncio.sleep(1)
        return seen

    assert [type(error) for error in run(main)] == [ZeroDivisionError]


def test_the_main_part_raises_as_always(run):
    async def main():
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        run(main)


def compute():
    while True:
        try:
            sum(range(100))
        except Exception:
            pass


def block():
    time.sleep(1e6)


@pytest.mark.parametrize("never_returns", [compute, block])
def test_a_callback_that_never_returns(network, never_returns):
    async def main():
        await asyncio.sleep(1)
        never_returns()

    text = fails(network, main, faults.Stuck, limit_s=NOT_LONG_S)
    assert f"in {never_returns.__name__}" in text


def test_a_program_in_which_no_time_passes(network):
    async def main():
        while True:
            await asyncio.sleep(0)

    fails(network, main, faults.Stuck, limit_s=NOT_LONG_S)


def test_a_program_that_hides_why_it_ended(network):
    simulation = network()
    with pytest.raises(faults.Stuck):
        with virtual_time.Session(simulation, limit_s=NOT_LONG_S):
            try:
                asyncio.run(asyncio.sleep(0, compute()))
            except BaseException:
                pass


def test_waiting_for_what_can_never_come(network):
    async def main():
        await asyncio.sleep(5)
        await asyncio.Event().wait()

    text = fails(network, main, faults.NothingCanCome)
    assert "test_bad_programs.py:" in text and "in main" in text


def test_waiting_for_what_does_not_come(network):
    async def main():
        loop = asyncio.get_running_loop()
        await loop.create_datagram_endpoint(asyncio.DatagramProtocol)
        await loop.create_future()

    assert "120 s" in fails(network, main, faults.NothingCanCome, patience_s=120)


def test_a_program_that_runs_on_is_ended_and_cleans_up(network):
    cleaned = []

    async def main():
        try:
            while True:
                await asyncio.sleep(7)
        finally:
            await asyncio.sleep(1)
            cleaned.append(asyncio.get_running_loop().time())

    fails(network, main, faults.TimeIsUp, until_s=100)
    assert cleaned == [101]


@pytest.mark.parametrize(
    "call",
    [
        lambda loop: asyncio.open_connection("fd00::2", 80),
        lambda loop: asyncio.start_server(print, "fd00::1", 80),
        lambda loop: asyncio.create_subprocess_exec("true"),
        lambda loop: loop.create_unix_connection(print, "socket"),
        lambda loop: loop.create_datagram_endpoint(print, sock=object()),
    ],
)
def test_what_is_not_in_virtual_time_is_refused(network, call):
    async def main():
        await call(asyncio.get_running_loop())

    assert "virtual-time.md" in fails(network, main, faults.NotInVirtualTime)


def test_a_callback_that_asks_for_a_socket_is_refused(network):
    async def main():
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.add_reader, 0, print)
        await asyncio.sleep(60)

    assert "virtual-time.md" in fails(network, main, faults.NotInVirtualTime)


def test_a_mote_that_is_no_border_router(network):
    simulation = network()
    with pytest.raises(faults.NoBorderRouter) as raised:
        with virtual_time.Session(simulation, border_router=2, announced_s=10):
            raise AssertionError("it began")
    assert "mote 2" in str(raised.value) and "it is 9500 ms" in str(raised.value)
    with virtual_time.Session(simulation, border_router=1, announced_s=10):  # nothing of it is left
        pass


@pytest.mark.parametrize("wrong", [{"border_router": 9}, {"address": "fd00::1/48"}, {"baud": 0}])
def test_wrong_settings(network, wrong):
    with pytest.raises(ValueError):
        with virtual_time.Session(network(), **{"border_router": 1} | wrong):
            raise AssertionError("it began")


def test_garbage_to_and_from_a_border_router(network):
    """The router says what it does not understand; its text is between the frames, and harms none."""

    async def main():
        loop = asyncio.get_running_loop()
        link = virtual_time.current().host.links[0]
        for garbage in (b"\x00", b"\x60" * 50, bytes(range(256)) * 4, b"!", b"?"):
            link.send(garbage)
        await asyncio.sleep(1)
        link.send(b"\xdb\xc0\xdb")
        await loop.create_datagram_endpoint(asyncio.DatagramProtocol)
        return await virtual_time.ping("fd00::2")

    simulation = network()
    with virtual_time.Session(simulation, border_router=1) as session:
        assert session.run(main()) < 0.1
    simulation.end()
    assert "garbage of" in simulation.log.read_text(errors="replace")


def test_a_frame_that_is_too_long_is_counted(run):
    async def main():
        await asyncio.sleep(100)  # mote 2 speaks no SLIP, and prints more than 2,000 bytes meanwhile
        link = virtual_time.current().host.links[0]
        link.send(b"x")  # it says that back, and the END behind it
        await asyncio.sleep(1)
        return link.unreadable

    assert run(main, border_router=2, announced_s=None) == 1


def test_a_busy_line_loses_packets_and_counts_them(run):
    async def main():
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(asyncio.DatagramProtocol)
        for _ in range(100):
            transport.sendto(bytes(1000), ("fd00::2", 7))
        await asyncio.sleep(30)
        host = virtual_time.current().host
        return host.counters, host.links[0].lost

    counters, lost = run(main)
    assert counters.sent == 100 and 0 < lost < 100 and counters.received == 100 - lost


def test_a_mote_that_crashes_ends_the_simulation(network):
    async def main():
        _, writer = await virtual_time.open_serial_connection(3)
        writer.write(b"crash")
        await asyncio.sleep(60)

    simulation = network()
    with pytest.raises(live.SimulationEnded, match="mote 3"):
        with virtual_time.Session(simulation) as session:
            session.run(main())


def test_a_mote_that_is_removed_answers_no_more(run):
    async def main():
        reader, writer = await virtual_time.open_serial_connection(3)
        await reader.readline()
        virtual_time.current().simulation.remove(3)
        writer.write(b"anybody?")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(10):
                await reader.readline()

    run(main)


def test_a_simulation_in_which_a_program_runs_is_not_copied(run):
    async def main():
        with pytest.raises(Unsupported, match="program"):
            virtual_time.current().simulation.fork()

    run(main)
