# SPDX-License-Identifier: Apache-2.0
"""Programs that know nothing of simulations run on a simulation's clock, the same way every time."""

from __future__ import annotations

import asyncio
import errno
import os
import random
import re
import socket

import aiocoap
import aiocoap.resource
import pytest

from orchestrator.features import virtual_time
from tests import needs

needs.a_compiler()
BEHIND = "fd00::202:2:2:2"  # some mote behind the border router


def now() -> float:
    return asyncio.get_running_loop().time()


async def get(context: aiocoap.Context, uri: str) -> bytes:
    answer = await context.request(aiocoap.Message(code=aiocoap.GET, uri=uri)).response
    return answer.payload


class Collect(asyncio.DatagramProtocol):
    """Keeps what comes, with its time; `first` is done then."""

    def __init__(self):
        self.came = []
        self.first = asyncio.get_running_loop().create_future()

    def datagram_received(self, data, addr):
        self._take(data, addr)

    def error_received(self, exc):
        self._take(exc)

    def _take(self, *what):
        self.came.append((now(), *what))
        if not self.first.done():
            self.first.set_result(self.came[-1])


async def udp(**ends):
    return await asyncio.get_running_loop().create_datagram_endpoint(Collect, **ends)


def test_a_coap_client(run):
    async def main():
        context = await aiocoap.Context.create_client_context()
        return [await get(context, f"coap://[fd00::20{n}:{n}:{n}:{n}]/") for n in (2, 3)]

    assert run(main) == [b"mote 2 here", b"mote 3 here"]


def test_a_coap_server_and_its_client_in_one_program(run):
    class Hello(aiocoap.resource.Resource):
        async def render_get(self, request):
            await asyncio.sleep(1000)
            return aiocoap.Message(payload=b"hello")

    async def main():
        site = aiocoap.resource.Site()
        site.add_resource(["hello"], Hello())
        await aiocoap.Context.create_server_context(site, bind=("fd00::1", None))
        client = await aiocoap.Context.create_client_context()
        return await get(client, "coap://[fd00::1]/hello"), now()

    payload, time_s = run(main)
    assert payload == b"hello" and 1000 < time_s < 1001


def test_the_users_own_choice_of_transports_stays(run, monkeypatch):
    monkeypatch.setenv("AIOCOAP_CLIENT_TRANSPORT", "mine")

    async def main():
        return os.environ["AIOCOAP_CLIENT_TRANSPORT"], "AIOCOAP_SERVER_TRANSPORT" in os.environ

    assert run(main) == ("mine", True)
    assert "AIOCOAP_SERVER_TRANSPORT" not in os.environ


@pytest.mark.parametrize("size", [0, 1, 100, 1232])
def test_datagrams_of_every_size(run, size):
    data = bytes(number & 0xFF for number in range(size))

    async def main():
        transport, collect = await udp()
        transport.sendto(data, (BEHIND, 7))
        return await collect.first

    _, came, source = run(main)
    assert came == data and source[:2] == (BEHIND, 7)


def test_a_datagram_that_no_packet_holds(run):
    async def main():
        transport, collect = await udp()
        transport.sendto(bytes(1233), (BEHIND, 7))
        return await collect.first

    assert run(main)[1].errno == errno.EMSGSIZE


def test_a_closed_port_refuses(run):
    async def main():
        transport, collect = await udp(remote_addr=(BEHIND, 9))
        transport.sendto(b"anybody?")
        return await collect.first

    assert isinstance(run(main)[1], ConnectionRefusedError)


def test_a_port_that_is_not_connected_hears_of_no_refusal(run):
    """As in Linux."""

    async def main():
        transport, collect = await udp()
        transport.sendto(b"anybody?", (BEHIND, 9))
        await asyncio.sleep(5)
        return collect.came

    assert run(main) == []


def test_a_datagram_that_comes_before_the_protocol_knows_its_port_is_kept(run):
    class Server(Collect):
        def connection_made(self, transport):
            self.transport = transport

        def datagram_received(self, data, addr):
            self.transport.sendto(data.upper(), addr)

    async def main():
        client, collect = await udp()
        client.sendto(b"early", ("::1", 5000))
        await asyncio.get_running_loop().create_datagram_endpoint(Server, local_addr=("::1", 5000))
        await asyncio.sleep(1)
        return [data for _, data, _ in collect.came]

    assert run(main) == [b"EARLY"]


def test_what_comes_to_a_closed_port_of_ours_is_refused(run):
    """The host sends to itself, as a mote would send to it."""

    async def main():
        transport, collect = await udp(remote_addr=("fd00::1", 9))
        transport.sendto(b"anybody?")
        return await collect.first

    assert isinstance(run(main)[1], ConnectionRefusedError)


def test_ports_are_taken_once_and_given_back(run):
    async def main():
        first, _ = await udp(local_addr=("fd00::1", 1234))
        assert first.get_extra_info("sockname") == ("fd00::1", 1234, 0, 0)
        with pytest.raises(OSError) as taken:
            await udp(local_addr=("::", 1234))
        with pytest.raises(OSError) as foreign:
            await udp(local_addr=("fd00::77", 1234))
        first.close()
        await udp(local_addr=("::", 1234))
        return taken.value.errno, foreign.value.errno

    assert run(main) == (errno.EADDRINUSE, errno.EADDRNOTAVAIL)


def test_a_connected_port_hears_its_peer_only(run):
    async def main():
        server, at_server = await udp(local_addr=("fd00::1", 5000))
        client, at_client = await udp(remote_addr=("fd00::1", 5000))
        stranger, _ = await udp()
        client.sendto(b"to the server")
        _, _, peer = await at_server.first
        stranger.sendto(b"not for you", peer)
        server.sendto(b"answer", peer)
        await asyncio.sleep(1)
        return [data for _, data, *_ in at_client.came]

    assert run(main) == [b"answer"]


def test_a_ping_takes_the_time_of_the_serial_line(run):
    async def main():
        return await virtual_time.ping(BEHIND, size=56), await virtual_time.ping("fd00::1")

    there, here = run(main)
    assert 105 * 10 / 115200 <= there < 0.02  # 104 bytes and the END at least; a tick is 1 ms
    assert here == 0


def test_a_faster_line_is_faster(run):
    async def main():
        return await virtual_time.ping(BEHIND, size=1000)

    assert run(main, baud=1_000_000) < run(main) < run(main, baud=9600)


def test_nobody_answers_behind_no_border_router(network):
    async def main():
        with pytest.raises(OSError, match="border router"):
            await virtual_time.ping(BEHIND)
        transport, collect = await udp()
        transport.sendto(b"", (BEHIND, 7))
        return (await collect.first)[1].errno

    with virtual_time.Session(network()) as session:
        assert session.run(main()) == errno.ENETUNREACH


def test_two_border_routers_have_their_own_prefixes(network):
    async def main():
        await virtual_time.ping("fd01::5")
        await virtual_time.ping("fd02::5")

    simulation = network(routers=2)
    with virtual_time.Session(simulation, border_router={1: "fd01::1/64", 2: "fd02::9/64"}) as session:
        session.run(main())
        assert session.host.counters.received == 2
    simulation.end()
    log = simulation.log.read_text(errors="replace")
    assert re.search("ID:1\t.*prefix fd01", log) and re.search("ID:2\t.*prefix fd02", log)


def test_names_and_nothing_else_is_resolved(run):
    async def main():
        loop = asyncio.get_running_loop()
        with pytest.raises(socket.gaierror):
            await loop.getaddrinfo("example.org", 80)
        context = await aiocoap.Context.create_client_context()
        return await get(context, "coap://sensor/")

    assert run(main, names={"sensor": BEHIND}) == b"mote 2 here"


def test_timers_are_simulated_and_exact(run):
    async def main():
        began = now()
        await asyncio.sleep(12_345.678901)
        return now() - began

    assert run(main) == pytest.approx(12_345.678901, abs=2e-6)


def test_a_serial_line_as_streams(network):
    async def main():
        reader, writer = await virtual_time.open_serial_connection(2)
        first = await reader.readline(), now()
        writer.write(b"hello")
        await writer.drain()
        second = await reader.readline(), now()
        with pytest.raises(ValueError):
            await virtual_time.open_serial_connection(2)
        with pytest.raises(ValueError):
            await virtual_time.open_serial_connection(77)
        writer.close()
        reader, writer = await virtual_time.open_serial_connection(2)
        writer.write(bytes(10_000))  # more than the mote's buffer takes at once
        await writer.drain()
        zeros = 0
        while zeros < 10_000:
            zeros += (await reader.read(1000)).count(0)
        return first, second

    with virtual_time.Session(network()) as session:
        first, second = session.run(main())
    assert first[0] == b"it is 500 ms\n" and first[1] == 0.5
    assert second[0] == b"got hello\n" and 0.5 < second[1] < 0.51


def test_a_program_waits_for_a_serial_line_that_is_slower_than_it(run):
    async def main():
        _, writer = await virtual_time.open_serial_connection(2)
        writer.write(bytes(100_000))
        await writer.drain()
        return now()

    assert 80_000 * 10 / 115200 < run(main) < 100_000 * 10 / 115200


def test_a_serial_line_whose_reading_is_paused_loses_nothing(run):
    class Line(asyncio.Protocol):
        came = b""

        def data_received(self, data):
            self.came += data

    async def main():
        transport, line = await asyncio.get_running_loop().create_serial_connection(Line, 2)
        transport.pause_reading()
        await asyncio.sleep(1.1)
        paused = line.came
        transport.resume_reading()
        await asyncio.sleep(0.1)
        return paused, line.came

    assert run(main) == (b"", b"it is 500 ms\nit is 1000 ms\n")


def test_a_line_that_is_given_back_comes_to_the_caller_again(network):
    async def main():
        reader, writer = await virtual_time.open_serial_connection(2)
        await reader.readline()
        writer.close()
        await asyncio.sleep(1.1)

    with virtual_time.Session(network()) as session:
        session.run(main())
        assert [one.text for one in session.clock.others] == [b"it is 1000 ms", b"it is 1500 ms"]


def test_several_programs_one_after_the_other_share_the_time(network):
    with virtual_time.Session(network()) as session:
        asyncio.run(asyncio.sleep(3))
        asyncio.run(asyncio.sleep(4))
        assert session.clock.now_us == 7_000_000


def test_a_program_runs_where_another_loop_runs_as_in_a_notebook(network):
    async def cell():
        with virtual_time.Session(network()) as session:
            return session.run(asyncio.sleep(3, "done"))

    assert asyncio.run(cell()) == "done"


def test_what_threads_would_do_is_done_at_once(run):
    async def main():
        before = now()
        result = await asyncio.to_thread(sum, [1, 2, 3])
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(lambda: 1 / 0)
        return result, now() - before

    assert run(main) == (6, 0)


def test_outside_of_a_session_nothing_is_simulated(network):
    with virtual_time.Session(network(), seed=3):
        inside = random.random()
    with virtual_time.Session(network(), seed=3):
        assert random.random() == inside
    loop = asyncio.new_event_loop()
    loop.close()
    assert type(loop).__module__.startswith("asyncio")

    async def main():
        await virtual_time.ping(BEHIND)

    with pytest.raises(RuntimeError):
        asyncio.run(main())


def test_every_run_has_the_same_bytes(network, tmp_path):
    async def client(number):
        context = await aiocoap.Context.create_client_context()
        await asyncio.sleep(random.random())
        return await get(context, f"coap://[fd00::20{number}:{number}:{number}:{number}]/"), now()

    async def main():
        return await asyncio.gather(*(client(number) for number in range(2, 9)), virtual_time.ping(BEHIND))

    def once(seed):
        simulation = network()
        with virtual_time.Session(simulation, border_router=1, seed=seed) as session:
            result = session.run(main())
        simulation.end()
        return result, simulation.log.read_bytes()

    first, other = once(1), once(2)
    assert once(1) == first != other


def test_the_address_that_a_mote_makes():
    assert virtual_time.mote_address(2) == BEHIND
    assert virtual_time.mote_address(26, "2001:db8::5/64") == "2001:db8::21a:1a:1a:1a"
    assert virtual_time.mote_address(0x1234) == "fd00::1034:1234:1234:1234"
